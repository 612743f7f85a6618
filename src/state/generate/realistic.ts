import type { Schema } from "../../contract/index.ts";

/** A schema for json-schema-faker: a contract schema with additional keywords (`faker`: a function of Faker). */
export type GeneratorSchema = { readonly [keyword: string]: unknown };

/**
 * Keywords for realistic values, by property name. Ambiguous names have the name of their object as a prefix
 * (`color.label`). The keywords only narrow the schema of the contract.
 */
const hints: Readonly<Record<string, GeneratorSchema>> = {
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

/** The schema of generated responses without a schema: an object instead of a value of a random type. */
const anyObject: GeneratorSchema = {
  type: "object",
  required: ["id", "name", "updatedAt"],
  properties: { id: hints.id, name: hints.name, updatedAt: { type: "string", format: "date-time" } },
};

/** Returns the schema with hints for all its properties, at every depth. */
export function withHints(schema: Schema, name = ""): GeneratorSchema {
  const { type, enum: choices, anyOf, properties, items } = schema;
  if (type === undefined && !choices && !anyOf) return anyObject;
  const own = name.slice(name.lastIndexOf(".") + 1);
  return {
    ...schema,
    // Hints apply to single values, not to the lists and objects that contain them.
    ...(properties || items ? undefined : (hints[name] ?? hints[own])),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([member, each]) => [member, withHints(each, `${own}.${member}`)]),
      ),
    }),
    ...(items && { items: withHints(items, name) }),
    ...(anyOf && { anyOf: anyOf.map((option) => withHints(option, name)) }),
  };
}
