import { describe, expect, test, vi } from "vitest";
import type { RequestEntry } from "../../src/journal/entry.ts";
import type { RequestSummary } from "../../src/journal/request-summary.ts";
import type { Timeline } from "../../src/journal/timeline.ts";
import { Effort } from "../../src/rules/matching/pattern.ts";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";
import { configure, draft, update } from "../setup/resources.ts";

interface Page<Item = RequestEntry & { project?: string }> {
  requests: Item[];
  total: number;
  searched: number;
  next?: string;
}

const START = Date.parse("2025-06-01T12:00:00Z");
let now = START;

const idsIn = ({ requests }: { requests: { id: string }[] }) => requests.map(({ id }) => id);
const idOf = (response: Response) => response.headers.get("Mock-Request-Id") ?? "";

async function get<Body>(mock: MockUnderTest, path: string): Promise<Body> {
  const { status, body } = await control<Body>(mock, "GET", path);
  expect(status).toBe(200);
  return body;
}

onTransports("the search in a journal", { now: () => now }, (mock) => {
  const list = (project: string, query = "") => get<Page>(mock, `/projects/${project}/requests${query}`);
  const search = async (project: string, q: string) => idsIn(await list(project, `?q=${encodeURIComponent(q)}`));

  test("finds words in method, operation, path, query, decisions and bodies, in any case", async () => {
    const project = newProject();
    const sent = [
      await mock.resource(project, "/Blue%20Shirt%C3%BC?colour=Dark%20Red"),
      await mock.resource(project, "", json("POST", { ...draft, note: "Größe \\ 42" })),
      await mock.resource(project, "/b", update(9)),
    ];
    const [read, created, stale] = sent.map(idOf);
    for (const [q, expected] of [
      ["blue", [read]],
      ["shirt BLUE", [read]],
      ["shirtü", [read]],
      ["%20shirt", [read]],
      ["blue red", [read]],
      ["colour=dark", [read]],
      ["Dark%20Red", [read]],
      ["getresourcebyid", [stale, read]],
      ["post", [stale, created]],
      ["post GRÖSSE", []],
      ["größe", [created]],
      ['"note":', [created]],
      ["stale", []],
      ["CONCURRENTmodification", [stale]],
      ["concurrentmodification blue", []],
      [read ?? "", [read]],
      ["", [stale, created, read]],
      [" \t ", [stale, created, read]],
    ] as const) {
      expect([q, await search(project, q)]).toEqual([q, expected]);
    }
  });

  test("does not find secrets, and finds the text beside them", async () => {
    const project = newProject();
    await configure(mock, project, { validation: "report" });
    const secret = "s3cr3t";
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const requests: [string, RequestInit?][] = [
      [`?access_token=${secret}&facet=beside`],
      [`?access%5Ftoken=${secret}&facet=beside`],
      [`?%61ccess_token=%73${secret.slice(1)}&facet=beside`],
      ["/beside", { headers: { Authorization: `Bearer ${secret}`, Cookie: `a=${secret}` } }],
      ["", json("POST", { password: secret, facet: "beside" })],
      ["", json("POST", { password: { in: [secret] }, facet: "beside" })],
      ["", { ...json("POST", {}), body: `{"\\u0070assword":"${secret}","facet":"beside"}` }],
      ["", { ...json("POST", {}), body: `{"password":"\\u0073${secret.slice(1)}","facet":"beside"}` }],
      ["", { ...json("POST", {}), body: `{"facet":"beside","x":[{"client_secret":"${secret}"` }],
      ["", { method: "POST", headers: form, body: `facet=beside&client_secret=${secret}` }],
      ["", json("POST", { facet: "beside", password: secret, long: "x".repeat(70_000) })],
    ];
    for (const [path, init] of requests) await mock.resource(project, path, init);
    for (const part of [secret, secret.slice(1), secret.toUpperCase(), `"${secret}"`, `=${secret}`]) {
      expect([part, await search(project, part)]).toEqual([part, []]);
    }
    expect(await search(project, "beside")).toHaveLength(requests.length);
  });

  test("does not find the body of a response to HEAD and of binary data", async () => {
    const project = newProject();
    await configure(mock, project, { validation: "report" });
    await mock.resource(project, "", { method: "HEAD" });
    const body = new Uint8Array([0xff, ...Buffer.from("visible")]);
    await mock.resource(project, "", { method: "POST", body, headers: { "Content-Type": "image/png" } });
    expect(await search(project, "visible")).toEqual([]);
    expect(await search(project, `"objectTypeProperty": checkresourceexists`)).toEqual([]);
    expect(await search(project, "checkresourceexists")).toHaveLength(1);
  });

  test("returns summaries without headers and bodies", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/clock", { now: "2030-01-01T00:00:00Z", frozen: true });
    const id = idOf(await mock.resource(project, "/a?access_token=hidden&more=x", update(9)));
    const { requests } = await get<Page<RequestSummary>>(mock, `/projects/${project}/requests?brief=true`);
    expect(requests).toEqual([
      {
        project,
        id,
        method: "POST",
        path: `/${project}/resource/a`,
        query: "access_token=[redacted]&more=x",
        operation: "updateResource",
        status: 409,
        source: "error",
        violations: 0,
        receivedAt: "2030-01-01T00:00:00.000Z",
        serverTime: new Date(now).toISOString(),
        duration: expect.any(Number),
        reason: "the client sent version 9, the stored version is 1",
      },
    ]);
  });

  test("finds headers, decisions, rules and changes", async () => {
    const project = newProject();
    await inProject(mock, project, "POST", "/rules", { operation: "getCart", respond: { status: 404 } });
    const ids = [
      await mock.resource(project, "/a", { headers: { "X-Trace": "t-77, more", Authorization: "Bearer hidden" } }),
      await mock.resource(project, "/b", update(1)),
      await mock.resource(project, "/namespace-action-with-example"),
    ].map(idOf);
    const found = async (query: string) => {
      const { requests } = await get<Page<RequestSummary>>(mock, `/projects/${project}/requests?brief=true&${query}`);
      return requests.map(({ id }) => ids.indexOf(id));
    };
    expect(await found("header=x-trace")).toEqual([0]);
    expect(await found("header=X-Trace=T-7")).toEqual([0]);
    expect(await found("header=x-trace=t-8")).toEqual([]);
    expect(await found("header=authorization=hidden")).toEqual([]);
    expect(await found("rule=r-1")).toEqual([2]);
    expect(await found("rule=rule:r-1,other")).toEqual([2]);
    expect(await found("rule=r-2")).toEqual([]);
    expect(await found("changed=b")).toEqual([1]);
    expect(await found("changed=c")).toEqual([]);
    expect(await found("q=t-77")).toEqual([0]);
    expect(await found("q=lenient%20allows%20t-77")).toEqual([0]);
    const { requests } = await get<Page<RequestSummary>>(mock, `/projects/${project}/requests?brief=true&rule=r-1`);
    expect(requests).toMatchObject([{ reason: "the rule r-1 responded", by: ["rule:r-1"] }]);
  });

  test("finds broken connections, before and during the response", async () => {
    const project = newProject();
    const whole = idOf(await mock.resource(project));
    for (const fault of ["CONNECTION_RESET_BY_PEER", "MALFORMED_RESPONSE_CHUNK"]) {
      await inProject(mock, project, "POST", "/rules", { fault });
      await expect(mock.resource(project).then((response) => response.text())).rejects.toThrow();
    }
    const statuses = async (query: string) =>
      (await list(project, query)).requests.map(({ response }) => response.status);
    expect(await statuses("?status=broken")).toEqual([200, 0]);
    expect(await statuses("?status=0")).toEqual([0]);
    expect(idsIn(await list(project, "?status=2xx"))).toContain(whole);
  });

  describe("a page of the search", () => {
    test("counts all matching requests, and the last page has no cursor", async () => {
      const project = newProject();
      for (let index = 0; index < 4; index++) await mock.resource(project, index % 2 ? "" : "/a");
      const first = await list(project, "?operation=getResourceById&limit=1");
      expect(first).toMatchObject({ total: 2, searched: 4, next: first.requests[0]?.id });
      const second = await list(project, `?operation=getResourceById&limit=1&before=${first.next}`);
      expect(second).toMatchObject({ total: 2, searched: 4 });
      expect(second.requests).toHaveLength(1);
      expect(second).not.toHaveProperty("next");
      expect(await list(project, "?limit=0")).toEqual({ requests: [], total: 4, searched: 4, dropped: 0 });
    });

    test("is empty before a request that the journal has dropped, because all older requests are dropped too", async () => {
      const project = newProject();
      const dropped = idOf(await mock.resource(project));
      await configure(mock, project, { journalSize: 2 });
      for (let index = 0; index < 3; index++) await mock.resource(project);
      expect(await list(project, `?before=${dropped}`)).toEqual({ requests: [], total: 2, searched: 2, dropped: 2 });
      await inProject(mock, project, "DELETE", "/requests");
      expect(await list(project, `?before=${dropped}`)).toEqual({ requests: [], total: 0, searched: 0, dropped: 0 });
    });
  });
});

onTransports("the search in all journals", {}, (mock) => {
  test("finds the one 409 among the requests of many projects", async () => {
    const all = (query = "") => get<Page>(mock, `/requests${query}`);
    const stale = `stale-${newProject()}`;
    for (let number = 0; number < 60; number++) await mock.resource(number % 6 ? newProject() : stale, `/${number}`);
    const id = idOf(await mock.resource(stale, "/a", update(9)));
    const found = await all("?status=409");
    expect(found).toMatchObject({ total: 1, searched: 61, requests: [{ project: stale, id }] });
    expect(await all("?q=version+ConcurrentModification")).toEqual(found);
    expect(await all("?status=4xx,5xx&brief=true")).toMatchObject({ total: 1, requests: [{ project: stale, id }] });
    expect(await all("?status=409&project=STALE-")).toEqual({ ...found, searched: 11 });
    expect(await all("?status=409&project=other")).toEqual({ requests: [], total: 0, searched: 0, dropped: 0 });
  });
});

onTransports("the requests of all projects", { now: () => now }, (mock) => {
  const all = (query = "") => get<Page>(mock, `/requests${query}`);

  test("lists the requests of all projects, newest first, without gaps and duplicates while new requests arrive", async () => {
    const projects = [newProject(), newProject(), newProject()];
    const sent: [string, string][] = [];
    for (let index = 0; index < 20; index++) {
      const project = projects[(index * 7) % 3] ?? "";
      sent.unshift([project, idOf(await mock.resource(project, "/a"))]);
    }
    const listed: [string | undefined, string][] = [];
    for (let next: string | undefined = ""; next !== undefined; ) {
      const page: Page = await all(`?limit=3${next && `&before=${next}`}`);
      listed.push(...page.requests.map(({ project, id }): [string | undefined, string] => [project, id]));
      next = page.next;
      await mock.resource(projects[listed.length % 3] ?? "", "/new");
    }
    expect(listed).toEqual(sent);
    const before = sent[4]?.[1];
    expect(idsIn(await all(`?before=${before}&limit=5`))).toEqual(sent.slice(5, 10).map(([, id]) => id));
  });

  test("leave out requests that arrive during the search, in every project", async () => {
    const projects = [newProject(), newProject()];
    const sent = [];
    for (const project of projects) sent.unshift(idOf(await mock.resource(project)));
    const isDue = vi.spyOn(Effort.prototype, "isOver", "get").mockReturnValueOnce(true);
    const pause = vi.spyOn(Effort.prototype, "next").mockImplementationOnce(async () => {
      for (const project of projects) await mock.resource(project);
    });
    const page = await all("?limit=2");
    expect(pause).toHaveBeenCalled();
    isDue.mockRestore();
    pause.mockRestore();
    expect(idsIn(page)).toEqual(sent);
    expect((await all("?limit=0")).total).toBeGreaterThan(page.total);
  });

  test("continue after a cursor whose request was dropped", async () => {
    const [kept, dropped] = [newProject(), newProject()];
    const older = idOf(await mock.resource(kept));
    const id = idOf(await mock.resource(dropped));
    await mock.resource(kept);
    const { next } = await all("?limit=2");
    await inProject(mock, dropped, "POST", "/reset");
    expect(idsIn(await all(`?limit=1&before=${next}`))).toEqual([older]);
    expectProblem(await control(mock, "GET", `/requests?before=${id}`), 400, "InvalidField", "`next` of a page");
  });
});

onTransports("the timeline", { now: () => now }, (mock) => {
  const of = (project: string, query = "") => get<Timeline>(mock, `/projects/${project}/requests/timeline${query}`);
  const at = (milliseconds: number) => new Date(START + milliseconds).toISOString();

  /** Sends requests at these times after the start, in milliseconds. */
  async function record(project: string, ...requests: { time: number; status?: number }[]): Promise<void> {
    for (const { time, status } of requests) {
      now = START + time;
      await mock.resource(project, "/a", status === 409 ? update(9) : {});
    }
    now = START;
  }

  test("counts requests and errors in each interval, by the server's clock", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/clock", { now: 0, frozen: true });
    await record(project, { time: 0 }, ...Array(5).fill({ time: 10 }), { time: 99, status: 409 });
    const { from, to, total, buckets } = await of(project, "?buckets=4");
    expect([from, to, total]).toEqual([at(0), at(99), 7]);
    const durations = { p50: expect.any(Number), p95: expect.any(Number) };
    expect(buckets).toEqual([
      { at: at(0), requests: 6, errors: 0, ...durations },
      { at: at(25), requests: 0, errors: 0 },
      { at: at(50), requests: 0, errors: 0 },
      { at: at(75), requests: 1, errors: 1, ...durations },
    ]);
  });

  test("has 60 intervals, which together contain each request once", async () => {
    const project = newProject();
    await record(
      project,
      ...Array.from({ length: 101 }, (_, index) => ({ time: index })).filter(({ time }) => time % 7),
    );
    const { buckets, total } = await of(project);
    expect(buckets).toHaveLength(60);
    expect(buckets.reduce((sum, { requests }) => sum + requests, 0)).toBe(total);
    for (const [index, { at: start, requests }] of buckets.entries()) {
      const end = Date.parse(buckets[index + 1]?.at ?? at(101)) - 1;
      const page = await get<Page>(mock, `/projects/${project}/requests?limit=0&from=${start}&to=${end}`);
      expect(page.total).toBe(requests);
    }
  });

  test("covers all requests in the journal with any filter, or the time in the query", async () => {
    const project = newProject();
    await record(project, { time: 0 }, { time: 500, status: 409 }, { time: 1000 });
    const { from, to, total, buckets } = await of(project, "?status=409&buckets=2");
    expect([from, to, total]).toEqual([at(0), at(1000), 1]);
    expect(buckets.map(({ requests }) => requests)).toEqual([0, 1]);
    const part = await of(project, `?from=${at(400)}&to=${at(1399)}&buckets=2`);
    expect(part).toMatchObject({ from: at(400), to: at(1399), total: 2, buckets: [{ at: at(400) }, { at: at(900) }] });
    expect(await of(project, "?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z&buckets=300")).toMatchObject({
      total: 3,
    });
  });

  test("contains the periods of scenarios, of the project and of all projects", async () => {
    const [project, other] = [newProject(), newProject()];
    const step = async (method: string, path: string) => {
      await control(mock, method, path);
      now += 100;
    };
    now = START;
    await step("PUT", `/projects/${project}/scenarios/conflict`);
    await step("PUT", `/projects/${project}/scenarios/conflict`);
    await step("PUT", "/scenarios/slow");
    await step("DELETE", `/projects/${project}/scenarios/conflict`);
    await step("PUT", `/projects/${other}/scenarios/flaky`);
    await step("DELETE", "/scenarios/slow");
    await step("PUT", `/projects/${project}/scenarios/conflict`);
    const query = `?from=${START}&to=${now}`;
    const ofProject = [
      { name: "conflict", project, from: at(0), to: at(300) },
      { name: "slow", from: at(200), to: at(500) },
      { name: "conflict", project, from: at(600) },
    ];
    expect((await of(project, query)).scenarios).toEqual(ofProject);
    const { scenarios } = await get<Timeline>(mock, `/requests/timeline${query}`);
    expect(scenarios).toEqual([
      ...ofProject.slice(0, 2),
      { name: "flaky", project: other, from: at(400) },
      ofProject[2],
    ]);
    expect((await of(project, `?from=${START + 301}&to=${START + 400}`)).scenarios).toEqual([ofProject[1]]);
    await control(mock, "POST", "/reset");
    expect((await get<Timeline>(mock, `/requests/timeline${query}`)).scenarios).toEqual([]);
    now = START;
  });

  test.each([
    ["buckets=0", "from 1 to 300"],
    ["buckets=301", "from 1 to 300"],
    ["status=9", "such as 409"],
    ["limit=1", "limit"],
  ])("returns 400 for %s", async (query, detail) => {
    const reply = await inProject(mock, newProject(), "GET", `/requests/timeline?${query}`);
    expectProblem(reply, 400, "InvalidField", detail);
  });
});
