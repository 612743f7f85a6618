import {
  AnyJson,
  bearerScheme,
  DEFAULT_PAGE_RESULTS,
  dateTime,
  ErrorResponse,
  MAX_INT32,
  MAX_PAGE_OFFSET,
  MAX_PAGE_RESULTS,
  mapValues,
  type Operation,
  type Parameter,
  type ResponseRule,
  type Role,
  type Schema,
  type Security,
  string,
} from "../../contract/index.ts";
import {
  ArrayTestType,
  Cart,
  ObjectTestType,
  ObjectTestTypeDraft,
  OutOfOrderPropertiesTestType,
  PagedQueryResult,
  UpdateRequest,
  updateActionNames,
  updateActions,
} from "./schemas.ts";
import { RESOURCE } from "./types.ts";

/**
 * The contract: the sixteen operations of the interface (its section 4), as data. Routing, request and response
 * validation, scope checks, fixture checks, generated data, the OpenAPI document and coverage all read this table.
 */

/** Returns the security of an operation for tokens with one of the scopes, bound to the project. */
function anyOf(...scopes: string[]): Security {
  return scopes.map((scope) => [{ scheme: bearerScheme, scopes: [`${scope}:{projectKey}`] }]);
}

const viewResources = anyOf("manage_test", "view_test");
const manageResources = anyOf("manage_test");
const manageProducts = anyOf("manage_products");
/** For operations without scopes in the interface: any valid token is enough. */
const anyToken: Security = [[{ scheme: bearerScheme, scopes: [] }]];

// The examples identify a resource of the initial state of every project.
const projectKey = path("projectKey", "my-project", "The project key.");
const id = path("id", "d7837e18-cc45-4c00-8db9-da596e263d96", "The id of the resource.");
const key = path("key", "summer-dress-blue", "The key of the resource.");

function path<const Name extends string>(name: Name, example: string, description?: string) {
  return { in: "path", name, schema: string, example, ...(description && { description }) } as const;
}

function query<
  const Name extends string,
  const S extends Schema,
  const More extends Partial<Parameter> = { readonly description?: string },
>(name: Name, schema: S, more?: More) {
  return { in: "query", name, schema, ...more } as { readonly in: "query"; name: Name; schema: S } & More;
}

/** The types of parameters in the interface. */
const float = { type: "number" } as const satisfies Schema;
const boolean = { type: "boolean" } as const satisfies Schema;
const int = { type: "integer", minimum: -MAX_INT32 - 1, maximum: MAX_INT32, format: "int32" } as const satisfies Schema;
const untyped = { type: "string", description: "The interface defines no type." } as const satisfies Schema;
const union = { anyOf: [float, dateTime, ObjectTestType] } as const satisfies Schema;

/** Section 4.1, without `unionParameter`: the parameters of HEAD. */
const collectionParameters = [
  query("stringParameter", string),
  query("floatParameter", float),
  query("integerParameter", int),
  query("withMarkdownDescription", float),
  query("objectParameter", { type: "object" }),
  query("arrayOfString", string, { repeatable: true }),
  query("arrayOfStringWithDescription", string, { repeatable: true }),
] as const;

/** Returns the schema of a Float of the interface that only accepts whole numbers. */
function whole(maximum: number) {
  return { type: "number", minimum: 0, maximum, multipleOf: 1 } as const satisfies Schema;
}

/** Section 4.3. */
const listParameters = [
  query("where", untyped, { repeatable: true, description: "A predicate. Several predicates must all match." }),
  query("sort", untyped, { repeatable: true, description: "`path [asc|desc]`. The first parameter has precedence." }),
  query("limit", whole(MAX_PAGE_RESULTS), {
    description: `Maximum number of results; ${DEFAULT_PAGE_RESULTS} by default.`,
  }),
  query("offset", whole(MAX_PAGE_OFFSET), { description: "Number of results to skip; 0 by default." }),
  query("withTotal", boolean, { description: "Whether the response contains `total`." }),
  query("expand", untyped, { repeatable: true, description: "Accepted and recorded in the journal; has no effect." }),
  query("var", string, {
    pattern: /^var[.][a-zA-Z0-9]+$/,
    repeatable: true,
    description: "`var.name` is the value of `:name` in a predicate. Repeat the parameter for a list.",
  }),
] as const;

const byId = { parameters: ["id"], member: "id" } as const;

const actions = mapValues(updateActions, ({ fieldsOf }) => fieldsOf as (action: object) => object);

const list = {
  does: "list",
  type: RESOURCE,
  list: {
    at: ["results"],
    facts: (["limit", "offset", "count", "total"] as const).map((is) => ({ at: [is], is })),
    query: { limit: "limit", offset: "offset", withTotal: "withTotal", where: "where", sort: "sort" },
  },
} as const satisfies Role;

/** Responses that every operation can return. The interface does not show them. */
const everyOperation = {
  400: error("The request violates the contract."),
  401: error("The bearer token is missing or invalid.", { "WWW-Authenticate": "The challenge of RFC 6750." }),
  403: error("The token grants none of the required scopes.", {
    "WWW-Authenticate": "The challenge of RFC 6750, with the required scopes.",
  }),
  429: error("Too many requests.", { "Retry-After": "Seconds to wait." }),
  500: error("The server failed."),
  503: error("The server is temporarily unavailable.", { "Retry-After": "Seconds to wait." }),
  507: error("The state, the number of projects or the response reached its limit."),
};
const unknownResource = { 404: error("No resource has this id or key.") };
const unknownAction = error("No backend handles this action.");
const bodyErrors = {
  413: error("The body is too large."),
  415: error("The content type of the body is not supported."),
};

function error(description: string, headers?: ResponseRule["headers"]) {
  return { description, schema: ErrorResponse, headers };
}

function json<const S extends Schema>(description: string, schema: S, more: Partial<ResponseRule> = {}) {
  return { description, schema, ...more } as Omit<ResponseRule, "schema"> & { readonly schema: S };
}

function jsonBody<const S extends Schema>(schema: S) {
  return { required: true, mediaTypes: ["application/json"], schema } as const;
}

/** The facts of one operation. `parameters` and `responses` list only those that not all operations share. */
interface Particulars
  extends Pick<Operation, "summary" | "description" | "security" | "role" | "actions" | "pagedParameters" | "body"> {
  readonly tag?: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Operation["responses"];
}

declare const facts: unique symbol;

/** The row of an operation. `Facts` is only a type: the types of requests and responses are derived from it. */
export type OperationRow<Id extends string, Facts> = Operation & { readonly id: Id; readonly [facts]?: Facts };

function operation<const Id extends string, const Method extends Operation["method"], const P extends Particulars>(
  operationId: Id,
  method: Method,
  below: string,
  particulars: P,
): OperationRow<Id, P & { readonly method: Method }> {
  const { tag = "resource", parameters = [], responses, ...rest } = particulars as Particulars;
  const { body, role } = rest;
  const errors = [role && "by" in role && unknownResource, body && bodyErrors, everyOperation];
  const all: Operation["responses"] = Object.assign({}, responses, ...errors);
  return {
    ...rest,
    id: operationId,
    method,
    path: `/{projectKey}/resource${below}`,
    tag,
    parameters: [projectKey, ...parameters],
    responses:
      method === "HEAD" ? mapValues({ ...all }, ({ description, headers }) => ({ description, headers })) : all,
  };
}

/** Returns one of the three operations that write a draft. They differ in a few words. */
function writeOperation<const Id extends string>(id: Id, method: Operation["method"], summary: string, how: string) {
  return operation(id, method, "", {
    ...(method === "POST" && { role: { does: "create", type: RESOURCE } as const }),
    summary: `${summary} a resource`,
    body: jsonBody(ObjectTestTypeDraft),
    responses: {
      201: json(`The ${how} resource.`, ObjectTestType, {
        headers: { Location: "The path of the resource. It contains the id." },
      }),
    },
    security: manageResources,
  });
}

export const operations = [
  operation("queryResources", "GET", "", {
    summary: "Query resources",
    description:
      "The interface describes the response as a paged query result, but its sample body is an ArrayTestType. The " +
      "setting `collection` selects one of them.",
    parameters: [...collectionParameters, query("unionParameter", union)],
    role: list,
    pagedParameters: listParameters,
    responses: {
      200: json(
        "A paged query result.",
        { anyOf: [ArrayTestType, PagedQueryResult] },
        { schemaOf: { sample: ArrayTestType, paged: PagedQueryResult } },
      ),
    },
    security: viewResources,
  }),
  operation("getResourceById", "GET", "/{id}", {
    summary: "Get a resource by id",
    parameters: [id, query("optionalQueryParameter", string), query("secondOptionalQueryParameter", string)],
    role: { does: "read", type: RESOURCE, by: byId },
    responses: { 200: json("The resource.", ObjectTestType) },
    security: viewResources,
  }),
  operation("getResourceByKey", "GET", "/key={key}", {
    summary: "Get a resource by key",
    description: "The `=` before the key can be percent-encoded as `%3D`.",
    parameters: [key],
    role: { does: "read", type: RESOURCE, by: { parameters: ["key"], member: "key" } },
    responses: { 200: json("The resource.", ObjectTestType) },
    security: viewResources,
  }),
  operation("searchResources", "GET", "/searchApiPattern", {
    summary: "Search resources",
    parameters: [
      query("fuzzy", boolean, { description: "Whether to apply fuzzy search to the text." }),
      query("fuzzyLevel", float, { description: "The fuzzy level for a fuzzy search; at most 10." }),
      query("staged", boolean, {
        description: "If true, queries staged projections; otherwise, current projections.",
      }),
      query("filter", string),
      query("filter.facets", string),
      query("filter.query", string),
      query("facet", string),
      query("text", string, {
        pattern: /^text\.[a-z]{2}(-[A-Z]{2})?$/,
        description: "The search text in one language, such as `text.en` or `text.de-AT`.",
      }),
    ],
    responses: { 200: json("A paged query result.", PagedQueryResult) },
    security: viewResources,
  }),
  operation("checkResourceExists", "HEAD", "", {
    summary: "Check whether at least one resource matches",
    parameters: collectionParameters,
    responses: {
      200: { description: "At least one resource matches." },
      404: { description: "No resource matches." },
    },
    security: viewResources,
  }),
  writeOperation("createResource", "POST", "Create", "created"),
  writeOperation("overwriteResource", "PATCH", "Overwrite", "overwritten"),
  writeOperation("createOrOverwriteResource", "PUT", "Create or overwrite", "created or overwritten"),
  operation(
    "runComplexOperation",
    "POST",
    "/artificially-complex/path/uri-parameter-one={uriParameterOne}/{uriParameterTwo}",
    {
      summary: "Run the artificially complex operation",
      parameters: [
        path("uriParameterOne", "one"),
        path("uriParameterTwo", "two"),
        query("queryParameterOne", float),
        query("queryParameterTwo", string),
      ],
      body: jsonBody(OutOfOrderPropertiesTestType),
      responses: {
        200: json("The result.", ArrayTestType),
        201: json("The created result.", ArrayTestType),
        203: json("The non-authoritative result.", ArrayTestType),
      },
      security: anyToken,
    },
  ),
  operation("updateResource", "POST", "/{id}", {
    summary: "Update a resource by actions",
    description: "Applies all actions or none. A request with at least one action increases the version by 1.",
    parameters: [id],
    body: jsonBody(UpdateRequest),
    role: { does: "update", type: RESOURCE, by: byId, actions },
    actions: updateActionNames,
    responses: {
      200: json("The updated resource.", ObjectTestType),
      409: error("The version in the request is stale."),
    },
    security: anyToken,
  }),
  operation("deleteResource", "DELETE", "/{id}", {
    summary: "Delete a resource",
    parameters: [id],
    role: { does: "delete", type: RESOURCE, by: byId },
    responses: { 200: json("The deleted resource.", ObjectTestType) },
    security: manageResources,
  }),
  operation("queryWithSortedParameters", "GET", "/sorted-query-parameters", {
    summary: "Query resources with predicates, sorting and paging",
    parameters: listParameters,
    role: { ...list, list: { ...list.list, ignoresSetting: true } },
    responses: { 200: json("A paged query result.", PagedQueryResult) },
    security: viewResources,
  }),
  operation("uploadImage", "POST", "/images", {
    tag: "images",
    summary: "Upload an image to a product variant",
    parameters: [
      query("filename", string),
      query("variant", int, { description: "Selects the variant by its number." }),
      query("sku", string, { description: "Selects the variant by its SKU." }),
      query("staged", boolean),
    ],
    body: { required: true, mediaTypes: ["image/jpeg", "image/png", "image/gif"] },
    responses: { 200: json("The resource that the image belongs to.", ObjectTestType) },
    security: manageProducts,
  }),
  operation("writeNamespaceAction", "POST", "/namespace-action", {
    tag: "custom actions",
    summary: "Write through the custom action",
    description: "The project keeps a JSON body; `readNamespaceAction` returns it.",
    body: { ...jsonBody(AnyJson), required: false },
    responses: { 200: json("The response of the backend.", AnyJson), 404: unknownAction },
    security: anyToken,
  }),
  operation("readNamespaceAction", "GET", "/namespace-action", {
    tag: "custom actions",
    summary: "Read through the custom action",
    responses: { 200: json("The response of the backend.", AnyJson), 404: unknownAction },
    security: anyToken,
  }),
  operation("getCart", "GET", "/namespace-action-with-example", {
    tag: "custom actions",
    summary: "Fetch the cart",
    responses: { 200: json("The cart.", Cart), 404: unknownAction },
    security: anyToken,
  }),
] as const;

/** The errors that the rows add to the responses of an operation. */
export type EveryError = typeof everyOperation;
export type BodyError = typeof bodyErrors;
export type ResourceError = typeof unknownResource;
