import type { BudgetMember, JournalBudget } from "./budget.ts";
import { type Exchange, sizeOf, withinBounds } from "./exchange.ts";

/**
 * The last requests of a project, in the order of their responses: at most `size` of them, within the budget that all
 * journals share. A class, as every used project has one.
 */
export class Journal implements BudgetMember {
  #size: number;
  readonly #budget: JournalBudget;
  /** In the order of adding; the first `#gone` places are empty. */
  #entries: (Exchange | undefined)[] = [];
  /** The bytes of each entry, at its place: counting them costs more than keeping them. */
  #sizes: number[] = [];
  #gone = 0;
  #bytes = 0;
  #forgotten = 0;
  #hasEnded = false;
  /** None for most journals. */
  #listeners: Set<(exchange: Exchange) => void> | undefined;

  constructor(size: number, budget: JournalBudget) {
    this.#size = size;
    this.#budget = budget;
  }

  /** How many requests are kept. */
  get length(): number {
    return this.#entries.length - this.#gone;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many requests have been dropped since the journal was created or cleared. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** How many listeners there are. */
  get watchers(): number {
    return this.#listeners?.size ?? 0;
  }

  add(exchange: Exchange): void {
    if (this.#hasEnded) return;
    const kept = withinBounds(exchange);
    const held = sizeOf(kept);
    this.#entries.push(kept);
    this.#sizes.push(held);
    this.#budget.add(this);
    this.#count(held);
    if (this.length > this.#size) this.#forgetOldest();
    if (this.#listeners) for (const listener of this.#listeners) listener(kept);
  }

  /** Newest first. */
  list(): Exchange[] {
    return (this.#entries.slice(this.#gone) as Exchange[]).reverse();
  }

  clear(): void {
    this.#entries = [];
    this.#sizes = [];
    this.#gone = 0;
    this.#forgotten = 0;
    this.#count(-this.#bytes);
  }

  /** Sets how many requests to keep; the oldest are dropped first. */
  resize(size: number): void {
    this.#size = size;
    while (this.length > size) this.#forgetOldest();
  }

  shrinkTo(limit: number): void {
    while (this.#bytes > limit && this.length > 0) this.#forgetOldest();
  }

  /** Calls the listener with each exchange from now on, until the returned function is called. */
  watch(listener: (exchange: Exchange) => void): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  /** Drops everything and ignores later requests. */
  end(): void {
    this.#hasEnded = true;
    this.#listeners = undefined;
    this.clear();
    this.#budget.remove(this);
  }

  #forgetOldest(): void {
    const oldest = this.#sizes[this.#gone];
    if (oldest === undefined) return;
    this.#entries[this.#gone++] = undefined;
    this.#forgotten++;
    this.#count(-oldest);
    // Closing the gap when half is gap moves each exchange about once.
    if (this.#gone * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#gone);
      this.#sizes = this.#sizes.slice(this.#gone);
      this.#gone = 0;
    }
  }

  #count(by: number): void {
    this.#bytes += by;
    this.#budget.change(by);
  }
}
