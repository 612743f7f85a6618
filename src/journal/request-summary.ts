import { count, detached, type FromSchema, MAX_TEXT, objectExcept, redactQuery, string } from "../contract/index.ts";
import { effectsIn, milliseconds } from "./decisions.ts";
import { briefEntryOf, RequestEntry } from "./entry.ts";
import type { PublishedEvents } from "./events.ts";
import { type Exchange, hasFailed, violationsOf } from "./kept-exchange.ts";
import { textOf, whyOf } from "./reasons/why.ts";

// A request in short: in events, in lists, and while it has no response yet.

const { receivedAt, serverTime } = RequestEntry.properties.timings.properties;

/** A request and its response without headers and bodies: the data of the event `request`. */
export const RequestSummary = objectExcept(["operation", "offContract", "reason", "by"], {
  project: string,
  id: string,
  method: string,
  path: { type: "string", description: `As sent, percent-encoded. The first ${MAX_TEXT} characters.` },
  query: {
    type: "string",
    description: `As sent, percent-encoded, without secrets. The first ${MAX_TEXT} characters.`,
  },
  operation: RequestEntry.properties.operation,
  status: { type: "integer", description: "0 if the connection ended without a response." },
  source: string,
  offContract: {
    const: true,
    description: "Set if the response is off-contract: from the effect `raw` or a function.",
  },
  violations: { ...count, description: "The number of contract violations." },
  receivedAt,
  serverTime,
  duration: { ...milliseconds, description: "In milliseconds." },
  reason: { type: "string", description: "Why the response came, in words. Absent in events." },
  by: {
    type: "array",
    items: string,
    description: "The rules, functions and scenarios with an effect on the request. Absent without any, and in events.",
  },
});
export type RequestSummary = FromSchema<typeof RequestSummary>;

/** Returns the event data of a request and its response. */
export function requestEvent(exchange: Exchange): PublishedEvents["request"] {
  const { id, method, path, query, operationId, status, source, offContract } = exchange;
  const { receivedAt, serverTime, duration } = exchange;
  // Both are parts of one text, which a short event may keep in memory.
  const isShort = path.length + query.length <= MAX_TEXT;
  const bounded = (text: string) => {
    const start = text.slice(0, MAX_TEXT);
    return isShort ? start : detached(start);
  };
  return {
    id,
    method: bounded(method),
    path: bounded(path),
    query: query && bounded(redactQuery(query)),
    ...(operationId && { operation: operationId }),
    status,
    source: bounded(source),
    ...(offContract && { offContract }),
    violations: violationsOf(exchange).length,
    receivedAt: new Date(receivedAt).toISOString(),
    serverTime: new Date(serverTime).toISOString(),
    duration: Math.round(duration * 1000) / 1000,
  };
}

/** Returns whether the request failed, and no rule, scenario or function had an effect on it. */
export function isUnexpected(exchange: Exchange): boolean {
  return hasFailed(exchange) && effectsIn(exchange.decisions).length === 0;
}

/** The number of characters of a reason in a summary. */
const REASON_LENGTH = 300;

/** Returns the summary of a request and its response, with the reason for the response. */
export function summaryOf(project: string, exchange: Exchange): RequestSummary {
  const reason = textOf(whyOf(project, briefEntryOf(exchange)).reason).replace(/^\d{3}: /, "");
  const by = [...new Set(effectsIn(exchange.decisions).map(({ source }) => source))];
  return {
    project,
    ...requestEvent(exchange),
    reason: reason.length > REASON_LENGTH ? `${reason.slice(0, REASON_LENGTH)}…` : reason,
    ...(by.length > 0 && { by }),
  };
}

/** The schema of the number of requests in progress in a result. */
export const inProgress = {
  ...count,
  description:
    "The number of requests that have arrived and have no response yet, at this process. Absent without such requests.",
} as const;

/** A request that has arrived and has no response yet. */
export const PendingRequest = objectExcept(["operation"], {
  operation: RequestEntry.properties.operation,
  method: string,
  path: RequestEntry.properties.request.properties.path,
  duration: { ...milliseconds, description: "The time since the arrival, in milliseconds." },
});
export type PendingRequest = FromSchema<typeof PendingRequest>;

export function pendingRequestOf({ operationId, method, path, duration }: Exchange): PendingRequest {
  return { ...(operationId && { operation: operationId }), method, path, duration: Number(duration.toFixed(3)) };
}
