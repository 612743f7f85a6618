import { count, dateTime, type FromSchema, object, string } from "../contract/index.ts";
import { milliseconds } from "./decisions.ts";
import { type Exchange, hasFailed } from "./kept-exchange.ts";

/** Requests over time, in intervals of about the same length. All times are by the server's clock. */
export const Timeline = object(["from", "to", "total", "buckets", "scenarios"], {
  from: dateTime,
  to: { ...dateTime, description: "The end of the last interval, inclusive." },
  total: { ...count, description: "The number of matching requests." },
  buckets: {
    type: "array",
    description: "The intervals, without gaps. Each one ends where the next one starts.",
    items: object(["at", "requests", "errors"], {
      at: { ...dateTime, description: "The start of the interval." },
      requests: count,
      errors: { ...count, description: "Requests with a status of 400 or above, or with a broken connection." },
      p50: { ...milliseconds, description: "The median duration in milliseconds. Absent without requests." },
      p95: { ...milliseconds, description: "95 % of the requests took at most this many milliseconds." },
    }),
  },
  scenarios: {
    type: "array",
    description: "The periods in which scenarios were active, the last 1,000 of them, oldest first.",
    items: object(["name", "from"], {
      name: string,
      project: { type: "string", description: "Absent if the scenario was active for all projects." },
      from: dateTime,
      to: { ...dateTime, description: "Absent while the scenario is active." },
    }),
  },
});
export type Timeline = FromSchema<typeof Timeline>;

/** Counts requests in intervals of time. */
export class Buckets {
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
  readonly #durations: number[][];
  readonly #errors: number[];

  /** Divides the time from `from` to `to` (inclusive, in milliseconds) into `size` intervals of at least a millisecond. */
  constructor(from: number, to: number, size: number) {
    this.from = from;
    this.to = Math.max(to, from + size - 1);
    this.#durations = Array.from({ length: size }, () => []);
    this.#errors = new Array(size).fill(0);
  }

  add(exchange: Exchange): void {
    // The inverse of `#startOf`, in whole milliseconds.
    const elapsed = Math.floor(exchange.serverTime) - this.from;
    const { length } = this.#errors;
    const index = Math.min(length - 1, Math.floor(((elapsed + 1) * length - 1) / this.#length));
    this.#durations[index]?.push(exchange.duration);
    if (hasFailed(exchange)) this.#errors[index] = (this.#errors[index] ?? 0) + 1;
  }

  list(): Timeline["buckets"] {
    return this.#durations.map((durations, index) => {
      const sorted = Float64Array.from(durations).sort();
      return {
        at: new Date(this.#startOf(index)).toISOString(),
        requests: durations.length,
        errors: this.#errors[index] ?? 0,
        ...(durations.length > 0 && { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) }),
      };
    });
  }

  get #length(): number {
    return this.to - this.from + 1;
  }

  #startOf(index: number): number {
    return this.from + Math.floor((index * this.#length) / this.#errors.length);
  }
}

/** Returns the smallest value that is not below this share of the values (nearest rank). */
function percentile(sorted: Float64Array, share: number): number {
  return Number((sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(3));
}
