import { describe, expect, test } from "vitest";
import { inProject } from "../setup/control.ts";
import { newProject, onAllTransports } from "../setup/mock.ts";
import { draft, read, update, write } from "../setup/resources.ts";

const other = { objectTypeProperty: { arrayOfIntExample: [2] } };

onAllTransports("overwriting the last written resource", {}, (mock) => {
  describe.each(["PUT", "PATCH"] as const)("%s", (method) => {
    test("creates a resource without a last written one: seeded resources and resources from a fixture do not count", async () => {
      const project = newProject();
      const seeded = "d7837e18-cc45-4c00-8db9-da596e263d96";
      await mock.resource(project, `/${seeded}`, update(1));
      await read(mock, project, "/born-by-id");
      await read(mock, project, "/key=born-by-key");
      await mock.resource(project, "/born-by-id", update(1));

      const { id, resource } = await write(mock, project, method);
      expect([seeded, "born-by-id"]).not.toContain(id);
      expect(resource).toEqual({ version: 1, ...draft });
      expect(await read(mock, project, `/${seeded}`)).toMatchObject({ version: 2 });
      expect(await read(mock, project, "/born-by-id")).toMatchObject({ version: 2 });
    });

    test.each(["POST", "PUT", "PATCH"] as const)(
      "overwrites the resource that %s wrote, at the next version",
      async (first) => {
        const project = newProject();
        const { id } = await write(mock, project, first, { ...draft, season: "SS25" });
        expect(await write(mock, project, method, other)).toEqual({ id, resource: { version: 2, ...other } });
        // The whole earlier content is replaced, including extra fields.
        expect(await read(mock, project, `/${id}`)).toEqual({ version: 2, ...other });
      },
    );

    test("keeps the time of the creation", async () => {
      const project = newProject();
      await inProject(mock, project, "PUT", "/clock", { now: "2025-06-01T12:00:00Z", frozen: true });
      const { id } = await write(mock, project);
      await inProject(mock, project, "PUT", "/clock", { advance: 1000 });
      await write(mock, project, method, other);
      expect((await inProject(mock, project, "GET", `/resources/${id}`)).body).toMatchObject({
        createdAt: "2025-06-01T12:00:00.000Z",
        lastModifiedAt: "2025-06-01T12:00:01.000Z",
      });
    });

    test("an update by actions does not change the last written resource", async () => {
      const project = newProject();
      const first = await write(mock, project);
      const second = await write(mock, project);
      await mock.resource(project, `/${first.id}`, update(1));
      expect((await write(mock, project, method, other)).id).toBe(second.id);
    });

    test("creates a resource when the last written one was deleted, even if an earlier one exists", async () => {
      const project = newProject();
      const earlier = await write(mock, project);
      const deleted = await write(mock, project);
      await mock.resource(project, `/${deleted.id}`, { method: "DELETE" });
      const { id, resource } = await write(mock, project, method, other);
      expect([earlier.id, deleted.id]).not.toContain(id);
      expect(resource.version).toBe(1);
      expect(await read(mock, project, `/${earlier.id}`)).toEqual({ version: 1, ...draft });
    });

    test("the last written resource of another project does not count", async () => {
      const { id } = await write(mock, newProject());
      const elsewhere = await write(mock, newProject(), method);
      expect(elsewhere.id).not.toBe(id);
      expect(elsewhere.resource.version).toBe(1);
    });
  });
});
