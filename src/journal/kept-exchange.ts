import {
  closedObject,
  count,
  type ErrorDetail,
  type FromSchema,
  MAX_COUNT,
  MAX_HEADER_VALUE,
  MAX_HEADERS,
  MAX_ID,
  MAX_KEPT_BODY,
  MAX_KEPT_ITEMS,
  MAX_KEPT_TARGET,
  MAX_PROBLEMS,
  members,
  type Schema,
} from "../contract/index.ts";
import { label, OperationName } from "../rules/index.ts";
import { type Decision, DecisionSchema } from "./decisions.ts";

const counter = { ...count, maximum: MAX_COUNT } as const satisfies Schema;
/** A time in milliseconds since 1970, as far as dates go. */
const instant = { type: "number", minimum: -8.64e15, maximum: 8.64e15 } as const satisfies Schema;
const milliseconds = { type: "number", minimum: 0, maximum: 8.64e15 } as const satisfies Schema;
const id = { type: "string", maxLength: MAX_ID } as const satisfies Schema;
const labels = { type: "array", maxItems: MAX_KEPT_ITEMS, items: label } as const satisfies Schema;
/** A path or a query. */
const target = { type: "string", maxLength: MAX_KEPT_TARGET } as const satisfies Schema;
const headerValue = { type: "string", maxLength: MAX_HEADER_VALUE } as const satisfies Schema;
const status = {
  type: "integer",
  minimum: 0,
  maximum: 999,
  description: "The HTTP status; 0 if the connection ended without a response.",
} as const satisfies Schema;

const byName = <Value extends Schema>(additionalProperties: Value) =>
  ({
    type: "object",
    maxProperties: MAX_HEADERS,
    propertyNames: { maxLength: MAX_ID },
    additionalProperties,
  }) as const;
const headers = byName({ anyOf: [headerValue, { type: "array", maxItems: MAX_HEADERS, items: headerValue }] } as const);

const Body = {
  description: "A text, or bytes that are not UTF-8.",
  anyOf: [
    { type: "string", maxLength: MAX_KEPT_BODY },
    closedObject(["base64"], { base64: { type: "string", maxLength: 4 * Math.ceil(MAX_KEPT_BODY / 3) } }),
  ],
} as const satisfies Schema;

const violations = {
  type: "array",
  maxItems: MAX_PROBLEMS,
  items: closedObject(["code", "message"], { code: label, message: label, field: label }),
} as const satisfies Schema;

const version = { anyOf: [{ type: "integer" }, { type: "null" }] } as const satisfies Schema;

/**
 * A request and its response, as JSON: all that is known about it. The journal entry, the event, the HTTP archive, the line
 * of the log and of the archive are derived from it. A new member is one entry here, and where it shows.
 */
export const KeptExchange = members(
  {
    id: {
      type: "string",
      pattern: "^[0-9a-f]{8}-[0-9]{1,16}$",
      description:
        "Unique in the project as long as the engine runs: digits for the project, and a number that a reset does not restart.",
    },
    receivedAt: { ...instant, description: "By the project's clock." },
    serverTime: { ...instant, description: "By the server's clock." },
    // Times cannot be sorted instead, as a clock may be frozen or set.
    arrival: { ...counter, description: "The position in the order of arrival." },
    serial: { ...counter, description: "The position in the order of the responses, which the journal has." },
    duration: { ...milliseconds, description: "The time from the arrival of the request to the response." },
    method: label,
    origin: { ...label, description: "The scheme and host that the client called." },
    path: target,
    query: target,
    headers,
    pathParameters: { ...byName(headerValue), description: "Decoded." },
    actions: { type: "array", maxItems: 100, items: label, description: "The names of the applied update actions." },
    status,
    isBroken: { type: "boolean", description: "Whether the connection ended before the response was complete." },
    responseHeaders: headers,
    responseBody: { anyOf: [{ type: "null" }, ...Body.anyOf], description: Body.description },
    source: label,
    decisions: {
      type: "array",
      maxItems: MAX_KEPT_ITEMS,
      items: DecisionSchema,
      description: "What led to the response, in order.",
    },
    violations,
    unnamed: { ...labels, description: "Names of query parameters that the interface does not define." },
  },
  {
    delayed: {
      ...milliseconds,
      description: "The part of `duration` that latency and functions added, and the pauses between chunks.",
    },
    requestBody: Body,
    operationId: OperationName,
    offContract: { type: "boolean", description: "Whether the response was not validated against the contract." },
    upstream: closedObject(["url", "requestHeaders", "ms", "violations"], {
      url: { ...target, description: "Without credentials and query, which is that of the request." },
      requestHeaders: headers,
      status,
      responseHeaders: headers,
      ms: { ...milliseconds, description: "The time until the whole response had arrived, or until the failure." },
      violations: { ...violations, description: "The contract violations of the response." },
      differs: {
        type: "array",
        maxItems: MAX_PROBLEMS,
        items: closedObject(["assumption", "message", "field"], {
          assumption: { ...label, description: "The id of the assumption." },
          message: label,
          field: { ...label, description: "The name of a header, or a pointer into the body." },
        }),
        description: "Where the response differs from an assumption of the mock.",
      },
      error: { ...label, description: "Why no complete response arrived." },
      recorded: { ...label, description: "The fixture that the response became." },
    }),
    changes: {
      type: "array",
      maxItems: 10_000,
      items: closedObject(["type", "id", "from", "to"], {
        type: { ...id, description: "The type of the item that changed, such as Resource." },
        id: { ...id, description: "The id of the item; empty for the only item of a type." },
        from: { ...version, description: "The version before; null for a new item." },
        to: { ...version, description: "The version after; null for a deleted item." },
      }),
      description: "The changes of the state, in order.",
    },
    momentBefore: { ...counter, description: "The number of sets of changes that the state had before the request." },
    momentAfter: counter,
    cut: {
      ...closedObject([], { request: count, response: count, texts: { const: true } }),
      description: "The original sizes of bodies that were cut, in bytes, and whether other texts or lists were cut.",
    },
    sizes: {
      ...closedObject([], { request: count, response: count }),
      description: "The original sizes of bodies whose secrets were removed, in bytes.",
    },
  },
);

type Frozen<T> = T extends object ? { readonly [Name in keyof T]: Frozen<T[Name]> } : T;
type Kept = Frozen<FromSchema<typeof KeptExchange>>;
type KeptUpstream = NonNullable<Kept["upstream"]>;
export type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
type Headers<Value> = Readonly<Record<string, Value>>;

/** The members whose types say more than their schemas. */
interface TypedMembers {
  /** Undefined for an unknown path or another method. */
  readonly operationId: string | undefined;
  /** By lower-case name. */
  readonly headers: Headers<string | string[] | undefined>;
  readonly requestBody: string | Uint8Array | undefined;
  readonly responseHeaders: Headers<string | string[]>;
  /** Null without a body. */
  readonly responseBody: string | Uint8Array | null;
  readonly decisions: readonly Decision[];
  readonly violations: readonly ErrorDetail[];
  readonly upstream?: UpstreamExchange;
}

/** A request and its response in the journal. The bodies are as sent: text if it is JSON, which takes less memory. */
export type Exchange = Omit<Kept, keyof TypedMembers> & TypedMembers;

/** What was sent to the upstream and what came back. The members are set as they become known. */
export interface UpstreamExchange
  extends Mutable<Omit<KeptUpstream, "requestHeaders" | "responseHeaders" | "violations">> {
  readonly requestHeaders: Headers<string | string[]>;
  responseHeaders?: Headers<string | string[]>;
  violations: readonly ErrorDetail[];
}

/** A part of a response that the mock always sends, and the real service did not. */
export type AssumptionDifference = NonNullable<KeptUpstream["differs"]>[number];

/** A change in the list of requests: the versions of an item before and after. */
export type ChangeSummary = NonNullable<Kept["changes"]>[number];

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
