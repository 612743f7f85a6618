import { describe, expect, test } from "vitest";
import {
  conditionsOf,
  isFree,
  labelOf,
  placeOf,
  placesIn,
  readText,
  textOf,
  withValue,
} from "../../src/page/dashboard/mocks/conditions.ts";
import { conditionsInWords, ruleInWords } from "../../src/page/dashboard/mocks/words.ts";

const hostile = "<b>\u202e\u0007";

describe("the values of a rule", () => {
  test("are added, changed and removed in place, also with inherited names", () => {
    const rule = withValue({ operation: "getCart" }, ["when", "query", "__proto__"], "1");
    expect(JSON.stringify(rule)).toBe('{"operation":"getCart","when":{"query":{"__proto__":"1"}}}');
    expect(withValue(rule, ["when", "query", "__proto__"], undefined)).toEqual({ operation: "getCart" });
    expect(withValue({ times: 1 }, ["times"], undefined)).toBeUndefined();
  });

  test.each([1, "1", "one", "", true, "true", null, "null", '"quoted"', '"', { a: 1 }, [1, "2"]])(
    "the value %j has a text that is read as the same value",
    (value) => expect(readText(textOf(value))).toEqual(value),
  );
});

describe("the conditions of a rule", () => {
  const at = ["when", "body", "actions", "contains", "action"];

  test.each(["/actions/0/action", "/actions/*/action"])(
    "the location %s becomes a condition for any item of the array",
    (name) => {
      expect(placeOf("body", name)).toEqual(at);
      expect(labelOf(at)).toBe("body member /actions/*/action");
      const rule = withValue({}, at, "doSomeThing");
      expect(conditionsOf(rule)).toEqual([{ at, isPattern: false, value: "doSomeThing" }]);
      expect(conditionsInWords(rule as object)).toBe("if body member /actions/*/action is doSomeThing");
    },
  );

  test.each([
    [{ path: "/a" }, "path", "id", false],
    [{ query: { a: "1" } }, "query", "a", false],
    [{ query: { a: "1" } }, "query", "b", true],
    [{ body: { a: { b: 1 } } }, "body", "/a", false],
    [{ body: { a: { b: 1 } } }, "body", "/a/c", true],
  ])("beside %j, one for %s %s is possible: %s", (when, part, name, expected) => {
    expect(isFree({ when }, placeOf(part, name))).toBe(expected);
  });

  test("can be for the parameters and members of the contract, also in all parts of allOf", () => {
    const action = (name: string) => ({ type: "object", properties: { [name]: {} } });
    const actions = { type: "array", items: { oneOf: [action("a"), action("b")] } };
    const schema = { allOf: [{ type: "object", properties: { version: {} } }, { properties: { actions } }] };
    const parameters = [
      { name: "key", in: "path" },
      { name: "id", in: "path" },
      { name: "x-trace", in: "header" },
    ];
    const requestBody = { content: { "application/json": { schema } } };
    expect(placesIn({ path: "/{key}/{id}", parameters, requestBody } as never).map(labelOf)).toEqual([
      "path parameter id",
      "header x-trace",
      "body member /version",
      "body member /actions",
      "body member /actions/*",
      "body member /actions/*/a",
      "body member /actions/*/b",
    ]);
  });
});

test.each([
  [{ operation: "getResourceById", respond: { status: 503 } }, "getResourceById returns 503", ""],
  [{ raw: { status: 502 }, probability: 0.07 }, "Every operation returns an off-contract 502", "for 7 % of requests"],
  [
    { operation: "updateResource", when: { path: { id: "4" } }, conflict: true, latency: { fixed: 5 } },
    "updateResource loses to a concurrent write and waits 5 ms",
    "if path parameter id is 4",
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
    `if body member /a is ${"x".repeat(60)}…`,
  ],
  [
    {
      evolve: true,
      when: { query: { sort: ["a", "b"] }, cookies: { sid: { absent: true } }, body: { a: { absent: true } } },
    },
    "Every operation evolves the body",
    'if query parameter sort is ["a","b"] and cookie sid is absent and body member /a is absent',
  ],
] as const)("the conditions %j have a description in words", (rule, words, conditions) => {
  expect([ruleInWords(rule as object), conditionsInWords(rule as object)]).toEqual([words, conditions]);
});
