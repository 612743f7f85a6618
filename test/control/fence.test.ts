import { beforeEach, describe, expect, test } from "vitest";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { expectError } from "../setup/errors.ts";
import { json, type MockUnderTest, newProject, onBothTransports } from "../setup/mock.ts";
import { configure, draft, update } from "../setup/resources.ts";

/** A body that ends when it is told to. */
function slowBody(text: string): { body: ReadableStream<Uint8Array>; finish: () => void; started: Promise<void> } {
  const bytes = new TextEncoder().encode(text);
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes.subarray(0, 1)),
    async pull(controller) {
      started.resolve();
      await gate.promise;
      controller.enqueue(bytes.subarray(1));
      controller.close();
    },
  });
  return { body, finish: gate.resolve, started: started.promise };
}

/** A request to a project that has arrived there, and whose body ends when it is told to. */
async function lateRequest(mock: MockUnderTest, project: string, method: string, path: string, content: unknown) {
  const { body, finish, started } = slowBody(JSON.stringify(content));
  const headers = { "Content-Type": "application/json" };
  const response = mock.fetch(path, { method, body, duplex: "half", headers } as RequestInit);
  await started;
  // Then the project is there.
  await expect.poll(() => mock.engine.projects.find(project), { interval: 1 }).toBeDefined();
  return { answer: response, finish };
}

/** How many answers are held back. Latencies last until they are cut short. */
let held = 0;
const untilAborted = (_ms: number, ...signals: AbortSignal[]) =>
  new Promise<void>((resolve) => {
    held++;
    for (const signal of signals) signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Ways to end a project, and what must be there of it afterwards: nothing that the late request has done. */
const endings: [string, (mock: MockUnderTest, project: string) => Promise<unknown>][] = [
  ["reset", (mock, project) => inProject(mock, project, "POST", "/reset")],
  ["closed", (mock, project) => inProject(mock, project, "DELETE", "")],
  ["reset with all others", (mock) => control(mock, "POST", "/reset")],
];

onBothTransports("a request that is late", { wait: untilAborted }, (mock) => {
  beforeEach(() => {
    held = 0;
  });

  /** What of a project could have been touched. */
  const traces = async (project: string) => {
    const paths = ["/state", "/requests", "/coverage", "/images"];
    return Promise.all(paths.map(async (path) => (await inProject(mock, project, "GET", path)).body));
  };

  describe.each(endings)("for a project that was %s meanwhile", (_name, end) => {
    const untouched = () => traces(newProject());

    test("is answered 503, and writes neither to the new state nor to the new journal", async () => {
      const project = newProject();
      const { answer: response, finish } = await lateRequest(mock, project, "POST", `/${project}/resource`, draft);
      const events = mock.engine.feed.open({ project }).getReader();
      await end(mock, project);
      finish();
      await expectError(await response, "ServiceUnavailable", {
        message: `Project "${project}" was reset or closed while this request was under way: nothing of it has been kept`,
      });
      expect(await traces(project)).toEqual(await untouched());
      // Of all that, the events tell the end of the project only.
      await inProject(mock, project, "PUT", "/scenarios/slow");
      const told = [await events.read(), await events.read(), await events.read()];
      const types = told.map(({ value }) => /event: (\w+)/.exec(new TextDecoder().decode(value))?.[1]);
      expect(types).toEqual([undefined, "reset", "scenario"]);
      await events.cancel();
    });

    test("is not held back any longer", async () => {
      const project = newProject();
      configure(mock, project, { latency: { fixed: 600_000 } });
      const requests = [
        mock.resource(project, "", json("POST", draft)),
        mock.resource(project, "/a", update(1)),
        mock.resource(project, "/a", { method: "DELETE" }),
        mock.resource(project),
      ];
      await expect.poll(() => held, { interval: 1 }).toBe(requests.length);
      await end(mock, project);
      for (const response of await Promise.all(requests)) await expectError(response, "ServiceUnavailable");
      expect(await traces(project)).toEqual(await untouched());
    });

    test.each([
      ["/state", { resources: [] }],
      ["/scenarios/slow", { times: 1 }],
    ])("does not touch it through the control API either (%s)", async (path, content) => {
      const project = newProject();
      const address = `/__admin/projects/${project}${path}`;
      const { answer: response, finish } = await lateRequest(mock, project, "PUT", address, content);
      await end(mock, project);
      const events = mock.engine.feed.open({ project }).getReader();
      finish();
      const late = await response;
      const reply = { status: late.status, headers: late.headers, body: await late.json() };
      expectProblem(reply, 503, "ServiceUnavailable");
      expect(await traces(project)).toEqual(await untouched());
      // The next thing that is told of the project is what was asked for after it had ended.
      await inProject(mock, project, "PUT", "/resources/a", draft);
      const told = [await events.read(), await events.read()].map(({ value }) => new TextDecoder().decode(value));
      expect(told).toEqual(["retry: 1000\n\n", expect.stringContaining('"id":"a"')]);
      await events.cancel();
    });

    test("waits for no more requests", async () => {
      const project = newProject();
      const waits = [
        inProject(mock, project, "GET", "/requests/wait?timeout=60000"),
        inProject(mock, project, "POST", "/requests/wait", { timeout: 60_000 }),
      ];
      const { journal } = mock.engine.projects.get(project);
      await expect.poll(() => journal.watchers, { interval: 1 }).toBe(waits.length);
      await end(mock, project);
      for (const reply of await Promise.all(waits)) expectProblem(reply, 503, "ServiceUnavailable", project);
    });
  });

  test("for another project is none", async () => {
    const [project, other] = [newProject(), newProject()];
    const { answer: response, finish } = await lateRequest(mock, project, "POST", `/${project}/resource`, draft);
    await inProject(mock, other, "POST", "/reset");
    finish();
    expect((await response).status).toBe(201);
  });
});
