import type { Exchange } from "../journal/exchange.ts";

/**
 * Learns about each change of a project, to store the project outside of the process. Projects that are only in memory
 * have no change log.
 */
export interface ChangeLog {
  /**
   * Notes that a part of the project changed: `core` (clock, counters, sequences), `settings`, `rules`, `coverage`,
   * `journal` (cleared), `action`, `snapshot/{name}`, `resource/{id}`, `image/{id}`, `deletedId/{id}`, `deletedKey/{key}`,
   * or `state` (all resources, images and deleted names at once). Called after the change.
   */
  note(part: string): void;
  /** Notes a request. `add` adds it to the journal: called at once, or as soon as the changes of the request are stored. */
  record(exchange: Exchange, add: () => void): void;
}
