import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AnyJson, type Schema } from "../../src/contract/json-schema.ts";
import { minimalValue } from "../../src/contract/minimal-value.ts";
import { generateValue } from "../../src/state/generate/index.ts";
import { runs } from "../setup/runs.ts";

const ajv = new Ajv2020({ strict: false, logger: false });
addFormats.default(ajv);

const range = (least: number) => fc.tuple(fc.integer({ min: least, max: 40 }), fc.integer({ min: 1, max: 8 }));
const bounded = (low: string, high: string, least = 0) =>
  fc.option(range(least), { nil: undefined }).map((pair) => pair && { [low]: pair[0], [high]: pair[0] + pair[1] });
const formats = ["email", "uuid", "uri", "hostname", "ipv4", "ipv6", "date", "date-time", "time", "duration", "regex"];
const patterns = ["^[a-z]{2}-[A-Z]{2}$", "^\\d{1,3}(\\.\\d+)?$", "^(red|green)$", "^#[0-9a-f]{6}$", "^\\S+@\\S+$"];
const names = ["id", "email", "first_name", "createdAt", "price", "countryCode", "tags", "__proto__", "other"];

const leaf: fc.Arbitrary<Schema> = fc.oneof(
  bounded("minLength", "maxLength").map((keywords) => ({ type: "string", ...keywords }) as const),
  fc.constantFrom(...formats).map((format) => ({ type: "string", format }) as const),
  fc.constantFrom(...patterns).map((pattern) => ({ type: "string", pattern }) as const),
  bounded("minimum", "maximum", -20).map((keywords) => ({ type: "integer", ...keywords }) as const),
  bounded("exclusiveMinimum", "maximum", -20).map((keywords) => ({ ...keywords, type: ["number", "null"] }) as const),
  fc.constantFrom<Schema>({ type: "number", multipleOf: 0.01 }, { type: "boolean" }, { enum: ["a", 1, null] }, {}),
  fc.constantFrom<Schema>({ type: ["array", "string"], minLength: 2 }, { type: "string", enum: [null, "a"] }),
  fc.constantFrom<Schema>({ type: "integer", multipleOf: 7, minimum: 1 }, { const: [1] }, { exclusiveMaximum: 0.5 }),
);

const { schema: anySchema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.dictionary(fc.constantFrom(...names), tie("schema")).chain((properties) =>
      fc.record({
        type: fc.constant("object" as const),
        properties: fc.constant(properties),
        required: fc.subarray(Object.keys(properties)),
        minProperties: fc.constantFrom(0, Object.keys(properties).length),
      }),
    ),
    tie("schema").map((values) => ({ type: "object", additionalProperties: values, minProperties: 2 }) as const),
    fc.tuple(tie("schema"), fc.nat(3)).map(([items, minItems]) => ({ type: "array", items, minItems }) as const),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
}));

test("generated and minimal values of any schema are valid, and equal for the same seed", async () => {
  await fc.assert(
    fc.asyncProperty(anySchema, fc.nat(), async (schema, seed) => {
      const value = await generateValue(schema, seed);
      const validate = ajv.compile(schema);
      expect(validate(value), JSON.stringify([value, validate.errors])).toBe(true);
      expect(validate(minimalValue(schema)), JSON.stringify(minimalValue(schema))).toBe(true);
      expect(await generateValue(schema, seed)).toEqual(value);
    }),
    runs(150, 1000),
  );
});

const category: { -readonly [Keyword in keyof Schema]: Schema[Keyword] } = {
  type: "object",
  required: ["name", "below"],
};
category.properties = { name: { type: "string" }, parent: category, below: { type: "array", items: category } };
const cat: Schema = {
  type: "object",
  required: ["kind"],
  properties: { kind: { type: "string" }, lives: { const: 9 } },
};
const dog: Schema = {
  type: "object",
  required: ["kind"],
  properties: { kind: { enum: ["dog"] }, barks: { const: true } },
};
const endless: { oneOf: Schema[] } = { oneOf: [] };
endless.oneOf.push(endless, { type: "object", required: ["next"], properties: { next: endless } });
const tree: { type: "object"; required: string[]; properties: Record<string, Schema> } = {
  type: "object",
  required: ["left"],
  properties: {},
};
tree.properties.left = { oneOf: [tree, { type: "integer", minimum: 3, maximum: 3 }] };
const deep = Array.from({ length: 9 }).reduce<Schema>(
  (below) => ({ type: "object", properties: { below, text: { const: "t" } } }),
  { type: "object" },
);
/** Ajv cannot compile schemas that contain themselves as objects, so the check of the generator accepts any value. */
const generated = (schema: Schema) => generateValue(schema, 1, { declared: AnyJson });

test.each<[string, Schema, unknown]>([
  ["ends where a schema contains itself", category, { name: expect.any(String), below: [] }],
  ["takes the option of a union that ends", tree, { left: 3 }],
  [
    "leaves out objects that are deeper than five",
    deep,
    JSON.parse(`${'{"text":"t","below":'.repeat(4)}{"text":"t"}}}}}`),
  ],
  [
    "sets the tag of an option",
    { discriminator: { propertyName: "kind", mapping: { tom: cat } } },
    { kind: "tom", lives: 9 },
  ],
  [
    "keeps the tag that an option names itself",
    { oneOf: [dog], discriminator: { propertyName: "kind", mapping: { rex: dog } } },
    { kind: "dog", barks: true },
  ],
  [
    "prefers values to null, and leaves out deprecated and writeOnly members",
    {
      type: "object",
      properties: {
        a: { anyOf: [{ type: "null" }, { const: 1 }] },
        b: { type: "string", deprecated: true },
        c: { type: "string", writeOnly: true },
      },
    },
    { a: 1 },
  ],
  ["uses an example that fits", { type: "string", examples: ["much too long", "fits"], maxLength: 4 }, "fits"],
  ["is small for a schema that never ends", endless, null],
])("a generated value %s", async (_what, schema, expected) => {
  expect(await generated(schema)).toEqual(expected);
});

test.each<[string, Schema]>([
  ["items", { type: "array", minItems: 1e9, items: { type: "string" } }],
  ["characters", { type: "string", minLength: 1e9 }],
  ["repetitions", { type: "string", pattern: "^((a{1000}){1000}){1000}$" }],
  ["steps of its pattern", { type: "string", pattern: "^([\\w:/.@-]+)+!$" }],
  ["nested repetitions", { type: "string", pattern: `^${"(".repeat(12)}a${")+".repeat(12)}$` }],
])("a schema that requires very many %s takes only a moment", async (_what, schema) => {
  for (const value of [await generated(schema), minimalValue(schema)])
    expect(JSON.stringify(value).length).toBeLessThan(100_000);
});

test("texts and numbers suit the names of their members", async () => {
  const text = { type: "string" } as const;
  const names = ["email", "customer_first_name", "createdAt", "home-page", "countryCode", "avatarURLs"];
  const schema = { type: "object", properties: Object.fromEntries(names.map((name) => [name, text])) } as const;
  expect(await generated(schema)).toMatchObject({
    email: expect.stringMatching(/^\S+@\S+$/),
    customer_first_name: expect.stringMatching(/^[A-Z]/),
    createdAt: expect.stringMatching(/^202[34]-.*Z$/),
    countryCode: expect.stringMatching(/^[A-Z]{2}$/),
    avatarURLs: expect.stringMatching(/^https:/),
  });
});
