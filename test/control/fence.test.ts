import { beforeEach, describe, expect, test } from "vitest";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { expectError } from "../setup/errors.ts";
import { openEvents } from "../setup/events.ts";
import { json, type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";
import { configure, draft, update } from "../setup/resources.ts";
import { slowBody } from "../setup/slow-body.ts";

/** Sends a request whose body ends when `finish` is called. Resolves when the project exists. */
async function lateRequest(mock: MockUnderTest, project: string, method: string, path: string, content: unknown) {
  const { body, finish, isRead } = slowBody(JSON.stringify(content));
  const headers = { "Content-Type": "application/json" };
  const response = mock.fetch(path, { method, body, duplex: "half", headers } as RequestInit);
  await isRead;
  // The project is created when the request arrives.
  await expect.poll(() => mock.has(project), { interval: 1 }).toBe(true);
  return { response, finish };
}

/** The number of delayed responses. A latency ends only when it is aborted. */
let delayed = 0;
const untilAborted = (_ms: number, ...signals: AbortSignal[]) =>
  new Promise<void>((resolve) => {
    delayed++;
    for (const signal of signals) signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Ways to end a project, with their events. Afterwards, the late request must have no effect. */
const endings: [string, (mock: MockUnderTest, project: string) => Promise<unknown>, string][] = [
  ["reset", (mock, project) => inProject(mock, project, "POST", "/reset"), "reset"],
  ["deleted", (mock, project) => inProject(mock, project, "DELETE", ""), "project deleted"],
  ["reset with all others", (mock) => control(mock, "POST", "/reset"), "reset"],
];

/** Reads events until one has this type. Returns their types, with the change of the project. */
async function typesUntil(events: Awaited<ReturnType<typeof openEvents>>, last: string): Promise<string[]> {
  const types: string[] = [];
  while (types.at(-1) !== last) {
    const { type, data } = await events.next();
    types.push(type === "project" ? `project ${data.change}` : type);
  }
  return types;
}

onTransports(
  "a late request",
  { wait: untilAborted, inOneProcess: "a shared project is opened when the body has arrived" },
  (mock) => {
    beforeEach(() => {
      delayed = 0;
    });

    /** The data of a project that a late request could change. */
    const traces = async (project: string) => {
      const paths = ["/state", "/requests", "/coverage", "/images"];
      return Promise.all(paths.map(async (path) => (await inProject(mock, project, "GET", path)).body));
    };

    describe.each(endings)("to a project that was %s in the meantime", (_name, end, ending) => {
      const created = ending === "reset" ? [] : ["project created"];
      const untouched = () => traces(newProject());

      test("returns 503 and changes neither the new state nor the new journal", async () => {
        const project = newProject();
        const { response, finish } = await lateRequest(mock, project, "POST", `/${project}/resource`, draft);
        const events = await openEvents(mock, `/projects/${project}/events`);
        await end(mock, project);
        finish();
        await expectError(await response, "ServiceUnavailable", {
          message: `Project "${project}" was reset or deleted while this request was in progress; its changes were discarded`,
        });
        expect(await traces(project)).toEqual(await untouched());
        // The events contain only the end of the project, and none of the late request.
        await inProject(mock, project, "PUT", "/scenarios/slow");
        expect(await typesUntil(events, "scenarios")).toEqual([ending, ...created, "scenarios"]);
      });

      test("is no longer delayed", async () => {
        const project = newProject();
        await configure(mock, project, { latency: { fixed: 600_000 } });
        const requests = [
          mock.resource(project, "", json("POST", draft)),
          mock.resource(project, "/a", update(1)),
          mock.resource(project, "/a", { method: "DELETE" }),
          mock.resource(project),
        ];
        await expect.poll(() => delayed, { interval: 1 }).toBe(requests.length);
        await end(mock, project);
        for (const response of await Promise.all(requests)) await expectError(response, "ServiceUnavailable");
        expect(await traces(project)).toEqual(await untouched());
      });

      test.each([
        ["/state", { resources: [] }],
        ["/scenarios/slow", { times: 1 }],
      ])("does not change the project through the control API (%s)", async (path, content) => {
        const project = newProject();
        const address = `/__admin/projects/${project}${path}`;
        const { response, finish } = await lateRequest(mock, project, "PUT", address, content);
        await end(mock, project);
        const events = await openEvents(mock, `/projects/${project}/events`);
        finish();
        const late = await response;
        const reply = { status: late.status, headers: late.headers, body: await late.json() };
        expectProblem(reply, 503, "ServiceUnavailable");
        expect(await traces(project)).toEqual(await untouched());
        // The next event of the project is the change that was sent after its end.
        await inProject(mock, project, "PUT", "/resources/a", draft);
        expect(await typesUntil(events, "state")).toEqual([...created, "state"]);
      });

      test("ends its wait for requests with 503", async () => {
        const project = newProject();
        const waits = [
          inProject(mock, project, "GET", "/requests/wait?timeout=60000"),
          inProject(mock, project, "POST", "/requests/wait", { timeout: 60_000 }),
        ];
        await expect.poll(() => mock.waits(project), { interval: 1 }).toBe(waits.length);
        await end(mock, project);
        for (const reply of await Promise.all(waits)) expectProblem(reply, 503, "ServiceUnavailable", project);
      });
    });
  },
);
