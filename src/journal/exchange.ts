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

/** The exchange with its bodies cut to what is kept; the same one where nothing needs cutting. */
export function withinBounds(exchange: Exchange): Exchange {
  const { requestBody, responseBody } = exchange;
  const longRequest = requestBody !== undefined && requestBody.length > MAX_KEPT_BODY;
  const response = responseBody === null ? undefined : cutText(responseBody);
  if (!longRequest && !response) return exchange;
  return {
    ...exchange,
    // A copy: a view would keep the whole body alive, and a view is what a Buffer's own `slice` gives.
    requestBody: longRequest ? new Uint8Array(requestBody.subarray(0, MAX_KEPT_BODY)) : requestBody,
    responseBody: response ? response.beginning : responseBody,
    cut: { ...(longRequest && { request: requestBody.length }), ...(response && { response: response.bytes }) },
  };
}

/** The text's beginning, and its length in bytes of UTF-8; nothing when all of it may be kept. */
function cutText(text: string): { beginning: string; bytes: number } | undefined {
  // No UTF-16 unit becomes more than three bytes.
  if (text.length * 3 <= MAX_KEPT_BODY) return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_KEPT_BODY) return undefined;
  const kept = new Uint8Array(MAX_KEPT_BODY);
  const { written } = new TextEncoder().encodeInto(text, kept);
  return { beginning: new TextDecoder().decode(kept.subarray(0, written)), bytes };
}

/** Objects, strings' heads and the ring's own place, by measurement; in bytes. */
const EXCHANGE_BYTES = 600;
const TEXT_BYTES = 48;
const VIOLATION_BYTES = 200;

/** About how much memory an exchange holds, in bytes; the same whenever it is asked for. */
export function sizeOf(exchange: Exchange): number {
  const { path, query, headers, requestBody, responseBody, decisions, violations, unnamed } = exchange;
  let size = EXCHANGE_BYTES + path.length + query.length + (requestBody?.length ?? 0) + (responseBody?.length ?? 0);
  for (const name in headers) size += TEXT_BYTES + name.length + (headers[name]?.length ?? 0);
  for (const decision of decisions) size += TEXT_BYTES + decision.length;
  for (const name of unnamed) size += TEXT_BYTES + name.length;
  for (const { message, field = "" } of violations) size += VIOLATION_BYTES + message.length + field.length;
  return size;
}
