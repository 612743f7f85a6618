import fc from "fast-check";

/** Names of inherited members. Careless code fails on them, or changes the prototype of all objects. */
export const inheritedNames = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "toJSON",
];

/** Any text from all of Unicode, including lone surrogates and control characters. */
export const text = fc.string({ unit: "binary", maxLength: 20 });

const integer = fc.maxSafeInteger().map((value) => value || 0);
/** Any finite number except -0, because JSON turns -0 into 0. */
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0);

const name = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...inheritedNames) });

/** Builds an object through JSON, where `__proto__` is an ordinary member. */
function object(members: fc.Arbitrary<[string, unknown][]>): fc.Arbitrary<Record<string, unknown>> {
  return members.map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries))));
}

/** Any JSON value, a few levels deep. */
export const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, 1, -1, "", []),
    number,
    text,
    fc.array(tie("json"), { maxLength: 4 }),
    object(fc.array(fc.tuple(name, tie("json")), { maxLength: 4 })),
  ),
}));

/** A valid ArrayTestType (section 2.2 of the interface). */
export const arrayTestType = fc.record(
  {
    arrayOfIntExample: fc.array(integer, { maxLength: 5 }),
    arrayOfUniqueIntExample: fc.array(integer, { maxLength: 5 }),
    arrayOfTwonumbersExample: fc.array(number, { maxLength: 3 }),
    arrayOfFloatExample: fc.array(number, { maxLength: 5 }),
    arrayOfNumberNoDefaultsExample: fc.array(number, { maxLength: 5 }),
    arrayOfStringExample: fc.array(text, { maxLength: 5 }),
    arrayOfObjectType: fc.array(
      fc.record({ integerExample: integer, integerExampleInt32: fc.integer() }, { requiredKeys: [] }),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);

/** Fields that the service sets itself and ignores in a draft. */
const recordFields = ["id", "key", "version", "createdAt", "lastModifiedAt", "createdBy", "objectTypeProperty"];

/** A valid draft, with extra fields of any kind. */
export const draft = fc
  .tuple(arrayTestType, object(fc.array(fc.tuple(name, json), { maxLength: 3 })))
  .map(([objectTypeProperty, extra]) => ({
    ...Object.fromEntries(Object.entries(extra).filter(([field]) => !recordFields.includes(field))),
    objectTypeProperty,
  }));
