import type { Operation, Parameter, ResponseRule } from "./operation.ts";
import type { Schema } from "./schema.ts";
import {
  AnyJson,
  ArrayTestType,
  Cart,
  ErrorResponse,
  ObjectTestType,
  ObjectTestTypeDraft,
  OutOfOrderPropertiesTestType,
  PagedQueryResult,
  UpdateRequest,
  updateActionNames,
} from "./schemas.ts";

/**
 * The contract: the sixteen operations of the interface (its section 4), as data. Routing, validation of requests and
 * answers, scope checks, fixture checks, generated data, the OpenAPI document and coverage all read this table.
 */

const viewResources = ["manage_test", "view_test"];
const manageResources = ["manage_test"];
const manageProducts = ["manage_products"];
/** The interface shows no scopes for the operation: a valid token is enough. */
const anyToken: string[] = [];

const projectKey: Parameter = { in: "path", name: "projectKey", type: "string", description: "The project key." };
const id: Parameter = { in: "path", name: "id", type: "string", description: "The resource's id." };

function query(name: string, type: Parameter["type"], more: Partial<Parameter> = {}): Parameter {
  return { in: "query", name, type, ...more };
}

/** Section 4.1, without `unionParameter`: these are the parameters of HEAD. */
const collectionParameters: Parameter[] = [
  query("stringParameter", "string"),
  query("floatParameter", "float"),
  query("integerParameter", "integer"),
  query("withMarkdownDescription", "float"),
  query("objectParameter", "object"),
  query("arrayOfString", "string", { repeatable: true }),
  query("arrayOfStringWithDescription", "string", { repeatable: true }),
];

/** Section 4.3. */
const listParameters: Parameter[] = [
  query("where", "untyped", { repeatable: true, description: "A predicate; several are and-ed." }),
  query("sort", "untyped", { repeatable: true, description: "`path [asc|desc]`; the first sorts first." }),
  query("limit", "float", { minimum: 0, maximum: 500, description: "The most results to answer; 20 by default." }),
  query("offset", "float", { minimum: 0, maximum: 10_000, description: "How many results to skip; 0 by default." }),
  query("withTotal", "boolean", { description: "Whether to count all matches." }),
  query("expand", "untyped", { repeatable: true, description: "Accepted and recorded." }),
  query("var", "string", {
    pattern: /^var[.][a-zA-Z0-9]+$/,
    repeatable: true,
    description: "A value for `:name` in a predicate: `var.name`.",
  }),
];

/** Answers that the interface does not show and that any operation can give (DESIGN section 3). */
const everyOperation = {
  400: error("The request breaks the contract."),
  401: error("The bearer token is missing or not valid.", { "WWW-Authenticate": "The challenge of RFC 6750." }),
  403: error("The token grants none of the scopes that the operation asks for.", {
    "WWW-Authenticate": "The challenge of RFC 6750, with the scopes asked for.",
  }),
  429: error("Too many requests.", { "Retry-After": "How many seconds to wait." }),
  500: error("The server failed."),
  503: error("The server cannot answer right now.", { "Retry-After": "How many seconds to wait." }),
};
const unknownResource = { 404: error("There is no such resource.") };
const unknownAction = { 404: error("There is nothing behind this action.") };
const bodyErrors = { 413: error("The body is too large."), 415: error("The body's content type is not taken here.") };

const Location = "The path of the resource: how a client learns its id.";

function error(description: string, headers?: ResponseRule["headers"]): ResponseRule {
  return { description, schema: ErrorResponse, headers };
}

function json(description: string, schema: Schema, headers?: ResponseRule["headers"]): ResponseRule {
  return { description, schema, headers };
}

const jsonBody = ["application/json"];

export const operations = [
  {
    id: "queryResources",
    method: "GET",
    path: "/{projectKey}/resource",
    tag: "resource",
    summary: "Query resources",
    description:
      "Described as a paged query result, while the sample body has the shape of ArrayTestType. Which of the two is answered is the setting `collection`.",
    parameters: [projectKey, ...collectionParameters, query("unionParameter", "union", { schema: ObjectTestType })],
    pagedParameters: listParameters,
    responses: {
      200: {
        ...json("A paged query result.", { anyOf: [ArrayTestType, PagedQueryResult] }),
        schemaOf: { sample: ArrayTestType, paged: PagedQueryResult },
      },
      ...everyOperation,
    },
    scopes: viewResources,
  },
  {
    id: "getResourceById",
    method: "GET",
    path: "/{projectKey}/resource/{id}",
    tag: "resource",
    summary: "Get a resource by id",
    parameters: [
      projectKey,
      id,
      query("optionalQueryParameter", "string"),
      query("secondOptionalQueryParameter", "string"),
    ],
    responses: { 200: json("The resource.", ObjectTestType), ...unknownResource, ...everyOperation },
    resource: { parameter: "id", access: "read" },
    scopes: viewResources,
  },
  {
    id: "getResourceByKey",
    method: "GET",
    path: "/{projectKey}/resource/key={key}",
    tag: "resource",
    summary: "Get a resource by key",
    parameters: [projectKey, { in: "path", name: "key", type: "string", description: "The resource's key." }],
    responses: { 200: json("The resource.", ObjectTestType), ...unknownResource, ...everyOperation },
    resource: { parameter: "key", access: "read" },
    scopes: viewResources,
  },
  {
    id: "searchResources",
    method: "GET",
    path: "/{projectKey}/resource/searchApiPattern",
    tag: "resource",
    summary: "Search resources",
    parameters: [
      projectKey,
      query("fuzzy", "boolean", { description: "Apply fuzzy search to the text." }),
      query("fuzzyLevel", "float", {
        description:
          "The explicit fuzzy level when fuzzy is enabled; must not exceed the platform's default level (setting `maxFuzzyLevel`).",
      }),
      query("staged", "boolean", { description: "Query staged projections when true, current ones otherwise." }),
      query("filter", "string"),
      query("filter.facets", "string"),
      query("filter.query", "string"),
      query("facet", "string"),
      query("text", "string", {
        pattern: /^text\.[a-z]{2}(-[A-Z]{2})?$/,
        description: "The text to search for, by language: `text.en`, `text.de-AT`.",
      }),
    ],
    responses: { 200: json("A paged query result.", PagedQueryResult), ...everyOperation },
    scopes: viewResources,
  },
  {
    id: "checkResourceExists",
    method: "HEAD",
    path: "/{projectKey}/resource",
    tag: "resource",
    summary: "Check whether at least one resource matches",
    parameters: [projectKey, ...collectionParameters],
    responses: {
      200: { description: "At least one resource matches." },
      404: { description: "No resource matches." },
      ...withoutBodies(everyOperation),
    },
    scopes: viewResources,
  },
  {
    id: "createResource",
    method: "POST",
    path: "/{projectKey}/resource",
    tag: "resource",
    summary: "Create a resource",
    parameters: [projectKey],
    body: { required: true, mediaTypes: jsonBody, schema: ObjectTestTypeDraft },
    responses: {
      201: json("The resource as created.", ObjectTestType, { Location }),
      ...bodyErrors,
      ...everyOperation,
    },
    scopes: manageResources,
  },
  {
    id: "overwriteResource",
    method: "PATCH",
    path: "/{projectKey}/resource",
    tag: "resource",
    summary: "Overwrite a resource",
    parameters: [projectKey],
    body: { required: true, mediaTypes: jsonBody, schema: ObjectTestTypeDraft },
    responses: {
      201: json("The resource as overwritten.", ObjectTestType, { Location }),
      ...bodyErrors,
      ...everyOperation,
    },
    scopes: manageResources,
  },
  {
    id: "createOrOverwriteResource",
    method: "PUT",
    path: "/{projectKey}/resource",
    tag: "resource",
    summary: "Create or overwrite a resource",
    parameters: [projectKey],
    body: { required: true, mediaTypes: jsonBody, schema: ObjectTestTypeDraft },
    responses: {
      201: json("The resource as created or overwritten.", ObjectTestType, { Location }),
      ...bodyErrors,
      ...everyOperation,
    },
    scopes: manageResources,
  },
  {
    id: "runComplexOperation",
    method: "POST",
    path: "/{projectKey}/resource/artificially-complex/path/uri-parameter-one={uriParameterOne}/{uriParameterTwo}",
    tag: "resource",
    summary: "Run the artificially complex operation",
    parameters: [
      projectKey,
      { in: "path", name: "uriParameterOne", type: "string" },
      { in: "path", name: "uriParameterTwo", type: "string" },
      query("queryParameterOne", "float"),
      query("queryParameterTwo", "string"),
    ],
    body: { required: true, mediaTypes: jsonBody, schema: OutOfOrderPropertiesTestType },
    responses: {
      200: json("The result.", ArrayTestType),
      201: json("The result, as created.", ArrayTestType),
      203: json("The result, non-authoritative.", ArrayTestType),
      ...bodyErrors,
      ...everyOperation,
    },
    scopes: anyToken,
  },
  {
    id: "updateResource",
    method: "POST",
    path: "/{projectKey}/resource/{id}",
    tag: "resource",
    summary: "Update a resource by actions",
    description: "All actions or none. The version goes up by one for the whole request when it holds any action.",
    parameters: [projectKey, id],
    body: { required: true, mediaTypes: jsonBody, schema: UpdateRequest },
    responses: {
      200: json("The resource as updated.", ObjectTestType),
      ...unknownResource,
      409: error("The version sent is not the resource's actual version."),
      ...bodyErrors,
      ...everyOperation,
    },
    resource: { parameter: "id", access: "update" },
    actions: updateActionNames,
    scopes: anyToken,
  },
  {
    id: "deleteResource",
    method: "DELETE",
    path: "/{projectKey}/resource/{id}",
    tag: "resource",
    summary: "Delete a resource",
    parameters: [projectKey, id],
    responses: { 200: json("The resource as deleted.", ObjectTestType), ...unknownResource, ...everyOperation },
    resource: { parameter: "id", access: "delete" },
    scopes: manageResources,
  },
  {
    id: "queryWithSortedParameters",
    method: "GET",
    path: "/{projectKey}/resource/sorted-query-parameters",
    tag: "resource",
    summary: "Query resources with predicates, sorting and paging",
    parameters: [projectKey, ...listParameters],
    responses: { 200: json("A paged query result.", PagedQueryResult), ...everyOperation },
    scopes: viewResources,
  },
  {
    id: "uploadImage",
    method: "POST",
    path: "/{projectKey}/resource/images",
    tag: "images",
    summary: "Upload an image to a product variant",
    parameters: [
      projectKey,
      query("filename", "string"),
      query("variant", "integer", { description: "Selects the variant by its number." }),
      query("sku", "string", { description: "Selects the variant by its SKU." }),
      query("staged", "boolean"),
    ],
    body: { required: true, mediaTypes: ["image/jpeg", "image/png", "image/gif"] },
    responses: {
      200: json("The resource that the image belongs to.", ObjectTestType),
      ...bodyErrors,
      ...everyOperation,
    },
    scopes: manageProducts,
  },
  {
    id: "writeNamespaceAction",
    method: "POST",
    path: "/{projectKey}/resource/namespace-action",
    tag: "custom actions",
    summary: "Write through the custom action",
    description: "A JSON body is kept for the project and answered by the custom action's GET.",
    parameters: [projectKey],
    body: { required: false, mediaTypes: jsonBody, schema: AnyJson },
    responses: { 200: json("What the backend answered.", AnyJson), ...unknownAction, ...bodyErrors, ...everyOperation },
    scopes: anyToken,
  },
  {
    id: "readNamespaceAction",
    method: "GET",
    path: "/{projectKey}/resource/namespace-action",
    tag: "custom actions",
    summary: "Read through the custom action",
    parameters: [projectKey],
    responses: { 200: json("What the backend answered.", AnyJson), ...unknownAction, ...everyOperation },
    scopes: anyToken,
  },
  {
    id: "getCart",
    method: "GET",
    path: "/{projectKey}/resource/namespace-action-with-example",
    tag: "custom actions",
    summary: "Fetch the cart",
    parameters: [projectKey],
    responses: { 200: json("The cart.", Cart), ...unknownAction, ...everyOperation },
    scopes: anyToken,
  },
] as const satisfies readonly Operation[];

function withoutBodies(responses: { readonly [status: number]: ResponseRule }): {
  [status: number]: ResponseRule;
} {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, headers }]) => [status, { description, headers }]),
  );
}
