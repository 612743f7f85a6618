import { describe, expect, test } from "vitest";
import { ErrorResponse } from "../../src/contract/error-response.ts";
import type { Schema } from "../../src/contract/json-schema.ts";
import { findProblems, loadCheck } from "../../src/contract/validator.ts";

const closed = {
  type: "object",
  additionalProperties: false,
  properties: { status: { type: "integer" }, respond: { type: "object" } },
} as const satisfies Schema;

/** Returns the problems of a value as lines `pointer: message`. */
async function problems(schema: Schema, value: unknown): Promise<string[]> {
  return (await loadCheck(schema))(value).map(({ pointer, message }) => `${pointer}: ${message}`);
}

describe("a problem has its location, the expected and the found value", () => {
  test.each<[Schema, unknown, string[]]>([
    [{ type: "integer" }, "12", [': expected integer, found "12"']],
    [{ type: ["string", "number"] }, null, [": expected string or number, found null"]],
    [{ type: "object" }, [1, 2], [": expected object, found an array of 2"]],
    [{ type: "object", required: ["a/b~c"] }, {}, ["/a~1b~0c: is required, found nothing"]],
    [{ type: "integer", format: "int32" }, 2 ** 31, [expect.stringContaining("a 32-bit integer")]],
    [{ type: "string", format: "date-time" }, "x", [expect.stringContaining(": expected a date-time (RFC 3339")]],
    [{ type: "number", minimum: 0 }, -1, [": expected at least 0, found -1"]],
    [{ type: "number", exclusiveMinimum: 0 }, 0, [": expected more than 0, found 0"]],
    [{ enum: ["on", "off"] }, "offf", [': expected one of "on", "off", found "offf". Did you mean "off"?']],
    [closed, { stauts: 1 }, ['/stauts: unknown member. Did you mean "status"?']],
    [closed, { colour: 1 }, ["/colour: unknown member. Known: status, respond."]],
    [{ type: "string", maxLength: 2 }, "a😀c", [": expected at most 2 characters, found 3"]],
    [{ type: "string", minLength: 1 }, "", [": expected at least 1 character, found none"]],
    [{ type: "array", maxItems: 1 }, [1, 2], [": expected at most 1 item, found 2"]],
    [{ type: "object", maxProperties: 1 }, { a: 1, b: 2 }, [": expected at most 1 member, found 2"]],
    [{ ...closed, minProperties: 1 }, {}, [": expected at least 1 of status, respond, found none"]],
    [
      { type: "string", pattern: "^a$", description: "An a." },
      "b",
      [': expected text that matches ^a$, found "b". An a.'],
    ],
    [
      { type: "object", propertyNames: { pattern: "^a$" } },
      { a: 1, b: 2 },
      ['/b: expected a name that matches ^a$, found "b"'],
    ],
    [
      ErrorResponse,
      { statusCode: 200, message: 1, errors: [] },
      [
        expect.stringContaining("/statusCode: expected at least 400"),
        "/message: expected string, found 1",
        "/errors: expected at least 1 item, found none",
      ],
    ],
  ])("schema %j, value %j", async (schema, value, lines) => {
    expect(await problems(schema, value)).toEqual(lines);
  });

  test("a message shows only the start of a long value", async () => {
    expect(await problems({ type: "integer" }, "x".repeat(1000))).toEqual([
      `: expected integer, found "${"x".repeat(59)}…`,
    ]);
  });
});

describe("a union reports the problems of the option that matches the value best", () => {
  const latency: Schema = {
    anyOf: [
      { type: "null" },
      { ...closed, required: ["status"] },
      { type: "object", required: ["uniform"], properties: { uniform: { type: "array", minItems: 2 } } },
      { type: "array", items: { anyOf: [{ type: "integer" }, { type: "object", required: ["a"] }] } },
    ],
  };

  test.each<[unknown, string[]]>([
    [3, [": expected null or object or array, found 3"]],
    [{ status: "x" }, ['/status: expected integer, found "x"']],
    [{ uniform: [1] }, ["/uniform: expected at least 2 items, found 1"]],
    [{ statsu: 1, status: 1 }, ['/statsu: unknown member. Did you mean "status"?']],
    [
      [1, "x", {}, 2, null],
      [
        '/1: expected integer or object, found "x"',
        "/2/a: is required, found nothing",
        "/4: expected integer or object, found null",
      ],
    ],
  ])("%j", async (value, lines) => {
    expect(await problems(latency, value)).toEqual(lines);
    expect(await problems({ type: "object", properties: { x: latency } }, { x: value })).toEqual(
      lines.map((line) => `/x${line}`),
    );
  });
});

describe("the number of problems is limited", () => {
  const closedItems: Schema = { type: "array", items: { anyOf: [{ type: "integer" }, closed] } };

  test("returns the first 100 problems in the order of the value", async () => {
    const found = await problems({ type: "array", items: { type: "integer" } }, Array(100_000).fill("x"));
    expect(found).toHaveLength(100);
    expect(found[99]).toBe('/99: expected integer, found "x"');
  });

  test("returns all problems of a small value, and the first problem of a value with long pointers", async () => {
    const item = { a: 1, b: 2 };
    expect(await findProblems(closedItems, Array(10).fill(item))).toHaveLength(20);
    expect(await findProblems(closedItems, Array(100_000).fill(item))).toHaveLength(1);
    const byName: Schema = { type: "object", additionalProperties: closed };
    const members = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`m${index}`, 1]));
    expect(await findProblems(byName, { x: members })).toHaveLength(100);
    expect(await findProblems(byName, { ["~".repeat(30_000)]: members })).toHaveLength(1);
  });
});
