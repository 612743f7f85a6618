import type { generateSync } from "json-schema-faker";
import { isObject, loadCheck, type Schema } from "../../contract/index.ts";
import { type GeneratorSchema, withHints } from "./realistic.ts";

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
