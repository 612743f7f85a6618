import { changedKeys, emptyTree, type Tree } from "../state/tree.ts";
import { type Exchange, sizeOf, withinBounds } from "./exchange.ts";

interface Entry {
  readonly exchange: Exchange;
  /** In bytes. Keeping a size costs less than computing it again. */
  readonly size: number;
}

/**
 * The last requests of a project with their responses, in the order of the responses. It never changes: adding a request
 * returns another journal.
 */
export class Journal {
  /** The requests by number, from 1. */
  readonly #entries: Tree<number, Entry>;
  readonly #totals: Totals;

  private constructor(entries: Tree<number, Entry>, totals: Totals) {
    this.#entries = entries;
    this.#totals = totals;
  }

  /** The number of the last request, also if the journal has dropped it. */
  get last(): number {
    return this.#totals.last;
  }

  /** The number of requests that were dropped since the journal was created or cleared. */
  get forgotten(): number {
    return this.#totals.forgotten;
  }

  /** The approximate memory of the requests, in bytes. */
  get bytes(): number {
    return this.#totals.bytes;
  }

  static readonly empty: Journal = new Journal(emptyTree(), { last: 0, forgotten: 0, bytes: 0 });

  /** The number of kept requests. */
  get length(): number {
    return this.#entries.size;
  }

  /**
   * Returns the journal with a request as the last one, and its last `most` requests. With `isOwn`, nobody else has the
   * journal, so it changes in place.
   */
  with(exchange: Exchange, most: number, isOwn = false): Journal {
    const journal = isOwn ? this : this.#changed(() => {});
    const [entries, totals] = [journal.#entries, journal.#totals];
    put(entries, totals, ++totals.last, exchange);
    while (entries.size > most) drop(entries, totals);
    return journal;
  }

  /** Returns the journal with these requests by number, which another process has stored; undefined for dropped ones. */
  withStored(stored: Iterable<readonly [number: number, exchange: Exchange | undefined]>): Journal {
    return this.#changed((entries, totals) => {
      for (const [number, exchange] of stored) {
        totals.bytes -= entries.get(number)?.size ?? 0;
        entries.delete(number);
        if (exchange) put(entries, totals, number, exchange);
      }
    });
  }

  /** Returns the journal with other numbers of all and of dropped requests. */
  withTotals({ last: given, forgotten }: Pick<Journal, "last" | "forgotten">): Journal {
    const last = Math.max(given, this.#entries.maxKey() ?? 0);
    return new Journal(this.#entries, { last, forgotten, bytes: this.bytes });
  }

  /** Returns the journal with its last `most` requests. */
  resized(most: number): Journal {
    if (this.length <= most) return this;
    return this.#changed((entries, totals) => {
      while (entries.size > most) drop(entries, totals);
    });
  }

  /** Returns the journal with as many of its last requests as take at most this many bytes. */
  shrunk(bytes: number): Journal {
    return this.#changed((entries, totals) => {
      while (totals.bytes > bytes && entries.size > 0) drop(entries, totals);
    });
  }

  /** Returns a journal without requests. */
  cleared(): Journal {
    return new Journal(emptyTree(), { last: this.last, forgotten: 0, bytes: 0 });
  }

  /** Returns the request with this number; undefined if it was dropped. */
  at(number: number): Exchange | undefined {
    return this.#entries.get(number)?.exchange;
  }

  /** The numbers of the kept requests, oldest first. */
  numbers(): Iterable<number> {
    return this.#entries.keys();
  }

  /** Returns the kept requests, newest first. */
  list(): Exchange[] {
    return Array.from(this.#entries.values(), ({ exchange }) => exchange).reverse();
  }

  /** Returns the numbers of the requests that only one of two journals has. */
  static changedNumbers(before: Journal, after: Journal): Set<number> {
    return changedKeys(before.#entries, after.#entries);
  }

  #changed(change: (entries: Tree<number, Entry>, totals: Totals) => void): Journal {
    const entries = this.#entries.clone();
    const totals = { ...this.#totals };
    change(entries, totals);
    return new Journal(entries, totals);
  }
}

interface Totals {
  last: number;
  forgotten: number;
  bytes: number;
}

function put(entries: Tree<number, Entry>, totals: Totals, number: number, exchange: Exchange): void {
  const kept = withinBounds(exchange);
  const size = sizeOf(kept);
  totals.bytes += size;
  entries.set(number, { exchange: kept, size });
}

/** Drops the oldest request. */
function drop(entries: Tree<number, Entry>, totals: Totals): void {
  const oldest = entries.minKey();
  if (oldest === undefined) return;
  totals.bytes -= entries.get(oldest)?.size ?? 0;
  totals.forgotten++;
  entries.delete(oldest);
}
