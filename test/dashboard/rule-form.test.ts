import { describe, expect, test } from "vitest";
import { placeOf } from "../../src/page/dashboard/scenarios/conditions.ts";
import { readText, renamed, textOf, without, withValue } from "../../src/page/dashboard/scenarios/edit.ts";
import { hiddenIn } from "../../src/page/dashboard/scenarios/form.ts";
import { conditionsInWords, ruleInWords } from "../../src/page/dashboard/scenarios/words.ts";

const hostile = "<b>\u202e\u0007";

describe("the values of a rule", () => {
  test("are added, changed and removed in place, also with inherited names", () => {
    const rule = withValue({ operation: "getCart" }, ["when", "query", "__proto__"], "1");
    expect(JSON.stringify(rule)).toBe('{"operation":"getCart","when":{"query":{"__proto__":"1"}}}');
    expect(without(rule, ["when", "query", "__proto__"])).toEqual({ operation: "getCart" });
    const sequence = { sequence: [{ conflict: true }, {}] };
    expect(without(sequence, ["sequence", 0, "conflict"])).toEqual({ sequence: [{}, {}] });
    expect(withValue(sequence, ["sequence", 2], { fault: "x" })).toEqual({
      sequence: [{ conflict: true }, {}, { fault: "x" }],
    });
    const headers = { respond: { headers: { a: "1", b: "2" } } };
    expect(JSON.stringify(renamed(headers, ["respond", "headers", "a"], "c"))).toBe(
      '{"respond":{"headers":{"c":"1","b":"2"}}}',
    );
  });

  test.each([1, "1", "one", "", true, "true", null, "null", '"quoted"', '"', { a: 1 }, [1, "2"]])(
    "%j has a text that is read as the same value",
    (value) => expect(readText(textOf(value))).toEqual(value),
  );
});

test("the form names the parts of a rule that it has no fields for", () => {
  const rule = {
    operation: "getCart",
    when: { query: { a: null, b: "1" }, cookies: { x: 1 } },
    latency: { weekly: 3 },
    respond: { status: 200, headers: { "X-A": { $from: "/uuid" } }, trailers: {} },
    later: [1],
  };
  expect(hiddenIn(rule)).toEqual(["/when/query/a", "/when/cookies", "/latency", "/respond/trailers", "/later"]);
  expect(hiddenIn({ sequence: [{ fault: "x", latency: null }, { old: 1 }], latency: null })).toEqual([
    "/sequence/1/old",
    "/latency",
  ]);
});

test("a condition for an item of an array is one for any item", () => {
  const at = ["when", "body", "actions", "contains", "action"];
  expect(placeOf({}, "body", "/actions/0/action")).toEqual({ at });
  expect(conditionsInWords(withValue({}, at, "doSomeThing") as object)).toBe(
    "if body /actions/contains/action is doSomeThing",
  );
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
] as const)("%j in words", (rule, words, conditions) => {
  expect([ruleInWords(rule as object), conditionsInWords(rule as object)]).toEqual([words, conditions]);
});
