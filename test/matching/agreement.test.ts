import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, onTransports, useMock } from "../setup/mock.ts";
import { image } from "../setup/requests.ts";
import { configure } from "../setup/resources.ts";
import { runs } from "../setup/runs.ts";

/** A rule and a verification use the same document and must match the same requests. */

type Request = [path: string, init?: RequestInit];
type Document = Record<string, unknown>;

const update = (body: object): Request => ["/a", json("POST", { version: 1, actions: [], ...body })];
const withHeader = (name: string, value: string): Request => ["/a", { headers: { [name]: value } }];

/** Returns whether a rule and a verification match a request. */
async function verdicts(mock: MockUnderTest, document: Document, [path, init]: Request) {
  const project = newProject();
  await configure(mock, project, { validation: "off" });
  const match = JSON.parse(JSON.stringify(document).replaceAll("PROJECT", project));
  const added = await inProject(mock, project, "POST", "/rules", { when: match, respond: { status: 500 } });
  expect(added.status).toBe(201);
  const response = await mock.resource(project, path, init);
  const { body } = await inProject<{ matched: number }>(mock, project, "POST", "/requests/verify", { match });
  return [response.headers.get("Mock-Source") === "rule:r-1", body.matched === 1];
}

/** A document, requests that match it, and requests that do not. */
const rows: [name: string, document: Document, matching: Request[], others: Request[]][] = [
  ["nothing", {}, [["/a"], update({}), ["/images", image("image/png")]], []],
  ["the method, in any case", { method: "post" }, [update({})], [["/a"]]],
  [
    "the whole path",
    { path: "/PROJECT/resource/a b%" },
    [["/a%20b%25"]],
    [["/a"], ["/a%20b%25c"], ["/a%20b%25/c"], ["?path=a"]],
  ],
  ["the whole path as sent", { path: "/PROJECT/resource/a%20b" }, [["/a%20b"]], [["/a+b"]]],
  ["the prefix of the path", { path: "/PROJECT/resource/a b*" }, [["/a%20b"], ["/a%20bc"]], [["/a"], ["/A%20b"], [""]]],
  ["a pattern for the path", { path: { matches: "/resource/(a|é)$" } }, [["/a"], ["/%C3%A9"]], [["/b"], [""]]],
  ["a pattern for the path as sent", { path: { matches: "/a%20b$" } }, [["/a%20b"]], [["/a+b"]]],
  [
    "the whole path in an equal percent-encoding",
    { path: "/PROJECT/resource/key=~é%2fb" },
    [["/key=~%C3%A9%2Fb"], ["/key=%7e%c3%a9%2fb"], ["/%6Bey=%7E%c3%A9%2Fb"]],
    [["/key=~%C3%A9b"], ["/key=~%C3%A9%252Fb"]],
  ],
  [
    "the prefix of the path in an equal percent-encoding",
    { path: "/PROJECT/resource/caf%c3%a9*" },
    [["/caf%C3%A9"], ["/%63af%c3%a9s"]],
    [["/cafe"], ["/caf%C3%A8"]],
  ],
  [
    "a pattern for the path in an equal percent-encoding",
    { path: { matches: "/~a%2Fb$" } },
    [["/~a%2Fb"], ["/%7Ea%2fb"]],
    [["/a%2Fb"]],
  ],
  ["the path with bytes that are not UTF-8", { path: "/PROJECT/resource/é%ff" }, [["/%c3%a9%FF"]], [["/%C3%A9"]]],
  ["path parameters", { path: { id: "a b" } }, [["/a%20b"]], [["/a"], ["/key=a%20b"], [""]]],
  ["patterns for path parameters", { path: { key: { matches: "^a" } } }, [["/key=ab"]], [["/key=ba"], ["/ab"]]],
  [
    "a pattern for the path, and a parameter",
    { path: { matches: "/resource/a", id: { matches: "b$" } } },
    [["/ab"]],
    [["/a"], ["/b"]],
  ],
  ["a query parameter", { query: { q: "a b" } }, [["?q=a+b"], ["?q=a%20b"]], [["?q=a"], ["?Q=a+b"], [""]]],
  ["one of its values", { query: { q: "b" } }, [["?q=a&q=b"], ["?q=b&q=a"]], [["?q=a&q=c"], ["?q=a,b"]]],
  [
    "all of its values in order",
    { query: { q: ["a b", 2, { matches: "^c" }] } },
    [["?q=a+b&r=0&q=2&q=cd"]],
    [["?q=2&q=a+b&q=cd"], ["?q=a+b&q=2"], ["?q=a+b&q=2&q=cd&q=e"], ["?q=a+b,2,cd"], [""]],
  ],
  ["no query parameter of this name", { query: { q: { absent: true } } }, [[""], ["?Q=1"]], [["?q="], ["?q=1&q=2"]]],
  ["a number and a boolean", { query: { q: 5, r: true } }, [["?q=5&r=true"]], [["?q=5.0&r=true"], ["?q=5&r=1"]]],
  ["a pattern for a query parameter", { query: { q: { matches: "^(a|b)$" } } }, [["?q=c&q=b"]], [["?q=ab"], [""]]],
  ["a pattern in any case", { query: { q: { matches: "(?i)LINEN|silk" } } }, [["?q=blue+linen"]], [["?q=wool"]]],
  ["a header, in any case", { headers: { "X-a": "B" } }, [withHeader("x-A", "B")], [withHeader("X-a", "b"), ["/a"]]],
  ["no header of this name", { headers: { "X-A": { absent: true } } }, [["/a"]], [withHeader("x-a", "b")]],
  [
    "all members of a header in order",
    { headers: { "X-A": ["a", { matches: "^b" }] } },
    [withHeader("x-a", "a, bc"), withHeader("x-a", "a,b")],
    [withHeader("x-a", "b, a"), withHeader("x-a", "a"), withHeader("x-a", "a, b, c"), ["/a"]],
  ],
  [
    "a cookie",
    { cookies: { a: "1" } },
    [withHeader("Cookie", "b=2; a=1")],
    [withHeader("Cookie", "aa=1; b=a=1"), ["/a"]],
  ],
  [
    "a pattern for a cookie",
    { cookies: { a: { matches: "^x=" } } },
    [withHeader("Cookie", "a=x=1")],
    [withHeader("Cookie", "a=1")],
  ],
  [
    "no cookie of this name",
    { cookies: { a: { absent: true } } },
    [withHeader("Cookie", "b=2; aa=1"), ["/a"]],
    [withHeader("Cookie", "b=2; a=")],
  ],
  [
    "a pattern for a header",
    { headers: { "X-A": { matches: "^b" } } },
    [withHeader("x-a", "bc")],
    [withHeader("x-a", "cb")],
  ],
  [
    "a part of the body",
    { body: { extra: { a: 1 } } },
    [update({ extra: { a: 1, b: 2 } })],
    [update({ extra: { a: "1" } }), update({ extra: [1] }), update({}), ["/a"]],
  ],
  [
    "a list in the body",
    { body: { extra: [{ a: 1 }, 2] } },
    [update({ extra: [{ a: 1, b: 2 }, 2] })],
    [update({ extra: [{ a: 1 }] }), update({ extra: [2, { a: 1 }] }), update({ extra: { 0: { a: 1 }, 1: 2 } })],
  ],
  [
    "an empty list in the body",
    { body: { actions: [] } },
    [update({})],
    [update({ actions: [{ action: "doSomeThing" }] })],
  ],
  [
    "an item of a list in the body",
    { body: { actions: { contains: { action: "changeSomeProperty", someProperty: { matches: "^lin" } } } } },
    [
      update({ actions: [{ action: "doSomeThing" }, { action: "changeSomeProperty", someProperty: "linen" }] }),
      update({ actions: [{ action: "changeSomeProperty", someProperty: "lint" }] }),
    ],
    [
      update({}),
      update({ actions: [{ action: "changeSomeProperty", someProperty: "wool" }, { action: "doSomeThing" }] }),
      update({ actions: [{ someProperty: "linen" }, { action: "changeSomeProperty" }] }),
      ["/a"],
    ],
  ],
  [
    "an item of a list in an item of a list",
    { body: { extra: { contains: { contains: 2 } } } },
    [update({ extra: [0, [1], [3, 2]] })],
    [update({ extra: [2] }), update({ extra: [[1], { 0: 2 }] }), update({ extra: 2 })],
  ],
  [
    "a member with the name contains",
    { body: { extra: { contains: 1 } } },
    [update({ extra: { contains: 1, more: 2 } }), update({ extra: [1] })],
    [update({ extra: { contains: 2 } }), update({ extra: [{ contains: 1 }] })],
  ],
  [
    "a pattern in the body",
    { body: { extra: { matches: "^[1a]" } } },
    [update({ extra: "ab" }), update({ extra: 12 })],
    [update({ extra: "ba" }), update({ extra: null }), update({ extra: { a: 1 } }), update({})],
  ],
  ["a pattern for the whole body", { body: { matches: '"extra":1' } }, [update({ extra: 1 })], [update({ extra: 2 })]],
  ["null in the body", { body: { extra: null } }, [update({ extra: null })], [update({}), update({ extra: 0 })]],
  [
    "any JSON body",
    { body: {} },
    [update({}), ["/namespace-action", json("POST", {})]],
    [
      ["/a"],
      ["/namespace-action", { method: "POST" }],
      ["/namespace-action", { method: "POST", body: "{" }],
      ["/images", image("image/png")],
    ],
  ],
  [
    "no member of this name in the body",
    { body: { extra: { a: 1, b: { absent: true } }, actions: { absent: true } } },
    [["/a", json("POST", { extra: { a: 1 } })]],
    [
      ["/a", json("POST", { extra: { a: 1, b: null } })],
      ["/a", json("POST", { extra: {} })],
      update({ extra: { a: 1 } }),
    ],
  ],
  [
    "an item of a list without a member",
    { body: { extra: { contains: { a: { absent: true } } } } },
    [update({ extra: [{ a: 1 }, { b: 1 }] })],
    [update({ extra: [{ a: 1 }] }), update({ extra: [] })],
  ],
  [
    "no body",
    { body: { absent: true } },
    [["/a"], ["/namespace-action", { method: "POST" }]],
    [update({}), ["/namespace-action", { method: "POST", body: "{" }], ["/images", image("image/png")]],
  ],
  [
    "everything at once",
    { method: "POST", path: { id: "a" }, query: { q: "b" }, headers: { "x-a": "c" }, body: { extra: "d" } },
    [["/a?q=b", { ...update({ extra: "d" })[1], headers: { "X-A": "c", "Content-Type": "application/json" } }]],
    [update({ extra: "d" }), ["/a?q=b", withHeader("X-A", "c")[1]]],
  ],
];

onTransports("a rule and a verification agree", {}, (mock) => {
  test.each(rows)("about %s", async (_name, document, matching, others) => {
    for (const request of matching) {
      expect([request, await verdicts(mock, document, request)]).toEqual([request, [true, true]]);
    }
    for (const request of others) {
      expect([request, await verdicts(mock, document, request)]).toEqual([request, [false, false]]);
    }
  });
});

onTransports("a match of one project", {}, (mock) => {
  const path = "/other/resource/42";
  test.each<[place: string, method: string, path: string, body?: object]>([
    ["a rule", "POST", "/rules", { when: { path }, respond: { status: 500 } }],
    ["a checked rule", "POST", "/rules/check", { when: { path }, respond: { status: 500 } }],
    ["an inline scenario", "PUT", "/scenarios/mine", { rules: [{ when: { path }, respond: { status: 500 } }] }],
    ["a verification", "POST", "/requests/verify", { match: { path }, count: 0 }],
    ["a verification of an order", "POST", "/requests/verify", { order: [{ path }] }],
    ["a wait", "POST", "/requests/wait", { match: { path }, timeout: 0 }],
    ["a wait by query", "GET", `/requests/wait?timeout=0&path=${path}`],
    ["a list of requests", "GET", `/requests?path=${path}`],
    ["a list of requests of two operations", "GET", `/requests?operation=getCart,getResourceById&path=${path}`],
    ["a timeline", "GET", `/requests/timeline?path=${path}`],
  ])("refuses a path of another project in %s", async (_place, method, path, body) => {
    const project = newProject();
    await mock.resource(project);
    for (const key of [project, `${project}~t1`]) {
      const expected = `expected a path of the project, such as /${project}/resource, found "/other/resource/42".`;
      expectProblem(await inProject(mock, key, method, path, body), 400, "InvalidField", expected);
    }
  });

  test("accepts the paths of all projects for all projects", async () => {
    const query = "/requests?path=/other/resource/42";
    expect((await control(mock, "GET", query)).status).toBe(200);
    const rules = [{ when: { path }, respond: { status: 500 } }];
    expect((await control(mock, "PUT", "/scenarios/for-other", { rules })).status).toBe(200);
    expect((await control(mock, "DELETE", "/scenarios/for-other")).status).toBe(204);
  });

  test("accepts the path of the project whose archive the project has got, in the journal and the rules", async () => {
    const [project, copy] = [newProject(), newProject()];
    const match = { path: `/${project}/resource/a` };
    await inProject(mock, project, "POST", "/rules", { when: match, respond: { status: 500 } });
    await mock.resource(project, "/a");
    expect((await inProject(mock, copy, "PUT", "/archive", { from: project })).status).toBe(204);
    expect((await inProject(mock, copy, "POST", "/requests/verify", { match, count: 1 })).status).toBe(200);
    await inProject(mock, copy, "DELETE", "/requests");
    expect((await inProject(mock, copy, "POST", "/requests/verify", { match, count: 0 })).status).toBe(400);
  });

  test("has paths without the sandbox, and matches requests that select the sandbox by path or header", async () => {
    const project = newProject();
    const sandbox = `${project}~t1`;
    const rule = { when: { path: `/${project}/resource/a` }, respond: { status: 500 } };
    await inProject(mock, sandbox, "POST", "/rules", rule);
    expect((await mock.resource(sandbox, "/a")).status).toBe(500);
    expect((await mock.resource(project, "/a", { headers: { "Mock-Sandbox": "t1" } })).status).toBe(500);
    for (const match of [rule.when, { path: { projectKey: project, id: "a" } }, { path: `/${project}/*` }]) {
      expect((await inProject(mock, sandbox, "POST", "/requests/verify", { match, count: 2 })).status).toBe(200);
    }
    const match = { path: `/${sandbox}/resource/a` };
    const refused = await inProject(mock, sandbox, "POST", "/requests/verify", { match, count: 0 });
    expectProblem(refused, 400, "InvalidField", "Leave out the sandbox.");
  });

  test.each(["{p}", ":id", "a/b", "50%", "é ~", "**"])("accepts the paths of the project %s", async (key) => {
    const sent = `/${encodeURIComponent(key)}/resource/a`;
    await mock.fetch(sent);
    for (const path of [sent, `/${key}/resource/a`, `/${encodeURIComponent(key)}/*`]) {
      const verified = await inProject(mock, key, "POST", "/requests/verify", { match: { path } });
      expect([path, verified.status]).toEqual([path, 200]);
    }
    await control(mock, "DELETE", `/projects/${encodeURIComponent(key)}`);
  });

  test("accepts only its own sandbox in the header Mock-Sandbox", async () => {
    const project = newProject();
    const verify = (key: string, name: string) => {
      const match = { headers: { "mock-sandbox": name } };
      return inProject(mock, key, "POST", "/requests/verify", { match, count: 0 });
    };
    expect((await verify(`${project}~t1`, "t1")).status).toBe(200);
    for (const key of [project, `${project}~t1`]) {
      const hint = `Requests with this header belong to the project "${project}~t2".`;
      expectProblem(await verify(key, "t2"), 400, "InvalidField", hint);
    }
  });
});

describe("a rule and a verification", () => {
  const mock = useMock("in process");

  test.each<[Document, string]>([
    [{ path: { idd: "a" } }, "/path/idd"],
    [{ path: { id: "a", key: "b" } }, "/path/key"],
    [{ path: "a" }, "/path"],
    [{ path: "/a?b=c" }, "/path"],
    [{ path: { matches: "(" } }, "/path/matches"],
    [{ path: 5 }, "/path"],
    [{ path: "/PROJECT/resource/{id}" }, "/path"],
    [{ path: "/PROJECT/resource/key={key}" }, "/path"],
    [{ path: "/PROJECT/resource/:id" }, "/path"],
    [{ path: "/PROJECT/*/42" }, "/path"],
    [{ path: "/PROJECT/**" }, "/path"],
    [{ path: "/PROJECT/resource/.*" }, "/path"],
    [{ path: "/other/resource/42" }, "/path"],
    [{ path: "/other/*" }, "/path"],
    [{ path: "/PROJECT-2*" }, "/path"],
    [{ path: "/PROJECT~t1/resource" }, "/path"],
    [{ path: "//PROJECT/resource" }, "/path"],
    [{ path: { matches: "^/other/" } }, "/path/matches"],
    [{ path: { matches: "^\\/other\\/resource\\/42$" } }, "/path/matches"],
    [{ path: { projectKey: "other" } }, "/path/projectKey"],
    [{ path: { id: ["a"] } }, "/path/id"],
    [{ headers: { "mock-Sandbox": "t1" } }, "/headers/mock-Sandbox"],
    [{ query: { q: { absent: false } } }, "/query/q/absent"],
    [{ query: { q: [] } }, "/query/q"],
    [{ query: { q: ["a", { matches: "(" }] } }, "/query/q/1/matches"],
    [{ cookies: { "a b": "c" } }, "/cookies/a b"],
    [{ method: "PO ST" }, "/method"],
    [{ method: "DELETE", body: {} }, "/method"],
    [{ query: { q: { matches: "(?=a)" } } }, "/query/q/matches"],
    [{ query: { q: null } }, "/query/q"],
    [{ headers: { "a b": "c" } }, "/headers/a b"],
    [{ header: { a: "b" } }, "/header"],
    [{ body: { a: [{ matches: "a{1001}" }] } }, "/body/a/0/matches"],
    [{ body: { actions: { 0: { action: "doSomeThing" } } } }, "/body/actions"],
    [{ body: { actions: {} } }, "/body/actions"],
    [{ body: { objectTypeProperty: { arrayOfIntExample: { 0: 1 } } } }, "/body/objectTypeProperty/arrayOfIntExample"],
    [{ body: { a: "b".repeat(140_000) } }, ""],
  ])("refuse %.60j for the same reason", async (document, place) => {
    const project = newProject();
    const detailOf = async (path: string, body: object, pointer: string) => {
      const meant = JSON.parse(JSON.stringify(body).replaceAll("PROJECT", project));
      const reply = await inProject(mock, project, "POST", path, meant);
      const problems = expectProblem(reply, 400, "InvalidField");
      expect(problems.map((problem) => problem.pointer)).toEqual([pointer]);
      return problems[0]?.detail.replace(pointer, "");
    };
    const rule = { when: document, respond: { status: 500 } };
    const reason = await detailOf("/rules", rule, `/when${place}`);
    expect(await detailOf("/requests/verify", { match: document }, `/match${place}`)).toBe(reason);
  });

  test("a refused index names contains, which compares the first 1,000 items", async () => {
    const project = newProject();
    const match = { body: { actions: { 0: { action: "doSomeThing" } } } };
    const hint = 'expected an array, or { "contains": { … } } for one of its items, found an object with "0"';
    const refused = await inProject(mock, project, "POST", "/requests/verify", { match });
    expectProblem(refused, 400, "InvalidField", hint);
    const extra = Array.from({ length: 1001 }, (_, index) => index);
    const contains = (item: unknown) => verdicts(mock, { body: { extra: { contains: item } } }, update({ extra }));
    expect([await contains(999), await contains(1000)]).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  test.each([
    ["/oauth/token/revoke", undefined],
    ["/shop/resources", undefined],
    ["/shop", undefined],
    ["/oauth/rev*", undefined],
    ["/shop/resource/", undefined],
    ["/shop/resource/42/", undefined],
    ["/shop/resource/key=a", "searchResources"],
    ["/shop/resource", "getResourceById"],
    ["/shop/resource", "token"],
  ])("a rule with the path %s for the operation %s is refused, as it cannot match", async (path, operation) => {
    const rule = { operation, when: { path }, respond: { status: 500 } };
    const refused = await inProject(mock, "shop", "POST", "/rules", rule);
    const [problem] = expectProblem(refused, 400, "InvalidField");
    expect(problem?.pointer).toBe("/when/path");
  });

  test.each(["/shop*", "/*", "/shop/res*", "/shop/resource/a/b", "/shop/resource/key=*", "/shop/resource/a%2Fb"])(
    "a rule with the path %s is accepted",
    async (path) => {
      const rule = { when: { path }, respond: { status: 500 } };
      expect((await inProject(mock, "shop", "POST", "/rules", rule)).status).toBe(201);
    },
  );

  test("a rule whose path ends in a slash is refused with a hint", async () => {
    const rule = { when: { path: "/shop/resource/" }, respond: { status: 500 } };
    const hint = "No operation has a path that ends with /.";
    expectProblem(await inProject(mock, "shop", "POST", "/rules", rule), 400, "InvalidField", hint);
  });

  test.each(["/demo/resource/{id}", "/demo/resource/:id"])(
    "the placeholder in %s is refused with a hint",
    async (path) => {
      const hint = 'A path has no placeholders. Write * at its end for any rest, or path parameters: { "id": "42" }.';
      const refused = await inProject(mock, "demo", "POST", "/requests/verify", { match: { path }, count: 0 });
      expectProblem(refused, 400, "InvalidField", hint);
    },
  );

  const word = fc.constantFrom("a", "ab", "1", "é b");
  const value = fc.oneof(word, fc.constantFrom(1, true), fc.record({ matches: fc.constantFrom("a", "^a", "b$", ".") }));
  const bodyOf = (leaf: fc.Arbitrary<unknown>) =>
    fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 2, withCrossShrink: true },
        fc.oneof(leaf, fc.constantFrom(null, 0, 1)),
        fc.array(tie("json"), { maxLength: 2 }),
        fc.dictionary(word, tie("json"), { maxKeys: 2 }),
      ),
    })).json;
  const path = fc.oneof(
    word.map((id) => ({ id })),
    word.map((key) => ({ key })),
    fc.record({ id: fc.record({ matches: fc.constantFrom("a", "^a", "b$") }) }),
    word.map((each) => `/PROJECT/resource/${each}`),
    word.map((each) => `/PROJECT/resource/${encodeURIComponent(each)}*`),
    fc.record({ matches: fc.constantFrom("/a", "a$", " ", "%20", "resource$") }),
  );
  const parts = {
    method: fc.constantFrom("GET", "post"),
    path,
    query: fc.dictionary(word, value, { maxKeys: 2 }),
    headers: fc.dictionary(fc.constantFrom("X-A", "x-b"), value, { maxKeys: 2 }),
    body: bodyOf(value),
  };
  const document = fc.oneof(
    ...Object.entries(parts).map(([name, part]) => fc.record({ [name]: part as fc.Arbitrary<unknown> })),
    fc.record(parts, { requiredKeys: [] }),
  );
  const query = fc.array(fc.tuple(word, word), { maxLength: 3 }).map((pairs) => new URLSearchParams(pairs).toString());
  const headers = fc.dictionary(fc.constantFrom("X-A", "x-b"), fc.constantFrom("a", "b", "ab", "1"), { maxKeys: 2 });
  const request = fc
    .record({
      place: fc.oneof(
        word.map((id) => `/${encodeURIComponent(id)}`),
        word.map((key) => `/key=${encodeURIComponent(key)}`),
        fc.constantFrom("", "/namespace-action"),
      ),
      query,
      headers,
      body: fc.option(bodyOf(word), { nil: undefined }),
    })
    .map(({ place, query, headers, body }): Request => {
      // Rules do not apply to requests without an operation, such as a POST to a key.
      const init = body === undefined || place.startsWith("/key=") ? {} : json("POST", body as object);
      return [`${place}?${query}`, { ...init, headers: { ...init.headers, ...headers } }];
    });

  test("agree about any document and request", { tags: ["slow"] }, async () => {
    let matched = 0;
    await fc.assert(
      fc.asyncProperty(document, request, async (document, request) => {
        // Both reject impossible conditions for the same reason, as tested above.
        const project = newProject();
        const rule = { when: document, respond: { status: 500 } };
        if ((await inProject(mock, project, "POST", "/rules", rule)).status !== 201) {
          expect((await inProject(mock, project, "POST", "/requests/verify", { match: document })).status).toBe(400);
          return;
        }
        const [byRule, byVerification] = await verdicts(mock, document, request);
        expect(byRule).toBe(byVerification);
        if (byRule) matched++;
      }),
      runs(100, 500),
    );
    expect(matched).toBeGreaterThan(10);
  });
});
