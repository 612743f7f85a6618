import type { BodyRule, Operation, Parameter, ResponseRule } from "./operation.ts";
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

// The examples name a resource that every project starts with.
const projectKey = path("projectKey", "my-project", "The project key.");
const id = path("id", "d7837e18-cc45-4c00-8db9-da596e263d96", "The resource's id.");
const key = path("key", "summer-dress-blue", "The resource's key.");

function path(name: string, example: string, description?: string): Parameter {
  return { in: "path", name, type: "string", example, ...(description && { description }) };
}

function query(name: string, type: Parameter["type"], more: Partial<Parameter> = {}): Parameter {
  return { in: "query", name, type, ...more };
}

/** What the interface calls Int. */
const int32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1, format: "int32" } as const;

/** What the interface calls Float, where only whole numbers make sense. */
function whole(minimum: number, maximum: number) {
  return { minimum, maximum, isWhole: true } as const;
}

/** Section 4.1, without `unionParameter`: these are the parameters of HEAD. */
const collectionParameters: Parameter[] = [
  query("stringParameter", "string"),
  query("floatParameter", "float"),
  query("integerParameter", "integer", int32),
  query("withMarkdownDescription", "float"),
  query("objectParameter", "object"),
  query("arrayOfString", "string", { repeatable: true }),
  query("arrayOfStringWithDescription", "string", { repeatable: true }),
];

/** Section 4.3. */
const listParameters: Parameter[] = [
  query("where", "untyped", { repeatable: true, description: "A predicate; several are and-ed." }),
  query("sort", "untyped", { repeatable: true, description: "`path [asc|desc]`; the first sorts first." }),
  query("limit", "float", { ...whole(0, 500), description: "The most results to return; 20 by default." }),
  query("offset", "float", { ...whole(0, 10_000), description: "How many results to skip; 0 by default." }),
  query("withTotal", "boolean", { description: "Whether to count all matches." }),
  query("expand", "untyped", { repeatable: true, description: "Accepted and recorded." }),
  query("var", "string", {
    pattern: /^var[.][a-zA-Z0-9]+$/,
    repeatable: true,
    description: "A value for `:name` in a predicate: `var.name`. A name may be passed several times, for a list.",
  }),
];

/** Responses that the interface does not show and that every operation can give (DESIGN section 3). */
const everyOperation = {
  400: error("The request breaks the contract."),
  401: error("The bearer token is missing or not valid.", { "WWW-Authenticate": "The challenge of RFC 6750." }),
  403: error("The token grants none of the scopes that the operation asks for.", {
    "WWW-Authenticate": "The challenge of RFC 6750, with the scopes asked for.",
  }),
  429: error("Too many requests.", { "Retry-After": "How many seconds to wait." }),
  500: error("The server failed."),
  503: error("The server cannot answer right now.", { "Retry-After": "How many seconds to wait." }),
  507: error("The state, the number of projects or the response reached its limit."),
};
const unknownResource = { 404: error("There is no such resource.") };
const unknownAction = { 404: error("There is nothing behind this action.") };
const bodyErrors = { 413: error("The body is too large."), 415: error("The body's content type is not taken here.") };

function error(description: string, headers?: ResponseRule["headers"]): ResponseRule {
  return { description, schema: ErrorResponse, headers };
}

function json(description: string, schema: Schema, more: Partial<ResponseRule> = {}): ResponseRule {
  return { description, schema, ...more };
}

function jsonBody(schema: Schema, required = true): BodyRule {
  return { required, mediaTypes: ["application/json"], schema };
}

/** What is particular to an operation; `parameters` and `responses` are those that not every operation has. */
interface Particulars
  extends Pick<Operation, "summary" | "description" | "scopes" | "resource" | "actions" | "pagedParameters" | "body"> {
  readonly tag?: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Operation["responses"];
}

function operation<const Id extends string>(
  operationId: Id,
  method: Operation["method"],
  below: string,
  { tag = "resource", parameters = [], responses, ...particulars }: Particulars,
) {
  const { body, resource } = particulars;
  const errors = [resource && unknownResource, body && bodyErrors, everyOperation];
  const all: Operation["responses"] = Object.assign({}, responses, ...errors);
  return {
    ...particulars,
    id: operationId,
    method,
    path: `/{projectKey}/resource${below}`,
    tag,
    parameters: [projectKey, ...parameters],
    responses: method === "HEAD" ? withoutBodies(all) : all,
  };
}

/** One of the three operations that write a draft; their summaries and responses differ in a few words. */
function writeOperation<const Id extends string>(id: Id, method: Operation["method"], summary: string, how: string) {
  return operation(id, method, "", {
    summary: `${summary} a resource`,
    body: jsonBody(ObjectTestTypeDraft),
    responses: {
      201: json(`The resource as ${how}.`, ObjectTestType, {
        headers: { Location: "The path of the resource: how a client learns its id." },
      }),
    },
    scopes: manageResources,
  });
}

export const operations = [
  operation("queryResources", "GET", "", {
    summary: "Query resources",
    description:
      "Described as a paged query result, while the sample body has the shape of ArrayTestType. Which of the two is answered is the setting `collection`.",
    parameters: [...collectionParameters, query("unionParameter", "union", { schema: ObjectTestType })],
    pagedParameters: listParameters,
    responses: {
      200: json(
        "A paged query result.",
        { anyOf: [ArrayTestType, PagedQueryResult] },
        { schemaOf: { sample: ArrayTestType, paged: PagedQueryResult } },
      ),
    },
    scopes: viewResources,
  }),
  operation("getResourceById", "GET", "/{id}", {
    summary: "Get a resource by id",
    parameters: [id, query("optionalQueryParameter", "string"), query("secondOptionalQueryParameter", "string")],
    resource: { parameter: "id", access: "read" },
    responses: { 200: json("The resource.", ObjectTestType) },
    scopes: viewResources,
  }),
  operation("getResourceByKey", "GET", "/key={key}", {
    summary: "Get a resource by key",
    description: "The `=` before the key may be percent-encoded, as `%3D`.",
    parameters: [key],
    resource: { parameter: "key", access: "read" },
    responses: { 200: json("The resource.", ObjectTestType) },
    scopes: viewResources,
  }),
  operation("searchResources", "GET", "/searchApiPattern", {
    summary: "Search resources",
    parameters: [
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
    responses: { 200: json("A paged query result.", PagedQueryResult) },
    scopes: viewResources,
  }),
  operation("checkResourceExists", "HEAD", "", {
    summary: "Check whether at least one resource matches",
    parameters: collectionParameters,
    responses: {
      200: { description: "At least one resource matches." },
      404: { description: "No resource matches." },
    },
    scopes: viewResources,
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
        query("queryParameterOne", "float"),
        query("queryParameterTwo", "string"),
      ],
      body: jsonBody(OutOfOrderPropertiesTestType),
      responses: {
        200: json("The result.", ArrayTestType),
        201: json("The result, as created.", ArrayTestType),
        203: json("The result, non-authoritative.", ArrayTestType),
      },
      scopes: anyToken,
    },
  ),
  operation("updateResource", "POST", "/{id}", {
    summary: "Update a resource by actions",
    description: "All actions or none. The version goes up by one for the whole request when it holds any action.",
    parameters: [id],
    body: jsonBody(UpdateRequest),
    resource: { parameter: "id", access: "update" },
    actions: updateActionNames,
    responses: {
      200: json("The resource as updated.", ObjectTestType),
      409: error("The version sent is not the resource's actual version."),
    },
    scopes: anyToken,
  }),
  operation("deleteResource", "DELETE", "/{id}", {
    summary: "Delete a resource",
    parameters: [id],
    resource: { parameter: "id", access: "delete" },
    responses: { 200: json("The resource as deleted.", ObjectTestType) },
    scopes: manageResources,
  }),
  operation("queryWithSortedParameters", "GET", "/sorted-query-parameters", {
    summary: "Query resources with predicates, sorting and paging",
    parameters: listParameters,
    responses: { 200: json("A paged query result.", PagedQueryResult) },
    scopes: viewResources,
  }),
  operation("uploadImage", "POST", "/images", {
    tag: "images",
    summary: "Upload an image to a product variant",
    parameters: [
      query("filename", "string"),
      query("variant", "integer", { ...int32, description: "Selects the variant by its number." }),
      query("sku", "string", { description: "Selects the variant by its SKU." }),
      query("staged", "boolean"),
    ],
    body: { required: true, mediaTypes: ["image/jpeg", "image/png", "image/gif"] },
    responses: { 200: json("The resource that the image belongs to.", ObjectTestType) },
    scopes: manageProducts,
  }),
  operation("writeNamespaceAction", "POST", "/namespace-action", {
    tag: "custom actions",
    summary: "Write through the custom action",
    description: "A JSON body is kept for the project and answered by the custom action's GET.",
    body: jsonBody(AnyJson, false),
    responses: { 200: json("What the backend answered.", AnyJson), ...unknownAction },
    scopes: anyToken,
  }),
  operation("readNamespaceAction", "GET", "/namespace-action", {
    tag: "custom actions",
    summary: "Read through the custom action",
    responses: { 200: json("What the backend answered.", AnyJson), ...unknownAction },
    scopes: anyToken,
  }),
  operation("getCart", "GET", "/namespace-action-with-example", {
    tag: "custom actions",
    summary: "Fetch the cart",
    responses: { 200: json("The cart.", Cart), ...unknownAction },
    scopes: anyToken,
  }),
] as const;

function withoutBodies(responses: Operation["responses"]): Operation["responses"] {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, headers }]) => [status, { description, headers }]),
  );
}
