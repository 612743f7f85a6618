import {
  type Contract,
  dateTime,
  type ErrorCode,
  ErrorResponse,
  errorBody,
  errorCatalogue,
  isObject,
  loadCheck,
  makeValue,
  minimalValue,
  type Operation,
  object,
  responseFor,
  type Schema,
  ServiceError,
  segmentsOf,
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
  const codes = (Object.keys(errorCatalogue) as ErrorCode[]).filter(
    (code) => errorCatalogue[code].status === status && code !== "InvalidStub",
  );
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
  const [{ createLeaves }, { faker }, check, own] = await Promise.all([
    import("./leaves.ts"),
    import("@faker-js/faker/locale/en"),
    loadCheck(declared),
    generator?.(),
  ]);
  const typing = ["type", "enum", "const", "anyOf", "oneOf", "properties", "discriminator"];
  const isTyped = typing.some((keyword) => keyword in schema);
  const omitted = new Set<string>();
  let first: unknown;
  const leaf = createLeaves(faker, own?.hints ?? {}, omitted);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // No `await` between seeding Faker and creating the value: other calls use the same Faker.
    faker.seed([seed, attempt]);
    const pick = (most: number) => faker.number.int(most);
    const value = makeValue(isTyped ? schema : anyObject, {
      isFull: true,
      size: SIZE,
      omitted,
      pick,
      leaf,
      complete: own?.consistent,
    });
    const problems = value === undefined ? [] : check(value);
    if (value !== undefined && problems.length === 0) return value;
    for (const { pointer } of problems) omitted.add(pointer);
    first ??= value;
  }
  const least = minimalValue(declared);
  return check(least).length === 0 ? least : (first ?? least);
}

/** Returns the value with generated parts in place of those that violate the schema; a generated value if that is not enough. */
export async function mendValue(
  schema: Schema,
  given: unknown,
  { generator }: Pick<Contract, "generator">,
): Promise<unknown> {
  const check = await loadCheck(schema);
  const generated = await generateValue(schema, 0, { generator });
  const value = structuredClone(given);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const problems = check(value);
    if (problems.length === 0) return value;
    for (const { pointer } of problems) if (!mendPart(value, generated, segmentsOf(pointer))) return generated;
  }
  return generated;
}

/** Puts a part of another value in place of the part that the segments lead to. Returns whether there is such a part. */
function mendPart(value: unknown, other: unknown, [name = "", ...below]: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  const holder = value as Record<string, unknown>;
  // Items have one form, and the other array can be shorter.
  const part = Array.isArray(other) ? (other[Number(name)] ?? other[0]) : isObject(other) ? other[name] : undefined;
  if (below.length > 0) return mendPart(holder[name], part, below);
  if (part !== undefined) holder[name] = part;
  else if (Array.isArray(value)) value.splice(Number(name), 1);
  else delete holder[name];
  return true;
}
