import { MAX_ID, matching, present } from "../../../contract/index.ts";
import {
  about,
  anotherThan,
  type ComparedService,
  type Exchange,
  type Judge,
  needs,
  type Row,
  type Rows,
  sameBody,
} from "../../../tools/compare/index.ts";
import { OutOfOrderPropertiesTestType } from "../schemas.ts";
import { draft, images, sampleOf } from "./drafts.ts";
import { draftWith, updateStale } from "./resource-rows.ts";

const type = "application/json";
const malformedToken = { at: "queryResources", headers: { Authorization: "Bearer" }, token: null } as const;
const unknownPath = { to: "GET {project}/resource-mock-compare" };
// PATCH is safe: DELETE could delete a whole collection.
const unsupported = { to: "PATCH {project}/resource/namespace-action-with-example" };
const createResource = { at: "createResource", type } as const;
const invalid = { at: "queryResources", query: "floatParameter=abc" };
const gzip = { "Content-Encoding": "gzip" };
const complex = sampleOf(OutOfOrderPropertiesTestType) as object;
const png = images["image/png"];

/** Returns rows of an operation, with queries that get 400. */
function refuses(id: string, source: string, ...queries: readonly string[]): Rows {
  return Object.fromEntries(queries.map((query) => [`${id}: ${query} is 400`, { source, query }]));
}

/** Returns a row with a member of the draft that violates its type. */
function wrong(name: string, value: unknown, source = "contract"): Rows {
  const row: Row = { source, sends: (service) => ({ json: draft(service, { [name]: value }) }) };
  return { [`createResource: ${name} with ${JSON.stringify(value)} is 400`]: row };
}

/** Returns the row of the code of an error. It is skipped for another status, which has a check of its own. */
function code(given: number, of: string, code: string, row: Row): Rows {
  return { [`the code of ${of} is ${code}`]: { ...row, given, expects: { "/errors/0/code": code } } };
}

/** Values that a service could refuse or accept, although the contract says otherwise. */
const valueRows: Rows = {
  ...wrong("arrayOfIntExample", ["1"]),
  ...wrong("arrayOfObjectType", [{ integerExample: "1" }]),
  ...wrong("arrayOfObjectType", [{ integerExampleInt32: 2147483648 }], "types"),
  "createResource: accepts any Unicode text": {
    source: "contract",
    sends: (service) => ({ json: draft(service, {}, "Ünï 𝔘 \u0000 🎉") }),
  },
  "createResource: accepts a draft with few arrays": {
    source: "required-fields",
    sends: ({ newName }) => ({ json: draftWith(newName()) }),
  },
  "createResource: JSON with 201 levels is 400": {
    source: "depth",
    body: `{"objectTypeProperty":{},"deep":${"[".repeat(200)}${"]".repeat(200)}}`,
    type,
  },
  "createResource: a body with Content-Encoding: gzip is 415": {
    source: "encodings",
    sends: (service) => ({ json: draft(service), headers: gzip }),
  },
  ...refuses("queryResources", "json-parameters", "objectParameter=[1]"),
  ...refuses("queryResources", "types", "integerParameter=1.5", "stringParameter=a&stringParameter=b"),
  "queryResources: accepts repeated values of arrayOfString": {
    source: "contract",
    query: "arrayOfString=a&arrayOfString=b",
  },
  "queryResources: ignores an unknown query parameter": { source: "unknown-names", query: "resourceMockCompare=1" },
  // The level exceeds the default level of the platform.
  ...refuses("searchResources", "contract", "fuzzyLevel=1e9"),
  ...refuses("searchResources", "types", "fuzzy=1"),
  "updateResource: an action that is text is 400": {
    source: "contract",
    json: { version: 1, actions: ["doSomeThing"] },
  },
  "updateResource: an action without a name is 400": { source: "contract", json: { version: 1, actions: [{}] } },
  "runComplexOperation: accepts an empty object": { source: "required-fields", json: {} },
  "runComplexOperation: accepts a version that is a number": { source: "contract", json: { ...complex, version: 2 } },
  "uploadImage: accepts a GIF image": { source: "contract", body: images["image/gif"], type: "image/gif" },
  "uploadImage: an image of type image/webp is 415": { source: "images", body: png, type: "image/webp" },
  "uploadImage: an image whose first bytes are of another type is 400": {
    source: "images",
    needs: ["accepts a GIF image"],
    body: png,
    type: "image/gif",
  },
};

/** Responses without an operation, and errors. They are judged only if the service is no page. */
const everyRows: Rows = about("every operation", {
  source: "errors",
  needs: ["queryResources: a success has a documented media type"],
})({
  "an unknown path is 404": { ...unknownPath },
  "an unsupported method is 405": { ...unsupported },
  "405 has the header Allow": { ...unsupported, given: 405 },
  "HEAD on another path is 405": { source: "head", to: unsupported.to.replace("PATCH", "HEAD") },
  ...code(400, "malformed JSON", "InvalidJsonInput", { ...createResource, body: "{" }),
  ...code(400, "an invalid value", "InvalidField", invalid),
  "the error of an invalid value names its field": { ...invalid, given: 400 },
  ...code(415, "another content type", "UnsupportedMediaType", { ...createResource, body: "{}", type: "text/plain" }),
  ...code(404, "an unknown id", "ResourceNotFound", { to: `GET {project}/resource/${"x".repeat(300)}` }),
  ...code(404, "an unknown path", "EndpointNotFound", unknownPath),
  ...code(409, "a stale version", "ConcurrentModification", { sends: updateStale }),
  ...code(401, "a malformed token", "invalid_token", malformedToken),
  "the body of an error has statusCode, message and errors": { observed: "errors" },
  "statusCode in the body is the status": { ...unknownPath, given: 404 },
  [`a project key of more than ${MAX_ID} characters is 400`]: {
    source: "project-keys",
    to: `GET /${"x".repeat(MAX_ID + 1)}/resource`,
  },
  "every host name is served": {
    source: "hosts",
    at: "queryResources",
    headers: { Host: "region.cloud.test" },
  },
});

const grantsAll: Judge = async ({ reply: { members } }, { send }) => {
  needs(typeof members.access_token === "string", "a token");
  const { status } = await send("queryResources", { token: members.access_token });
  return [
    ["scope", members.scope, undefined],
    ["the status of a request with the token", status, anotherThan(401, 403)],
  ];
};

/** Values, the custom actions, tokens, paths, methods and errors. */
export const otherRows: Rows = {
  ...valueRows,
  ...everyRows,
  "runComplexOperation: the status is 200": {
    source: "complex-status",
    needs: ["the status of success is 200, 201 or 203"],
  },
  "readNamespaceAction: returns the body that writeNamespaceAction received": {
    source: "namespace-actions",
    sends: writeAndRead,
    expects: sameBody,
  },
  "updateResource: a token with any scope of the project is accepted": {
    source: "any-token",
    scope: "view_test:{project}",
  },
  "getCart: the cart has its members": {
    source: "contract",
    expects: ({ reply }, { contract }) =>
      Object.keys(contract.schemas.Cart?.properties ?? {}).map((name) => [`/${name}`, reply.members[name], present]),
  },
  "queryResources: a malformed Authorization header is 401": { source: "contract", ...malformedToken },
  "queryResources: 401 has the challenge of RFC 6750": { source: "errors", ...malformedToken, given: 401 },
  "queryResources: 401 has error and error_description": { source: "errors", ...malformedToken, given: 401 },
  "token endpoint: issues a bearer token": {
    source: "token-endpoint",
    expected: "A client gets a token with HTTP Basic and grant_type=client_credentials (RFC 6749).",
    sends: requestToken,
    expects: { "/token_type": matching("Bearer", /^bearer$/i), "/access_token": present },
  },
  "token endpoint: a token without requested scope grants every scope": {
    source: "token-scopes",
    expected: "A token that was requested without scope may read and write, and the response has no scope.",
    sends: requestToken,
    expects: grantsAll,
  },
};

async function requestToken({ tokens }: ComparedService) {
  needs(tokens.hasClient, "--client and --token-url");
  return { reply: await tokens.request() };
}

async function writeAndRead({ send, newName }: ComparedService): Promise<Exchange> {
  const before = await send("readNamespaceAction");
  const json = { note: newName(), list: [1, null, "text"] };
  const { isOk, seen } = await send("writeNamespaceAction", { json });
  needs(isOk, `writeNamespaceAction to accept a body; ${seen}`);
  const reply = await send("readNamespaceAction");
  // The next reader gets the same body as before this check, as far as the service allows.
  if (before.isOk && before.json !== undefined) await send("writeNamespaceAction", { json: before.json });
  return { json, reply };
}
