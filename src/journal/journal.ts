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
  /** In the order of adding; the first `gone` places are empty. */
  let entries: (Exchange | undefined)[] = [];
  /** The bytes of each entry, at its place: counting them costs more than keeping them. */
  let sizes: number[] = [];
  let gone = 0;
  let bytes = 0;
  let forgotten = 0;
  let ended = false;
  const listeners = new Set<(exchange: Exchange) => void>();

  function forgetOldest(): void {
    const oldest = sizes[gone];
    if (oldest === undefined) return;
    entries[gone++] = undefined;
    forgotten++;
    count(-oldest);
    // Closing the gap when half is gap moves each exchange about once.
    if (gone * 2 > entries.length) {
      entries = entries.slice(gone);
      sizes = sizes.slice(gone);
      gone = 0;
    }
  }

  function count(by: number): void {
    bytes += by;
    budget.change(by);
  }

  function clear(): void {
    entries = [];
    sizes = [];
    gone = 0;
    forgotten = 0;
    count(-bytes);
  }

  const journal: Journal = {
    get length() {
      return entries.length - gone;
    },
    get bytes() {
      return bytes;
    },
    get forgotten() {
      return forgotten;
    },
    get watchers() {
      return listeners.size;
    },
    add(exchange) {
      if (ended) return;
      const kept = withinBounds(exchange);
      const held = sizeOf(kept);
      entries.push(kept);
      sizes.push(held);
      budget.add(journal);
      count(held);
      if (journal.length > size) forgetOldest();
      for (const listener of listeners) listener(kept);
    },
    list: () => (entries.slice(gone) as Exchange[]).reverse(),
    clear,
    resize(newSize) {
      size = newSize;
      while (journal.length > size) forgetOldest();
    },
    shrinkTo(limit) {
      while (bytes > limit && journal.length > 0) forgetOldest();
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    end() {
      ended = true;
      listeners.clear();
      clear();
      budget.remove(journal);
    },
  };
  return journal;
}
