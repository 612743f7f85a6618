import { describe, expect, test } from "vitest";
import { ErrorResponse } from "../../src/contract/error-response.ts";
import { problemsOf } from "../../src/contract/explain.ts";
import type { Schema } from "../../src/contract/json-schema.ts";
import { findProblems, loadCheck, registerValidator } from "../../src/contract/validator.ts";

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
    [{ type: "number", exclusiveMaximum: 5 }, 5, [": expected less than 5, found 5"]],
    [{ type: "number", multipleOf: 0.5 }, 0.7, [": expected a multiple of 0.5, found 0.7"]],
    [
      { contains: { const: 1 }, minContains: 2 },
      [1, 2],
      [": expected at least 2 items that the schema of contains allows, found fewer"],
    ],
    [{ type: "array", uniqueItems: true }, [{ a: 1 }, { a: 1 }], [": expected different items, found equal ones"]],
    [{ oneOf: [{ type: "number" }, { type: "integer" }] }, 1, [expect.stringMatching(/exactly one .*one of several$/)]],
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
  ])("for the value %j", async (value, lines) => {
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

  test("returns fewer problems if their pointers are long", async () => {
    expect(await findProblems(closedItems, Array(10).fill({ a: 1, b: 2 }))).toHaveLength(20);
    const byName: Schema = { type: "object", additionalProperties: closed };
    const members = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`m${index}`, 1]));
    expect(await findProblems(byName, { x: members })).toHaveLength(100);
    expect(await findProblems(byName, { ["~".repeat(30_000)]: members })).toHaveLength(17);
    expect(await findProblems(byName, { ["~".repeat(600_000)]: members })).toHaveLength(1);
  });

  test("ends for unions in unions that multiply the work", () => {
    const properties: Record<string, Schema> = {};
    const options = ["a", "b", "c", "d"].map((name) => ({ type: "object", required: [name], properties }) as const);
    properties.next = { anyOf: options };
    let value: object = {};
    for (let depth = 0; depth < 100; depth++) value = { next: value };
    expect(problemsOf({ anyOf: options }, value)).toEqual([
      { pointer: "", message: "expected a value that matches the contract, found an object" },
    ]);
  });
});

describe("a union with a discriminator", () => {
  const cat: Schema = { type: "object", required: ["lives"], properties: { lives: { type: "integer" } } };
  const dog: Schema = { type: "object", properties: { kind: { enum: ["dog", "wolf"] }, age: { type: "integer" } } };
  const named: Schema = { anyOf: [cat, dog], discriminator: { propertyName: "kind", mapping: { cat, dog } } };
  const tagged: Schema = {
    oneOf: [dog, { properties: { kind: { const: "cat" } } }],
    discriminator: { propertyName: "kind" },
  };

  test.each<[Schema, unknown, string[]]>([
    [named, { kind: "cat", age: "x" }, ["/lives: is required, found nothing"]],
    [named, { kind: "dog", age: "x" }, ['/age: expected integer, found "x"']],
    [named, { kind: "dig", age: "x" }, ['/kind: expected one of "cat", "dog", found "dig". Did you mean "dog"?']],
    [named, { age: "x" }, ['/kind: expected one of "cat", "dog", found nothing']],
    [named, 1, [": expected object, found 1"]],
    [tagged, { kind: "wolf", age: "x" }, ['/age: expected integer, found "x"']],
    [tagged, { kind: "cow" }, ['/kind: expected one of "dog", "wolf", "cat", found "cow"']],
  ])("the error for %j explains only the option of the tag: %j", (schema, value, lines) => {
    expect(problemsOf(schema, value).map(({ pointer, message }) => `${pointer}: ${message}`)).toEqual(lines);
  });
});

test("a registered validator decides about a schema that contains itself", async () => {
  const properties: Record<string, Schema> = {};
  const tree: Schema = { type: "object", properties };
  properties.left = tree;
  registerValidator(tree, async () => (value) => JSON.stringify(value) === "{}");
  expect(await problems(tree, {})).toEqual([]);
  expect(await problems(tree, { left: { left: 1 } })).toEqual(["/left/left: expected object, found 1"]);
});
