import {
  type Contract,
  type Operation,
  present,
  type Schema,
  scopeNames,
  scopesOf,
  successStatus,
} from "../../../contract/index.ts";
import { needs } from "../../../tools/compare/index.ts";
import { OutOfOrderPropertiesTestType } from "../schemas.ts";
import { about, type Check, checksOf, type Judge, type Row, type Rows, rejects, SUCCEEDS } from "./check-rows.ts";
import { doSomeThing, images, sampleOf } from "./compared-service.ts";

/** The checks that follow from the operation table, and those of values that only a schema rejects. */
export function contractChecks(contract: Contract): Check[] {
  const members = Object.keys(contract.schemas.Cart?.properties ?? {});
  const cartMembers = Object.fromEntries(members.map((name) => [`/${name}`, present]));
  const rows = contract.operations.map((operation) =>
    about(operation.id, { source: "contract" })({
      ...responses(operation, contract),
      ...parameters(operation),
      ...tokens(operation),
      ...bodies(operation),
      ...(operation.id === "getCart" && { "the cart has its members": { expects: cartMembers } }),
      ...values[operation.id],
    }),
  );
  return checksOf(Object.assign({}, ...rows));
}

function responses(operation: Operation, { schemas }: Contract): Rows {
  const all = Object.keys(operation.responses).map(Number);
  // The interface chooses none of the statuses of this operation.
  const isOpen = operation.id === "runComplexOperation";
  const statuses = isOpen ? all.filter((status) => status < 300) : [successStatus(operation)];
  const text = statuses.join(", ").replace(/, (\d+)$/, " or $1");
  const { schema, schemaOf } = operation.responses[statuses[0] ?? 200] ?? {};
  const nameOf = (each: Schema) => Object.entries(schemas).find(([, known]) => known === each)?.[0];
  const names = (schema?.anyOf ?? (schema ? [schema] : [])).map(nameOf);
  const isValid: Judge = async ({ reply: { status, json, seen, members } }, service) => {
    needs(status !== 204, `a body; ${seen}`);
    if (json === undefined) return { isTrue: false, seen: `${seen} without a body` };
    // Almost every object is a valid ArrayTestType, so the results of a page decide which schema applies.
    const applied = schemaOf?.[Object.hasOwn(members, "results") ? "paged" : "sample"] ?? schema ?? {};
    const problem = await service.problemOf(applied, json);
    return { isTrue: problem === undefined, seen: problem === undefined ? seen : `${seen}: ${problem}` };
  };
  const claim = names.includes(undefined)
    ? "the response has a JSON body"
    : `the body is valid for ${names.join(" or ")}`;
  return {
    [SUCCEEDS]: { expected: "A valid request returns a status from 200 to 299." },
    [`the status of success is ${text}`]: { expects: statuses.join(" ") },
    ...(schema && { [claim]: { expects: isValid } }),
  };
}

/** An invalid value, unless any text is valid, and valid values: of parameters by name, and of all others by type. */
const samples: Readonly<Record<string, readonly [invalid: string | undefined, ...valid: string[]]>> = {
  where: [undefined, "version > 0"],
  sort: [undefined, "version desc"],
  limit: ["abc", "5"],
  offset: ["abc", "0"],
  fuzzyLevel: ["abc", "1"],
  string: [undefined, "some text"],
  number: ["abc", "1.5"],
  integer: ["abc", "3"],
  boolean: ["maybe", "true"],
  object: ["abc", '{"a":1}'],
  union: ["abc", "1.5", "2024-05-17T09:30:00.000Z", '{"version":1,"objectTypeProperty":{}}'],
};

/** Names that match the patterns of parameters with many names. */
const matchingNames: Readonly<Record<string, readonly string[]>> = { text: ["text.en", "text.de-AT"], var: ["var.a"] };

/** The basic checks of queries. A service that ignores one of these parameters also accepts invalid values of it. */
export const works = {
  where: "where selects the matching resources",
  sort: "sort orders the results",
  limit: "limit bounds the results",
  offset: "offset skips results",
} as const;

function parameters(operation: Operation): Rows {
  const inQuery = operation.parameters.filter((parameter) => parameter.in === "query");
  const rows = inQuery.map(({ name, schema }): Rows => {
    const [invalid, ...values] = samples[name] ?? samples[schema.anyOf ? "union" : String(schema.type)] ?? [];
    const queries = (matchingNames[name] ?? [name]).flatMap((each) => values.map((value) => `${each}=${value}`));
    const needs = name in works ? [works[name as keyof typeof works]] : [];
    return {
      ...Object.fromEntries(queries.map((query) => [`accepts ${query}`, { query }])),
      ...(invalid !== undefined && rejects([`${name}=${invalid}`], { needs })),
    };
  });
  return Object.assign({}, ...rows);
}

/** Most checks of tokens need credentials, as a service without them accepts anonymous requests. */
function tokens(operation: Operation): Rows {
  const scopes = scopeNames({ scopes: scopesOf(operation), scopesNameProjects: true });
  const missing = "a missing token is 401";
  const withoutScope = "a token without its scopes is 403";
  const other = ["view_test", "manage_products", "manage_test"].find((scope) => !scopes.includes(scope));
  const limited = (scope = "", project = "{project}") => ({ scope: `${scope}:${project}` });
  const ofScopes: Rows = {
    [withoutScope]: { ...limited(other), needs: [missing] },
    "a token of another project is 403": { ...limited(scopes[0], "other-{project}"), needs: [missing, withoutScope] },
    ...Object.fromEntries(scopes.map((scope) => [`the scope ${scope} is enough`, limited(scope)])),
  };
  const ofAny: Rows = {
    "a token with any scope of the project is accepted": { source: "any-token", ...limited("view_test") },
  };
  return {
    [missing]: { token: null },
    "an unknown token is 401": { token: "resource-mock-compare", needs: [missing] },
    ...(scopes.length > 0 ? ofScopes : ofAny),
  };
}

/** No default limit of the mock is higher (docs/limits.md), in bytes. */
const LARGE_BODY_BYTES = 16 * 1024 * 1024;
const LARGE_IMAGE_BYTES = 10 * 1024 * 1024;

const type = "application/json";

function bodies({ body }: Operation): Rows {
  if (!body?.mediaTypes.includes(type)) return {};
  return {
    "malformed JSON is 400": { body: '{"objectTypeProperty":', type },
    "a body that is not application/json is 415": { source: "errors", draft: {}, type: "text/plain" },
    ...(body.required && {
      "an empty body is 400": { body: "", type },
      "a body that is an array is 400": { json: [] },
      "a body of more than 16 MiB is 413": {
        source: "errors",
        sends: () => ({ body: Buffer.alloc(LARGE_BODY_BYTES + 1, " "), type }),
      },
    }),
  };
}

/** Returns a row with a member that violates its type, in a draft unless the row has another body. */
function wrong(name: string, value: unknown, row: Row = {}): Rows {
  const sent = row.json ? { json: { ...row.json, [name]: value } } : { draft: { [name]: value } };
  return { [`${name} with ${JSON.stringify(value)} is 400`]: { ...row, ...sent } };
}

const complex = sampleOf(OutOfOrderPropertiesTestType) as object;
const png = images["image/png"];
const actions = [doSomeThing];
const change = { action: "changeSomeProperty", someProperty: 1 };
const drafts: Rows = {
  "objectTypeProperty that is text is 400": { json: { objectTypeProperty: "text" } },
  ...wrong("arrayOfIntExample", ["1"]),
  ...wrong("arrayOfStringExample", [1]),
  ...wrong("arrayOfObjectType", [{ integerExample: "1" }]),
  "a draft without objectTypeProperty is 400": { source: "required-fields", json: {} },
  ...wrong("arrayOfObjectType", [{ integerExampleInt32: 2147483648 }], { source: "types" }),
};
const deep = `{"objectTypeProperty":{},"deep":${"[".repeat(200)}${"]".repeat(200)}}`;
const overflowing = '{"objectTypeProperty":{"arrayOfNumberNoDefaultsExample":[1e400]}}';
const gzip = { "Content-Encoding": "gzip" };

/** Valid values that a service could reject, and invalid ones that it could accept, by operation. */
const values: Readonly<Record<string, Rows>> = {
  queryResources: {
    "accepts repeated values of arrayOfString": { query: "arrayOfString=a&arrayOfString=b" },
    ...rejects(["objectParameter=[1]"], { source: "json-parameters" }),
    ...rejects(["integerParameter=1.5", "integerParameter=2147483648"], { source: "types" }),
    ...rejects(["stringParameter=a&stringParameter=b"], { source: "types" }),
    "ignores an unknown query parameter": { source: "unknown-names", query: "resourceMockCompare=1" },
  },
  // The level exceeds the default level of the platform.
  searchResources: { ...rejects(["fuzzyLevel=1e9"]), ...rejects(["fuzzy=1"], { source: "types" }) },
  createResource: {
    ...drafts,
    ...wrong("arrayOfFloatExample", ["0.5"]),
    ...wrong("arrayOfTwonumbersExample", [true]),
    ...wrong("arrayOfNumberNoDefaultsExample", "1"),
    ...wrong("arrayOfUniqueIntExample", [1.5]),
    "accepts any Unicode text": { sends: ({ draft }) => ({ json: draft({}, "Ünï 𝔘 \u0000 🎉") }) },
    "accepts a content type with a charset": { draft: {}, type: `${type}; charset=utf-8` },
    "JSON with 201 levels is 400": { source: "depth", body: deep, type },
    "a body with Content-Encoding: gzip is 415": { source: "encodings", draft: {}, headers: gzip },
    "accepts a draft with few arrays": {
      source: "required-fields",
      sends: ({ newName }) => ({ json: { objectTypeProperty: { arrayOfStringExample: [newName()] } } }),
    },
    "accepts repeated values in arrayOfUniqueIntExample": {
      source: "required-fields",
      draft: { arrayOfUniqueIntExample: [1, 1] },
    },
    "a number that is too large for 64 bits is 400": { source: "types", body: overflowing, type },
  },
  overwriteResource: drafts,
  createOrOverwriteResource: drafts,
  updateResource: {
    "an update with a version that is text is 400": { json: { version: "1", actions } },
    "an update with actions that are no array is 400": { json: { version: 1, actions: doSomeThing } },
    "an update with an action that is text is 400": { json: { version: 1, actions: ["doSomeThing"] } },
    "an update with an action without a name is 400": { json: { version: 1, actions: [{}] } },
    "an update with someProperty that is a number is 400": { json: { version: 1, actions: [change] } },
    "an update with no version is 400": { source: "required-fields", json: { actions } },
    "an update with no actions is 400": { source: "required-fields", json: { version: 1 } },
  },
  runComplexOperation: {
    ...wrong("createdAt", "yesterday", { json: complex }),
    ...wrong("createdBy", { firstName: 1 }, { json: complex }),
    ...wrong("eigthProperty", 8, { json: complex }),
    "accepts a version that is a number": { json: { ...complex, version: 2 } },
    "accepts path parameters with encoded characters": {
      path: { uriParameterOne: "a b/c=d", uriParameterTwo: "ü'\"" },
    },
    "accepts an empty object": { source: "required-fields", json: {} },
  },
  uploadImage: {
    "accepts a JPEG image": { body: images["image/jpeg"], type: "image/jpeg" },
    "accepts a GIF image": { body: images["image/gif"], type: "image/gif" },
    "an upload without an image is 400": { body: "", type: "image/png" },
    "an image of type image/webp is 415": { source: "images", body: png, type: "image/webp" },
    "an image of more than 10 MiB is 413": {
      source: "images",
      sends: () => ({ body: Buffer.concat([png, Buffer.alloc(LARGE_IMAGE_BYTES, " ")]), type: "image/png" }),
    },
    ...rejects(["variant=-2147483649"], { source: "types" }),
  },
  writeNamespaceAction: { "accepts a request without a body": { source: "namespace-actions" } },
};
