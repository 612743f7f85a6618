import type { BudgetMember, JournalBudget } from "./budget.ts";
import { type Exchange, sizeOf, withinBounds } from "./exchange.ts";

/** What a project keeps of its requests: the last ones, in the order of their answers. */
export interface Journal extends BudgetMember {
  /** How many are kept. */
  readonly length: number;
  /** How many there have been that are not kept any more, since the journal was made or cleared. */
  readonly forgotten: number;
  add(exchange: Exchange): void;
  /** Newest first. */
  list(): Exchange[];
  clear(): void;
  /** How many to keep; the oldest go first. */
  resize(size: number): void;
  /** How many listeners there are. */
  readonly watchers: number;
  /** Calls the listener with each exchange from now on, until the answered function is called. */
  watch(listener: (exchange: Exchange) => void): () => void;
  /** Forgets everything, and takes nothing more. */
  end(): void;
}

/** A journal of at most `size` exchanges, within the budget that all journals share. */
export function createJournal(size: number, budget: JournalBudget): Journal {
  return new BoundedJournal(size, budget);
}

class BoundedJournal implements Journal {
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

  get length(): number {
    return this.#entries.length - this.#gone;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get forgotten(): number {
    return this.#forgotten;
  }

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

  resize(size: number): void {
    this.#size = size;
    while (this.length > size) this.#forgetOldest();
  }

  shrinkTo(limit: number): void {
    while (this.#bytes > limit && this.length > 0) this.#forgetOldest();
  }

  watch(listener: (exchange: Exchange) => void): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

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
