import type { Awaitable } from "../schedule/awaitable.ts";
import type { TimeSlice } from "../schedule/time-slice.ts";

/** Splits long work, so that the server handles other requests in between. */
export type Slice = Pick<TimeSlice, "isOver" | "next">;

/** The number of steps between two looks at the clock. Reading the clock more often costs more than the steps. */
const STEPS_BETWEEN = 256;

/**
 * The steps of one query. A step takes about as long as one comparison. Between two steps, a query may pause so that the
 * server handles other requests. Work that pauses returns a promise; other work returns its value.
 */
export class Steps {
  readonly #slice: Slice | undefined;
  #count = 0;

  /** Without a slice, the query never pauses. */
  constructor(slice?: Slice) {
    this.#slice = slice;
  }

  /** Counts steps. Returns whether the caller must call `pause` now. */
  isOver(steps = 1): boolean {
    this.#count += steps;
    if (this.#count < STEPS_BETWEEN) return false;
    this.#count = 0;
    return this.#slice?.isOver ?? false;
  }

  async pause(): Promise<void> {
    await this.#slice?.next();
  }

  /** Returns whether any item passes the test. Tests the items in order, up to the first that passes. */
  any<Item>(items: readonly Item[], test: (item: Item) => Awaitable<boolean>): Awaitable<boolean> {
    let index = 0;
    for (const item of items) {
      const passes = this.isOver() ? this.pause().then(() => test(item)) : test(item);
      if (passes === true) return true;
      if (passes !== false) return this.#anyAfter(passes, items, index + 1, test);
      index++;
    }
    return false;
  }

  async #anyAfter<Item>(
    first: Promise<boolean>,
    items: readonly Item[],
    start: number,
    test: (item: Item) => Awaitable<boolean>,
  ): Promise<boolean> {
    if (await first) return true;
    for (let index = start; index < items.length; index++) {
      if (this.isOver()) await this.pause();
      const passes = test(items[index] as Item);
      if (passes === true || (passes !== false && (await passes))) return true;
    }
    return false;
  }
}
