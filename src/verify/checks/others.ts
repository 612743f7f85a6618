import type { Contract, OperationId } from "../../contract/contract.ts";
import { object } from "../../contract/schema.ts";
import type { Reply, Sent } from "../messages.ts";
import { EVERY_OPERATION } from "../options.ts";
import { needs } from "../outcome.ts";
import { checksFor, error, type Fact, isPresent, type Judge, members, type Row } from "../rows.ts";
import type { Check } from "../run.ts";
import type { Exchange, Service } from "../service.ts";
import { sameBody, updateStale } from "./resources.ts";

/** The custom actions, tokens, paths, methods, errors, and all responses of a run. */
export function otherChecks(contract: Contract): Check[] {
  const of = (id: OperationId, rows: readonly Row[]) => checksFor(contract, id, {}, rows);
  const all = (shared: Partial<Row>, rows: readonly Row[]) => checksFor(contract, EVERY_OPERATION, shared, rows);
  const codes = (status: number, rows: readonly (Row & { readonly code: string; readonly field?: string })[]) =>
    all(
      { assumption: "errors", given: status },
      rows.map(({ code, field, name, ...row }) => ({
        ...row,
        name: `the code of ${name} is ${code}`,
        expects: error(field === undefined ? { code } : { code, field }),
      })),
    );
  const cartMembers = Object.keys(contract.schemas.Cart?.properties ?? {});
  return [
    ...of("runComplexOperation", [
      {
        name: "the status is 200",
        assumption: "complex-status",
        needs: ["the status of success is 200, 201 or 203"],
        expected: "Of 200, 201 and 203, the status is 200.",
        expects: 200,
      },
    ]),
    ...of("readNamespaceAction", [
      {
        name: "returns the body that writeNamespaceAction received",
        assumption: "namespace-actions",
        writes: true,
        inOrder: true,
        sends: writeAndRead,
        expects: sameBody,
      },
    ]),
    ...of("getCart", [
      {
        name: "the cart has its members",
        kind: "contract",
        expected: "The cart has the members of section 2.8 of the interface.",
        expects: members(Object.fromEntries(cartMembers.map((name) => [name, isPresent]))),
      },
    ]),
    ...of("queryResources", [
      {
        name: "a malformed Authorization header is 401",
        kind: "contract",
        expected: 'An Authorization header other than "Bearer <ACCESS_TOKEN>" returns 401.',
        sends: malformedToken,
        expects: 401,
      },
      {
        name: "401 has the challenge of RFC 6750",
        assumption: "errors",
        sends: malformedToken,
        given: 401,
        expects: hasHeader("WWW-Authenticate", /^Bearer\b/i),
      },
    ]),
    ...checksFor(contract, EVERY_OPERATION, { sends: requestToken }, tokenRows, "token endpoint"),
    ...all({ assumption: "errors" }, [
      { name: "an unknown path is 404", sends: get("/resource-mock-verify"), expects: 404 },
      { name: "an unsupported method is 405", sends: patchCart, expects: 405 },
      { name: "405 has the header Allow", sends: patchCart, given: 405, expects: hasHeader("Allow", /\bGET\b/) },
      {
        name: "HEAD on another path is 405",
        assumption: "head",
        sends: async ({ sendTo, project }) => await sendTo("HEAD", `${project}${cart}`),
        expects: 405,
      },
    ]),
    ...all({ assumption: "project-keys" }, [
      {
        name: "a project key of more than 256 characters is 400",
        sends: async ({ sendTo, prefix }) => await sendTo("GET", `/${prefix.padEnd(257, "x")}/resource`),
        expects: 400,
      },
      {
        name: "a project key that starts with __ is 404",
        sends: async ({ sendTo }) => await sendTo("GET", "/__resource-mock-verify/resource"),
        expects: 404,
      },
    ]),
    ...all({ assumption: "hosts" }, [
      {
        name: "every host name is served",
        needs: ["queryResources: a valid request succeeds"],
        sends: async ({ send }) => await send("queryResources", { headers: { Host: "region.cloud.test" } }),
      },
    ]),
    ...codes(400, [
      { name: "malformed JSON", code: "InvalidJsonInput", ...create({ body: "{", type: "application/json" }) },
      {
        name: "an invalid query parameter",
        code: "InvalidField",
        field: "floatParameter",
        sends: async ({ send }) => await send("queryResources", { query: [["floatParameter", "abc"]] }),
      },
      {
        name: "an invalid member of a body",
        code: "InvalidField",
        field: "/objectTypeProperty",
        ...create({ json: { objectTypeProperty: 1 } }),
      },
    ]),
    ...codes(415, [
      { name: "another content type", code: "UnsupportedMediaType", ...create({ body: "{}", type: "text/plain" }) },
    ]),
    ...codes(404, [
      {
        name: "an unknown id",
        code: "ResourceNotFound",
        sends: async ({ send, newName }) => await send("getResourceById", { path: { id: newName().padEnd(300, "x") } }),
      },
      { name: "an unknown path", code: "EndpointNotFound", sends: get("/resource-mock-verify") },
    ]),
    ...codes(405, [{ name: "an unsupported method", code: "MethodNotAllowed", sends: patchCart }]),
    ...codes(409, [{ name: "a stale version", code: "ConcurrentModification", writes: true, sends: updateStale }]),
    ...codes(401, [{ name: "a malformed token", code: "invalid_token", sends: malformedToken }]),
    ...all({ kind: "contract", observes: true }, [
      {
        name: "every response arrives within the time limit",
        expected: "Every response arrives within --timeout.",
        observed: noneOf("late"),
      },
      {
        name: "every response arrives whole",
        expected: "Every response is complete and valid HTTP, with at most 32 MiB.",
        observed: noneOf("broken"),
      },
      {
        name: "every body is JSON",
        expected: "Every response with a body has the content type application/json, and is JSON.",
        observed: noneOf("notJson"),
      },
    ]),
    ...all({ assumption: "errors", observes: true }, [
      {
        name: "the body of an error has statusCode, message and errors",
        expected: "The body of each error is { statusCode, message, errors: [{ code, message }] }.",
        observed: haveErrorBody,
      },
      {
        name: "statusCode in the body is the status",
        expected: "The member statusCode of each error is the status of the response.",
        observed: haveStatusCode,
      },
    ]),
  ];
}

const tokenRows: readonly Row[] = [
  {
    name: "issues a bearer token",
    assumption: "token-endpoint",
    expected: "A client gets a token with HTTP Basic and grant_type=client_credentials (RFC 6749).",
    expects: members({ token_type: (type: unknown) => /^bearer$/i.test(String(type)), access_token: isPresent }),
  },
  {
    name: "a token without requested scope grants every scope",
    assumption: "token-scopes",
    expected: "A token that was requested without scope may read and write, and the response has no scope.",
    expects: grantsAll,
  },
];

const cart = "/resource/namespace-action-with-example";
const text = { type: "string" } as const;

/** The error body without its codes, which have checks of their own. */
const ErrorBody = object(["statusCode", "message", "errors"], {
  statusCode: { type: "integer" },
  message: text,
  errors: { type: "array", minItems: 1, items: object(["code", "message"], { code: text, message: text }) },
});

function get(below: string) {
  return async ({ sendTo, project }: Service) => await sendTo("GET", `${project}${below}`);
}

/** Sends a request that no service can misunderstand: DELETE, for example, could delete a whole collection. */
async function patchCart({ sendTo, project }: Service): Promise<Reply> {
  return await sendTo("PATCH", `${project}${cart}`);
}

/** Sends a draft that the service has to reject. */
function create(sent: Sent): Pick<Row, "writes" | "sends"> {
  return { writes: true, sends: async ({ send }) => await send("createResource", { ...sent, isInvalid: true }) };
}

async function malformedToken({ send }: Service): Promise<Reply> {
  return await send("queryResources", { token: null, headers: { Authorization: "Bearer" } });
}

async function requestToken({ tokens }: Service): Promise<Reply> {
  needs(tokens.hasClient, "--client and --token-url");
  return await tokens.request();
}

async function grantsAll({ reply: { members } }: Exchange, { send, secrets }: Service): Promise<Fact> {
  needs(typeof members.access_token === "string", "a token");
  if (members.scope !== undefined) return { isTrue: false, seen: `scope ${secrets.shown(members.scope)}` };
  const { status, seen } = await send("queryResources", { token: members.access_token });
  return { isTrue: status !== 401 && status !== 403, seen };
}

async function writeAndRead({ send, newName }: Service): Promise<Exchange> {
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

/** Expects no violation of a kind among all responses. */
function noneOf(kind: "late" | "broken" | "notJson") {
  return ({ observations: { [kind]: violations, responses } }: Service): Fact => {
    const [first, ...others] = violations;
    const more = others.length > 0 ? ` (and ${others.length} more)` : "";
    needs(first !== undefined || responses > 0, "a response");
    return { isTrue: first === undefined, seen: first === undefined ? `${responses} responses` : first + more };
  };
}

async function haveErrorBody({ observations: { errors }, problemOf }: Service): Promise<Fact> {
  needs(errors.length > 0, "an error response");
  for (const { seen, json } of errors) {
    const problem = await problemOf(ErrorBody, json);
    if (problem !== undefined) return { isTrue: false, seen: `${seen}: ${problem}` };
  }
  return { isTrue: true, seen: `${errors.length} errors with this body` };
}

function haveStatusCode({ observations }: Service): Fact {
  const errors = observations.errors.filter(({ members }) => typeof members.statusCode === "number");
  needs(errors.length > 0, "an error with the member statusCode");
  const wrong = errors.find(({ status, members }) => members.statusCode !== status);
  if (wrong) return { isTrue: false, seen: `${wrong.seen}: statusCode ${wrong.members.statusCode}` };
  return { isTrue: true, seen: `${errors.length} errors with the status in the body` };
}
