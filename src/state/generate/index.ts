import {
  type Contract,
  cachedBy,
  type ErrorCode,
  ErrorResponse,
  errorBody,
  errorCatalogue,
  type GeneratorSchema,
  type Hints,
  isObject,
  loadCheck,
  minimalValue,
  type Operation,
  responseFor,
  type Schema,
  ServiceError,
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

const errors = new Map<number, Schema>();

/** Returns a schema of the error bodies for this status. Their messages come from the error catalogue. */
function errorBodies(status: number): Schema {
  const known = errors.get(status);
  if (known) return known;
  // The service never returns InvalidStub: the code reports a mistake in a stub.
  const codes = (Object.keys(errorCatalogue) as ErrorCode[]).filter(
    (code) => errorCatalogue[code].status === status && code !== "InvalidStub",
  );
  const bodies = codes.map((code) => errorBody(new ServiceError({ code, message: errorCatalogue[code].meaning })));
  const schema: Schema = { enum: bodies };
  errors.set(status, schema);
  return schema;
}

const hinted = cachedBy((hints: Hints) => cachedBy((schema: Schema) => withHints(schema, hints)));
const noHints: Hints = {};

/** The maximum number of items of a list without a maximum in its schema. */
const DEFAULT_ITEMS = 4;

/**
 * Returns a value that matches the schema, with the realistic values of the contract's generator. The same seed (a whole
 * number below 2^32) creates the same value on every machine. The first call loads the generators. `declared` is the schema
 * that the value has to match: the schema itself, or a schema that it narrows. If no generated value matches it, the value
 * has only the required members.
 */
export async function generateValue(
  schema: Schema,
  seed: number,
  { declared = schema, generator }: { declared?: Schema } & Pick<Contract, "generator"> = {},
): Promise<unknown> {
  const [{ generateSync }, { faker }, check, own] = await Promise.all([
    import("json-schema-faker"),
    import("@faker-js/faker/locale/en"),
    loadCheck(declared),
    generator?.(),
  ]);
  const withFaker = hinted(own?.hints ?? noHints)(schema);
  // No `await` between seeding Faker and creating the value: other calls use the same Faker.
  faker.seed(seed);
  try {
    const value = generateSync(withFaker as Parameters<typeof generateSync>[0], {
      seed,
      extensions: { faker },
      // Create all optional properties, as the real service returns them.
      optionalsProbability: 1,
      maxDefaultItems: DEFAULT_ITEMS,
      maxDepth: 30,
      // For inner objects first.
      outputTransform: (made) => (own && isObject(made) ? own.consistent(made) : made),
    });
    if (check(value).length === 0) return value;
  } catch {
    // The generator cannot satisfy every schema.
  }
  return minimalValue(declared);
}

/** The schema of generated responses without a schema: an object instead of a value of a random type. */
const anyObject: GeneratorSchema = {
  type: "object",
  required: ["id", "name", "updatedAt"],
  properties: {
    id: { format: "uuid" },
    name: { faker: "commerce.productName" },
    updatedAt: { type: "string", format: "date-time" },
  },
};

/** A schema that contains itself is cut at its second occurrence. */
type Above = readonly Schema[];

/** Returns the schema with hints for all its properties, at every depth. */
function withHints(schema: Schema, hints: Hints, name = "", above: Above = []): GeneratorSchema {
  const { type, enum: choices, anyOf, oneOf, properties, items } = schema;
  if (above.includes(schema)) return { const: minimalValue(schema) };
  if (type === undefined && !choices && !anyOf && !oneOf && !properties && !("const" in schema)) return anyObject;
  const own = name.slice(name.lastIndexOf(".") + 1);
  const within = (part: Schema, partName: string) => withHints(part, hints, partName, [...above, schema]);
  return {
    ...schema,
    // Hints apply to single values, not to the lists and objects that contain them.
    ...(properties || items ? undefined : (hints[name] ?? hints[own])),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([member, each]) => [member, within(each, `${own}.${member}`)]),
      ),
    }),
    ...(items && { items: within(items, name) }),
    ...(anyOf && { anyOf: anyOf.map((option) => within(option, name)) }),
    ...(oneOf && { oneOf: oneOf.map((option) => within(option, name)) }),
  };
}
