import type { Faker } from "@faker-js/faker";
import { type Hints, isObject, TimeSlice } from "../../contract/index.ts";
import type { RecordDraft } from "./schemas.ts";

/*
 * Realistic values: articles of a shop, and hints for the generator of responses.
 */

/**
 * Keywords for realistic values, by property name. Ambiguous names have the name of their object as a prefix
 * (`color.label`). The keywords only narrow the schema of the contract.
 */
export const hints: Hints = {
  firstName: { faker: "person.firstName" },
  lastName: { faker: "person.lastName" },

  id: { format: "uuid" },
  cartId: { format: "uuid" },
  lineItemId: { format: "uuid" },
  productId: { format: "uuid" },
  groupId: { pattern: "^[1-9][0-9]{5}-[a-z]{4,8}$" },
  baseId: { pattern: "^[1-9][0-9]{5}$" },
  matrixId: { pattern: "^M-[1-9][0-9]{5}$" },
  articleNumberManufacturer: { pattern: "^[A-Z]{2}[1-9][0-9]{5}$" },
  articleNumberMax: { pattern: "^[1-9][0-9]{5}-(34|36|38|40|42|44)$" },
  sku: { pattern: "^[A-Z]{2}-[1-9][0-9]{5}-(34|36|38|40|42|44)$" },
  version: { minimum: 1, maximum: 40 },
  cartVersion: { pattern: "^[1-9][0-9]?$" },

  name: { faker: "commerce.productName" },
  type: { const: "variant" },
  count: { minimum: 1, maximum: 5 },
  // Always the same currency, so that all amounts of a cart match.
  currencyCode: { const: "EUR" },
  fractionDigits: { const: 2 },
  centAmount: { minimum: 495, maximum: 49_995 },
  images: { faker: { "image.urlPicsumPhotos": [{ width: 800, height: 1200, blur: 0, grayscale: false }] } },
  _url: { pattern: "^/products/[a-z]{4,9}-[a-z]{4,9}$" },
  size: { enum: ["34", "36", "38", "40", "42", "44"] },
  season: { pattern: "^(SS|FW)2[4-6]$" },
  colorFreeDefinition: { faker: "color.human" },
  "color.label": { faker: "color.human" },
  "designer.label": { faker: "company.name" },
  "madeInItaly.label": { enum: ["Yes", "No"] },
  "commonSize.label": { enum: ["XS", "S", "M", "L", "XL"] },
  "style.label": { enum: ["Business", "Casual", "Evening", "Sport"] },
  "gender.label": { enum: ["Women", "Men", "Unisex"] },

  arrayOfIntExample: { minimum: 0, maximum: 60 },
  arrayOfUniqueIntExample: { minimum: 100_000, maximum: 200_000 },
  arrayOfTwonumbersExample: { faker: { "commerce.price": [{ min: 5, max: 500 }] } },
  arrayOfFloatExample: { faker: { "number.float": [{ min: 0, max: 1, fractionDigits: 2 }] } },
  arrayOfNumberNoDefaultsExample: { faker: { "number.int": [{ min: 32, max: 54 }] } },
  arrayOfStringExample: { faker: "commerce.productAdjective" },
  integerExample: { minimum: 2_000_000_000_000, maximum: 2_999_999_999_999 },
  integerExampleInt32: { minimum: -2_147_483_648, maximum: 2_147_483_647 },

  limit: { const: 20 },
  offset: { const: 0 },
};

/** Makes members consistent that depend on each other. The generator calls this for inner objects first. */
export function consistent(value: Readonly<Record<string, unknown>>): object {
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

/** Returns the draft of a generated resource with this id. */
type GeneratedRecord = (id: string) => RecordDraft;

/** The length of an id prefix that is unique among 100,000 resources with the same name. */
const UNIQUE_PART = "00000000-0000".length;

/**
 * Returns realistic articles of a shop. Each depends only on the seed (a whole number below 2^32) and its index in the
 * list: the first ten of a hundred equal a list of ten. The first call loads Faker.
 */
export async function generateRecords(count: number, seed: number): Promise<GeneratedRecord[]> {
  const { faker } = await import("@faker-js/faker/locale/en");
  const records: GeneratedRecord[] = [];
  const slice = new TimeSlice();
  while (records.length < count) {
    if (slice.isOver) await slice.next();
    // Seed Faker for each record, as other calls use the same Faker between two slices.
    faker.seed([seed, records.length]);
    records.push(generateRecord(faker));
  }
  return records;
}

function generateRecord(faker: Faker): GeneratedRecord {
  const name = faker.commerce.productName();
  const price = faker.number.int({ min: 5, max: 300 });
  const firstSize = faker.number.int({ min: 32, max: 40 });
  const sizes = Array.from({ length: faker.number.int({ min: 2, max: 5 }) }, (_, index) => firstSize + 2 * index);
  const stock = sizes.map(() => faker.number.int({ min: 0, max: 40 }));
  const article = faker.number.int({ min: 100_000, max: 199_999 });
  const share = faker.number.int({ min: 50, max: 100 });
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const content = {
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
  return (id) => ({ id, key: `${words}-${id.slice(0, UNIQUE_PART)}`, ...content });
}
