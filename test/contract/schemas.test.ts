import { expect, test } from "vitest";
import type { Schema } from "../../src/contract/json-schema.ts";
import {
  ArrayTestType,
  Cart,
  LineItem,
  Money,
  namedSchemas,
  Variant,
  VariantAttributes,
} from "../../src/contract/service-schemas.ts";

const strings = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "string"]));
const objects = (names: string, type: string) => Object.fromEntries(names.split(" ").map((name) => [name, type]));
const keyAndLabel = "object { key: string, label: string }";

/** Tables of section 2 of the interface, with its spelling. Tests of the service show the other ones. */
const tables: [section: string, schema: Schema, fields: Record<string, string>][] = [
  [
    "2.2 ArrayTestType",
    ArrayTestType,
    {
      arrayOfIntExample: "array of integer",
      arrayOfUniqueIntExample: "array of integer",
      arrayOfTwonumbersExample: "array of number",
      arrayOfFloatExample: "array of number (float)",
      arrayOfNumberNoDefaultsExample: "array of number",
      arrayOfStringExample: "array of string",
      arrayOfObjectType: "array of ArrayElement",
    },
  ],
  ["2.7 Money", Money, { fractionDigits: "integer", centAmount: "integer", currencyCode: "string" }],
  [
    "2.8 cart",
    Cart,
    {
      cartId: "string",
      cartVersion: "string",
      lineItems: "array of LineItem",
      sum: "Money",
      shippingAddress: "object",
      billingAddress: "object",
      payments: "array",
      discountCodes: "array",
    },
  ],
  [
    "2.8 line item",
    LineItem,
    {
      ...strings("lineItemId productId name type"),
      count: "integer",
      price: "Money",
      discountTexts: "array",
      discounts: "array",
      totalPrice: "Money",
      variant: "Variant",
      isGift: "boolean",
      _url: "string",
    },
  ],
  [
    "2.8 variant",
    Variant,
    {
      ...strings("id sku"),
      images: "array of string",
      groupId: "string",
      attributes: "VariantAttributes",
      price: "Money",
      isOnStock: "boolean",
    },
  ],
  [
    "2.8 attributes",
    VariantAttributes,
    {
      ...strings("articleNumberManufacturer articleNumberMax matrixId baseId size colorFreeDefinition season"),
      ...objects("designer madeInItaly commonSize color style gender", keyAndLabel),
    },
  ],
];

const names = new Map(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]));

/** Returns the notation of a schema in the tables. */
function notationOf(schema: Schema): string {
  const name = names.get(schema);
  if (name !== undefined) return name;
  const { type, format, items, properties } = schema;
  if (type === "array") return items ? `array of ${notationOf(items)}` : "array";
  if (properties) {
    const members = Object.entries(properties).map(([member, each]) => `${member}: ${notationOf(each)}`);
    return `object { ${members.join(", ")} }`;
  }
  return `${[type].flat().join(" or ")}${format ? ` (${format})` : ""}`;
}

test.each(tables)("%s has the fields and types of the interface", (_section, { properties = {} }, fields) => {
  const found = Object.entries(properties).map(([name, schema]) => [name, notationOf(schema)]);
  expect(Object.fromEntries(found)).toEqual(fields);
});
