import { describe, expect, test } from "vitest";
import type { Schema } from "../../src/contract/schema.ts";
import {
  ArrayElement,
  ArrayTestType,
  Cart,
  ExampleResourceUpdateAction,
  LineItem,
  Money,
  namedSchemas,
  ObjectTestType,
  ObjectTestTypeDraft,
  OutOfOrderPropertiesTestType,
  UpdateRequest,
  updateActionNames,
  Variant,
  VariantAttributes,
} from "../../src/contract/schemas.ts";

const strings = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, "string"]));
const objects = (names: string, type: string) => Object.fromEntries(names.split(" ").map((name) => [name, type]));

const person = "object { firstName: string, lastName: string }";
const keyAndLabel = "object { key: string, label: string }";

/** The tables of section 2 of the interface, with its spelling. */
const tables: [section: string, schema: Schema, fields: Record<string, string>][] = [
  ["2.1 array element", ArrayElement, { integerExample: "integer", integerExampleInt32: "integer (int32)" }],
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
  ["2.3 ObjectTestType", ObjectTestType, { version: "integer", objectTypeProperty: "ArrayTestType" }],
  ["2.4 ObjectTestTypeDraft", ObjectTestTypeDraft, { objectTypeProperty: "ArrayTestType" }],
  [
    "2.5 OutOfOrderPropertiesTestType",
    OutOfOrderPropertiesTestType,
    {
      id: "string",
      version: "string or number",
      key: "string",
      custom: "string",
      createdAt: "string (date-time)",
      lastModifiedAt: "string (date-time)",
      createdBy: person,
      lastModifiedBy: person,
      ...strings("eigthProperty ninthProperty tenthProperty eleventhPropery twelthProperty"),
      ...strings("thirteenthProperty fourteenthProperty fifteenthProperty"),
    },
  ],
  ["2.6 update request", UpdateRequest, { version: "number", actions: "array of ExampleResourceUpdateAction" }],
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

describe("the schemas add no rules to the interface", () => {
  test("only the fields that DESIGN names are required", () => {
    const required = Object.entries(namedSchemas).flatMap(([name, schema]) =>
      schema.required ? [[name, schema.required]] : [],
    );
    expect(Object.fromEntries(required)).toEqual({
      ObjectTestType: ["version", "objectTypeProperty"],
      ObjectTestTypeDraft: ["objectTypeProperty"],
      UpdateRequest: ["version", "actions"],
      ExampleResourceUpdateAction: ["action"],
      DoSomeThing: ["action"],
      ChangeSomeProperty: ["action"],
      PagedQueryResult: ["limit", "offset", "count", "results"],
      ErrorResponse: ["statusCode", "message", "errors"],
    });
  });

  test("arrays have no limits and no unique items, and objects accept other members", () => {
    const text = JSON.stringify([
      ArrayTestType,
      ObjectTestTypeDraft,
      OutOfOrderPropertiesTestType,
      UpdateRequest,
      Cart,
    ]);
    expect(text).not.toMatch(/uniqueItems|minItems|maxItems|additionalProperties|maxLength|pattern/);
  });
});

test("the update actions are the two of the interface", () => {
  expect(updateActionNames).toEqual(["doSomeThing", "changeSomeProperty"]);
  expect(ExampleResourceUpdateAction.oneOf.map(({ properties }) => Object.keys(properties))).toEqual([
    ["action"],
    ["action", "someProperty"],
  ]);
});
