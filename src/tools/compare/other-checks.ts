import {
  type Check,
  EVERY_OPERATION,
  error,
  type Fact,
  group,
  isPresent,
  type Judge,
  type Row,
  type Rows,
  sameBody,
} from "./check-rows.ts";
import type { ComparedService, Exchange } from "./compared-service.ts";
import { updateStale } from "./resource-checks.ts";
import { images } from "./samples.ts";
import { needs } from "./service-requests.ts";

const malformedToken = { at: "queryResources", headers: { Authorization: "Bearer" } } as const;
const unknownPath = { to: "GET {project}/resource-mock-compare" };
// PATCH is safe: DELETE could delete a whole collection.
const unsupported = { to: "PATCH {project}/resource/namespace-action-with-example" };
const queries = "queryResources";
const creates = "createResource";

/** The custom actions, tokens, paths, methods, errors, and all responses of a run. */
export const otherChecks: readonly Check[] = [
  ...group("runComplexOperation")({
    "the status is 200": { assumption: "complex-status", needs: ["the status of success is 200, 201 or 203"] },
  }),
  ...group("readNamespaceAction", { assumption: "namespace-actions" })({
    "returns the body that writeNamespaceAction received": { sends: writeAndRead, expects: sameBody },
  }),
  ...group("uploadImage", { assumption: "images" })({
    "an image whose first bytes are of another type is 400": {
      needs: ["accepts a GIF image"],
      sends: { body: images["image/png"], type: "image/gif" },
    },
  }),
  ...group("queryResources", { sends: malformedToken })({
    "a malformed Authorization header is 401": { kind: "contract" },
    "401 has the challenge of RFC 6750": {
      assumption: "errors",
      given: 401,
      expects: hasHeader("WWW-Authenticate", /^Bearer\b/i),
    },
  }),
  ...group(EVERY_OPERATION, { prefix: "token endpoint", sends: requestToken })({
    "issues a bearer token": {
      assumption: "token-endpoint",
      expected: "A client gets a token with HTTP Basic and grant_type=client_credentials (RFC 6749).",
      expects: { token_type: (type: unknown) => /^bearer$/i.test(String(type)), access_token: isPresent },
    },
    "a token without requested scope grants every scope": {
      assumption: "token-scopes",
      expected: "A token that was requested without scope may read and write, and the response has no scope.",
      expects: grantsAll,
    },
  }),
  ...group(EVERY_OPERATION, { assumption: "errors" })({
    "an unknown path is 404": { sends: unknownPath },
    "an unsupported method is 405": { sends: unsupported },
    "405 has the header Allow": { sends: unsupported, given: 405, expects: hasHeader("Allow", /\bGET\b/) },
    "HEAD on another path is 405": { assumption: "head", sends: { to: unsupported.to.replace("PATCH", "HEAD") } },
    ...code(400, "malformed JSON", "InvalidJsonInput", { at: creates, body: "{", type: "application/json" }),
    ...code(400, "an invalid query parameter", "InvalidField", { at: queries, query: "floatParameter=abc" }),
    ...code(400, "an invalid member of a body", "InvalidField", { at: creates, json: { objectTypeProperty: 1 } }),
    ...code(415, "another content type", "UnsupportedMediaType", { at: creates, body: "{}", type: "text/plain" }),
    ...code(404, "an unknown id", "ResourceNotFound", { to: `GET {project}/resource/${"x".repeat(300)}` }),
    ...code(404, "an unknown path", "EndpointNotFound", unknownPath),
    ...code(405, "an unsupported method", "MethodNotAllowed", unsupported),
    ...code(409, "a stale version", "ConcurrentModification", updateStale()),
    ...code(401, "a malformed token", "invalid_token", malformedToken),
    "the body of an error has statusCode, message and errors": { observed: "errorBody" },
    "statusCode in the body is the status": { observed: "statusCode" },
  }),
  ...group(EVERY_OPERATION, { assumption: "project-keys" })({
    "a project key of more than 256 characters is 400": { sends: { to: `GET /${"x".repeat(257)}/resource` } },
    "a project key that starts with __ is 404": { sends: { to: "GET /__resource-mock-compare/resource" } },
  }),
  ...group(EVERY_OPERATION, { assumption: "hosts", needs: ["queryResources: a valid request succeeds"] })({
    "every host name is served": { sends: { at: queries, headers: { Host: "region.cloud.test" } } },
  }),
  ...group(EVERY_OPERATION, { kind: "contract" })({
    "every response arrives within the time limit": { observed: "late" },
    "every response arrives whole": { observed: "broken" },
    "every body is JSON": { observed: "notJson" },
  }),
];

/** A check of the code of an error. It is skipped for another status, which has a check of its own. */
function code(given: number, of: string, code: string, sends: Row["sends"]): Rows {
  const field = {
    "an invalid query parameter": "floatParameter",
    "an invalid member of a body": "/objectTypeProperty",
  }[of];
  return { [`the code of ${of} is ${code}`]: { given, sends, expects: error({ code, ...(field && { field }) }) } };
}

async function requestToken({ tokens }: ComparedService) {
  needs(tokens.hasClient, "--client and --token-url");
  return { reply: await tokens.request() };
}

async function grantsAll({ reply: { members } }: Exchange, { send, secrets }: ComparedService): Promise<Fact> {
  needs(typeof members.access_token === "string", "a token");
  if (members.scope !== undefined) return { isTrue: false, seen: `scope ${secrets.shown(members.scope)}` };
  const { status, seen } = await send("queryResources", { token: members.access_token });
  return { isTrue: status !== 401 && status !== 403, seen };
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

function hasHeader(name: string, pattern: RegExp): Judge {
  return ({ reply }, { secrets }) => {
    const value = reply.header(name);
    return { isTrue: pattern.test(value ?? ""), seen: `${name} ${secrets.shown(value)}` };
  };
}
