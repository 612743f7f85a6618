import { describe, expect, test } from "vitest";
import { ErrorResponse } from "../../src/contract/error-response.ts";
import type { Schema } from "../../src/contract/json-schema.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import {
  ArrayTestType,
  Cart,
  LineItem,
  Money,
  namedSchemas,
  ObjectTestType,
  ObjectTestTypeDraft,
  OutOfOrderPropertiesTestType,
  PagedQueryResult,
  UpdateRequest,
  Variant,
  VariantAttributes,
} from "../../src/services/generic-resource/schemas.ts";

const COLLECTION = "/{projectKey}/resource";
const COMPLEX = "/artificially-complex/path/uri-parameter-one={uriParameterOne}/{uriParameterTwo}";

/** Section 4 of the interface. test/behaviour/query-parameters.test.ts shows the query parameters. */
const table: [id: string, method: string, path: string, body: unknown, responses: Record<number, unknown>][] = [
  ["queryResources", "GET", "", undefined, { 200: { anyOf: [ArrayTestType, PagedQueryResult] } }],
  ["getResourceById", "GET", "/{id}", undefined, { 200: ObjectTestType }],
  ["getResourceByKey", "GET", "/key={key}", undefined, { 200: ObjectTestType }],
  ["searchResources", "GET", "/searchApiPattern", undefined, { 200: PagedQueryResult }],
  ["checkResourceExists", "HEAD", "", undefined, { 200: undefined }],
  ["createResource", "POST", "", ObjectTestTypeDraft, { 201: ObjectTestType }],
  ["overwriteResource", "PATCH", "", ObjectTestTypeDraft, { 201: ObjectTestType }],
  ["createOrOverwriteResource", "PUT", "", ObjectTestTypeDraft, { 201: ObjectTestType }],
  [
    "runComplexOperation",
    "POST",
    COMPLEX,
    OutOfOrderPropertiesTestType,
    { 200: ArrayTestType, 201: ArrayTestType, 203: ArrayTestType },
  ],
  ["updateResource", "POST", "/{id}", UpdateRequest, { 200: ObjectTestType }],
  ["deleteResource", "DELETE", "/{id}", undefined, { 200: ObjectTestType }],
  ["queryWithSortedParameters", "GET", "/sorted-query-parameters", undefined, { 200: PagedQueryResult }],
  ["uploadImage", "POST", "/images", undefined, { 200: ObjectTestType }],
  ["writeNamespaceAction", "POST", "/namespace-action", expect.anything(), { 200: expect.anything() }],
  ["readNamespaceAction", "GET", "/namespace-action", undefined, { 200: expect.anything() }],
  ["getCart", "GET", "/namespace-action-with-example", undefined, { 200: Cart }],
];

test("the contract has the sixteen operations in the order of the interface", () => {
  expect(serviceContract.ids).toEqual(table.map(([id]) => id));
});

describe.each(table)("%s", (id, method, path, body, responses) => {
  const operation = serviceContract.find(id);

  test(`has the method, path, body and success responses of the interface: ${method} ${path}`, () => {
    expect(operation).toMatchObject({ method, path: `${COLLECTION}${path}` });
    expect(operation?.body?.schema).toEqual(body);
    const successes = Object.entries(operation?.responses ?? {}).filter(([status]) => Number(status) < 300);
    expect(Object.fromEntries(successes.map(([status, { schema }]) => [status, schema]))).toEqual(responses);
    const inPath = operation?.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
    expect(inPath).toEqual([...`${COLLECTION}${path}`.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  });

  test("declares all errors that it can return", () => {
    const errors = Object.entries(operation?.responses ?? {}).filter(([status]) => Number(status) >= 400);
    const canBeMissing = /\{id\}|\{key\}/.test(path) || /^(checkResourceExists|getCart|(read|write)Names.*)$/.test(id);
    expect(errors.map(([status]) => Number(status))).toEqual([
      ...[400, 401, 403],
      ...(canBeMissing ? [404] : []),
      ...(id === "updateResource" ? [409] : []),
      ...(operation?.body ? [413, 415] : []),
      ...[429, 500, 503, 507],
    ]);
    for (const [, { schema }] of errors) expect(schema).toBe(method === "HEAD" ? undefined : ErrorResponse);
  });
});

const keyAndLabel = "object { key: string, label: string }";

/** Tables of section 2 of the interface, with its spelling. Tests of the service show the other ones. */
const schemaTables: [section: string, schema: Schema, fields: readonly string[]][] = [
  [
    "2.2 ArrayTestType",
    ArrayTestType,
    [
      "arrayOfIntExample: array of integer, arrayOfUniqueIntExample: array of integer",
      "arrayOfTwonumbersExample: array of number, arrayOfFloatExample: array of number (float)",
      "arrayOfNumberNoDefaultsExample: array of number, arrayOfStringExample: array of string",
      "arrayOfObjectType: array of ArrayElement",
    ],
  ],
  ["2.7 Money", Money, ["fractionDigits: integer, centAmount: integer, currencyCode: string"]],
  [
    "2.8 cart",
    Cart,
    [
      "cartId: string, cartVersion: string, lineItems: array of LineItem, sum: Money, shippingAddress: object",
      "billingAddress: object, payments: array, discountCodes: array",
    ],
  ],
  [
    "2.8 line item",
    LineItem,
    [
      "lineItemId: string, productId: string, name: string, type: string, count: integer, price: Money",
      "discountTexts: array, discounts: array, totalPrice: Money, variant: Variant, isGift: boolean, _url: string",
    ],
  ],
  [
    "2.8 variant",
    Variant,
    [
      "id: string, sku: string, images: array of string, groupId: string, attributes: VariantAttributes, price: Money",
      "isOnStock: boolean",
    ],
  ],
  [
    "2.8 attributes",
    VariantAttributes,
    [
      "articleNumberManufacturer: string, articleNumberMax: string, matrixId: string, baseId: string, size: string",
      "colorFreeDefinition: string, season: string",
      ...["designer", "madeInItaly", "commonSize", "color", "style", "gender"].map((name) => `${name}: ${keyAndLabel}`),
    ],
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

test.each(schemaTables)("the schema %s has the fields and types of the interface", (_section, schema, fields) => {
  expect(notationOf({ ...schema })).toBe(`object { ${fields.join(", ")} }`);
});
