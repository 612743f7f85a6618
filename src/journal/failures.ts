import { declaredStatuses, type Operation } from "../contract/index.ts";
import { evolvedIn } from "./decisions.ts";
import type { Exchange } from "./kept-exchange.ts";

/** The failures of the failure coverage, in the order of its columns: sorted, as pages and reports only have the names. */
export const failureNames = [
  "400",
  "401/403",
  "404",
  "409",
  "429",
  "5xx",
  "broken",
  "drift",
  "off-contract",
  "slow",
] as const;
export type Failure = (typeof failureNames)[number];

/** The delay from which a response counts as slow, in milliseconds. */
const SLOW = 1000;

/** Returns whether a failure with this status is in the column; undefined for columns that are not about the status. */
const statusTests: { readonly [Name in Failure]?: (status: number) => boolean } = {
  "400": (status) => status === 400,
  "401/403": (status) => status === 401 || status === 403,
  "404": (status) => status === 404,
  "409": (status) => status === 409,
  "429": (status) => status === 429,
  "5xx": (status) => status >= 500,
};

/** Returns the failures that the response exposed the client to. An off-contract response does not count by its status. */
export function failuresOf(exchange: Exchange): Failure[] {
  const { status, offContract = false, isBroken, source, delayed = 0, decisions } = exchange;
  const evolved = evolvedIn(decisions);
  // Most responses are no failures.
  if (status > 0 && status < 400 && delayed < SLOW && !isBroken && !offContract && !evolved) return [];
  const others: Partial<Record<Failure, boolean>> = {
    // Only the simulated delay counts: a slow machine must not change the coverage.
    slow: delayed >= SLOW,
    // The source is `error` if the client closed the connection.
    broken: isBroken && source !== "error",
    "off-contract": offContract,
    drift: evolved !== undefined && !isBroken,
  };
  return failureNames.filter((name) => others[name] ?? (!offContract && statusTests[name]?.(status)));
}

/** Returns the failures that a client of the operation can be exposed to, as its contract declares them. */
export function possibleFailures(operation: Operation): Failure[] {
  const statuses = declaredStatuses(operation);
  const hasBody = Object.values(operation.responses).some(({ schema }) => schema !== undefined);
  return failureNames.filter((name) => {
    const test = statusTests[name];
    // A later version of the service can only differ in its bodies.
    return test ? statuses.some(test) : name !== "drift" || hasBody;
  });
}
