import { Effort } from "../matching/effort.ts";
import { View } from "../matching/matchable.ts";
import type { BudgetMember, FairBudget } from "./budget.ts";
import { type Exchange, sizeOf, withinBounds } from "./exchange.ts";

/** Receives each new exchange of a journal, in order. */
export interface Watcher {
  /** The size of the watcher's patterns, in RE2 instructions. */
  readonly size: number;
  /** Never rejects. `number` is the exchange's number in the journal (see `Journal.at`). */
  receive(view: View, number: number, effort: Effort): Promise<void>;
}

/** An exchange in the queue for the watchers. */
interface Unseen {
  readonly exchange: Exchange;
  readonly number: number;
  readonly bytes: number;
}

/**
 * The last exchanges of a project, in the order of their responses: at most `size` of them, within the budget that all
 * journals share.
 */
export class Journal implements BudgetMember {
  #size: number;
  readonly #budget: FairBudget;
  /** The exchanges, oldest first. The first `#gone` elements are empty. */
  #entries: (Exchange | undefined)[] = [];
  /** The size of each entry in bytes, at the same index. Keeping a size costs less than computing it again. */
  #sizes: number[] = [];
  #gone = 0;
  #bytes = 0;
  #forgotten = 0;
  #hasEnded = false;
  /** The number of exchanges that were added before the first element of `#entries`. */
  #before = 0;
  /**
   * The watchers, each with the number of its first exchange. Undefined until the first watcher, as most journals have
   * none.
   */
  #watchers: Map<Watcher, number> | undefined;
  /**
   * The queue for the watchers, oldest first. It counts in the budget, as the journal may have dropped its exchanges.
   */
  #unseen: Unseen[] | undefined;
  #missed = 0;

  constructor(size: number, budget: FairBudget) {
    this.#size = size;
    this.#budget = budget;
  }

  /** The number of kept exchanges. */
  get length(): number {
    return this.#entries.length - this.#gone;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The number of exchanges that were dropped since the journal was created or cleared. */
  get forgotten(): number {
    return this.#forgotten;
  }

  set forgotten(number: number) {
    this.#forgotten = number;
  }

  get watchers(): number {
    return this.#watchers?.size ?? 0;
  }

  /** The size of the patterns of all watchers, in RE2 instructions. */
  get watchedSize(): number {
    let size = 0;
    for (const watcher of this.#watchers?.keys() ?? []) size += watcher.size;
    return size;
  }

  /** The number of exchanges that left the queue unseen, as they arrived faster than the watchers tested them. */
  get missed(): number {
    return this.#missed;
  }

  /** The number of the next exchange. */
  get next(): number {
    return this.#before + this.#entries.length;
  }

  add(exchange: Exchange): void {
    if (this.#hasEnded) return;
    const kept = withinBounds(exchange);
    const bytes = sizeOf(kept);
    const number = this.next;
    this.#entries.push(kept);
    this.#sizes.push(bytes);
    this.#budget.add(this);
    this.#count(bytes);
    if (this.length > this.#size) this.#forgetOldest();
    if (this.#watchers?.size) this.#show({ exchange: kept, number, bytes });
  }

  /** Returns the exchange with this number; undefined if it was dropped. */
  at(number: number): Exchange | undefined {
    return this.#entries[number - this.#before];
  }

  /** Returns the kept exchanges, newest first. */
  list(): Exchange[] {
    return (this.#entries.slice(this.#gone) as Exchange[]).reverse();
  }

  clear(): void {
    this.#before += this.#entries.length;
    const bytes = this.#sizes.reduce((sum, size, index) => (index < this.#gone ? sum : sum + size), 0);
    this.#entries = [];
    this.#sizes = [];
    this.#gone = 0;
    this.#forgotten = 0;
    this.#count(-bytes);
  }

  /** Sets the number of exchanges to keep. Drops the oldest ones beyond it. */
  resize(size: number): void {
    this.#size = size;
    while (this.length > size) this.#forgetOldest();
  }

  shrinkTo(limit: number): void {
    while (this.#bytes > limit && this.length > 0) this.#forgetOldest();
    for (let unseen = this.#unseen; this.#bytes > limit && unseen?.[0]; this.#missed++) {
      this.#count(-(unseen.shift()?.bytes ?? 0));
    }
  }

  /** Passes each new exchange to the watcher. Returns a function that removes the watcher. */
  watch(watcher: Watcher): () => void {
    this.#watchers ??= new Map();
    this.#watchers.set(watcher, this.next);
    return () => this.#watchers?.delete(watcher);
  }

  /** Drops all exchanges and watchers, and ignores later exchanges. */
  end(): void {
    this.#hasEnded = true;
    this.#watchers = undefined;
    for (const { bytes } of this.#unseen?.splice(0) ?? []) this.#count(-bytes);
    this.clear();
    this.#budget.remove(this);
  }

  #show(arrived: Unseen): void {
    this.#count(arrived.bytes);
    if (this.#unseen) this.#unseen.push(arrived);
    else {
      this.#unseen = [arrived];
      void this.#showAll(this.#unseen);
    }
  }

  /**
   * Passes the queued exchanges to the watchers until the queue is empty. Pauses, so that the server handles other
   * requests meanwhile.
   */
  async #showAll(unseen: Unseen[]): Promise<void> {
    const effort = new Effort();
    for (let next = unseen.shift(); next; next = unseen.shift()) {
      this.#count(-next.bytes);
      const view = new View(next.exchange);
      for (const [watcher, from] of this.#watchers ?? []) {
        if (effort.isDue) await effort.pause();
        if (next.number >= from) await watcher.receive(view, next.number, effort);
      }
    }
    this.#unseen = undefined;
  }

  #forgetOldest(): void {
    const oldest = this.#sizes[this.#gone];
    if (oldest === undefined) return;
    this.#entries[this.#gone++] = undefined;
    this.#forgotten++;
    this.#count(-oldest);
    // The arrays shrink when half of their elements are empty, so that each exchange moves about once.
    if (this.#gone * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#gone);
      this.#sizes = this.#sizes.slice(this.#gone);
      this.#before += this.#gone;
      this.#gone = 0;
    }
  }

  #count(by: number): void {
    this.#bytes += by;
    this.#budget.change(by);
  }
}
