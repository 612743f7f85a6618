import { expect, test } from "vitest";
import type { RequestEntry } from "../../src/journal/entry.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { configure, draft } from "../setup/resources.ts";

interface Arrived {
  requests: RequestEntry[];
  total: number;
}

onTransports("a wait for requests", {}, (mock) => {
  const wait = (project: string, query: string) => inProject<Arrived>(mock, project, "GET", `/requests/wait${query}`);
  const waitFor = (project: string, body?: object) => inProject<Arrived>(mock, project, "POST", "/requests/wait", body);

  /** Resolves when the project has this number of waits. */
  const waiting = (project: string, count: number) =>
    expect.poll(() => mock.waits(project), { interval: 1 }).toBe(count);

  test("returns immediately if enough requests have arrived before", async () => {
    const project = newProject();
    await mock.resource(project);
    await mock.resource(project, "/a");
    for (const reply of [
      await wait(project, "?count=2&timeout=60000"),
      await waitFor(project, { count: 2, timeout: 60_000 }),
    ]) {
      expect(reply).toMatchObject({ status: 200, body: { total: 2 } });
      expect(reply.body.requests.map(({ operation }) => operation)).toEqual(["getResourceById", "queryResources"]);
    }
    expect(await wait(project, "?operation=queryResources")).toMatchObject({ status: 200, body: { total: 1 } });
    expect(await waitFor(project)).toMatchObject({ status: 200, body: { total: 2 } });
  });

  test("returns as soon as enough requests have arrived, including past requests", async () => {
    const project = newProject();
    await mock.resource(project, "", json("POST", draft));
    const replies = [
      wait(project, "?operation=createResource&count=2&timeout=60000"),
      waitFor(project, { match: { status: 201, body: draft }, count: 2, timeout: 60_000 }),
    ];
    await waiting(project, 2);
    await mock.resource(project, "/a");
    await mock.resource(newProject(), "", json("POST", draft));
    await waiting(project, 2);
    const last = await mock.resource(project, "", json("POST", draft));
    for (const reply of await Promise.all(replies)) {
      expect(reply).toMatchObject({ status: 200, body: { total: 2 } });
      expect(reply.body.requests[0]?.id).toBe(last.headers.get("Mock-Request-Id"));
    }
    await waiting(project, 0);
  });

  test("returns 408 after the timeout, with the requests that arrived", async () => {
    const project = newProject();
    const response = await mock.resource(project);
    const reply = await wait(project, "?count=3&timeout=1");
    expectProblem(reply, 408, "RequestsMissing", "requests: expected 3 within 1 ms, found 1");
    expect(reply.body).toMatchObject({ requests: [{ id: response.headers.get("Mock-Request-Id") }], total: 1 });
    expectProblem(await waitFor(project, { match: { status: 500 }, timeout: 0 }), 408, "RequestsMissing", "found 0");
    await waiting(project, 0);
  });

  test("returns 408 with the match and the nearest requests, as a failed verification does", async () => {
    const project = newProject();
    await mock.resource(project, "/shirt");
    for (const reply of [
      await wait(project, "?operation=getResourceById&status=409&timeout=0"),
      await waitFor(project, { match: { operation: "getResourceById", status: 409 }, timeout: 0 }),
    ]) {
      expectProblem(reply, 408, "RequestsMissing", "requests: expected 1 within 0 ms, found 0\n\nExpected at least");
      expect(reply.body).toMatchObject({
        detail: expect.stringMatching(
          /Expected:\n {2}operation: "getResourceById"\n {2}status: 409\n\nNearest:\n.*shirt/,
        ),
        nearest: [{ differences: [{ pointer: "/status", expected: 409, actual: 200 }] }],
      });
    }
  });

  test("returns at most the ten newest requests with 408", async () => {
    const project = newProject();
    for (let number = 0; number < 12; number++) await mock.resource(project, `/r-${number}`);
    const { body } = await wait(project, "?count=13&timeout=0");
    expect([body.requests.length, body.requests[0]?.request.path, body.total]).toEqual([
      10,
      `/${project}/resource/r-11`,
      12,
    ]);
  });

  test("counts requests that the journal has dropped", async () => {
    const project = newProject();
    await configure(mock, project, { journalSize: 2 });
    const reply = wait(project, "?count=5&timeout=60000");
    await waiting(project, 1);
    for (let number = 0; number < 5; number++) await mock.resource(project, `/${number}`);
    const { status, body } = await reply;
    expect([status, body.total, body.requests.length]).toEqual([200, 5, 2]);
  });

  test("counts no requests from before the journal is cleared, also before a wait in progress", async () => {
    const project = newProject();
    await mock.resource(project);
    const reply = wait(project, "?count=2&timeout=60000");
    await waiting(project, 1);
    await inProject(mock, project, "DELETE", "/requests");
    await mock.resource(project, "/a");
    await waiting(project, 1);
    await mock.resource(project, "/b");
    const { status, body } = await reply;
    expect([status, body.total, body.requests.map(({ request }) => request.path)]).toEqual([
      200,
      2,
      [`/${project}/resource/b`, `/${project}/resource/a`],
    ]);
  });

  test("ends when its client disconnects", async () => {
    const project = newProject();
    const client = new AbortController();
    const url = `/__admin/projects/${project}/requests/wait?timeout=60000`;
    const reply = mock.fetch(url, { signal: client.signal }).catch(() => "gone");
    await waiting(project, 1);
    client.abort();
    await waiting(project, 0);
    await reply;
  });

  test.each(["?count=0", "?count=20001", "?timeout=60001", "?match=x"])("returns 400 for %s", async (query) => {
    expectProblem(await wait(newProject(), query), 400, "InvalidField");
  });

  test.each([{ count: 0 }, { timeout: 60_001 }, { match: { path: { id: { matches: "(" } } } }])(
    "returns 400 for %j",
    async (body) => {
      expectProblem(await waitFor(newProject(), body), 400, "InvalidField");
    },
  );
});
