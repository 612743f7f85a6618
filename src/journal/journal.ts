import { Effort } from "../matching/effort.ts";
import { View } from "../matching/matchable.ts";
import type { BudgetMember, FairBudget } from "./budget.ts";
import { type Exchange, sizeOf, withinBounds } from "./exchange.ts";

/** Looks at the requests that arrive, one after the other. */
export interface Watcher {
  /** The size of the patterns that it tests, in RE2 instructions. */
  readonly size: number;
  /** Never rejects. `number` is the exchange's number in the journal (see `Journal.at`). */
  look(view: View, number: number, effort: Effort): Promise<void>;
}

/** An exchange that watchers have not seen yet. */
interface Unseen {
  readonly exchange: Exchange;
  readonly number: number;
  readonly bytes: number;
}

/**
 * The last requests of a project, in the order of their responses: at most `size` of them, within the budget that all
 * journals share. A class, as every used project has one.
 */
export class Journal implements BudgetMember {
  #size: number;
  readonly #budget: FairBudget;
  /** In the order of adding; the first `#gone` places are empty. */
  #entries: (Exchange | undefined)[] = [];
  /** The bytes of each entry, at its place: counting them costs more than keeping them. */
  #sizes: number[] = [];
  #gone = 0;
  #bytes = 0;
  #forgotten = 0;
  #hasEnded = false;
  /** How many exchanges have been added before the first place of `#entries`. */
  #before = 0;
  /** None for most journals. Each with the number of the first exchange that is news to it. */
  #watchers: Map<Watcher, number> | undefined;
  /** What watchers have not seen yet, oldest first. Counted, as it may have left the journal. */
  #unseen: Unseen[] | undefined;
  #missed = 0;

  constructor(size: number, budget: FairBudget) {
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

  get watchers(): number {
    return this.#watchers?.size ?? 0;
  }

  /** The size of the patterns that all watchers test, in RE2 instructions. */
  get watchedSize(): number {
    let size = 0;
    for (const watcher of this.#watchers?.keys() ?? []) size += watcher.size;
    return size;
  }

  /** How many exchanges no watcher has seen, as they came faster than the watchers looked at them. */
  get missed(): number {
    return this.#missed;
  }

  /** The number that the next exchange will have. */
  get next(): number {
    return this.#before + this.#entries.length;
  }

  add(exchange: Exchange): void {
    if (this.#hasEnded) return;
    const kept = withinBounds(exchange);
    const held = sizeOf(kept);
    const number = this.next;
    this.#entries.push(kept);
    this.#sizes.push(held);
    this.#budget.add(this);
    this.#count(held);
    if (this.length > this.#size) this.#forgetOldest();
    if (this.#watchers?.size) this.#show({ exchange: kept, number, bytes: held });
  }

  /** The exchange of this number, if it is still kept. */
  at(number: number): Exchange | undefined {
    return this.#entries[number - this.#before];
  }

  /** Newest first. */
  list(): Exchange[] {
    return (this.#entries.slice(this.#gone) as Exchange[]).reverse();
  }

  clear(): void {
    this.#before += this.#entries.length;
    const held = this.#sizes.reduce((sum, size, place) => (place < this.#gone ? sum : sum + size), 0);
    this.#entries = [];
    this.#sizes = [];
    this.#gone = 0;
    this.#forgotten = 0;
    this.#count(-held);
  }

  /** Sets how many requests to keep; the oldest are dropped first. */
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

  /** Shows the watcher each exchange from now on, until the returned function is called. */
  watch(watcher: Watcher): () => void {
    this.#watchers ??= new Map();
    this.#watchers.set(watcher, this.next);
    return () => this.#watchers?.delete(watcher);
  }

  /** Drops everything and ignores later requests. */
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

  /** Shows the exchanges to the watchers until there are no more. Other requests are answered while this takes long. */
  async #showAll(unseen: Unseen[]): Promise<void> {
    const effort = new Effort();
    for (let one = unseen.shift(); one; one = unseen.shift()) {
      this.#count(-one.bytes);
      const view = new View(one.exchange);
      for (const [watcher, from] of this.#watchers ?? []) {
        if (effort.isDue) await effort.pause();
        if (one.number >= from) await watcher.look(view, one.number, effort);
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
    // Closing the gap when half is gap moves each exchange about once.
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
