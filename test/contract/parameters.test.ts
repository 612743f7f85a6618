import { describe, expect, test } from "vitest";
import type { Operation, Parameter } from "../../src/contract/operation.ts";
import { loadQueryChecks, readQuery } from "../../src/contract/parameters.ts";
import { ObjectTestType } from "../../src/contract/schemas.ts";

/** Returns an operation with these query parameters. */
function operationWith(...parameters: Omit<Parameter, "in">[]): Operation {
  return {
    id: "test",
    method: "GET",
    path: "/test",
    summary: "",
    tag: "",
    parameters: parameters.map((parameter) => ({ in: "query", ...parameter })),
    responses: {},
    scopes: [],
  };
}

describe("reads a value by the type of its parameter", () => {
  test.each<[Parameter["type"], string, unknown]>([
    ["string", "", ""],
    ["string", "a%20b+c%2B%0A", "a b c+\n"],
    ["untyped", "1.5", "1.5"],
    ["float", "1.5", 1.5],
    ["float", "-.5e1", -5],
    ["float", "%2B7.", 7],
    ["integer", "-042", -42],
    ["boolean", "true", true],
    ["boolean", "false", false],
    ["object", '{"a":{"b":[1]}}', { a: { b: [1] } }],
    ["union", "12", 12],
    ["union", "2024-05-17T09:30:00%2B02:00", "2024-05-17T09:30:00+02:00"],
    ["union", '"2024-05-17T09:30:00Z"', "2024-05-17T09:30:00Z"],
    ["union", '{"version":1,"objectTypeProperty":{}}', { version: 1, objectTypeProperty: {} }],
  ])("%s: %j is %j", async (type, text, value) => {
    const operation = operationWith({ name: "p", type, schema: type === "union" ? ObjectTestType : undefined });
    await loadQueryChecks(operation);
    expect(readQuery(operation.parameters, `p=${text}`)).toEqual({ values: { p: value }, violations: [], unnamed: [] });
  });
});

describe("reports an invalid value with its name, the expected and the found value", () => {
  const union = "a decimal number, a date-time (RFC 3339) or a JSON object of ObjectTestType";

  test.each<[Parameter["type"], Partial<Parameter>, string, string]>([
    ["float", {}, "x", 'p: expected a decimal number, found "x"'],
    ["float", { minimum: 0, maximum: 5 }, "5.1", 'p: expected a number from 0 to 5, found "5.1"'],
    ["float", { minimum: 0 }, "-1", 'p: expected a number of at least 0, found "-1"'],
    ["integer", {}, "1.0", 'p: expected a whole number, found "1.0"'],
    ["boolean", {}, "TRUE", 'p: expected true or false, found "TRUE"'],
    ["object", {}, "[]", 'p: expected a JSON object, such as {"key":"value"}, found "[]"'],
    ["string", { choices: ["a", "b"] }, "c", 'p: expected one of a, b, found "c"'],
    ["union", {}, "x", `p: expected ${union}, found "x"`],
    [
      "union",
      { schema: ObjectTestType },
      '{"version":"1","objectTypeProperty":{}}',
      `p: expected ${union} (/version: expected integer, found "1"), found "{\\"version\\":\\"1\\",\\"objectTypeProperty\\":{}}"`,
    ],
    ["integer", {}, "9".repeat(1000), `p: expected a whole number, found "${"9".repeat(59)}…`],
  ])("%s %j: %s", async (type, more, text, message) => {
    const operation = operationWith({ name: "p", type, ...more });
    await loadQueryChecks(operation);
    expect(readQuery(operation.parameters, `p=${text}`)).toEqual({
      values: {},
      violations: [{ code: "InvalidField", field: "p", message }],
      unnamed: [],
    });
  });
});

describe("parameter names", () => {
  const operation = operationWith(
    { name: "one", type: "integer" },
    { name: "many", type: "integer", repeatable: true },
    { name: "pattern", pattern: /^x\.[a-z]+$/, type: "integer" },
    { name: "patterns", pattern: /^y\.[a-z]+$/, type: "integer", repeatable: true },
  );

  test("a repeatable parameter is an array, even with a single value", () => {
    expect(readQuery(operation.parameters, "many=1&one=2&many=3&y.a=4").values).toEqual({
      many: [1, 3],
      one: 2,
      "y.a": [4],
    });
  });

  test("a repeated parameter that is not repeatable keeps its first value and is reported", () => {
    expect(readQuery(operation.parameters, "one=1&one=2&x.a=3&x.b=4&x.a=5")).toMatchObject({
      values: { one: 1, "x.a": 3, "x.b": 4 },
      violations: [{ field: "one" }, { field: "x.a" }],
    });
  });

  test("names that match no pattern are unknown, and so are the documented names of patterns", () => {
    expect(readQuery(operation.parameters, "x.A=a&x.=a&ax.a=a&pattern=a&y.a%0A=a&&=")).toEqual({
      values: {},
      violations: [],
      unnamed: ["x.A", "x.", "ax.a", "pattern", "y.a\n", ""],
    });
  });

  test("names of Object.prototype have no special meaning", () => {
    const odd = operationWith({ name: "__proto__", type: "object" }, { name: "constructor", type: "string" });
    const { values } = readQuery(odd.parameters, 'toString=1&__proto__={"polluted":1}&constructor=c');
    expect(Object.entries(values)).toEqual([
      ["__proto__", { polluted: 1 }],
      ["constructor", "c"],
    ]);
    expect({}).not.toHaveProperty("polluted");
  });

  test("an empty query has no values", () => {
    expect(readQuery(operation.parameters, "")).toEqual({ values: {}, violations: [], unnamed: [] });
  });
});
