import type { OperationId } from "../contract/contract.ts";
import type { ErrorDetail } from "../contract/service-error.ts";

/** One request and its answer, as facts: everything that is told about them is derived when somebody asks. */
export interface Exchange {
  /** Unique in the life of the engine: eight digits of the project, and a number that goes on after a reset. */
  readonly id: string;
  /** Milliseconds, by the project's clock. */
  readonly receivedAt: number;
  /** Milliseconds, by the server's clock. */
  readonly serverTime: number;
  /** The order in which requests arrived, a number of its own for each; clocks may stand still, or be set. */
  readonly arrival: number;
  /** Milliseconds from arrival to answer. */
  readonly duration: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly requestBody: Uint8Array | undefined;
  /** The operation that the path and method name; none for an unknown path or a wrong method. */
  readonly operationId: OperationId | undefined;
  /** The path's parameters, decoded; none without an operation. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The names of the update actions that have been applied, each once. */
  readonly actions: readonly string[];
  /** 0 when the connection ended without an answer. */
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string | null;
  readonly source: string;
  readonly decisions: readonly string[];
  /** The decision of the rule, scenario or preference that forced the response or broke the connection. */
  readonly forcedBy?: string;
  readonly violations: readonly ErrorDetail[];
  /** Query parameters that the interface does not name. */
  readonly unnamed: readonly string[];
  /** How many bytes a body had of which the journal keeps but the beginning. */
  readonly cut?: { readonly request?: number; readonly response?: number };
}

/** How much of a body is kept, in bytes. */
export const MAX_KEPT_BODY = 64 * 1024;

/** Returns the exchange with its bodies cut to this many bytes; the same exchange if nothing needs cutting. */
export function withinBounds(exchange: Exchange, most = MAX_KEPT_BODY): Exchange {
  const { requestBody, responseBody } = exchange;
  const request = requestBody && ownBytes(requestBody, most);
  const response = responseBody === null ? undefined : cutText(responseBody, most);
  if (request === requestBody && !response) return exchange;
  const cut = {
    ...(request && requestBody && request.length < requestBody.length && { request: requestBody.length }),
    ...(response && { response: response.bytes }),
    // What the journal cut before is known to have been longer.
    ...exchange.cut,
  };
  return {
    ...exchange,
    requestBody: request,
    responseBody: response ? response.beginning : responseBody,
    ...(Object.keys(cut).length > 0 && { cut }),
  };
}

/** Returns at most this many bytes, in memory of their own: a view of others would keep all of those alive. */
function ownBytes(bytes: Uint8Array, most: number): Uint8Array {
  if (bytes.length <= most && bytes.buffer.byteLength === bytes.length) return bytes;
  return new Uint8Array(bytes.subarray(0, most));
}

/** The text's beginning, and its length in bytes of UTF-8; nothing when all of it may be kept. */
function cutText(text: string, most: number): { beginning: string; bytes: number } | undefined {
  // No UTF-16 unit becomes more than three bytes.
  if (text.length * 3 <= most) return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return undefined;
  const kept = new Uint8Array(most);
  const { written } = new TextEncoder().encodeInto(text, kept);
  return { beginning: new TextDecoder().decode(kept.subarray(0, written)), bytes };
}

/** Objects, strings' heads and the ring's own place, by measurement; in bytes. */
const EXCHANGE_BYTES = 600;
const TEXT_BYTES = 32;
const VIOLATION_BYTES = 200;

/** Returns about how much memory an exchange holds, in bytes: the same for each call. */
export function sizeOf(exchange: Exchange): number {
  const { method, path, query, headers, requestBody, pathParameters } = exchange;
  const { responseHeaders, responseBody, source, decisions, violations, unnamed } = exchange;
  let size = EXCHANGE_BYTES + (requestBody?.length ?? 0);
  size += textBytes(method) + textBytes(path) + textBytes(query) + textBytes(source);
  if (responseBody !== null) size += textBytes(responseBody);
  size += textsBytes(headers) + textsBytes(responseHeaders) + textsBytes(pathParameters);
  for (const decision of decisions) size += TEXT_BYTES + textBytes(decision);
  for (const name of unnamed) size += TEXT_BYTES + textBytes(name);
  for (const { message, field = "" } of violations) size += VIOLATION_BYTES + textBytes(message) + textBytes(field);
  return size;
}

function textsBytes(texts: Readonly<Record<string, string | string[] | undefined>>): number {
  let size = 0;
  for (const name in texts) {
    const value = texts[name];
    size += TEXT_BYTES + name.length;
    if (typeof value === "string") size += textBytes(value);
    else if (value) for (const each of value) size += TEXT_BYTES + textBytes(each);
  }
  return size;
}

/** Counting costs more than it corrects in shorter texts. */
const SHORT_TEXT = 32;

/** Returns what a text holds at most: V8 keeps one byte a unit of ASCII, else up to two; UTF-8 may be three. */
function textBytes(text: string): number {
  const { length } = text;
  if (length <= SHORT_TEXT) return 2 * length;
  const bytes = Buffer.byteLength(text);
  return bytes === length ? bytes : Math.max(bytes, 2 * length);
}
