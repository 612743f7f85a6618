// @module-tag slow
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inProject } from "../setup/control.ts";
import { builtIn, type Call } from "../setup/histories.ts";
import { type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";
import { petSubject } from "../setup/pet-histories.ts";
import { runs } from "../setup/runs.ts";

describe.each([builtIn, petSubject])("$name:", ({ service, history }) => {
  onTransports("the state at each moment of a random history", { wait: async () => {}, service }, (mock) => {
    const state = async (project: string, query = "") => {
      const { status, body } = await inProject(mock, project, "GET", `/state${query}`);
      expect([query, status]).toEqual([query, 200]);
      return JSON.stringify(body);
    };

    test("is returned by state, restored by rewind and its undo, and kept by an archive", async () => {
      await fc.assert(
        fc.asyncProperty(history, async (calls) => {
          const [project, copy] = [newProject(), newProject()];
          const after = new Map<string, string>();
          const before = new Map<string, string>();
          for (const call of calls) {
            const start = await state(project);
            const id = await send(mock, project, call);
            if (id === undefined) continue;
            before.set(id, start);
            after.set(id, await state(project));
          }
          const { body } = await inProject<{ requests: { id: string }[] }>(
            mock,
            project,
            "GET",
            "/requests?limit=1000",
          );
          const ids = body.requests.map(({ id }) => id).filter((id) => after.has(id));
          const now = await state(project);
          for (const id of ids) {
            expect(await state(project, `?after=${id}`)).toBe(after.get(id));
            expect(await state(project, `?before=${id}`)).toBe(before.get(id));
          }
          const archive = (await inProject(mock, project, "GET", "/archive")).body;
          expect((await inProject(mock, copy, "PUT", "/archive", archive)).status).toBe(204);
          for (const id of ids) expect(await state(copy, `?after=${id}`)).toBe(after.get(id));
          for (const id of ids.slice(-3)) {
            const { body } = await inProject<{ undo: number }>(mock, project, "POST", `/requests/${id}/rewind`);
            expect(await state(project)).toBe(before.get(id));
            await inProject(mock, project, "POST", "/rewind", { moment: body.undo });
            expect(await state(project)).toBe(now);
          }
        }),
        runs(15, 200),
      );
    });
  });
});

/** Sends a call of a history to this project. Returns the id of a request to the service. */
async function send(mock: MockUnderTest, project: string, { path, init }: Call): Promise<string | undefined> {
  const own = path.replace(/^\/p\//, `/${project}/`).replace("/projects/p/", `/projects/${project}/`);
  const response = await mock.fetch(own, init).catch(() => undefined);
  await response?.arrayBuffer().catch(() => {});
  return response?.headers.get("Mock-Request-Id") ?? undefined;
}
