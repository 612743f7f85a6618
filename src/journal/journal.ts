import { MAX_JOURNAL_BYTES } from "../contract/index.ts";
import { View } from "../rules/index.ts";
import { sizeOf, withinBounds } from "./kept-bounds.ts";
import type { Exchange } from "./kept-exchange.ts";

// The last requests of a project: the list that keeps them, who waits for the next ones, and the memory of all lists.

interface Entry<Item> {
  readonly number: number;
  readonly item: Item;
  /** In bytes. Keeping a size costs less than computing it again. */
  readonly size: number;
}

/** An item of a log with its size in bytes. */
export type Sized<Item> = Omit<Entry<Item>, "number">;

/**
 * The last items of a list that only grows at its end, such as the requests of a project. Each has a number, from 1. A log
 * never changes: adding an item returns another log.
 */
export class Log<Item> {
  /** Oldest first, with increasing numbers. */
  readonly #entries: Entry<Item>[];
  /** The number of the last item before the log was created or cleared. It is greater after each time. */
  readonly start: number;
  #last: number;
  #bytes: number;

  constructor(entries: Entry<Item>[] = [], start = 0, last = start, bytes = 0) {
    this.#entries = entries;
    this.start = start;
    this.#last = last;
    this.#bytes = bytes;
  }

  /** The number of the last item, also if the log has dropped it. */
  get last(): number {
    return this.#last;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** The number of items that were dropped since the log was created or cleared. */
  get forgotten(): number {
    return this.#last - this.start - this.length;
  }

  /** The sum of the sizes of the kept items, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the log with an item of this size as the last one, and its last `most` items. With `isOwn`, nobody else has the
   * log, so it changes in place.
   */
  with(item: Item, size: number, { most, isOwn = false }: { most: number; isOwn?: boolean }): Log<Item> {
    const log = isOwn ? this : this.#copy();
    log.#entries.push({ number: ++log.#last, item, size });
    log.#bytes += size;
    log.#dropWhile(() => log.length > most);
    return log;
  }

  /** Returns the log with these items by number, which another process has stored; undefined for dropped ones. */
  withStored(stored: ReadonlyMap<number, Sized<Item> | undefined>): Log<Item> {
    const kept = this.#entries.filter(({ number }) => !stored.has(number));
    for (const [number, sized] of stored) if (sized) kept.push({ number, ...sized });
    kept.sort((a, b) => a.number - b.number);
    const last = Math.max(this.#last, kept.at(-1)?.number ?? 0);
    const bytes = kept.reduce((sum, { size }) => sum + size, 0);
    return new Log(kept, this.start, last, bytes);
  }

  /** Returns the log with other numbers of the last item and of dropped items. */
  withTotals(last: number, forgotten = 0): Log<Item> {
    const highest = Math.max(last, this.#entries.at(-1)?.number ?? 0);
    return new Log(this.#entries, highest - forgotten - this.length, highest, this.#bytes);
  }

  resized(most: number): Log<Item> {
    return this.length <= most ? this : this.#copy().#dropWhile((log) => log.length > most);
  }

  /** Returns the log with as many of its last items as take at most this many bytes. */
  shrunk(bytes: number): Log<Item> {
    return this.#bytes <= bytes ? this : this.#copy().#dropWhile((log) => log.#bytes > bytes);
  }

  /** Returns a log without items. It skips a number, so that its start differs also if nothing was added meanwhile. */
  cleared(): Log<Item> {
    return new Log([], this.#last + 1);
  }

  /** Returns the item with this number; undefined if it was dropped. */
  at(number: number): Item | undefined {
    // Each request reads the last item.
    const last = this.#entries.at(-1);
    if (last?.number === number) return last.item;
    let [low, high] = [0, this.#entries.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle] as Entry<Item>).number < number) low = middle + 1;
      else high = middle;
    }
    const found = this.#entries[low];
    return found?.number === number ? found.item : undefined;
  }

  /** The numbers of the kept items, oldest first. */
  numbers(): number[] {
    return this.#entries.map(({ number }) => number);
  }

  /** Returns the kept items, newest first. */
  list(): Item[] {
    return this.#entries.map(({ item }) => item).reverse();
  }

  /** Returns the numbers of the items that only this log or an earlier one has. */
  changedSince(before: Log<Item>): number[] {
    const first = this.#entries[0]?.number ?? Infinity;
    const dropped = before.#entries.findIndex(({ number }) => number >= first);
    const added = this.#entries.findLastIndex(({ number }) => number <= before.#last) + 1;
    const ofBefore = before.#entries.slice(0, dropped === -1 ? undefined : dropped);
    return [...ofBefore, ...this.#entries.slice(added)].map(({ number }) => number);
  }

  #copy(): Log<Item> {
    return new Log(this.#entries.slice(), this.start, this.#last, this.#bytes);
  }

  #dropWhile(isTooLong: (log: Log<Item>) => boolean): this {
    while (isTooLong(this)) this.#bytes -= this.#entries.shift()?.size ?? 0;
    return this;
  }
}

/** The last requests of a project with their responses, in the order of the responses. */
export type Journal = Log<Exchange>;

export const emptyJournal: Journal = new Log();

/** Returns the journal with a request within its bounds as the last one, and its last `most` requests (see `Log.with`). */
export function withExchange(journal: Journal, exchange: Exchange, most: number, isOwn = false): Journal {
  return journal.with(exchange, sizeOf(exchange), { most, isOwn });
}

/** Returns a stored request within its bounds, with its size. */
export function sizedExchange(exchange: Exchange): Sized<Exchange> {
  const item = withinBounds(exchange);
  return { item, size: sizeOf(item) };
}

/** Receives each new request of a project with its response, in order. */
export interface Watcher {
  /** The size of the watcher's patterns, in RE2 instructions. */
  readonly size: number;
  /** `number` is the number of the request in the journal. */
  receive(view: View, number: number): void;
}

/** The watchers of a project: waits for requests that are still to come. */
export class Watchers {
  /** The watchers, each with the number of the last request before it. */
  readonly #watchers = new Map<Watcher, number>();

  get count(): number {
    return this.#watchers.size;
  }

  /** The size of the patterns of all watchers, in RE2 instructions. */
  get size(): number {
    return this.#watchers.keys().reduce((sum, { size }) => sum + size, 0);
  }

  /** Passes each request after the one with the number `last` to the watcher. Returns a function that removes it. */
  add(watcher: Watcher, last: number): () => void {
    this.#watchers.set(watcher, last);
    return () => this.#watchers.delete(watcher);
  }

  show(exchange: Exchange, number: number): void {
    const view = new View(exchange);
    for (const [watcher, last] of this.#watchers) if (number > last) watcher.receive(view, number);
  }
}

/** A part of a shared budget: one journal, or the kept events of one project. */
export interface BudgetMember {
  /** The memory in use, in bytes. */
  readonly bytes: number;
  /** Drops the oldest entries until the rest takes at most this many bytes. */
  shrinkTo(bytes: number): void;
}

/**
 * The share of the limit that stays in use after the largest members have shrunk. The rest is free, so that the members
 * are not sorted again at each request.
 */
const SHARE_AFTER_SHRINKING = 7 / 8;

/**
 * A memory limit that several members share, in bytes. Beyond the limit, the largest members drop their oldest entries.
 */
export class FairBudget {
  readonly #members = new Set<BudgetMember>();
  readonly #limit: number;
  #bytes = 0;

  constructor(limit = MAX_JOURNAL_BYTES) {
    this.#limit = limit;
  }

  /** The memory that all members use together, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Notes that a member uses `by` more bytes. A negative number means fewer bytes. */
  change(member: BudgetMember, by: number): void {
    this.#bytes += by;
    if (member.bytes > 0) this.#members.add(member);
    else this.#members.delete(member);
    if (by > 0 && this.#bytes > this.#limit) this.#makeRoom();
  }

  #makeRoom(): void {
    const bySize = [...this.#members].sort((a, b) => b.bytes - a.bytes);
    const sizes = bySize.map(({ bytes }) => bytes);
    const goal = this.#limit * SHARE_AFTER_SHRINKING;
    const level = levelOf(sizes, this.#bytes - goal);
    for (const member of bySize) {
      // Members drop whole entries, so the first ones may free enough: if each member has one entry, most keep theirs.
      if (member.bytes <= level || this.#bytes <= goal) break;
      member.shrinkTo(level);
    }
  }
}

/**
 * Returns the size to which the largest members must shrink to free `excess` bytes together. The result is the same as
 * taking one byte after the other, each from the member that is the largest at that moment. `sizes` is in descending
 * order.
 */
function levelOf(sizes: readonly number[], excess: number): number {
  let sum = 0;
  for (const [index, size] of sizes.entries()) {
    sum += size;
    const level = (sum - excess) / (index + 1);
    if (level >= (sizes[index + 1] ?? 0)) return level;
  }
  return 0;
}
