import {
  type Contract,
  dateTime,
  type ErrorCode,
  ErrorResponse,
  errorBody,
  errorCatalogue,
  isTyped,
  loadCheck,
  makeValue,
  matches,
  minimalValue,
  type Operation,
  object,
  type Problem,
  problemsOf,
  responseFor,
  type Schema,
  ServiceError,
  string,
} from "../../contract/index.ts";
import type { Settings } from "../index.ts";

/*
 * Generated values: the bodies of responses, and values of any schema.
 */

/**
 * Returns a response body generated from its schema. It matches the contract, and the same seed (a whole number below
 * 2^32) creates the same body. Returns `undefined` if the response has no body. The operation must declare the status.
 */
export async function generateBody(
  operation: Operation,
  status: number,
  seed: number,
  collection: Settings["collection"],
  { generator }: Pick<Contract, "generator"> = {},
): Promise<unknown> {
  const { schema, schemaOf } = responseFor(operation, status) ?? {};
  if (!schema) return undefined;
  const narrowed = schema === ErrorResponse ? errorBodies(status) : (schemaOf?.[collection] ?? schema);
  return generateValue(narrowed, seed, { declared: schema, generator });
}

/** Returns a schema of the error bodies for this status. Their messages come from the error catalogue. */
function errorBodies(status: number): Schema {
  // The service never returns InvalidStub: the code reports a mistake in a stub.
  const all = Object.keys(errorCatalogue) as ErrorCode[];
  const codes = all.filter((code) => errorCatalogue[code].status === status && code !== "InvalidStub");
  return { enum: codes.map((code) => errorBody(new ServiceError({ code, message: errorCatalogue[code].meaning }))) };
}

/** The schema of generated responses without a schema: an object instead of a value of a random type. */
const anyObject = object(["id", "name", "updatedAt"], { id: string, name: string, updatedAt: dateTime });

/** The most values in a generated value, so that it takes only a moment to make and to read. */
const SIZE = 3000;

/** How often a value is made: again without its invalid parts, or with other options of unions. */
const ATTEMPTS = 3;

/**
 * Returns a value that matches the schema, with realistic texts and numbers: those of the contract's generator come first.
 * The same seed (a whole number below 2^32) creates the same value on every machine. The first call loads the generators.
 * `declared` is the schema that the value has to match: the schema itself, or a schema that it narrows. If no generated
 * value matches it, the value has only the required members, if they match it.
 */
export async function generateValue(
  schema: Schema,
  seed: number,
  { declared = schema, generator }: { declared?: Schema } & Pick<Contract, "generator"> = {},
): Promise<unknown> {
  const [generate, check] = await Promise.all([loadGenerator(generator), loadCheck(declared)]);
  return generate(schema, seed, declared, check);
}

/** Returns a value of the schema at once. Without a check, `matches` validates it. */
export type Generate = (
  schema: Schema,
  seed: number,
  declared?: Schema,
  check?: (value: unknown) => readonly Problem[],
) => unknown;

export async function loadGenerator(generator: Contract["generator"]): Promise<Generate> {
  const [{ createLeaves }, { faker }, own] = await Promise.all([
    import("./leaves.ts"),
    import("@faker-js/faker/locale/en"),
    generator?.(),
  ]);
  const pick = (most: number) => faker.number.int(most);
  return (schema, seed, declared = schema, given) => {
    const check = given ?? ((value) => (matches(declared, value) ? [] : problemsOf(declared, value)));
    const omitted = new Set<string>();
    const leaf = createLeaves(faker, own?.hints ?? {}, omitted);
    const maker = { isFull: true, size: SIZE, omitted, pick, leaf, complete: own?.consistent };
    let first: unknown;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      // No `await` between seeding Faker and creating the value: other calls use the same Faker.
      faker.seed([seed, attempt]);
      const value = makeValue(isTyped(schema) ? schema : anyObject, maker);
      const problems = value === undefined ? [] : check(value);
      if (value !== undefined && problems.length === 0) return value;
      for (const { pointer } of problems) omitted.add(pointer);
      first ??= value;
    }
    const least = minimalValue(declared);
    return check(least).length === 0 ? least : (first ?? least);
  };
}
