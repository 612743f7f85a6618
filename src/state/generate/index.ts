import type { Faker } from "@faker-js/faker";
import {
  type ArrayTestType,
  type ErrorCode,
  errorBody,
  errorCatalogue,
  isObject,
  loadCheck,
  type Operation,
  type Schema,
  ServiceError,
} from "../../contract/index.ts";
import type { Settings } from "../index.ts";
import { type GeneratorSchema, withHints } from "./realistic.ts";

/*
 * Generated values: the bodies of responses, values of any schema, and the resources of a shop.
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
): Promise<unknown> {
  const { schema, schemaOf } = operation.responses[status] ?? {};
  if (!schema) return undefined;
  return generateValue(status < 400 ? (schemaOf?.[collection] ?? schema) : errorBodies(status), seed, schema);
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

const hinted = new WeakMap<Schema, GeneratorSchema>();

/** The maximum number of items of a list without a maximum in its schema. */
const DEFAULT_ITEMS = 4;

/**
 * Returns a value that matches the schema, with realistic names, prices, colours and images. The same seed (a whole
 * number below 2^32) creates the same value on every machine. The first call loads the generators. Throws if the value
 * does not match `declared`: the schema itself, or a schema that it narrows.
 */
export async function generateValue(schema: Schema, seed: number, declared = schema): Promise<unknown> {
  const [{ generateSync }, { faker }, check] = await Promise.all([
    import("json-schema-faker"),
    import("@faker-js/faker/locale/en"),
    loadCheck(declared),
  ]);
  const withFaker = hinted.get(schema) ?? withHints(schema);
  hinted.set(schema, withFaker);
  // No `await` between seeding Faker and creating the value: other calls use the same Faker.
  faker.seed(seed);
  const value = generateSync(withFaker as Parameters<typeof generateSync>[0], {
    seed,
    extensions: { faker },
    // Create all optional properties, as the real service returns them.
    optionalsProbability: 1,
    maxDefaultItems: DEFAULT_ITEMS,
    maxDepth: 30,
    outputTransform: (made) => consistent(made),
  });
  const [problem] = check(value);
  if (problem) throw new Error(`generated with seed ${seed}: ${problem.pointer}: ${problem.message}`);
  return value;
}

/** Makes members consistent that depend on each other. The generator calls this for inner objects first. */
function consistent(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { key, label, results, total, count, price, totalPrice, lineItems, sum } = value;
  if (typeof key === "string" && typeof label === "string") {
    return { ...value, key: label.toLowerCase().replace(/[^a-z0-9]+/g, "-") };
  }
  if (Array.isArray(results)) {
    // The first page contains all results.
    return { ...value, count: results.length, ...(total !== undefined && { total: results.length }) };
  }
  if (isObject(totalPrice)) {
    return { ...value, totalPrice: { ...totalPrice, centAmount: Number(count) * centAmount(price) } };
  }
  if (Array.isArray(lineItems) && isObject(sum)) {
    const all = lineItems.reduce((before: number, item) => before + centAmount(item.totalPrice), 0);
    return { ...value, sum: { ...sum, centAmount: all } };
  }
  return value;
}

function centAmount(money: unknown): number {
  return isObject(money) ? Number(money.centAmount) : 0;
}

/** The content of a generated resource, and a name for its key. */
interface GeneratedRecord {
  /** Lower-case words with hyphens between them. Not unique. */
  readonly name: string;
  readonly objectTypeProperty: ArrayTestType;
}

/** The number of records in one batch. The server can handle other requests between two batches. */
const BATCH = 500;

/**
 * Returns realistic articles of a shop. Each depends only on the seed (a whole number below 2^32) and its index in the
 * list: the first ten of a hundred equal a list of ten. The first call loads Faker.
 */
export async function generateRecords(count: number, seed: number): Promise<GeneratedRecord[]> {
  const { faker } = await import("@faker-js/faker/locale/en");
  const records: GeneratedRecord[] = [];
  while (records.length < count) {
    if (records.length > 0) await nextTurn();
    for (let done = 0; done < BATCH && records.length < count; done++) {
      // Seed Faker for each record, as other calls use the same Faker between two batches.
      faker.seed([seed, records.length]);
      records.push(generateRecord(faker));
    }
  }
  return records;
}

/** Resolves in the next turn of the event loop. Uses a message, as test suites can replace timers with fake timers. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

function generateRecord(faker: Faker): GeneratedRecord {
  const name = faker.commerce.productName();
  const price = faker.number.int({ min: 5, max: 300 });
  const firstSize = faker.number.int({ min: 32, max: 40 });
  const sizes = Array.from({ length: faker.number.int({ min: 2, max: 5 }) }, (_, index) => firstSize + 2 * index);
  const stock = sizes.map(() => faker.number.int({ min: 0, max: 40 }));
  const article = faker.number.int({ min: 100_000, max: 199_999 });
  const share = faker.number.int({ min: 50, max: 100 });
  return {
    name: name.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
    objectTypeProperty: {
      arrayOfIntExample: stock,
      arrayOfUniqueIntExample: sizes.map((_, index) => article + index),
      arrayOfTwonumbersExample: [price - 0.05, price + faker.number.int({ min: 5, max: 80 }) - 0.05],
      arrayOfFloatExample: share === 100 ? [1] : [share / 100, (100 - share) / 100],
      arrayOfNumberNoDefaultsExample: sizes,
      arrayOfStringExample: [name, faker.color.human(), faker.commerce.productMaterial()],
      arrayOfObjectType: stock.map((inStock, index) => ({
        integerExample: 2_010_000_000_000 + article * 1000 + index,
        integerExampleInt32: inStock,
      })),
    },
  };
}
