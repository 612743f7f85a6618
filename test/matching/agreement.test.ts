import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectProblem, inProject } from "../setup/control.ts";
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
  ["a number and a boolean", { query: { q: 5, r: true } }, [["?q=5&r=true"]], [["?q=5.0&r=true"], ["?q=5&r=1"]]],
  ["a pattern for a query parameter", { query: { q: { matches: "^(a|b)$" } } }, [["?q=c&q=b"]], [["?q=ab"], [""]]],
  ["a pattern in any case", { query: { q: { matches: "(?i)LINEN|silk" } } }, [["?q=blue+linen"]], [["?q=wool"]]],
  ["a header, in any case", { headers: { "X-a": "B" } }, [withHeader("x-A", "B")], [withHeader("X-a", "b"), ["/a"]]],
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

describe("a rule and a verification", () => {
  const mock = useMock("in process");

  test.each<[Document, string]>([
    [{ path: { idd: "a" } }, "/path/idd"],
    [{ path: { id: "a", key: "b" } }, "/path/key"],
    [{ path: "a" }, "/path"],
    [{ path: "/a?b=c" }, "/path"],
    [{ path: { matches: "(" } }, "/path/matches"],
    [{ path: 5 }, "/path"],
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
    const detailOf = async (path: string, body: object, pointer: string) => {
      const reply = await inProject(mock, newProject(), "POST", path, body);
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
    ["/shop/resource/key=a", "searchResources"],
    ["/shop/resource", "getResourceById"],
  ])("a rule with the path %s for the operation %s is refused, as it cannot match", async (path, operation) => {
    const rule = { operation, when: { path }, respond: { status: 500 } };
    const refused = await inProject(mock, newProject(), "POST", "/rules", rule);
    const [problem] = expectProblem(refused, 400, "InvalidField", "Rules apply to requests of operations only.");
    expect(problem?.pointer).toBe("/when/path");
  });

  test.each(["/shop*", "/*", "/shop/res*", "/shop/resource/a/b", "/shop/resource/key=*", "/shop/resource/a%2Fb"])(
    "a rule with the path %s is accepted",
    async (path) => {
      const rule = { when: { path }, respond: { status: 500 } };
      expect((await inProject(mock, newProject(), "POST", "/rules", rule)).status).toBe(201);
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
