import { describe, expect, test } from "vitest";
import { expectProblem, inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";

const mock = useMock("in process");

const TEXT = 4096;

/** Everywhere that the control API takes a pattern. */
const places: readonly [string, "POST" | "PUT", string, (pattern: unknown) => object][] = [
  ["a rule's path", "POST", "/rules", (id) => ({ when: { path: { id } }, respond: { status: 500 } })],
  ["a rule's query", "POST", "/rules", (q) => ({ when: { query: { q } }, respond: { status: 500 } })],
  ["a rule's headers", "POST", "/rules", (a) => ({ when: { headers: { "X-A": a } }, respond: { status: 500 } })],
  ["a rule's body", "POST", "/rules", (field) => ({ when: { body: { field } }, respond: { status: 500 } })],
  ["a rule's whole body", "POST", "/rules", (body) => ({ when: { body }, respond: { status: 500 } })],
  [
    "a scenario",
    "PUT",
    "/scenarios/own",
    (field) => ({ description: "x", rules: [{ when: { body: [{}, field] }, fault: "EMPTY_RESPONSE" }] }),
  ],
  ["a verification's path", "POST", "/requests/verify", (id) => ({ match: { path: { id } } })],
  ["a verification's query", "POST", "/requests/verify", (q) => ({ match: { query: { q } } })],
  ["a verification's headers", "POST", "/requests/verify", (a) => ({ match: { headers: { "X-A": a } } })],
  ["a verification's body", "POST", "/requests/verify", (field) => ({ match: { body: { field } } })],
  [
    "a verification's order",
    "POST",
    "/requests/verify",
    (field) => ({ order: [{}, { match: { body: field } }.match] }),
  ],
  ["a wait", "POST", "/requests/wait", (field) => ({ timeout: 0, match: { body: { deep: [field] } } })],
];

/** Each holds up an engine that backtracks, or one that is linear but writes repetitions out. */
const refused = [
  ["of 501 characters", "a".repeat(501), "500 characters"],
  ["of 100,000", "(a+)+".repeat(20_000), "500 characters"],
  ["with repetitions that come to 10,000 instructions", `${"[^x]{0,1000}".repeat(5)}b`, "instructions"],
  ["with repetitions in repetitions", "((a{100}){100}){100}", "RE2"],
  ["with look-behind", "(?<=a+)b", "RE2"],
  ["with a back-reference", "(a+)\\1", "RE2"],
  ["that never closes", "(".repeat(400), "RE2"],
] as const;

describe.each(places)("%s", (_name, method, path, bodyWith) => {
  test.each(refused)("refuses a pattern %s with a small error", async (_kind, matches) => {
    const reply = await inProject(mock, newProject(), method, path, bodyWith({ matches }));
    expectProblem(reply, 400, "InvalidField", "matches");
    expect(JSON.stringify(reply.body).length).toBeLessThan(3000);
  });
});

test.each(refused)("a pattern %s is told what would do", async (_kind, matches, told) => {
  const reply = await inProject(mock, newProject(), "POST", "/requests/verify", { match: { body: { matches } } });
  expectProblem(reply, 400, "InvalidField", told);
});

describe("many patterns", () => {
  const many = (count: number) => Array.from({ length: count }, () => ({ matches: "^[a-z]{20}$" }));

  test.each([
    ["a rule", "/rules", (body: unknown) => ({ when: { body }, respond: { status: 500 } })],
    ["a verification", "/requests/verify", (body: unknown) => ({ match: { body } })],
  ])("of %s are bounded together", async (_name, path, bodyWith) => {
    const project = newProject();
    expectProblem(await inProject(mock, project, "POST", path, bodyWith(many(2000))), 400, "InvalidField", "together");
    expect((await inProject(mock, project, "POST", path, bodyWith(many(30)))).status).not.toBe(400);
  });
});

/** A text without a period, by which an automaton that is made step by step never gets to an end. */
function irregular(length: number): string {
  let state = 1;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state & 65_536 ? "a" : "b";
  };
  return Array.from({ length }, next).join("");
}

const texts = ["a".repeat(TEXT), `${"a".repeat(TEXT - 1)}!`, "ab".repeat(TEXT / 2), irregular(TEXT)];

/** What backtracking takes longer for than there is time, and what is as large as patterns may be; the texts they fit. */
const taken: readonly [string, readonly number[]][] = [
  ["^(a+)+$", [0]],
  ["^(a|aa)+$", [0]],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", []],
  ["(.*)*(.*)*(.*)*x$", []],
  ["^(a?){150}a{150}", [0, 1]],
  ["(?i)[^x]{0,240}[^x]{0,230}!", [1]],
  ["^(a|b)*a(a|b){200}[^ab]", [1]],
];

test.each(taken)(
  "the pattern %s is held against long texts, of rules and of verifications",
  async (matches, fitting) => {
    const project = newProject();
    const rule = { operation: "updateResource", when: { body: { field: { matches } } }, respond: { status: 500 } };
    expect((await inProject(mock, project, "POST", "/rules", rule)).status).toBe(201);
    for (const [index, field] of texts.entries()) {
      const answer = await mock.resource(project, "/a", json("POST", { version: 1, actions: [], field }));
      expect([answer.status, answer.headers.get("Mock-Source")]).toEqual(
        fitting.includes(index) ? [500, "rule:r-1"] : [200, expect.any(String)],
      );
    }
    const verification = { match: { body: { field: { matches } } }, count: fitting.length };
    expect((await inProject(mock, project, "POST", "/requests/verify", verification)).body).toMatchObject({
      pass: true,
    });
  },
);
