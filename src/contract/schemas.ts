import { errorCatalogue } from "./errors.ts";
import { dateTime, type FromSchema, integer, object, type Schema, string } from "./schema.ts";

/** The schemas of the interface's section 2. Spelling is the interface's own (`eigthProperty`, `eleventhPropery`, `twelthProperty`). */

/** Section 2.1: the element of `arrayOfObjectType`. */
export const ArrayElement = object([], {
  integerExample: integer,
  integerExampleInt32: { type: "integer", format: "int32" },
});
export type ArrayElement = FromSchema<typeof ArrayElement>;

/** Section 2.2. Names claim uniqueness and two items; the interface gives no such rule, so none is enforced. */
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

/** Section 2.3: what create, overwrite, update, delete and the reads answer. */
export const ObjectTestType = object(["version", "objectTypeProperty"], {
  version: { type: "integer", description: "The version of the resource; each change adds one." },
  objectTypeProperty: ArrayTestType,
});
export type ObjectTestType = FromSchema<typeof ObjectTestType>;

/** Section 2.4: what POST, PATCH and PUT on the collection take. */
export const ObjectTestTypeDraft = object(["objectTypeProperty"], { objectTypeProperty: ArrayTestType });
export type ObjectTestTypeDraft = FromSchema<typeof ObjectTestTypeDraft>;

const person = object([], { firstName: string, lastName: string });

/** Section 2.5: the body of the complex POST. The sample shows `version` as a string; its numeric type is not given. */
export const OutOfOrderPropertiesTestType = object([], {
  id: string,
  version: { type: ["string", "number"] },
  key: string,
  custom: string,
  createdAt: dateTime,
  lastModifiedAt: dateTime,
  createdBy: person,
  lastModifiedBy: person,
  eigthProperty: string,
  ninthProperty: string,
  tenthProperty: string,
  eleventhPropery: string,
  twelthProperty: string,
  thirteenthProperty: string,
  fourteenthProperty: string,
  fifteenthProperty: string,
});
export type OutOfOrderPropertiesTestType = FromSchema<typeof OutOfOrderPropertiesTestType>;

export const DoSomeThing = object(["action"], { action: { const: "doSomeThing" } });

export const ChangeSomeProperty = object(["action"], { action: { const: "changeSomeProperty" }, someProperty: string });

/** Section 2.6: one update action. Only these two names are shown; another is refused, naming them. */
export const ExampleResourceUpdateAction = {
  type: "object",
  discriminator: { propertyName: "action" },
  required: ["action"],
  oneOf: [DoSomeThing, ChangeSomeProperty],
} as const satisfies Schema;
export type ExampleResourceUpdateAction = FromSchema<typeof ExampleResourceUpdateAction>;

/** The names of the update actions that the interface shows. */
export const updateActionNames: readonly ExampleResourceUpdateAction["action"][] =
  ExampleResourceUpdateAction.oneOf.map((option) => option.properties.action.const);

/** Section 2.6: the body of POST by id. */
export const UpdateRequest = object(["version", "actions"], {
  version: { type: "number", description: "The version that the client expects the resource to have." },
  actions: { type: "array", items: ExampleResourceUpdateAction, description: "Applied in this order." },
});
export type UpdateRequest = FromSchema<typeof UpdateRequest>;

/** Section 2.7: an amount in the currency's smallest unit, with that unit's number of decimal places. */
export const Money = object([], {
  fractionDigits: integer,
  centAmount: integer,
  currencyCode: { type: "string", description: "The currency's code." },
});
export type Money = FromSchema<typeof Money>;

const keyAndLabel = object([], { key: string, label: string });

/** Section 2.8: free attributes; those shown are typed. */
export const VariantAttributes = object([], {
  articleNumberManufacturer: string,
  articleNumberMax: string,
  matrixId: string,
  baseId: string,
  size: string,
  colorFreeDefinition: string,
  season: string,
  designer: keyAndLabel,
  madeInItaly: keyAndLabel,
  commonSize: keyAndLabel,
  color: keyAndLabel,
  style: keyAndLabel,
  gender: keyAndLabel,
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
  type: { type: "string", description: "The value `variant` appears." },
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

/** The paging envelope: not shown by the interface, DESIGN section 3. */
export const PagedQueryResult = object(["limit", "offset", "count", "results"], {
  limit: { type: "integer", minimum: 0 },
  offset: { type: "integer", minimum: 0 },
  count: { type: "integer", minimum: 0, description: "How many results this page holds." },
  total: { type: "integer", minimum: 0, description: "How many match in all; left out with withTotal=false." },
  results: { type: "array", items: ObjectTestType },
});
export type PagedQueryResult = FromSchema<typeof PagedQueryResult>;

/** The error body: not shown by the interface, DESIGN section 3. */
export const ErrorResponse = object(["statusCode", "message", "errors"], {
  statusCode: { type: "integer", minimum: 400, maximum: 599 },
  message: string,
  errors: {
    type: "array",
    minItems: 1,
    items: object(["code", "message"], {
      code: { type: "string", enum: Object.keys(errorCatalogue) },
      message: string,
      field: { type: "string", description: "A JSON pointer into the body, or the parameter's or header's name." },
      currentVersion: { type: "integer", description: "With ConcurrentModification: the actual version." },
    }),
  },
  error: { type: "string", description: "With 401 and 403: the error code of RFC 6750." },
  error_description: string,
});

/** Any JSON value: bodies of the custom actions are not shown. */
export const AnyJson = { description: "Any JSON value." } as const satisfies Schema;

/** The schemas that the OpenAPI document names under `components/schemas`. */
export const namedSchemas: Readonly<Record<string, Schema>> = {
  ArrayElement,
  ArrayTestType,
  ObjectTestType,
  ObjectTestTypeDraft,
  OutOfOrderPropertiesTestType,
  DoSomeThing,
  ChangeSomeProperty,
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
