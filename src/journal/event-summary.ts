import { MAX_SINGLE_EVENTS, MAX_SUMMARY_PROJECTS } from "../contract/index.ts";
import type { EventCounts, FeedEvent, FeedEvents } from "./feed-events.ts";

/** The time from the first event to its summary, in milliseconds. */
export const SUMMARY_MS = 1000;
type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
type Counts = Mutable<EventCounts> & {
  readonly statuses: Record<string, number>;
  readonly changes: Mutable<EventCounts["changes"]>;
};

interface Counted {
  readonly total: Counts;
  readonly byProject: Map<string | undefined, Counts>;
  others?: Counts;
}

/**
 * Decides which events one reader receives one by one, and counts the others.
 *
 * A second starts with its first event. Events pass one by one until the second has more than `MAX_SINGLE_EVENTS` events of one
 * type. From this event on, every event is counted, and the summary at the end of the second contains the counts. The
 * next second then counts from its start, until a second has at most `MAX_SINGLE_EVENTS` events of each type.
 *
 * Once an event is counted, no later event passes before the summary. So the last id that a reader has received says
 * exactly what it knows, and a reader that reconnects misses nothing.
 */
export class Summary {
  readonly #onSummary: (lastId: number, data: FeedEvents["summary"]) => void;
  #second: NodeJS.Timeout | undefined;
  /** The number of events of each type in this second. */
  #ofType = new Map<FeedEvent["type"], number>();
  #isBusy = false;
  #counted: Counted | undefined;
  #lastId = 0;

  /** Calls `onSummary` at the end of each second with counted events. `lastId` is the id of the last counted event. */
  constructor(onSummary: (lastId: number, data: FeedEvents["summary"]) => void) {
    this.#onSummary = onSummary;
  }

  /** Returns whether the reader receives this event now. Otherwise, counts it for the summary. */
  passes(event: FeedEvent): boolean {
    this.#second ??= this.#start();
    const count = (this.#ofType.get(event.type) ?? 0) + 1;
    this.#ofType.set(event.type, count);
    this.#isBusy ||= count > MAX_SINGLE_EVENTS;
    if (this.#isBusy) this.#count(event);
    return !this.#isBusy;
  }

  /** Passes the counted events to `onSummary` now, if there are any. */
  flush(): void {
    if (!this.#counted) return;
    const { total, byProject, others } = this.#counted;
    this.#counted = undefined;
    const projects = Array.from(byProject, ([project, counts]) =>
      project === undefined ? counts : { project, ...counts },
    );
    this.#onSummary(this.#lastId, { ...total, projects, ...(others && { others }) });
  }

  /** Stops the timer. The reader has left. */
  stop(): void {
    clearTimeout(this.#second);
    this.#second = undefined;
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#isBusy = Math.max(...this.#ofType.values(), 0) > MAX_SINGLE_EVENTS;
      this.#ofType.clear();
      this.#second = this.#isBusy ? this.#start() : undefined;
      this.flush();
    }, SUMMARY_MS).unref();
  }

  #count(event: FeedEvent): void {
    this.#lastId = event.id;
    this.#counted ??= { total: noCounts(), byProject: new Map() };
    add(this.#counted.total, event);
    add(this.#countsOf(event.project, this.#counted), event);
  }

  /** Returns the counts of a project. The projects beyond `MAX_SUMMARY_PROJECTS` share their counts. */
  #countsOf(project: string | undefined, counted: Counted): Counts {
    const own = counted.byProject.get(project);
    if (own) return own;
    const counts = noCounts();
    if (counted.byProject.size < MAX_SUMMARY_PROJECTS) {
      counted.byProject.set(project, counts);
      return counts;
    }
    counted.others ??= counts;
    return counted.others;
  }
}

function noCounts(): Counts {
  return { requests: 0, statuses: {}, lastRequest: undefined, changes: {} };
}

function add(counts: Counts, { type, data }: FeedEvent): void {
  if (type !== "request") {
    counts.changes[type] = (counts.changes[type] ?? 0) + 1;
    return;
  }
  const statusClass = data.status === 0 ? "none" : `${Math.floor(data.status / 100)}xx`;
  counts.requests++;
  counts.statuses[statusClass] = (counts.statuses[statusClass] ?? 0) + 1;
  counts.lastRequest = data.id;
}
