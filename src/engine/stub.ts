import { type ErrorResponse, isObject, type Schema, tokenError } from "../contract/index.ts";
import { shortHash } from "../project/index.ts";
import {
  hasTemplates,
  type Raw,
  type Respond,
  type ResponseHeaders,
  type ServiceResponse,
  type Stub,
  withHeaders,
} from "../rules/index.ts";
import { type Fixture, isRecorded } from "../state/index.ts";
import { challenge } from "./auth/authorize.ts";
import { type Call, fixtureOf } from "./call/call.ts";
import type { PreferredStub } from "./call/chosen-effects.ts";
import { checkStubBody } from "./call/response.ts";
import type { Rendered } from "./render.ts";

/** Returns the response of a rule or scenario, which replaces that of the operation. */
export async function stubResponse(call: Call, given: Respond, stub: Stub): Promise<ServiceResponse> {
  const { source } = stub;
  const schema = call.operation.responses[given.status]?.schema;
  const { status, fixture, headers, ...rest } = await withValues(call, given, stub, schema);
  if (!("body" in rest)) return assembled(call, { ...fixtureFor(call, status, fixture), headers, source });
  if (hasTemplates(given)) await checkStubBody(call, status, rest.body, stub);
  return assembled(call, { status, value: rest.body, text: JSON.stringify(rest.body), headers, source });
}

/** Returns the off-contract response of a rule or scenario. It is sent as defined. */
export async function rawResponse(call: Call, given: Raw, stub: Stub): Promise<ServiceResponse> {
  const response = await withValues(call, given, stub);
  return offContract(response, contentOf(response), stub);
}

/** Returns the response of a rule with values from the request in place of its templates. */
async function withValues<Response extends Respond | Raw>(
  call: Call,
  response: Response,
  stub: Stub,
  schema?: Schema,
): Promise<Rendered<Response>> {
  if (!hasTemplates(response)) return response as Rendered<Response>;
  const { render } = await import("./render.ts");
  return render(call, response, stub, schema);
}

/** A body, and the content type that it has by default. */
export interface Content {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** Returns a response that the contract does not restrict. */
export function offContract(
  { status, headers }: Pick<Rendered<Raw>, "status" | "headers">,
  content: Content | undefined,
  { source }: Stub,
): ServiceResponse {
  const ofType = content && { "Content-Type": content.type };
  return { status, headers: withHeaders(ofType, headers), body: content?.body ?? null, source, offContract: true };
}

function contentOf(raw: Rendered<Raw>): Content | undefined {
  if (raw.bodyBase64 !== undefined) {
    return { body: Buffer.from(raw.bodyBase64, "base64"), type: "application/octet-stream" };
  }
  if (!("body" in raw)) return undefined;
  if (typeof raw.body === "string") return { body: raw.body, type: "text/plain; charset=utf-8" };
  return { body: JSON.stringify(raw.body), type: "application/json" };
}

/** Returns the response that the Prefer header selects. */
export async function preferredResponse(call: Call, preferred: PreferredStub): Promise<ServiceResponse> {
  const { status, example, dynamic } = preferred;
  if (dynamic) return generatedResponse(call, status, dynamic.seed);
  const fixture = fixtureFor(call, status, example);
  return assembled(call, { ...fixture, source: `fixture:${fixture.path}` });
}

/**
 * Returns the value and text of the variant. A version conflict contains the versions of this request instead of those in the
 * fixture. A recorded response stays as it is.
 */
export function fixtureFor(
  call: Call,
  status: number,
  example: string | undefined,
): Pick<Fixture, "status" | "value" | "text" | "path"> {
  if (call.endpoint) {
    const value = tokenError(status);
    return { value, text: JSON.stringify(value), status, path: "" };
  }
  // If the file was deleted after the rule was validated, the default fixture of the status takes its place.
  const fixture = call.engine.fixtures.get(call.operation.id, status, example) ?? fixtureOf(call, status);
  if (isRecorded(fixture.path)) return fixture;
  const sent = isObject(call.json?.value) ? call.json.value.version : undefined;
  const errors = isObject(fixture.value) ? fixture.value.errors : undefined;
  const isConflict = Array.isArray(errors) && errors.some((each) => each?.code === "ConcurrentModification");
  if (!isConflict || !Number.isSafeInteger(sent)) return fixture;
  const value = conflictOf(fixture.value as ErrorResponse, sent as number);
  return { value, text: JSON.stringify(value), status, path: fixture.path };
}

/** Returns the error body with the sent version, and the next version as the current one. Adds no members. */
function conflictOf(body: ErrorResponse, sent: number): ErrorResponse {
  const actual = sent + 1;
  const withVersions = (message: string) =>
    message.replace(/expected \d+, actual \d+/, `expected ${sent}, actual ${actual}`);
  const errors = body.errors.map((each) =>
    each.code === "ConcurrentModification"
      ? { ...each, message: withVersions(each.message), ...("currentVersion" in each && { currentVersion: actual }) }
      : each,
  );
  return { ...body, message: withVersions(body.message), errors };
}

/** Returns a response generated from the schema of the contract. The same seed returns the same response. */
async function generatedResponse(call: Call, status: number, seedText: string | undefined): Promise<ServiceResponse> {
  const { operation, project, settings, decisions } = call;
  const seed = seedText === undefined ? Math.floor(project.random() * 2 ** 32) : seedOf(seedText);
  const { generateBody } = await import("../state/generate/index.ts");
  const value = await generateBody(operation, status, seed, settings.collection);
  decisions.push({ kind: "generated", status, seed });
  return assembled(call, { status, value, text: JSON.stringify(value), source: "generated" });
}

/** Returns the seed as a number: a number below 2^32 unchanged, other text as its hash. */
function seedOf(text: string): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Infinity;
  return number < 2 ** 32 ? number : Number.parseInt(shortHash(text), 16);
}

interface Parts {
  readonly status: number;
  readonly value: unknown;
  readonly text: string | null;
  readonly headers?: ResponseHeaders;
  readonly source: string;
}

/** Returns the complete response. Adds values for headers that the operation declares, unless the rule sets them. */
export function assembled(call: Call, { status, value, text, headers: overrides, source }: Parts): ServiceResponse {
  const { schema, headers: declared = {} } = call.operation.responses[status] ?? {};
  const headers: Record<string, string> = schema ? { "Content-Type": "application/json" } : {};
  for (const name in declared) {
    const header = declaredHeaders[name];
    if (header) headers[name] = header(call, value, status);
  }
  return { status, headers: withHeaders(headers, overrides), body: schema ? text : null, source };
}

type HeaderValue = (call: Call, body: unknown, status: number) => string;

const declaredHeaders: Readonly<Record<string, HeaderValue>> = {
  /** An unused id. As for any unknown id, a request for it follows the setting `unknownIds`. */
  Location: ({ project, projectKey }) =>
    `/${encodeURIComponent(projectKey.toWellFormed())}/resource/${project.stubbedId()}`,
  /** Seconds. */
  "Retry-After": () => "1",
  "WWW-Authenticate": ({ operation, projectKey }, body, status) => {
    const { error, error_description, message } = isObject(body) ? body : {};
    return challenge({
      error: typeof error === "string" ? error : status === 401 ? "invalid_token" : "insufficient_scope",
      message: String(error_description ?? message ?? operation.responses[status]?.description),
      scope: status === 403 ? operation.scopes.map((scope) => `${scope}:${projectKey}`).join(" ") : undefined,
    });
  },
};
