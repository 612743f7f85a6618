import type { BudgetMember, FairBudget } from "./budget.ts";
import type { FeedEvent } from "./events.ts";

/** The number of events that are kept for each project, for readers that reconnect. */
const KEPT_EVENTS = 1000;
/** Measured overhead of a kept event without its texts, and of a project with kept events, in bytes. */
const EVENT_BYTES = 300;
const PROJECT_BYTES = 300;
/** The size of a UTF-16 unit. */
const CHARACTER_BYTES = 2;

/**
 * The kept events of one project, or of those about all projects. Calls `onEmpty` when the budget has dropped the last
 * one.
 */
export class KeptEvents implements BudgetMember {
  readonly #budget: FairBudget;
  readonly #onEmpty: (last: KeptEvents) => void;
  #events: FeedEvent[] = [];
  #bytes = 0;
  #lost = 0;

  constructor(budget: FairBudget, onEmpty: (last: KeptEvents) => void) {
    this.#budget = budget;
    this.#onEmpty = onEmpty;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The id of the last dropped event; 0 if none was dropped. */
  get lost(): number {
    return this.#lost;
  }

  after(id: number): FeedEvent[] {
    return this.#events.filter((event) => event.id > id);
  }

  add(event: FeedEvent): void {
    this.#events.push(event);
    this.#count(sizeOf(event) + (this.#bytes === 0 ? PROJECT_BYTES : 0));
    // Half of the events are dropped at once, so that the array is moved rarely.
    if (this.#events.length >= 2 * KEPT_EVENTS) this.#drop(KEPT_EVENTS);
  }

  shrinkTo(bytes: number): void {
    let left = this.#bytes;
    const kept = this.#events.findIndex((event) => {
      if (left <= bytes) return true;
      left -= sizeOf(event);
      return false;
    });
    this.#drop(kept === -1 ? this.#events.length : kept);
    if (this.#events.length === 0) this.#onEmpty(this);
  }

  /** Leaves the budget and frees its bytes there. */
  end(): void {
    this.#count(-this.#bytes);
  }

  #drop(count: number): void {
    const dropped = this.#events.splice(0, count);
    this.#lost = dropped.at(-1)?.id ?? this.#lost;
    this.#count(-dropped.reduce((sum, event) => sum + sizeOf(event), 0));
  }

  #count(by: number): void {
    this.#bytes += by;
    this.#budget.change(this, by);
  }
}

/** Returns the approximate memory of an event in bytes. Most encoded events are smaller. */
function sizeOf({ data }: FeedEvent): number {
  let bytes = EVENT_BYTES;
  for (const value of Object.values(data)) if (typeof value === "string") bytes += value.length * CHARACTER_BYTES;
  return bytes;
}
