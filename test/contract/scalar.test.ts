import { expect, test } from "vitest";
import { expectedBy, readScalar, type Scalar, scalarProblem } from "../../src/contract/scalar.ts";

const whole = { type: "integer", minimum: 0, maximum: 10 } as const;
const secret = { type: "string", pattern: "^[a-z]+$", title: "small letters", writeOnly: true } as const;
const origin = { type: "string", format: "allowed-origin" } as const;

test.each<[Scalar, string]>([
  [{ type: "string" }, "text"],
  [{ type: "string", enum: ["a", "b"] }, "one of a, b"],
  [{ type: "string", enum: ["a", "b"], title: "a letter" }, "a letter"],
  [{ type: "boolean" }, "true or false"],
  [{ type: "integer" }, "a whole number"],
  [{ type: "number" }, "a decimal number"],
  [{ type: "number", minimum: 1 }, "a number of at least 1"],
  [whole, "a whole number from 0 to 10"],
])("%j expects %s", (schema, expected) => {
  expect(expectedBy(schema)).toBe(expected);
});

test.each<[Scalar, string, unknown]>([
  [{ type: "string" }, "7", "7"],
  [{ type: "string", minLength: 1 }, "", undefined],
  [{ type: "boolean" }, "false", false],
  [{ type: "boolean" }, "0", undefined],
  [whole, "10", 10],
  [whole, "11", undefined],
  [whole, "1.0", undefined],
  [{ type: "number" }, "1e999", undefined],
  [{ type: "number" }, "9007199254740993", undefined],
  [{ type: "number" }, "+09007199254740992", 2 ** 53],
  [{ type: "number" }, "0.1234567890123456789", 0.12345678901234568],
  [{ type: "integer" }, "9007199254740993", undefined],
  [origin, "*", "*"],
  [origin, "http://localhost:3000", "http://localhost:3000"],
  [origin, "http://localhost:80", undefined],
])("%j reads %j as %j", (schema, text, value) => {
  expect(readScalar(schema, text)).toBe(value);
});

test.each<[Scalar, unknown, string]>([
  [whole, 11, "expected a whole number from 0 to 10, found 11"],
  [whole, "1", 'expected a whole number from 0 to 10, found "1"'],
  [whole, Number.NaN, "expected a whole number from 0 to 10, found NaN"],
  [whole, null, "expected a whole number from 0 to 10, found null"],
  [{ type: "string" }, 1, "expected text, found 1"],
  [{ type: "boolean" }, 1, "expected true or false, found 1"],
  [{ type: "string", enum: ["paged"] }, "page", 'expected one of paged, found "page". Did you mean "paged"?'],
  [secret, "abc?def", 'expected small letters, found "?" in it'],
  [secret, "", 'expected small letters, found ""'],
])("%j rejects %j: %s", (schema, value, problem) => {
  expect(scalarProblem(schema, value)).toBe(problem);
});

test("a valid value has no problem", () => {
  expect(scalarProblem(whole, 10)).toBeUndefined();
});
