import type { Schema } from "../contract/schema.ts";

/** A schema for json-schema-faker: the contract's, with its own keywords beside (`faker`: a function of Faker). */
export type GeneratorSchema = { readonly [keyword: string]: unknown };

/**
 * What makes the values of a property look like the shop's, by the property's name, with its object's name before it
 * where the name alone says too little. Only narrows what the contract's schema allows.
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
  // One currency throughout, as the amounts of one cart are of one.
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

/** What an answer of any shape looks like: something, rather than a bare value of a random type. */
const anything: GeneratorSchema = {
  type: "object",
  required: ["id", "name", "updatedAt"],
  properties: { id: hints.id, name: hints.name, updatedAt: { type: "string", format: "date-time" } },
};

/** The schema with its hints, down to the last property. */
export function withHints(schema: Schema, name = ""): GeneratorSchema {
  const { type, enum: choices, anyOf, properties, items } = schema;
  if (type === undefined && !choices && !anyOf) return anything;
  const own = name.slice(name.lastIndexOf(".") + 1);
  return {
    ...schema,
    // Hints are for the values themselves, not for the lists and objects that hold them.
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
