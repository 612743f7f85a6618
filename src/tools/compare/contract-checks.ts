import {
  type Contract,
  type OperationId,
  type Schema,
  type ServiceOperation,
  successStatus,
} from "../../contract/index.ts";
import { type Check, checksFor, type Judge, type Row, SUCCEEDS } from "./check-rows.ts";
import type { ComparedService } from "./compared-service.ts";
import { doSomeThing, images, sampleOf } from "./samples.ts";
import { needs, Skip } from "./service-requests.ts";

/** The checks that follow from the operation table, and those of values that only a schema rejects. */
export function contractChecks(contract: Contract): Check[] {
  return contract.operations.flatMap((operation) =>
    checksFor(contract, operation.id, { kind: "contract" }, [
      ...responses(operation, contract),
      ...parameters(operation),
      ...tokens(operation),
      ...bodies(operation),
      ...(values(contract)[operation.id] ?? []),
    ]),
  );
}

function responses(operation: ServiceOperation, { schemas }: Contract): Row[] {
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
  return [
    { name: SUCCEEDS, expected: "A valid request returns a status from 200 to 299." },
    { name: `the status of success is ${text}`, expects: statuses },
    ...(schema ? [{ name: claim, expects: isValid }] : []),
  ];
}

/** An invalid value of each type, unless any text is valid, and valid values. */
const valuesOf: Readonly<Record<string, readonly [invalid: string | undefined, ...valid: string[]]>> = {
  string: [undefined, "some text"],
  number: ["abc", "1.5"],
  integer: ["abc", "3"],
  boolean: ["maybe", "true"],
  object: ["abc", '{"a":1}'],
  union: ["abc", "1.5", "2024-05-17T09:30:00.000Z", '{"version":1,"objectTypeProperty":{}}'],
};

/** Valid values of parameters with a meaning. */
const meanings: Readonly<Record<string, string>> = {
  where: "version > 0",
  sort: "version desc",
  limit: "5",
  offset: "0",
  fuzzyLevel: "1",
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

function parameters(operation: ServiceOperation): Row[] {
  const inQuery = operation.parameters.filter((parameter) => parameter.in === "query");
  return inQuery.flatMap(({ name, schema }) => {
    const [invalid, ...valid] = valuesOf[schema.anyOf ? "union" : String(schema.type)] ?? [];
    const accepted = name in meanings ? [meanings[name]] : valid;
    const needed = Object.entries(works).flatMap(([parameter, claim]) => (parameter === name ? [claim] : []));
    return [
      ...(matchingNames[name] ?? [name]).flatMap((each) => accepted.map((value) => accepts(`${each}=${value}`))),
      ...(invalid === undefined ? [] : [rejects(`${name}=${invalid}`, { needs: needed })]),
    ];
  });
}

function accepts(query: string, more: Partial<Row> = {}): Row {
  return { name: `accepts ${query}`, sends: query, ...more };
}

/** A query that the service has to reject. */
export function rejects(query: string, more: Partial<Row> = {}): Row {
  return { name: `${query} is 400`, sends: query, ...more };
}

/** Most checks of tokens need credentials, as a service without them accepts anonymous requests. */
function tokens({ scopes }: ServiceOperation): Row[] {
  const missing = "a missing token is 401";
  const withoutScope = "a token without its scopes is 403";
  const other = ["view_test", "manage_products", "manage_test"].find((scope) => !scopes.includes(scope)) ?? "";
  const noToken = ({ tokens: { isKnown } }: ComparedService) => {
    needs(isKnown, "--token or --client");
    return { token: null };
  };
  const ofScopes: Row[] = [
    { name: withoutScope, sends: limited(other), needs: [missing] },
    { name: "a token of another project is 403", sends: limited(scopes[0], "other-"), needs: [missing, withoutScope] },
  ];
  const any: Row = { name: "a token with any scope of the project is accepted", assumption: "any-token" };
  return [
    { name: missing, sends: noToken },
    { name: "an unknown token is 401", sends: { token: "resource-mock-compare" }, needs: [missing] },
    ...(scopes.length > 0 ? ofScopes : [{ ...any, sends: limited("view_test") }]),
    ...scopes.map((scope): Row => ({ name: `the scope ${scope} is enough`, sends: limited(scope) })),
  ];
}

/** Sends a token with one scope of a project. Throws Skip if the token endpoint does not issue it. */
function limited(scope = "", prefix = "") {
  return async ({ tokens: { hasClient, issue }, projectKey }: ComparedService) => {
    needs(hasClient, "--client and --token-url");
    const token = await issue(`${scope}:${prefix}${projectKey}`).catch((error: Error) => {
      throw new Skip(`needs a token with the scope ${scope}; ${error.message}`);
    });
    return { token };
  };
}

/** No default limit of the mock is higher (docs/limits.md), in bytes. */
const LARGE_BODY_BYTES = 16 * 1024 * 1024;
const LARGE_IMAGE_BYTES = 10 * 1024 * 1024;

const type = "application/json";

function bodies({ body }: ServiceOperation): Row[] {
  if (!body?.mediaTypes.includes(type)) return [];
  const rows: Row[] = [
    { name: "malformed JSON is 400", sends: { body: '{"objectTypeProperty":', type } },
    {
      name: "a body that is not application/json is 415",
      assumption: "errors",
      sends: ({ draft }) => ({ json: draft(), type: "text/plain" }),
    },
  ];
  if (!body.required) return rows;
  return [
    ...rows,
    { name: "an empty body is 400", sends: { body: "", type } },
    { name: "a body that is an array is 400", sends: { json: [] } },
    {
      name: "a body of more than 16 MiB is 413",
      assumption: "errors",
      sends: () => ({ body: Buffer.alloc(LARGE_BODY_BYTES + 1, " "), type }),
    },
  ];
}

/** Returns a body with a member that violates its type: a draft unless another body is given. */
function wrong(name: string, value: unknown, body?: object): Row {
  return {
    name: `${name} with ${JSON.stringify(value)} is 400`,
    sends: ({ draft }) => ({ json: body ? { ...body, [name]: value } : draft({ [name]: value }) }),
  };
}

function wrongUpdate(what: string, json: object, assumption?: Row["assumption"]): Row {
  return { name: `an update with ${what} is 400`, assumption, sends: { json } };
}

const invalidDrafts: readonly Row[] = [
  { name: "a draft without objectTypeProperty is 400", assumption: "required-fields", sends: { json: {} } },
  { name: "objectTypeProperty that is text is 400", sends: { json: { objectTypeProperty: "text" } } },
  wrong("arrayOfIntExample", ["1"]),
  wrong("arrayOfStringExample", [1]),
  wrong("arrayOfObjectType", [{ integerExample: "1" }]),
  { ...wrong("arrayOfObjectType", [{ integerExampleInt32: 2147483648 }]), assumption: "types" },
];

const png = images["image/png"];

/** Valid values that a service could reject, and values that it could accept, by operation. */
function values(contract: Contract): { readonly [Id in OperationId]?: readonly Row[] } {
  const complex = sampleOf(contract.find("runComplexOperation")?.body?.schema ?? {}) as object;
  return {
    queryResources: [
      rejects("integerParameter=1.5", { assumption: "types" }),
      rejects("integerParameter=2147483648", { assumption: "types" }),
      rejects("stringParameter=a&stringParameter=b", { assumption: "types" }),
      rejects("objectParameter=[1]", { assumption: "json-parameters" }),
      accepts("arrayOfString=a&arrayOfString=b", { name: "accepts repeated values of arrayOfString" }),
      accepts("resourceMockCompare=1", { name: "ignores an unknown query parameter", assumption: "unknown-names" }),
    ],
    searchResources: [
      rejects("fuzzy=1", { assumption: "types" }),
      // It exceeds the default level of the platform.
      rejects("fuzzyLevel=1e9", { kind: "contract", assumption: "search" }),
    ],
    createResource: [
      ...invalidDrafts,
      wrong("arrayOfFloatExample", ["0.5"]),
      wrong("arrayOfTwonumbersExample", [true]),
      wrong("arrayOfNumberNoDefaultsExample", "1"),
      wrong("arrayOfUniqueIntExample", [1.5]),
      {
        name: "a number that is too large for 64 bits is 400",
        assumption: "types",
        sends: { body: '{"objectTypeProperty":{"arrayOfNumberNoDefaultsExample":[1e400]}}', type },
      },
      {
        name: "JSON with 201 levels is 400",
        assumption: "depth",
        sends: { body: `{"objectTypeProperty":{},"deep":${"[".repeat(200)}${"]".repeat(200)}}`, type },
      },
      {
        name: "a body with Content-Encoding: gzip is 415",
        assumption: "encodings",
        sends: ({ draft }) => ({ json: draft(), headers: { "Content-Encoding": "gzip" } }),
      },
      {
        name: "accepts a draft with few arrays",
        assumption: "required-fields",
        sends: ({ newName }) => ({ json: { objectTypeProperty: { arrayOfStringExample: [newName()] } } }),
      },
      {
        name: "accepts repeated values in arrayOfUniqueIntExample",
        assumption: "required-fields",
        sends: ({ draft }) => ({ json: draft({ arrayOfUniqueIntExample: [1, 1] }) }),
      },
      { name: "accepts any Unicode text", sends: ({ draft }) => ({ json: draft({}, "Ünï 𝔘 \u0000 🎉") }) },
      {
        name: "accepts a content type with a charset",
        sends: ({ draft }) => ({ json: draft(), type: `${type}; charset=utf-8` }),
      },
    ],
    overwriteResource: invalidDrafts,
    createOrOverwriteResource: invalidDrafts,
    updateResource: [
      wrongUpdate("no version", { actions: [doSomeThing] }, "required-fields"),
      wrongUpdate("no actions", { version: 1 }, "required-fields"),
      wrongUpdate("a version that is text", { version: "1", actions: [doSomeThing] }),
      wrongUpdate("actions that are no array", { version: 1, actions: doSomeThing }),
      wrongUpdate("an action that is text", { version: 1, actions: ["doSomeThing"] }),
      wrongUpdate("an action without a name", { version: 1, actions: [{}] }),
      wrongUpdate("someProperty that is a number", {
        version: 1,
        actions: [{ action: "changeSomeProperty", someProperty: 1 }],
      }),
    ],
    runComplexOperation: [
      wrong("createdAt", "yesterday", complex),
      wrong("createdBy", { firstName: 1 }, complex),
      wrong("eigthProperty", 8, complex),
      { name: "accepts an empty object", assumption: "required-fields", sends: { json: {} } },
      { name: "accepts a version that is a number", sends: { json: { ...complex, version: 2 } } },
      {
        name: "accepts path parameters with encoded characters",
        sends: { path: { uriParameterOne: "a b/c=d", uriParameterTwo: "ü'\"" } },
      },
    ],
    uploadImage: [
      rejects("variant=-2147483649", { assumption: "types" }),
      { name: "accepts a JPEG image", sends: { body: images["image/jpeg"], type: "image/jpeg" } },
      { name: "accepts a GIF image", sends: { body: images["image/gif"], type: "image/gif" } },
      { name: "an upload without an image is 400", sends: { body: "", type: "image/png" } },
      { name: "an image of type image/webp is 415", assumption: "images", sends: { body: png, type: "image/webp" } },
      {
        name: "an image whose first bytes are of another type is 400",
        assumption: "images",
        needs: ["accepts a GIF image"],
        sends: { body: png, type: "image/gif" },
      },
      {
        name: "an image of more than 10 MiB is 413",
        assumption: "images",
        sends: () => ({ body: Buffer.concat([png, Buffer.alloc(LARGE_IMAGE_BYTES, " ")]), type: "image/png" }),
      },
    ],
    writeNamespaceAction: [{ name: "accepts a request without a body", assumption: "namespace-actions" }],
  };
}
