import { describe, expect, test } from "vitest";
import {
  bodyMembers,
  conditionsOf,
  placeOf,
  readText,
  textOf,
  withCondition,
  withValue,
} from "../../src/page/dashboard/scenarios/conditions.ts";
import { conditionsInWords, ruleInWords } from "../../src/page/dashboard/scenarios/words.ts";

const hostile = "<b>\u202e\u0007";

describe("the values of a rule", () => {
  test("are added, changed and removed in place, also with inherited names", () => {
    const rule = withValue({ operation: "getCart" }, ["when", "query", "__proto__"], "1");
    expect(JSON.stringify(rule)).toBe('{"operation":"getCart","when":{"query":{"__proto__":"1"}}}');
    expect(withValue(rule, ["when", "query", "__proto__"], undefined)).toEqual({ operation: "getCart" });
    expect(withValue({ times: 1 }, ["times"], undefined)).toBeUndefined();
  });

  test.each([1, "1", "one", "", true, "true", null, "null", '"quoted"', '"', { a: 1 }, [1, "2"]])(
    "%j has a text that is read as the same value",
    (value) => expect(readText(textOf(value))).toEqual(value),
  );
});

describe("the conditions of a rule", () => {
  const at = ["when", "body", "actions", "contains", "action"];

  test.each(["/actions/0/action", "/actions/*/action"])("%s is a condition for any item of the array", (name) => {
    expect(placeOf({}, "body", name)).toEqual({ at });
    const rule = withValue({}, at, "doSomeThing");
    expect(conditionsOf(rule)).toMatchObject([{ kind: "body", name: "/actions/*/action", at, value: "doSomeThing" }]);
    expect(conditionsInWords(rule as object)).toBe("if body /actions/*/action is doSomeThing");
  });

  test("keep path parameters beside a pattern for the path", () => {
    const rule = { when: { path: { id: "4", matches: "^/shop" } } };
    const [pattern] = conditionsOf(rule);
    if (!pattern) throw new Error("expected a condition, found none");
    expect(withCondition(rule, pattern, "^/a", true)).toEqual({ when: { path: { id: "4", matches: "^/a" } } });
    expect(withValue(rule, pattern.at, undefined)).toEqual({ when: { path: { id: "4" } } });
  });

  test("are refused within a value that has a condition", () => {
    expect(placeOf({ when: { path: "/a" } }, "parameter", "id")).toEqual({
      reason: "The rule has a condition for the value around it.",
    });
    expect(placeOf({ when: { query: { a: "1" } } }, "query", "a")).toEqual({ reason: "The rule has this condition." });
  });

  test("have the members of the contract as suggestions, with their fixed values", () => {
    const action = (name: string) => ({ type: "object", properties: { action: { enum: [name] } } });
    const actions = { type: "array", items: { oneOf: [action("a"), action("b")] } };
    const schema = { type: "object", properties: { version: { type: "number" }, actions } };
    const content = { "application/json": { schema } };
    expect([...bodyMembers({ requestBody: { content } } as never)]).toEqual([
      ["/version", []],
      ["/actions", []],
      ["/actions/*", []],
      ["/actions/*/action", ["a", "b"]],
    ]);
  });
});

test.each([
  [{ operation: "getResourceById", respond: { status: 503 } }, "getResourceById returns 503", ""],
  [{ raw: { status: 502 }, probability: 0.07 }, "Every operation returns an off-contract 502", "for 7 % of requests"],
  [
    { operation: "updateResource", when: { path: { id: "4" } }, conflict: true, latency: { fixed: 5 } },
    "updateResource loses to a concurrent write and waits 5 ms",
    "if id is 4",
  ],
  [
    { sequence: [{ respond: { status: 503 } }, {}], after: 1 },
    "Every operation returns 503, then responds normally",
    "after 1 request",
  ],
  [{ operation: hostile, fault: "EMPTY_RESPONSE" }, "<b>\\u202e\\u0007 closes the connection without a response", ""],
  [
    { when: { body: { a: "x".repeat(1000) } }, evolve: true },
    "Every operation evolves the body",
    `if body /a is ${"x".repeat(60)}…`,
  ],
  [
    {
      evolve: true,
      when: { query: { sort: ["a", "b"] }, cookies: { sid: { absent: true } }, body: { a: { absent: true } } },
    },
    "Every operation evolves the body",
    'if query sort is ["a","b"] and cookie sid is absent and body /a is absent',
  ],
] as const)("%j in words", (rule, words, conditions) => {
  expect([ruleInWords(rule as object), conditionsInWords(rule as object)]).toEqual([words, conditions]);
});
