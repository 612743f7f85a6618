import { describe, expect, test } from "vitest";
import { compileMatcher, matches, View } from "../../src/rules/matching/matcher.ts";
import { Effort } from "../../src/rules/matching/pattern.ts";
import { exchangeWith } from "../journal/exchanges.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { pausesDuring } from "../setup/meanwhile.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { until } from "../setup/until.ts";

const mock = useMock("in process");

const TEXT = 4096;

/** The locations in the control API that accept a pattern. */
const locations: readonly [string, "POST" | "PUT", string, (pattern: unknown) => object][] = [
  ["a rule's path", "POST", "/rules", (id) => ({ when: { path: { id } }, respond: { status: 500 } })],
  ["a rule's body", "POST", "/rules", (field) => ({ when: { body: { field } }, respond: { status: 500 } })],
  [
    "a scenario",
    "PUT",
    "/scenarios/own",
    (field) => ({ description: "x", rules: [{ when: { body: [{}, field] }, fault: "EMPTY_RESPONSE" }] }),
  ],
  ["a verification's body", "POST", "/requests/verify", (field) => ({ match: { body: { field } } })],
  [
    "a verification's order",
    "POST",
    "/requests/verify",
    (field) => ({ order: [{}, { match: { body: field } }.match] }),
  ],
  ["a wait", "POST", "/requests/wait", (field) => ({ timeout: 0, match: { body: { deep: [field] } } })],
];

/**
 * Patterns that are slow in a backtracking engine, or in a linear engine that expands repetitions; and the expected
 * message.
 */
const rejected = [
  ["of 501 characters", "a".repeat(501), "500 characters"],
  ["of 100,000 characters", "(a+)+".repeat(20_000), "500 characters"],
  ["with repetitions of about 1,000 instructions", "a[ab]{1000}[cd]", "at most 600"],
  ["that is too large to compile", `(?:${"é?".repeat(230)}){1000}`, "more than 3000"],
  ["with look-behind", "(?<=a+)b", "RE2"],
  ["with a back-reference", "(a+)\\1", "RE2"],
] as const;

test.each(locations)("a pattern with look-behind in %s is rejected", async (_name, method, path, bodyWith) => {
  const reply = await inProject(mock, newProject(), method, path, bodyWith({ matches: "(?<=a+)b" }));
  expectProblem(reply, 400, "InvalidField", "matches");
});

test.each(rejected)("a pattern %s is rejected with a small error that says what was expected", async (...row) => {
  const [, matches, message] = row;
  const reply = await inProject(mock, newProject(), "POST", "/requests/verify", { match: { body: { matches } } });
  expectProblem(reply, 400, "InvalidField", message);
  expect(JSON.stringify(reply.body).length).toBeLessThan(3000);
});

describe("many patterns", () => {
  const many = (count: number) => Array.from({ length: count }, () => ({ matches: "^[a-z]{20}$" }));

  test.each([
    ["a rule", "/rules", (body: unknown) => ({ when: { body }, respond: { status: 500 } })],
    ["a verification", "/requests/verify", (body: unknown) => ({ match: { body } })],
  ])("of %s have a common limit", async (_name, path, bodyWith) => {
    const project = newProject();
    expectProblem(await inProject(mock, project, "POST", path, bodyWith(many(2000))), 400, "InvalidField", "together");
    expect((await inProject(mock, project, "POST", path, bodyWith(many(30)))).status).not.toBe(400);
  });
});

/** Returns a pseudorandom text without a period, so that a lazily built automaton never reaches a known state. */
function irregular(length: number): string {
  let state = 1;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state & 65_536 ? "a" : "b";
  };
  return Array.from({ length }, next).join("");
}

const texts = ["a".repeat(TEXT), `${"a".repeat(TEXT - 1)}!`, "ab".repeat(TEXT / 2), irregular(TEXT)];

/**
 * Patterns that are too slow with backtracking, and patterns of the maximal size; with the indexes of matching texts.
 */
const accepted: readonly [string, readonly number[]][] = [
  ["^(a+)+$", [0]],
  ["(.*)*(.*)*(.*)*x$", []],
  ["^(a?){110}a{110}", [0, 1]],
  ["(?i)[^x]{0,140}[^x]{0,140}!", [1]],
];

test.each(accepted)(
  "the pattern %s is compared with long texts in rules and verifications",
  async (matches, fitting) => {
    const project = newProject();
    const rule = { operation: "updateResource", when: { body: { field: { matches } } }, respond: { status: 500 } };
    expect((await inProject(mock, project, "POST", "/rules", rule)).status).toBe(201);
    for (const [index, field] of texts.entries()) {
      const response = await mock.resource(project, "/a", json("POST", { version: 1, actions: [], field }));
      expect([response.status, response.headers.get("Mock-Source")]).toEqual(
        fitting.includes(index) ? [500, "rule:r-1"] : [200, expect.any(String)],
      );
    }
    const verification = { match: { body: { field: { matches } } }, count: fitting.length };
    expect((await inProject(mock, project, "POST", "/requests/verify", verification)).body).toMatchObject({
      pass: true,
    });
  },
);

test("a pattern does not block other requests during a verification", async () => {
  const project = newProject();
  for (let sent = 0; sent < 20; sent++) await mock.resource(project, "/ab");
  const body = { match: { path: { matches: "a[ab]{1}c" } }, count: 0 };
  const { response, pauses } = await pausesDuring(mock, () =>
    mock.fetch(`/__admin/projects/${project}/requests/verify`, json("POST", body)),
  );
  expect(response.status).toBe(200);
  expect(pauses).toBe(2);
});

describe("the patterns", () => {
  const large = "a[ab]{590}[cd]";
  const atTheBound = [large, large, large];
  const rule = (matches: string) => ({ when: { query: { q: { matches } } }, respond: { status: 500 } });

  test.each([
    ["rules", "POST", "/rules", rule],
    ["inline scenarios", "PUT", "/scenarios/last", (matches: string) => ({ rules: [rule(matches)] })],
  ] as const)("of all %s in a project have a common limit", async (_what, method, path, bodyWith) => {
    const project = newProject();
    for (const matches of atTheBound) await inProject(mock, project, "POST", "/rules", rule(matches));
    const reply = await inProject(mock, project, method, path, bodyWith(large));
    expectProblem(reply, 409, "LimitReached", "at most 2000 instructions together, found");
    expect((await inProject(mock, project, method, path, bodyWith("^a"))).status).toBeLessThan(300);
    await inProject(mock, project, "DELETE", "/rules");
    expect((await inProject(mock, project, method, path, bodyWith(large))).status).toBeLessThan(300);
  });

  test("of all waits in progress in a project have a common limit", async () => {
    const project = newProject();
    const end = new AbortController();
    const wait = (matches: string) =>
      mock.fetch(`/__admin/projects/${project}/requests/wait`, {
        ...json("POST", { match: { query: { q: { matches } } }, timeout: 60_000 }),
        signal: end.signal,
      });
    const waits = atTheBound.map(wait);
    await until(() => mock.waits(project) === 3);
    const match = { query: { q: { matches: large } } };
    const reply = await inProject(mock, project, "POST", "/requests/wait", { match, timeout: 0 });
    expectProblem(reply, 409, "LimitReached", "waits: expected at most 2000 instructions");
    expect((await inProject(mock, project, "POST", "/requests/wait", { timeout: 0 })).status).toBe(408);
    end.abort();
    await Promise.allSettled(waits);
  });
});

test("the patterns of one call have a limit of steps over the journal", async () => {
  const matcher = await compileMatcher(
    { path: { matches: "^/p/a{20}$" } },
    { operations: [], problems: [], addresses: { basePaths: [], servers: [], isStrict: true } },
  );
  const effort = new Effort({ maxSteps: 100 * matcher.size });
  const view = new View(exchangeWith({ path: "x".repeat(40) }));
  expect(matches(matcher, view, effort)).toBe(false);
  expect(matches(matcher, view, effort)).toBe(false);
  expect(() => matches(matcher, view, effort)).toThrow(expect.objectContaining({ code: "LimitReached", status: 409 }));
});
