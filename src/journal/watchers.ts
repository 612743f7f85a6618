import { Effort } from "../matching/effort.ts";
import { View } from "../matching/matchable.ts";
import type { Exchange } from "./exchange.ts";

/** Receives each new request of a project with its response, in order. */
export interface Watcher {
  /** The size of the watcher's patterns, in RE2 instructions. */
  readonly size: number;
  /** Never rejects. `number` is the number of the request in the journal. */
  receive(view: View, number: number, effort: Effort): Promise<void>;
}

interface Arrived {
  readonly exchange: Exchange;
  readonly number: number;
}

/** The most requests that wait for the watchers. They stay in memory, also if the journal has dropped them. */
const MAX_UNSEEN = 1000;

/** The watchers of a project: waits for requests that are still to come. */
export class Watchers {
  /** The watchers, each with the number of the last request before it. */
  readonly #watchers = new Map<Watcher, number>();
  #unseen: Arrived[] = [];
  #isShowing = false;
  /** The number of requests that no watcher has seen, as they arrived faster than the watchers tested them. */
  missed = 0;

  get count(): number {
    return this.#watchers.size;
  }

  /** The size of the patterns of all watchers, in RE2 instructions. */
  get size(): number {
    let size = 0;
    for (const watcher of this.#watchers.keys()) size += watcher.size;
    return size;
  }

  /** Passes each request after the one with the number `last` to the watcher. Returns a function that removes it. */
  add(watcher: Watcher, last: number): () => void {
    this.#watchers.set(watcher, last);
    return () => this.#watchers.delete(watcher);
  }

  /** Shows a new request to the watchers. */
  show(exchange: Exchange, number: number): void {
    if (this.#watchers.size === 0) return;
    if (this.#unseen.length >= MAX_UNSEEN) {
      this.#unseen.shift();
      this.missed++;
    }
    this.#unseen.push({ exchange, number });
    if (!this.#isShowing) void this.#showAll();
  }

  /** Pauses, so that the server handles other requests meanwhile. */
  async #showAll(): Promise<void> {
    this.#isShowing = true;
    const effort = new Effort();
    for (let next = this.#unseen.shift(); next; next = this.#unseen.shift()) {
      const view = new View(next.exchange);
      for (const [watcher, last] of this.#watchers) {
        if (effort.isDue) await effort.pause();
        if (next.number > last) await watcher.receive(view, next.number, effort);
      }
    }
    this.#isShowing = false;
  }
}
