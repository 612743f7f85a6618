import { describe, expect, test } from "vitest";
import type { RequestEntry } from "../../src/journal/entry.ts";
import type { Exchange } from "../../src/journal/kept-exchange.ts";
import { exchangeWith } from "../journal/exchanges.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { pausesDuring } from "../setup/meanwhile.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { configure } from "../setup/resources.ts";

interface Page {
  requests: RequestEntry[];
  total: number;
  next?: string;
}

const KiB = 1024;
const MiB = 1024 * KiB;

const mock = useMock("in process");

describe("a large journal", () => {
  /** Creates a project with `count` exchanges in its journal. */
  async function projectWith(count: number, exchange: (number: number) => Partial<Exchange>): Promise<string> {
    const project = newProject();
    await configure(mock, project, { journalSize: 20_000 });
    await mock.inside(project, (sandbox) => {
      for (let number = 0; number < count; number++) {
        const serial = ++mock.engine.sequence.last;
        sandbox.record(exchangeWith({ id: `0-${number}`, serial, path: `/${project}/resource`, ...exchange(number) }));
      }
    });
    return project;
  }
  const post = (path: string, body: object) => (project: string) =>
    mock.fetch(`/__admin/projects/${project}${path}`, json("POST", body));
  const get = (path: string) => (project: string) => mock.fetch(`/__admin/projects/${project}${path}`);

  test.each<[string, (project: string) => Promise<Response>, number]>([
    ["a verification", post("/requests/verify", { match: { query: { number: "x" } } }), 422],
    ["a verification in order", post("/requests/verify", { order: [{ query: { number: "x" } }] }), 422],
    ["a wait", post("/requests/wait", { match: { query: { number: "x" } }, timeout: 0 }), 408],
    ["a wait without a match", get("/requests/wait?count=10000&timeout=0"), 408],
    ["a list", get("/requests?limit=1000"), 200],
    ["a filtered list", get("/requests?status=404"), 200],
    ["a search", get("/requests?q=absent"), 200],
    ["a search in all journals", () => mock.fetch("/__admin/requests?q=absent"), 200],
    ["a timeline", get("/requests/timeline"), 200],
  ])("does not block other requests during %s", async (_what, send, status) => {
    const project = await projectWith(500, (number) => ({ query: `number=${number}` }));
    const { response, pauses } = await pausesDuring(mock, () => send(project));
    await response.arrayBuffer();
    expect(response.status).toBe(status);
    expect(pauses).toBeGreaterThanOrEqual(50);
    mock.engine.projects.close(project);
  });

  const array = Array.from({ length: 25_000 }, (_, index) => index % 10);
  const other = array.with(-1, 11);

  test("is listed in pages of at most 8 MiB", async () => {
    const responseBody = "x".repeat(64 * KiB);
    const project = await projectWith(300, () => ({ responseBody }));
    const ids: string[] = [];
    for (let next: string | undefined = ""; next !== undefined; ) {
      const path: string = `/requests?limit=1000${next && `&before=${next}`}`;
      const { body }: { body: Page } = await inProject<Page>(mock, project, "GET", path);
      expect(body.total).toBe(300);
      next = body.next;
      expect(JSON.stringify(body).length).toBeLessThan(9 * MiB);
      ids.push(...body.requests.map(({ id }) => id));
    }
    expect(ids).toEqual(Array.from({ length: 300 }, (_, index) => `0-${299 - index}`));
  });

  test.each([
    ["text", "x".repeat(64 * KiB)],
    ["control characters", "\u0001".repeat(64 * KiB)],
    ["JSON", JSON.stringify(array)],
  ])("returns a small response when a wait with bodies of %s times out", async (_what, responseBody) => {
    const project = await projectWith(900, () => ({ responseBody, requestBody: Buffer.from(responseBody) }));
    const reply = await inProject<{ requests: RequestEntry[]; total: number }>(
      mock,
      project,
      "GET",
      "/requests/wait?count=10000&timeout=0",
    );
    const kept = mock.engine.projects.get(project).journal.length;
    expectProblem(reply, 408, "RequestsMissing", `found ${kept}`);
    expect(reply.body.total).toBe(kept);
    expect(reply.body.requests).toHaveLength(10);
    expect(reply.body.requests[0]).toMatchObject({ id: "0-899", response: { body: { cut: true } } });
    expect(JSON.stringify(reply.body).length).toBeLessThan(MiB + 16 * KiB);
  });

  test.each<[string, object, object]>([
    ["a large body", { a: array }, { a: other }],
    ["large texts", { a: "x".repeat(60 * KiB) }, { a: "y".repeat(100 * KiB) }],
    ["many large members", { a: Array(20).fill("x".repeat(3 * KiB)) }, { a: Array(20).fill("y".repeat(5 * KiB)) }],
  ])("returns a small response when a verification of %s fails", async (_what, sent, expected) => {
    const requestBody = Buffer.from(JSON.stringify(sent));
    const project = await projectWith(5, () => ({
      operationId: "updateResource",
      requestBody,
      responseBody: "x".repeat(64 * KiB),
    }));
    const reply = await inProject(mock, project, "POST", "/requests/verify", { match: { body: expected } });
    expect(reply.status).toBe(422);
    expect(JSON.stringify(reply.body).length).toBeLessThan(512 * KiB);
  });

  test("returns 409 for more than 100 waits in progress", async () => {
    const project = newProject();
    const { watchers } = mock.engine.projects.get(project);
    const leave = Array.from({ length: 100 }, () => watchers.add({ size: 0, receive() {} }, 0));
    const reply = await inProject(mock, project, "GET", "/requests/wait?timeout=0");
    expectProblem(reply, 409, "LimitReached", "fewer than 100 in progress in a project, found 100");
    leave[0]?.();
    expect((await inProject(mock, project, "GET", "/requests/wait?timeout=0")).status).toBe(408);
  });
});
