import { type Exchange, sizeOf, withinBounds } from "./kept-exchange.ts";
import { Log } from "./log.ts";

/** The last requests of a project with their responses, in the order of the responses. */
export type Journal = Log<Exchange>;

export const emptyJournal: Journal = new Log();

/** Returns the journal with a request within its bounds as the last one, and its last `most` requests (see `Log.with`). */
export function withExchange(journal: Journal, exchange: Exchange, most: number, isOwn = false): Journal {
  return journal.with(exchange, sizeOf(exchange), { most, isOwn });
}

/** Returns the journal with these requests by number (see `Log.withStored`). */
export function withStoredExchanges(journal: Journal, stored: ReadonlyMap<number, Exchange | undefined>): Journal {
  const kept = new Map([...stored].map(([number, exchange]) => [number, exchange && withinBounds(exchange)]));
  return journal.withStored(kept, sizeOf);
}
