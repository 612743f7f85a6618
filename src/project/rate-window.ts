import { closedObject, type FromSchema, type Schema } from "../contract/index.ts";
import { Counter } from "../rules/index.ts";
import type { RateLimit } from "../state/index.ts";
import { Instant } from "./clock.ts";

/** A request that counts for the setting `rateLimit`, and the window that it belongs to. */
export interface CountedRequest {
  /** The number of requests that the window allows. */
  readonly limit: number;
  /** The length of the window, in milliseconds. */
  readonly window: number;
  /** The number of this request in its window, from 1. Above `limit`, the request is rejected. */
  readonly number: number;
  /** The time until the next window, in milliseconds: at least 1. */
  readonly left: number;
}

export const RateWindow = {
  ...closedObject(["start", "requests"], { start: Instant, requests: Counter }),
  description: "The requests in the current window of the setting rateLimit, which starts at a time of the project.",
} as const satisfies Schema;
export type RateWindow = Readonly<FromSchema<typeof RateWindow>>;

/**
 * Counts a request at this time of the project's clock, in milliseconds. A window starts with its first request, so a
 * burst of `limit` requests always passes. Rejected requests do not extend the window.
 */
export function countInWindow(
  { limit, window }: NonNullable<RateLimit>,
  current: RateWindow | undefined,
  now: number,
): { readonly rateWindow: RateWindow; readonly counted: CountedRequest } {
  // The clock can also be set to a time before the window.
  const isOver = !current || now < current.start || now - current.start >= window;
  const start = isOver ? now : current.start;
  const number = isOver ? 1 : current.requests + 1;
  return { rateWindow: { start, requests: number }, counted: { limit, window, number, left: start + window - now } };
}
