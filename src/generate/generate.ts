import type { generateSync } from "json-schema-faker";
import type { Schema } from "../contract/schema.ts";
import { loadCheck } from "../contract/validator.ts";
import { isObject } from "../text/json.ts";
import { type GeneratorSchema, withHints } from "./realistic.ts";

const hinted = new WeakMap<Schema, GeneratorSchema>();

/** The most items of a list that the schema sets no bound to. */
const MAX_ITEMS = 4;

/**
 * A value that fits the schema, with names, prices, colours and images as a shop has them. Equal for equal seeds (a
 * whole number below 2^32), on every machine. The generators are loaded at the first call. Throws if the value does not
 * fit `declared`: the schema, or one that it narrows.
 */
export async function generateValue(schema: Schema, seed: number, declared = schema): Promise<unknown> {
  const [{ generateSync }, { faker }, check] = await Promise.all([
    import("json-schema-faker"),
    import("@faker-js/faker/locale/en"),
    loadCheck(declared),
  ]);
  const withFaker = hinted.get(schema) ?? withHints(schema);
  hinted.set(schema, withFaker);
  // Nothing waits between seeding Faker and the value, so that nobody else draws from it.
  faker.seed(seed);
  const value = generateSync(withFaker as Parameters<typeof generateSync>[0], {
    seed,
    extensions: { faker },
    // Every property that the contract names, as a client would see it from the service.
    optionalsProbability: 1,
    maxDefaultItems: MAX_ITEMS,
    maxDepth: 30,
    outputTransform: (made) => consistent(made),
  });
  const [problem] = check(value);
  if (problem) throw new Error(`generated with seed ${seed}: ${problem.pointer}: ${problem.message}`);
  return value;
}

/** What a schema cannot say: members that follow from others. Objects come here after what they hold. */
function consistent(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { key, label, results, total, count, price, totalPrice, lineItems, sum } = value;
  if (typeof key === "string" && typeof label === "string") {
    return { ...value, key: label.toLowerCase().replace(/[^a-z0-9]+/g, "-") };
  }
  if (Array.isArray(results)) {
    // All there is, on the first page.
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
