import {
  count,
  dateTime,
  ErrorResponse,
  type FromSchema,
  integer,
  MAX_COUNT,
  MAX_ID,
  object,
  type Schema,
  string,
} from "../../contract/index.ts";

/**
 * The schemas of section 2 of the interface, with its spelling (`eigthProperty`, `eleventhPropery`, `twelthProperty`).
 */

function each<S extends Schema, Name extends string>(schema: S, ...names: Name[]) {
  return Object.fromEntries(names.map((name) => [name, schema])) as { readonly [Each in Name]: S };
}

/** Section 2.1: the element of `arrayOfObjectType`. */
export const ArrayElement = object([], {
  integerExample: integer,
  integerExampleInt32: { type: "integer", format: "int32" },
});
export type ArrayElement = FromSchema<typeof ArrayElement>;

/**
 * Section 2.2. The names mention uniqueness and two items, but the interface states no such rule, so none is enforced.
 */
export const ArrayTestType = object([], {
  arrayOfIntExample: { type: "array", items: integer },
  arrayOfUniqueIntExample: { type: "array", items: integer },
  arrayOfTwonumbersExample: { type: "array", items: { type: "number" } },
  arrayOfFloatExample: { type: "array", items: { type: "number", format: "float" } },
  arrayOfNumberNoDefaultsExample: { type: "array", items: { type: "number" } },
  arrayOfStringExample: { type: "array", items: string },
  arrayOfObjectType: { type: "array", items: ArrayElement },
});
export type ArrayTestType = FromSchema<typeof ArrayTestType>;

/** Section 2.3: the response body of create, overwrite, update, delete and read operations. */
export const ObjectTestType = {
  title: "ObjectTestType",
  ...object(["version", "objectTypeProperty"], {
    version: { type: "integer", description: "The version of the resource. Each change increases it by 1." },
    objectTypeProperty: ArrayTestType,
  }),
} as const satisfies Schema;
export type ObjectTestType = FromSchema<typeof ObjectTestType>;

/** Section 2.4: the request body of POST, PATCH and PUT on the collection. */
export const ObjectTestTypeDraft = object(["objectTypeProperty"], { objectTypeProperty: ArrayTestType });
export type ObjectTestTypeDraft = FromSchema<typeof ObjectTestTypeDraft>;

/** A resource in the control API and in `seed.json`. */
export const RecordDraft = {
  ...object(["objectTypeProperty"], {
    id: { type: "string", minLength: 1, maxLength: MAX_ID, format: "path-segment" },
    key: { type: "string", minLength: 1, maxLength: MAX_ID },
    version: { type: "integer", minimum: 1, maximum: MAX_COUNT },
    createdAt: dateTime,
    lastModifiedAt: dateTime,
    createdBy: { type: "string" },
    objectTypeProperty: ArrayTestType,
  }),
  examples: [{ key: "linen-shirt-white", objectTypeProperty: { arrayOfStringExample: ["linen"] } }],
} as const satisfies Schema;
export type RecordDraft = FromSchema<typeof RecordDraft> & { [extraField: string]: unknown };

const person = object([], { firstName: string, lastName: string });

/** Section 2.5: the request body of `runComplexOperation`. The sample shows `version` as a string. */
export const OutOfOrderPropertiesTestType = object([], {
  id: string,
  version: { type: ["string", "number"] },
  key: string,
  custom: string,
  createdAt: dateTime,
  lastModifiedAt: dateTime,
  createdBy: person,
  lastModifiedBy: person,
  ...each(string, "eigthProperty", "ninthProperty", "tenthProperty", "eleventhPropery", "twelthProperty"),
  ...each(string, "thirteenthProperty", "fourteenthProperty", "fifteenthProperty"),
});
export type OutOfOrderPropertiesTestType = FromSchema<typeof OutOfOrderPropertiesTestType>;

/** Returns an update action: the schema of its members, and the fields of the resource that it sets. */
function updateAction<const Name extends string, const Members extends { readonly [member: string]: Schema }>(
  name: Name,
  members: Members,
  fieldsOf: (action: FromSchema<{ readonly type: "object"; readonly properties: Members }>) => object,
) {
  const schema = object(["action"], { action: { const: name }, ...members }) as ActionSchema<Name, Members>;
  return { schema, fieldsOf };
}

export interface ActionSchema<Name, Members> {
  readonly type: "object";
  readonly required: readonly ["action"];
  readonly properties: { readonly action: { readonly const: Name } } & Members;
}

/**
 * Section 2.6: the update actions by name. The interface shows only these two; other names are rejected. A new action is
 * one entry.
 */
export const updateActions = {
  doSomeThing: updateAction("doSomeThing", {}, () => ({})),
  changeSomeProperty: updateAction("changeSomeProperty", { someProperty: string }, ({ someProperty }) =>
    someProperty === undefined ? {} : { someProperty },
  ),
};

/** The names of the update actions. */
export const updateActionNames = Object.keys(updateActions) as readonly (keyof typeof updateActions)[];

const ExampleResourceUpdateAction = {
  type: "object",
  discriminator: { propertyName: "action" },
  required: ["action"],
  oneOf: Object.values(updateActions).map(({ schema }) => schema),
} as const satisfies Schema;

/** Section 2.6: the request body of `updateResource`. */
export const UpdateRequest = object(["version", "actions"], {
  version: { type: "number", description: "The expected version of the resource." },
  actions: { type: "array", items: ExampleResourceUpdateAction, description: "The actions, applied in this order." },
});
export type UpdateRequest = FromSchema<typeof UpdateRequest>;

/** Section 2.7: an amount in the smallest unit of the currency. `fractionDigits` is the number of decimal digits. */
export const Money = object([], {
  fractionDigits: integer,
  centAmount: integer,
  currencyCode: { type: "string", description: "The code of the currency." },
});
export type Money = FromSchema<typeof Money>;

const keyAndLabel = object([], { key: string, label: string });

/** Section 2.8: free attributes. Only the attributes in the interface have a type here. */
export const VariantAttributes = object([], {
  ...each(string, "articleNumberManufacturer", "articleNumberMax", "matrixId", "baseId"),
  ...each(string, "size", "colorFreeDefinition", "season"),
  ...each(keyAndLabel, "designer", "madeInItaly", "commonSize", "color", "style", "gender"),
});

export const Variant = object([], {
  id: string,
  sku: string,
  images: { type: "array", items: { type: "string", description: "A URL." } },
  groupId: string,
  attributes: VariantAttributes,
  price: Money,
  isOnStock: { type: "boolean" },
});

export const LineItem = object([], {
  lineItemId: string,
  productId: string,
  name: string,
  type: { type: "string", description: "For example `variant`." },
  count: integer,
  price: Money,
  discountTexts: { type: "array" },
  discounts: { type: "array" },
  totalPrice: Money,
  variant: Variant,
  isGift: { type: "boolean" },
  _url: { type: "string", description: "A relative path." },
});

/** Section 2.8: the cart of `namespace-action-with-example`. */
export const Cart = object([], {
  cartId: string,
  cartVersion: string,
  lineItems: { type: "array", items: LineItem },
  sum: Money,
  shippingAddress: { type: "object" },
  billingAddress: { type: "object" },
  payments: { type: "array" },
  discountCodes: { type: "array" },
});
export type Cart = FromSchema<typeof Cart>;

/** The paging envelope. The interface does not show it. */
export const PagedQueryResult = object(["limit", "offset", "count", "results"], {
  limit: { ...count },
  offset: { ...count },
  count: { ...count, description: "Number of results on this page." },
  total: { ...count, description: "Number of all matches; absent with withTotal=false." },
  results: { type: "array", items: ObjectTestType },
});
export type PagedQueryResult = FromSchema<typeof PagedQueryResult>;

/**
 * Values with a meaning in the protocol: versions, statuses, positions in a page. A varied response keeps them, and the
 * length of `results`.
 */
export const protocolValues: ReadonlySet<Schema> = new Set<Schema>([
  ObjectTestType.properties.version,
  ...Object.values(PagedQueryResult.properties),
  ErrorResponse.properties.statusCode,
  ErrorResponse.properties.errors.items.properties.currentVersion,
]);

/** The schemas under `components/schemas` of the OpenAPI document. */
export const namedSchemas: Readonly<Record<string, Schema>> = {
  ArrayElement,
  ArrayTestType,
  ObjectTestType,
  ObjectTestTypeDraft,
  OutOfOrderPropertiesTestType,
  DoSomeThing: updateActions.doSomeThing.schema,
  ChangeSomeProperty: updateActions.changeSomeProperty.schema,
  ExampleResourceUpdateAction,
  UpdateRequest,
  Money,
  VariantAttributes,
  Variant,
  LineItem,
  Cart,
  PagedQueryResult,
  ErrorResponse,
};
