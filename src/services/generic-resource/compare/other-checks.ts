import { type Expected, MAX_ID, matching, present } from "../../../contract/index.ts";
import { needs } from "../../../tools/compare/index.ts";
import { about, anotherThan, type Check, checksOf, type Judge, type Row, type Rows, sameBody } from "./check-rows.ts";
import { type ComparedService, type Exchange, images } from "./compared-service.ts";
import { updateStale } from "./resource-checks.ts";

const malformedToken = { at: "queryResources", headers: { Authorization: "Bearer" } } as const;
const unknownPath = { to: "GET {project}/resource-mock-compare" };
// PATCH is safe: DELETE could delete a whole collection.
const unsupported = { to: "PATCH {project}/resource/namespace-action-with-example" };
const queries = { at: "queryResources" } as const;
const creates = { at: "createResource" } as const;
const invalid = { ...queries, query: "floatParameter=abc" };
const invalidDraft = { ...creates, json: { objectTypeProperty: 1 } };

const grantsAll: Judge = async ({ reply: { members } }, { send }) => {
  needs(typeof members.access_token === "string", "a token");
  const { status } = await send("queryResources", { token: members.access_token });
  return [
    ["scope", members.scope, undefined],
    ["the status of a request with the token", status, anotherThan(401, 403)],
  ];
};

/** The custom actions, tokens, paths, methods, errors, and all responses of a run. */
export const otherChecks: readonly Check[] = checksOf({
  "runComplexOperation: the status is 200": {
    source: "complex-status",
    needs: ["the status of success is 200, 201 or 203"],
  },
  "readNamespaceAction: returns the body that writeNamespaceAction received": {
    source: "namespace-actions",
    sends: writeAndRead,
    expects: sameBody,
  },
  "uploadImage: an image whose first bytes are of another type is 400": {
    source: "images",
    needs: ["accepts a GIF image"],
    body: images["image/png"],
    type: "image/gif",
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
  ...about("every operation", { source: "errors" })({
    "an unknown path is 404": unknownPath,
    "an unsupported method is 405": unsupported,
    "405 has the header Allow": { ...unsupported, given: 405 },
    "HEAD on another path is 405": { source: "head", to: unsupported.to.replace("PATCH", "HEAD") },
    ...code(400, "malformed JSON", "InvalidJsonInput", { ...creates, body: "{", type: "application/json" }),
    ...code(400, "an invalid query parameter", "InvalidField", invalid, "floatParameter"),
    "the error of an invalid value names its field": { ...invalid, given: 400 },
    ...code(400, "an invalid member of a body", "InvalidField", invalidDraft, "/objectTypeProperty"),
    "the code of another content type is UnsupportedMediaType": {
      ...creates,
      body: "{}",
      type: "text/plain",
      given: 415,
    },
    "the code of an unknown id is ResourceNotFound": { to: `GET {project}/resource/${"x".repeat(300)}`, given: 404 },
    ...code(404, "an unknown path", "EndpointNotFound", unknownPath),
    ...code(405, "an unsupported method", "MethodNotAllowed", unsupported),
    "the code of a stale version is ConcurrentModification": { sends: updateStale(), given: 409 },
    "the code of a malformed token is invalid_token": { ...malformedToken, given: 401 },
    "the body of an error has statusCode, message and errors": { observed: "errorBody" },
    "statusCode in the body is the status": { observed: "statusCode" },
    [`a project key of more than ${MAX_ID} characters is 400`]: {
      source: "project-keys",
      to: `GET /${"x".repeat(MAX_ID + 1)}/resource`,
    },
    "a project key that starts with __ is 404": { source: "project-keys", to: "GET /__resource-mock-compare/resource" },
    "every host name is served": {
      source: "hosts",
      needs: ["queryResources: a valid request succeeds"],
      ...queries,
      headers: { Host: "region.cloud.test" },
    },
    "every response arrives within the time limit": { source: "contract", observed: "late" },
    "every response arrives whole": { source: "contract", observed: "broken" },
    "every body is JSON": { source: "contract", observed: "notJson" },
  }),
});

/** A check of the code of an error. It is skipped for another status, which has a check of its own. */
function code(given: number, of: string, code: string, row: Row, field?: string): Rows {
  const expects: Expected = { "/errors/0/code": code, ...(field && { "/errors/0/field": field }) };
  return { [`the code of ${of} is ${code}`]: { ...row, given, expects } };
}

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
