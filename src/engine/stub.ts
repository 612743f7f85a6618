import { type ErrorResponse, isObject, responseFor, type Schema, tokenError } from "../contract/index.ts";
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
import { isRecorded } from "../state/index.ts";
import { challenge, requiredScopes } from "./auth/authorize.ts";
import type { Call } from "./call/call.ts";
import type { PreferredStub } from "./call/chosen-effects.ts";
import { checkStubBody } from "./call/response.ts";
import { type DocumentedContent, documentedContent, generatedContent, jsonTypeOf } from "./operations/documented.ts";
import { locationOf } from "./operations/write.ts";
import type { Rendered } from "./render.ts";

/** Returns the response of a rule or scenario, which replaces that of the operation. */
export async function stubResponse(call: Call, given: Respond, stub: Stub): Promise<ServiceResponse> {
  const { source } = stub;
  const schema = responseFor(call.operation, given.status)?.schema;
  const { status, fixture, headers, ...rest } = await withValues(call, given, stub, schema);
  if (!("body" in rest)) return assembled(call, { ...(await contentFor(call, status, fixture)), headers, source });
  if (hasTemplates(given)) await checkStubBody(call, status, rest.body, stub);
  return assembled(call, { status, value: rest.body, text: JSON.stringify(rest.body), headers, source });
}

/** Returns the off-contract response of a rule or scenario. It is sent as defined. */
export async function rawResponse(call: Call, given: Raw, stub: Stub): Promise<ServiceResponse> {
  const response = await withValues(call, given, stub);
  return offContract(response, contentOf(response), stub);
}

/** Returns the response of a rule with values from the request in place of its templates. */
async function withValues<Response extends Respond | Raw>(call: Call, response: Response, stub: Stub, schema?: Schema) {
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

/**
 * Returns the response that `Prefer` selects: documented, or generated from the schema of the contract. The same seed
 * returns the same generated response.
 */
export async function preferredResponse(call: Call, preferred: PreferredStub): Promise<ServiceResponse> {
  const { status, example, dynamic } = preferred;
  if (!dynamic) return assembled(call, await contentFor(call, status, example));
  const { project, decisions } = call;
  const seed = dynamic.seed === undefined ? Math.floor(project.random() * 2 ** 32) : seedOf(dynamic.seed);
  decisions.push({ kind: "generated", status, seed });
  return assembled(call, await generatedContent(call, status, seed));
}

/**
 * Returns the content of the variant, or else what the operation documents. A version conflict contains the versions of this
 * request instead of those in the fixture. A recorded response stays as it is.
 */
export async function contentFor(call: Call, status: number, variant: string | undefined): Promise<DocumentedContent> {
  if (call.endpoint) {
    const value = tokenError(status);
    return { value, text: JSON.stringify(value), status, source: "fixture" };
  }
  const content = await documentedContent(call, status, variant);
  if (isRecorded(content.source)) return content;
  const sent = isObject(call.json?.value) ? call.json.value.version : undefined;
  const errors = isObject(content.value) ? content.value.errors : undefined;
  const isConflict = Array.isArray(errors) && errors.some((each) => each?.code === "ConcurrentModification");
  if (!isConflict || !Number.isSafeInteger(sent)) return content;
  const value = conflictOf(content.value as ErrorResponse, sent as number);
  return { ...content, value, text: JSON.stringify(value) };
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

/** Returns the seed as a number: a number below 2^32 unchanged, other text as its hash. */
function seedOf(text: string): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Infinity;
  return number < 2 ** 32 ? number : Number.parseInt(shortHash(text), 16);
}

/** Returns the complete response. Adds values for headers that the operation declares, unless the rule sets them. */
export function assembled(call: Call, parts: DocumentedContent & { headers?: ResponseHeaders }): ServiceResponse {
  const { status, value, text, headers: overrides, source, isOffContract } = parts;
  const { mediaType = jsonTypeOf(call.operation, status) } = parts;
  const rule = responseFor(call.operation, status);
  const { schema, headers: declared = {}, headerValues } = rule ?? {};
  const hasBody = schema !== undefined || isOffContract || (!rule && text !== null);
  const headers: Record<string, string> = { ...headerValues, ...(hasBody && { "Content-Type": mediaType }) };
  const usual = status === 429 || status === 503 ? ["Retry-After"] : [];
  for (const name of [...Object.keys(declared), ...usual]) {
    const header = declaredHeaders[name];
    if (header) headers[name] = header(call, value, status);
  }
  const body = hasBody ? text : null;
  const label = isOffContract ? ({ offContract: true } as const) : undefined;
  return { status, headers: withHeaders(headers, overrides), body, source, ...label };
}

type HeaderValue = (call: Call, body: unknown, status: number) => string;

const declaredHeaders: Readonly<Record<string, HeaderValue>> = {
  /** An unused id. As for any unknown id, a request for it follows the setting `unknownIds`. */
  Location: (call) => locationOf(call, call.project.stubbedId()),
  /** Seconds. */
  "Retry-After": () => "1",
  "WWW-Authenticate": (call, body, status) => {
    const { error, error_description, message } = isObject(body) ? body : {};
    return challenge({
      error: typeof error === "string" ? error : status === 401 ? "invalid_token" : "insufficient_scope",
      message: String(error_description ?? message ?? responseFor(call.operation, status)?.description),
      scope: status === 403 ? requiredScopes(call).join(" ") : undefined,
    });
  },
};
