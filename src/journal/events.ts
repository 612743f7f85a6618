import { MAX_SEPARATE_EVENTS, MAX_SINGLE_EVENTS, MAX_SUMMARY_PROJECTS, MAX_TEXT } from "../contract/index.ts";
import { type StateChange, typeIn } from "../state/index.ts";
import type { Mutable } from "./kept-exchange.ts";
import type { RequestSummary } from "./request-summary.ts";

// The server-sent events: their data by type, those of changes, and the summaries of events that come fast.

/** The data of each published event, by the event name in the stream. */
export interface PublishedEvents {
  /** A request was handled. */
  request: Readonly<Omit<RequestSummary, "project">>;
  /**
   * An item in the state of a project changed, from one version to another: `from` is null for a new item, `to` for a
   * deleted one. `id` is absent if it is long. Or the whole state changed at once, without an event for each item.
   */
  state:
    | {
        readonly type: string;
        readonly id?: string | undefined;
        readonly from: number | null;
        readonly to: number | null;
      }
    | { readonly change: "all" };
  /** The project was reset. An event without a project is about all projects. */
  reset: Record<never, never>;
  /** A project was created by its first use, or deleted. */
  project: { readonly change: "created" | "deleted" };
  /** Settings changed. `names`: the settings with a new value. */
  settings: { readonly names: readonly string[] };
  /** A call set, froze, resumed or advanced the clock. `now`: the time after the change (RFC 3339). */
  clock: { readonly now: string; readonly frozen: boolean };
  /**
   * The active scenarios of the project changed, or those of all projects if the event has no project. `used-up`: the
   * scenario is still listed, but affects no further requests of the project. `reloaded`: the files of all scenarios
   * were read again; only this event has no `scenario`.
   */
  scenarios: {
    readonly change: "activated" | "deactivated" | "used-up" | "reloaded";
    readonly scenario?: string;
    /** Whether the scenario is active after the change. */
    readonly on?: boolean;
  };
  /**
   * The rules of the project changed. `used-up`: the rule is still listed, but affects no further requests. `cleared`:
   * all rules were removed; only this event has no `rule`.
   */
  rules: { readonly change: "added" | "removed" | "used-up" | "cleared"; readonly rule?: string };
  /** A snapshot was taken, restored or deleted. */
  snapshots: { readonly change: "taken" | "restored" | "deleted"; readonly name: string };
  /** The state at an earlier moment was restored: that before or after a request, if it has one. */
  rewound: { readonly moment: number; readonly request?: string; readonly to?: "before" | "after" };
  /** A token of the project was issued or revoked. `id`: its id in the list of tokens. */
  tokens: { readonly change: "issued" | "revoked"; readonly id: string };
  /** The requests in the journal were deleted. */
  journal: { readonly change: "cleared" };
  /** A verification failed, or one that failed before has passed. */
  verification: { readonly change: "failed" | "passed" };
  /** With `--projects`: saving the project failed for the reason in `problem`, or succeeded again. */
  storage: { readonly change: "failed" | "recovered"; readonly problem?: string };
}

/** The data of each event in a stream, by the event name. */
export interface FeedEvents extends PublishedEvents {
  /** The events of up to a second, counted. Only streams with `summary=true` contain it. */
  summary: EventCounts & {
    /**
     * The same counts for each project; an entry without `project` counts the events about all projects. At most 100
     * entries; `others` counts the events of further projects.
     */
    readonly projects: readonly (EventCounts & { readonly project?: string })[];
    readonly others?: EventCounts;
  };
  /**
   * A reader that reconnected has missed events that are no longer kept, or was connected to another server. The reader
   * should load the state again. The ids of the missed events are above `after` and at most `until`.
   */
  gap: { readonly after: number; readonly until: number };
}

/** Numbers of events. */
export interface EventCounts {
  /** The number of `request` events. */
  readonly requests: number;
  /** The number of requests by the class of their status: `2xx`, `4xx`; `none` for requests without a response. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The id of the last request. */
  readonly lastRequest?: string;
  /** The numbers of other events, by type. */
  readonly changes: { readonly [Type in Exclude<keyof PublishedEvents, "request">]?: number };
}

/** An event with its id. Without `project`, it is about all projects. */
export type EventOf<Events> = {
  [Type in keyof Events]: {
    readonly id: number;
    readonly type: Type;
    readonly project: string | undefined;
    readonly data: Events[Type];
  };
}[keyof Events];

export type FeedEvent = EventOf<PublishedEvents>;

/** Returns the event data of the changes that a step has made in the state of a project. */
export function stateEvents(changes: readonly StateChange[]): readonly FeedEvents["state"][] {
  const items = changes.filter((change) => change.table === "item");
  if (items.length > MAX_SEPARATE_EVENTS) return [{ change: "all" }];
  return items.map(({ in: name, id, before, after }) => ({
    type: typeIn(name),
    // A cut id would be another one.
    id: id.length <= MAX_TEXT ? id : undefined,
    from: before?.[1].version ?? null,
    to: after?.[1].version ?? null,
  }));
}

/** The time from the first event to its summary, in milliseconds. */
export const SUMMARY_MS = 1000;
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
