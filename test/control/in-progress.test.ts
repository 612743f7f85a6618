import { expect, test } from "vitest";
import { connectResourceMock } from "../../src/client.ts";
import { failureReport } from "../../src/library/testing/failure-report.ts";
import { addRule } from "../setup/activation.ts";
import { inProject } from "../setup/control.ts";
import { openEvents } from "../setup/events.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { draft } from "../setup/resources.ts";
import { slowBody } from "../setup/slow-body.ts";
import { until } from "../setup/until.ts";

/** Delays that end when a test releases them, or when the client has gone. */
let release = () => {};
let begun = () => {};
const untilReleased = (_ms: number, ...signals: AbortSignal[]) =>
  new Promise<void>((resolve) => {
    release = resolve;
    for (const signal of signals) signal.addEventListener("abort", () => resolve(), { once: true });
    begun();
  });

onTransports(
  "a request in progress",
  { wait: untilReleased, inOneProcess: "requests in progress are those of one process" },
  (mock) => {
    const verify = (project: string, body: object) =>
      inProject<{ message: string }>(mock, project, "POST", "/requests/verify", body);
    const client = () =>
      connectResourceMock("http://mock.test", { fetch: (url, init) => mock.fetch(pathOf(url), init) });

    /** Sends a request that stays in progress until `end` is called. */
    async function started(project: string, path: string, init?: RequestInit) {
      await addRule(mock, project, { latency: { fixed: 2000 }, times: 1 });
      const isDelayed = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const response = mock.resource(project, path, init);
      await isDelayed;
      const end = release;
      return async () => {
        end();
        return (await response).status;
      };
    }

    test("counts in verifications by its request, and not by its response", async () => {
      const project = newProject();
      const end = await started(project, "", json("POST", draft));
      const match = { operation: "createResource", body: draft };
      expect(await verify(project, { match, count: 1 })).toMatchObject({
        status: 200,
        body: { pass: true, matched: 1, inProgress: 1 },
      });
      expect(await verify(project, { match, count: 0 })).toMatchObject({ status: 422, body: { inProgress: 1 } });
      const { status, body } = await verify(project, { match: { ...match, status: 201 } });
      expect([status, body]).toEqual([422, expect.objectContaining({ matched: 0, inProgress: 1, nearest: [] })]);
      expect(body.message).toMatch(/\n\n1 request is in progress \(createResource, \d+ ms\)\.$/);
      expect(body.message).not.toContain("no requests");
      expect(await end()).toBe(201);
      expect((await verify(project, { match: { ...match, status: 201 } })).body).toEqual({ pass: true, matched: 1 });
    });

    test("a request in progress counts at its position in an order", async () => {
      const project = newProject();
      const end = await started(project, "/shirt");
      await mock.resource(project);
      const order = [{ operation: "getResourceById" }, { operation: "queryResources" }];
      expect((await verify(project, { order })).body).toEqual({ pass: true, matched: 2, inProgress: 1 });
      expect((await verify(project, { order: order.toReversed() })).body).toMatchObject({ pass: false, inProgress: 1 });
      await end();
    });

    test("a wait that times out names a request in progress", async () => {
      const project = newProject();
      const end = await started(project, "/shirt");
      const reply = await inProject(mock, project, "GET", "/requests/wait?timeout=0");
      expect(reply).toMatchObject({ status: 408, body: { requests: [], total: 0, inProgress: 1 } });
      expect(JSON.stringify(reply.body)).toMatch(/found 0\. 1 request is in progress \(getResourceById, \d+ ms\)/);
      await end();
    });

    test("is in the report of a failed test, in lists and in the coverage", async () => {
      const project = newProject();
      const end = await started(project, "/shirt");
      const lines = (await failureReport(client().project(project), { rerunCommand: "again" })).split("\n");
      expect(lines).toEqual([
        `resource-mock: project ${project} received 1 request`,
        expect.stringMatching(/^ {2}1 request is in progress \(getResourceById, \d+ ms\)$/),
        "Run the test again: again",
      ]);
      const pending = [{ operation: "getResourceById", method: "GET", path: `/${project}/resource/shirt` }];
      expect((await inProject(mock, project, "GET", "/requests")).body).toMatchObject({ requests: [], pending });
      expect((await inProject(mock, project, "GET", "/coverage")).body).toMatchObject({ requests: 1 });
      await end();
      expect((await inProject(mock, project, "GET", "/requests")).body).toMatchObject({ total: 1 });
      expect((await inProject(mock, project, "GET", "/coverage")).body).toMatchObject({ requests: 1 });
      expect((await inProject<object>(mock, project, "GET", "/requests")).body).not.toHaveProperty("pending");
    });

    test("does not count after the journal is cleared, also when it has ended, and stays in the coverage", async () => {
      const project = newProject();
      const clear = async () => expect((await inProject(mock, project, "DELETE", "/requests")).status).toBe(204);
      // The journal has no requests yet.
      const endFirst = await started(project, "/first");
      await clear();
      const endSecond = await started(project, "/second");
      await clear();
      expect((await verify(project, { count: 0 })).body).toEqual({ pass: true, matched: 0 });
      const wait = await inProject<object>(mock, project, "GET", "/requests/wait?timeout=0");
      expect([wait.status, JSON.stringify(wait.body)]).toEqual([408, expect.not.stringContaining("in progress")]);
      expect((await inProject<object>(mock, project, "GET", "/requests")).body).not.toHaveProperty("pending");
      const events = await openEvents(mock, `/projects/${project}/events`);
      expect([await endFirst(), await endSecond()]).toEqual([200, 200]);
      await mock.resource(project, "/third");
      const next = async () => {
        for (;;) {
          const { type, data } = await events.next();
          if (type === "request") return data;
        }
      };
      expect(await next()).toMatchObject({ path: `/${project}/resource/third` });
      expect((await verify(project, { count: 1 })).body).toEqual({ pass: true, matched: 1 });
      expect((await inProject(mock, project, "GET", "/requests")).body).toMatchObject({ total: 1, dropped: 0 });
      expect((await inProject(mock, project, "GET", "/coverage")).body).toMatchObject({ requests: 3 });
    });

    test("whose body is still arriving does not count after the journal is cleared", async () => {
      const project = newProject();
      const { body, finish, isRead } = slowBody(JSON.stringify(draft));
      const headers = { "Content-Type": "application/json" };
      const response = mock.resource(project, "", { method: "POST", body, duplex: "half", headers } as RequestInit);
      await isRead;
      await until(() => mock.has(project));
      await inProject(mock, project, "DELETE", "/requests");
      finish();
      expect((await response).status).toBe(201);
      expect((await verify(project, { count: 0 })).body).toEqual({ pass: true, matched: 0 });
    });

    test("a request to a reset project does not count", async () => {
      const project = newProject();
      const end = await started(project, "/shirt");
      await inProject(mock, project, "POST", "/reset");
      expect((await verify(project, { count: 0 })).body).toEqual({ pass: true, matched: 0 });
      expect(await end()).toBe(503);
    });

    test("is in the journal as soon as its client has gone, with the reason", async () => {
      const project = newProject();
      await addRule(mock, project, { latency: { fixed: 2000 } });
      const isDelayed = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const aborted = new AbortController();
      const response = mock.resource(project, "/shirt", { signal: aborted.signal });
      await isDelayed;
      aborted.abort();
      await expect(response).rejects.toThrow();
      await inProject(mock, project, "GET", "/requests/wait");
      const { body } = await inProject<{ requests: object[] }>(mock, project, "GET", "/requests");
      expect(body.requests).toMatchObject([{ operation: "getResourceById", response: { status: 0 } }]);
      const report = await failureReport(client().project(project), { rerunCommand: "again" });
      expect(report).toContain("received 1 request\n");
      expect(report).toMatch(/why: No response: the client closed the connection after \d+ ms/);
    });
  },
);

function pathOf(url: string): string {
  return url.slice("http://mock.test".length);
}
