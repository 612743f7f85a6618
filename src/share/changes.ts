import type { Exchange } from "../journal/exchange.ts";
import type { ChangeLog } from "../projects/change-log.ts";

/** A request that is not yet stored, with the function that adds it to the journal. */
export interface UnstoredRequest {
  readonly exchange: Exchange;
  readonly add: () => void;
}

/** The changes of one project that are not yet stored. */
export class Changes implements ChangeLog {
  readonly parts = new Set<string>();
  requests: UnstoredRequest[] = [];

  note(part: string): void {
    // Each change can also change the numbers in `core`.
    this.parts.add(part).add("core");
  }

  record(exchange: Exchange, add: () => void): void {
    this.parts.add("core").add("coverage");
    this.requests.push({ exchange, add });
  }

  get isEmpty(): boolean {
    return this.parts.size === 0;
  }

  clear(): void {
    this.parts.clear();
    this.requests = [];
  }
}
