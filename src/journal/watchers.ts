import { View } from "../rules/index.ts";
import type { Exchange } from "./kept-exchange.ts";

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
    const view = new View(exchange);
    for (const [watcher, last] of this.#watchers) if (number > last) watcher.receive(view, number);
  }
}
