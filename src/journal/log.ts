interface Entry<Item> {
  readonly number: number;
  readonly item: Item;
  /** In bytes. Keeping a size costs less than computing it again. */
  readonly size: number;
}

/**
 * The last items of a list that only grows at its end, such as the requests of a project. Each has a number, from 1. A log
 * never changes: adding an item returns another log.
 */
export class Log<Item> {
  /** Oldest first, with increasing numbers. */
  readonly #entries: Entry<Item>[];
  /** The number of the last item before the log was created or cleared. */
  readonly #start: number;
  #last: number;
  #bytes: number;

  constructor(entries: Entry<Item>[] = [], start = 0, last = start, bytes = 0) {
    this.#entries = entries;
    this.#start = start;
    this.#last = last;
    this.#bytes = bytes;
  }

  /** The number of the last item, also if the log has dropped it. */
  get last(): number {
    return this.#last;
  }

  /** The number of kept items. */
  get length(): number {
    return this.#entries.length;
  }

  /** The number of items that were dropped since the log was created or cleared. */
  get forgotten(): number {
    return this.#last - this.#start - this.length;
  }

  /** The sum of the sizes of the kept items, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the log with an item of this size as the last one, and its last `most` items. With `isOwn`, nobody else has the
   * log, so it changes in place.
   */
  with(
    item: Item,
    size: number,
    { most, isOwn = false }: { readonly most: number; readonly isOwn?: boolean },
  ): Log<Item> {
    const log = isOwn ? this : this.#copy();
    log.#entries.push({ number: ++log.#last, item, size });
    log.#bytes += size;
    log.#dropWhile(() => log.length > most);
    return log;
  }

  /** Returns the log with these items by number, which another process has stored; undefined for dropped ones. */
  withStored(stored: ReadonlyMap<number, Item | undefined>, sizeOf: (item: Item) => number): Log<Item> {
    const kept = this.#entries.filter(({ number }) => !stored.has(number));
    for (const [number, item] of stored) if (item !== undefined) kept.push({ number, item, size: sizeOf(item) });
    kept.sort((a, b) => a.number - b.number);
    const last = Math.max(this.#last, kept.at(-1)?.number ?? 0);
    const bytes = kept.reduce((sum, { size }) => sum + size, 0);
    return new Log(kept, this.#start, last, bytes);
  }

  /** Returns the log with other numbers of the last item and of dropped items. */
  withTotals(last: number, forgotten = 0): Log<Item> {
    const highest = Math.max(last, this.#entries.at(-1)?.number ?? 0);
    return new Log(this.#entries, highest - forgotten - this.length, highest, this.#bytes);
  }

  /** Returns the log with its last `most` items. */
  resized(most: number): Log<Item> {
    return this.length <= most ? this : this.#copy().#dropWhile((log) => log.length > most);
  }

  /** Returns the log with as many of its last items as take at most this many bytes. */
  shrunk(bytes: number): Log<Item> {
    return this.#bytes <= bytes ? this : this.#copy().#dropWhile((log) => log.#bytes > bytes);
  }

  /** Returns a log without items. */
  cleared(): Log<Item> {
    return new Log([], this.#last);
  }

  /** Returns the item with this number; undefined if it was dropped. */
  at(number: number): Item | undefined {
    const likely = this.#entries[number - (this.#entries[0]?.number ?? 0)];
    return (likely?.number === number ? likely : this.#entries.find((entry) => entry.number === number))?.item;
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
    return [...before.#entries.slice(0, dropped === -1 ? undefined : dropped), ...this.#entries.slice(added)].map(
      ({ number }) => number,
    );
  }

  #copy(): Log<Item> {
    return new Log(this.#entries.slice(), this.#start, this.#last, this.#bytes);
  }

  #dropWhile(isTooLong: (log: Log<Item>) => boolean): this {
    while (isTooLong(this)) this.#bytes -= this.#entries.shift()?.size ?? 0;
    return this;
  }
}
