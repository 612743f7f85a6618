import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { problemsOf } from "../../src/contract/explain.ts";
import { addFormats } from "../../src/contract/formats.ts";
import type { Schema } from "../../src/contract/json-schema.ts";
import { runs } from "../setup/runs.ts";

const isEven = (value: number) => value % 2 === 0;
const formats = { any: true, word: /^[a-z]+$/, even: { type: "number", validate: isEven } } as const;
addFormats(formats);

const name = fc.constantFrom("a", "b", "ab", "hasOwnProperty");
const size = fc.nat(3);
const bound = fc.constantFrom(-1, 0, 0.5, 2);
const pattern = fc.constantFrom("^a", "b$", "^.$");
const type = fc.constantFrom("object", "array", "string", "number", "integer", "boolean", "null");

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2, 3, "", "a", "ab", "B", "😀"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const each = <T>(arbitrary: fc.Arbitrary<T>, ...names: (keyof Schema)[]) => {
  return Object.fromEntries(names.map((keyword) => [keyword, arbitrary]));
};

const { schema } = fc.letrec((tie) => {
  const part = tie("schema");
  const parts = fc.array(part, { minLength: 1, maxLength: 3 });
  const keywords = {
    ...each(size, "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    ...each(bound, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    ...each(part, "propertyNames", "items", "not"),
    additionalProperties: fc.oneof(fc.boolean(), part),
    ...each(parts, "prefixItems", "allOf", "anyOf", "oneOf"),
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
    const: value,
    format: fc.constantFrom("any", "word", "even", "unknown"),
    pattern,
    multipleOf: fc.constantFrom(1, 0.5, 2),
    uniqueItems: fc.boolean(),
    required: fc.uniqueArray(name, { maxLength: 2 }),
    properties: fc.dictionary(name, part, { maxKeys: 3 }),
    patternProperties: fc.dictionary(pattern, part, { maxKeys: 2 }),
  };
  const chosen = fc.subarray(Object.keys(keywords), { minLength: 1, maxLength: 4 }).chain((names) => {
    return fc.record(Object.fromEntries(names.map((keyword) => [keyword, Reflect.get(keywords, keyword)])));
  });
  return { schema: fc.oneof({ depthSize: "small" }, fc.record({ type }), chosen) as fc.Arbitrary<Schema> };
});

test("finds a problem for exactly the values that Ajv refuses", () => {
  const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true, formats, validateSchema: false });
  const samples = fc.array(value, { minLength: 10, maxLength: 10 });
  let invalid = 0;
  const property = fc.property(schema, samples, (tested, values) => {
    const validate = ajv.compile(tested);
    for (const sample of values) {
      const isValid = validate(sample);
      if (!isValid) invalid++;
      const [problem] = problemsOf(tested, sample);
      // The walk has no more than the general problem.
      const isExplained = problem?.pointer !== "" || !problem.message.includes("that matches the contract");
      expect(isExplained).toBe(!isValid);
    }
  });
  fc.assert(property, runs(500));
  expect(invalid).toBeGreaterThan(100);
});
