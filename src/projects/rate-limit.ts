import type { RateLimit } from "../settings/settings.ts";

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

/** The requests in the current window, as JSON. */
export interface RateCount {
  /** The time of the first request by the project's clock, in milliseconds. */
  readonly start: number;
  readonly requests: number;
}

/**
 * Counts requests in fixed windows of the project's clock. A window starts with its first request, so a burst of `limit`
 * requests always passes. Rejected requests do not extend the window.
 */
export class RateWindow {
  readonly #setting: NonNullable<RateLimit>;
  #start: number | undefined;
  #requests = 0;

  /** Continues the window of `counted`, if there is one. */
  constructor(setting: NonNullable<RateLimit>, counted?: RateCount) {
    this.#setting = setting;
    this.#start = counted?.start;
    this.#requests = counted?.requests ?? 0;
  }

  /** The requests in the current window; undefined before the first one. */
  get counted(): RateCount | undefined {
    return this.#start === undefined ? undefined : { start: this.#start, requests: this.#requests };
  }

  /** Counts a request at this time of the project's clock, in milliseconds. */
  count(now: number): CountedRequest {
    const { limit, window } = this.#setting;
    // The clock can also be set to a time before the window.
    if (this.#start === undefined || now < this.#start || now - this.#start >= window) {
      this.#start = now;
      this.#requests = 0;
    }
    this.#requests++;
    return { limit, window, number: this.#requests, left: this.#start + window - now };
  }
}
