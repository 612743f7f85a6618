import {
  cut as cutAfter,
  detached,
  type ErrorDetail,
  MAX_HEADER_VALUE,
  MAX_HEADERS,
  MAX_ID,
  MAX_KEPT_BODY,
  MAX_KEPT_ITEMS,
  MAX_KEPT_TARGET,
  MAX_KEPT_TEXT,
  MAX_PROBLEMS,
  type OperationId,
} from "../contract/index.ts";

/** A part of a response that the mock always sends, and the real service did not. */
export interface AssumptionDifference {
  /** The id of the assumption. */
  readonly assumption: string;
  readonly message: string;
  /** The name of a header, or a pointer into the body. */
  readonly field: string;
}

/** What was sent to the upstream and what came back. */
export interface UpstreamExchange {
  /** The URL without credentials and query. The query is the same as that of the request. */
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string | string[]>>;
  /** The status and the headers as received; undefined if no response arrived. */
  status?: number;
  responseHeaders?: Readonly<Record<string, string | string[]>>;
  /** Milliseconds from the start of the forwarding to the last byte of the response, or to the failure. */
  ms: number;
  /** The contract violations of the response. */
  violations: readonly ErrorDetail[];
  /** Where the response differs from an assumption of the mock. Absent without a difference. */
  differs?: readonly AssumptionDifference[];
  /** Why no complete response arrived. */
  error?: string;
  /** The recorded fixture, as its path in the folder. */
  recorded?: string;
}

/** An effect of a rule, function or scenario on a request. */
export interface AppliedEffect {
  /** The rule or scenario, as in `Mock-Source`: `rule:r-1`, `scenario:conflict`. */
  readonly source: string;
  /** The name of the effect in a rule, such as `respond`; `function` for a function. */
  readonly effect: string;
  /** The value of the effect `fault`. */
  readonly fault?: string;
  /** The value of the effect `settings`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A change in the list of requests: the versions of a resource, or the part of the state that changed. */
export type ChangeSummary =
  | { readonly resource: string; readonly from: number | null; readonly to: number | null }
  | { readonly image: string }
  | { readonly namespaceAction: true };

/** Why the version of a request was stale. */
export interface VersionConflict {
  /** The version in the request. */
  readonly sent: number;
  readonly stored: number;
  /** Who wrote the stored version. Absent if the history has dropped it. `effect`: the effect `conflict` of a rule. */
  readonly writer?: {
    readonly by: "request" | "control" | "effect";
    readonly request?: string;
    readonly method?: string;
    readonly path?: string;
    readonly client?: string;
    /** The time from the write to this request, in milliseconds by the server's clock. */
    readonly earlier: number;
  };
}

/**
 * One request and its response, as plain data. Journal entries, events and log lines are derived from it when needed.
 */
export interface Exchange {
  /**
   * Unique in the project as long as the engine runs: eight hexadecimal digits for the project, and a number that a reset
   * does not restart.
   */
  readonly id: string;
  /** Milliseconds, by the project's clock. */
  readonly receivedAt: number;
  /** Milliseconds, by the server's clock. */
  readonly serverTime: number;
  /**
   * The position in the order of arrival, different for each request. Times cannot be sorted instead, as a clock may be
   * frozen or set.
   */
  readonly arrival: number;
  /** The position in the order of responses, over all projects of the engine. The journal has this order. */
  readonly serial: number;
  /** Milliseconds from the arrival of the request to the response. */
  readonly duration: number;
  /** The part of `duration` that latency and functions added, and the pauses between chunks, in milliseconds. */
  readonly delayed?: number;
  readonly method: string;
  /** The scheme and host that the client called: `http://localhost:8080`. */
  readonly origin: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Text if it is JSON, which takes less memory than bytes. */
  readonly requestBody: string | Uint8Array | undefined;
  /** The operation of the path and method; undefined for an unknown path or another method. */
  readonly operationId: OperationId | undefined;
  /** The path parameters, decoded; empty without an operation. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The names of the applied update actions, without duplicates. */
  readonly actions: readonly string[];
  /** The HTTP status; 0 if the connection ended without a response. */
  readonly status: number;
  /** Whether the connection ended before the response was complete. */
  readonly isBroken: boolean;
  readonly responseHeaders: Readonly<Record<string, string | string[]>>;
  /** JSON text; any text or bytes if `offContract` is set; null without a body. */
  readonly responseBody: string | Uint8Array | null;
  readonly source: string;
  /** Whether the response was not validated against the contract. */
  readonly offContract?: boolean;
  /** The first changes of the effect `evolve` in the response, such as `added /sum/extension`. Absent without changes. */
  readonly evolved?: readonly string[];
  readonly decisions: readonly string[];
  /** The effects of rules and scenarios on the request, at most one of each kind. */
  readonly effects: readonly AppliedEffect[];
  /** The decision of the rule, scenario or preference that forced the response or broke the connection. */
  readonly forcedBy?: string;
  readonly violations: readonly ErrorDetail[];
  /** The changes of the state, in order. Absent without changes. */
  readonly changes?: readonly ChangeSummary[];
  /** The moments of the project's state before and after the request (see History). */
  readonly moments?: readonly [before: number, after: number];
  /** Set if the version in the request was stale. */
  readonly conflict?: VersionConflict;
  /** Set if the request was forwarded to the upstream. */
  readonly upstream?: UpstreamExchange;
  /** Names of query parameters that the interface does not define. */
  readonly unnamed: readonly string[];
  /** The original sizes of bodies that were cut, in bytes. `texts`: other texts or lists were cut too. */
  readonly cut?: { readonly request?: number; readonly response?: number; readonly texts?: true };
  /** The original sizes of bodies without their secrets, in bytes (see `withoutSecrets`). */
  readonly sizes?: { readonly request?: number; readonly response?: number };
}

/** Returns whether the request failed: with a status of 400 or above, or with a broken connection. */
export function hasFailed({ status, isBroken }: Pick<Exchange, "status" | "isBroken">): boolean {
  return status >= 400 || isBroken;
}

/** Returns the contract violations of the request and, if it was forwarded, of the response. */
export function violationsOf({
  violations,
  upstream,
}: Pick<Exchange, "violations" | "upstream">): readonly ErrorDetail[] {
  return upstream?.violations.length ? [...violations, ...upstream.violations] : violations;
}

/** Returns the exchange with bodies of at most `most` bytes, and short texts and lists. Cut texts end with `…`. */
export function withinBounds(exchange: Exchange, most = MAX_KEPT_BODY): Exchange {
  const { sizes } = exchange;
  const request = keptBody(exchange.requestBody, most);
  const response = keptBody(exchange.responseBody, most);
  const texts = shortTexts(exchange);
  if (!request && !response && !texts) return exchange;
  const cut = {
    ...(request?.cutFrom !== undefined && { request: sizes?.request ?? request.cutFrom }),
    ...(response?.cutFrom !== undefined && { response: sizes?.response ?? response.cutFrom }),
    ...(texts && { texts: true as const }),
    // If the journal has cut the body before, its original size wins.
    ...exchange.cut,
  };
  return {
    ...exchange,
    ...texts,
    ...(request && { requestBody: request.kept }),
    ...(response && { responseBody: response.kept }),
    ...(Object.keys(cut).length > 0 && { cut }),
  };
}

type Shorteners = { readonly [Name in keyof Exchange]?: (value: Exchange[Name]) => Exchange[Name] };

const shorteners = {
  method: (text) => shortText(text),
  origin: (text) => shortText(text),
  path: (text) => shortText(text, MAX_KEPT_TARGET),
  query: (text) => shortText(text, MAX_KEPT_TARGET),
  source: (text) => shortText(text),
  headers: shortHeaders,
  pathParameters: shortHeaders,
  responseHeaders: shortHeaders,
  decisions: shortList,
  unnamed: shortList,
  evolved: (changes) => changes && shortList(changes),
  violations: shortViolations,
  upstream: (upstream) => upstream && shortUpstream(upstream),
} as const satisfies Shorteners;

/** Returns the members other than bodies that have long texts or lists, with short ones; undefined if none has. */
function shortTexts(exchange: Exchange): Partial<Exchange> | undefined {
  let short: Partial<Exchange> | undefined;
  for (const name in shorteners) {
    const value = exchange[name as keyof typeof shorteners];
    const kept = (shorteners[name as keyof typeof shorteners] as (value: unknown) => unknown)(value);
    if (kept !== value) short = { ...short, [name]: kept };
  }
  return short;
}

function shortUpstream(upstream: UpstreamExchange): UpstreamExchange {
  const short: UpstreamExchange = {
    ...upstream,
    url: shortText(upstream.url, MAX_KEPT_TARGET),
    requestHeaders: shortHeaders(upstream.requestHeaders),
    violations: shortViolations(upstream.violations),
  };
  if (upstream.responseHeaders) short.responseHeaders = shortHeaders(upstream.responseHeaders);
  if (upstream.error !== undefined) short.error = shortText(upstream.error);
  const isShort = Object.entries(short).every(([name, value]) => value === upstream[name as keyof UpstreamExchange]);
  return isShort ? upstream : short;
}

function shortText(text: string, most = MAX_KEPT_TEXT): string {
  return text.length <= most ? text : detached(cutAfter(text, most - 1));
}

function shortList(texts: readonly string[]): readonly string[] {
  if (texts.length <= MAX_KEPT_ITEMS && texts.every(({ length }) => length <= MAX_KEPT_TEXT)) return texts;
  return texts.slice(0, MAX_KEPT_ITEMS).map((text) => shortText(text));
}

function shortViolations(violations: readonly ErrorDetail[]): readonly ErrorDetail[] {
  const isShort = ({ message, field = "" }: ErrorDetail) =>
    message.length <= MAX_KEPT_TEXT && field.length <= MAX_KEPT_TEXT;
  if (violations.length <= MAX_PROBLEMS && violations.every(isShort)) return violations;
  return violations.slice(0, MAX_PROBLEMS).map(({ field, ...violation }) => ({
    ...violation,
    message: shortText(violation.message),
    ...(field !== undefined && { field: shortText(field) }),
  }));
}

type Headers<Value> = Readonly<Record<string, Value>>;

/** Each value of a header with several values counts as a header. */
function shortHeaders<Value extends string | string[] | undefined>(headers: Headers<Value>): Headers<Value> {
  if (areShort(headers)) return headers;
  let left = MAX_HEADERS;
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || name.length > MAX_ID || left === 0) return [];
    const values = [value].flat().slice(0, left);
    left -= values.length;
    const short = values.map((text) => shortText(text, MAX_HEADER_VALUE));
    return [[name, typeof value === "string" ? short[0] : short]];
  });
  return Object.fromEntries(kept);
}

function areShort(headers: Headers<string | string[] | undefined>): boolean {
  let count = 0;
  for (const name in headers) {
    const value = headers[name];
    if (name.length > MAX_ID) return false;
    if (typeof value === "string") {
      count++;
      if (value.length > MAX_HEADER_VALUE) return false;
    } else if (value) {
      count += value.length;
      if (value.some(({ length }) => length > MAX_HEADER_VALUE)) return false;
    }
  }
  return count <= MAX_HEADERS;
}

type Body = string | Uint8Array;

/** A body as the journal keeps it, and its size in bytes if only its start is kept. */
interface KeptBody {
  readonly kept: Body;
  readonly cutFrom?: number;
}

/**
 * Returns at most `most` bytes of a body, copied if they are part of a larger buffer: a view keeps the whole buffer in
 * memory. Returns undefined if the body can stay as it is.
 */
function keptBody(body: Body | null | undefined, most: number): KeptBody | undefined {
  if (!body) return undefined;
  if (typeof body === "string") return cutText(body, most);
  if (body.length > most) return { kept: new Uint8Array(body.subarray(0, most)), cutFrom: body.length };
  return body.buffer.byteLength === body.length ? undefined : { kept: new Uint8Array(body) };
}

/** Does the same for a text, in bytes of UTF-8. */
function cutText(text: string, most: number): KeptBody | undefined {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (text.length * 3 <= most) return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return undefined;
  const kept = new Uint8Array(most);
  const { written } = new TextEncoder().encodeInto(text, kept);
  return { kept: new TextDecoder().decode(kept.subarray(0, written)), cutFrom: bytes };
}

/** The memory of an exchange, of a text in a list and of a violation, each without its characters, in bytes. */
const EXCHANGE_BYTES = 1000;
const TEXT_BYTES = 32;
const VIOLATION_BYTES = 200;

/** Returns an estimate of the memory that an exchange uses, in bytes. Each call returns the same number. */
export function sizeOf(exchange: Exchange): number {
  const { path, query, requestBody, responseBody, decisions, unnamed, violations, upstream } = exchange;
  let size = EXCHANGE_BYTES + path.length + query.length + (requestBody?.length ?? 0) + (responseBody?.length ?? 0);
  size += headersSize(exchange.headers) + headersSize(exchange.responseHeaders);
  if (upstream) size += headersSize(upstream.requestHeaders) + headersSize(upstream.responseHeaders ?? {});
  for (const { length } of decisions) size += TEXT_BYTES + length;
  for (const { length } of unnamed) size += TEXT_BYTES + length;
  for (const { message, field = "" } of violations) size += VIOLATION_BYTES + message.length + field.length;
  return size;
}

function headersSize(headers: Headers<string | string[] | undefined>): number {
  let size = 0;
  for (const name in headers) {
    const value = headers[name] ?? "";
    size += name.length + (typeof value === "string" ? value : value.join()).length;
  }
  return size;
}
