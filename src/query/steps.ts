import type { TimeSlice } from "../schedule/time-slice.ts";
import type { Awaitable } from "../state/store.ts";

/** Splits long work, so that other requests are answered in between. */
export type Slice = Pick<TimeSlice, "isOver" | "next">;

/** After so many steps the clock is read: more often would cost more than the steps. */
const STEPS_BETWEEN = 256;

/**
 * The steps of one query. A step is about as long as one comparison. Between two steps, work may pause until the other
 * requests have had their turn; work that pauses returns a promise, and work that does not pause returns its value.
 */
export class Steps {
  readonly #slice: Slice | undefined;
  #count = 0;

  /** Without a slice, work never pauses. */
  constructor(slice?: Slice) {
    this.#slice = slice;
  }

  /** Counts work of this many steps. Returns whether it is time for `pause`. */
  isOver(steps = 1): boolean {
    this.#count += steps;
    if (this.#count < STEPS_BETWEEN) return false;
    this.#count = 0;
    return this.#slice?.isOver ?? false;
  }

  async pause(): Promise<void> {
    await this.#slice?.next();
  }

  /** Whether any of the items passes the test, which is asked in their order until one does. */
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
