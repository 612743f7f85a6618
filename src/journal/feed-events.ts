import {
  count,
  dateTime,
  detached,
  type FromSchema,
  MAX_SEPARATE_EVENTS,
  MAX_TEXT,
  object,
  redactQuery,
  string,
} from "../contract/index.ts";
import type { Placed, ResourceRecord, StateChange } from "../state/index.ts";
import { type Exchange, violationsOf } from "./kept-exchange.ts";

/** A request and its response without headers and bodies: the data of the event `request`. */
export const RequestSummary = object(
  [
    "project",
    "id",
    "method",
    "path",
    "query",
    "status",
    "source",
    "violations",
    "receivedAt",
    "serverTime",
    "duration",
  ],
  {
    project: string,
    id: string,
    method: string,
    path: { type: "string", description: `As sent, percent-encoded. The first ${MAX_TEXT} characters.` },
    query: {
      type: "string",
      description: `As sent, percent-encoded, without secrets. The first ${MAX_TEXT} characters.`,
    },
    operation: { type: "string", description: "Absent if no operation matches the path and method." },
    status: { type: "integer", description: "0 if the connection ended without a response." },
    source: string,
    offContract: {
      const: true,
      description: "Set if the response is off-contract: from the effect `raw` or a function.",
    },
    violations: { ...count, description: "The number of contract violations." },
    receivedAt: { ...dateTime, description: "The time of arrival by the project's clock." },
    serverTime: { ...dateTime, description: "The same time by the server's clock." },
    duration: { type: "number", minimum: 0, description: "In milliseconds." },
    reason: { type: "string", description: "Why the response came, in words. Absent in events." },
    by: {
      type: "array",
      items: string,
      description:
        "The rules, functions and scenarios with an effect on the request. Absent without any, and in events.",
    },
  },
);
export type RequestSummary = FromSchema<typeof RequestSummary>;

/** The data of each published event, by the event name in the stream. */
export interface PublishedEvents {
  /** A request was handled. */
  request: Readonly<Omit<RequestSummary, "project">>;
  /**
   * The state of a project changed. `uploaded`, `removed`: an image. `action`: the body of the namespace action. `all`:
   * the whole state changed at once, without an event for each resource.
   */
  state: {
    readonly change: "created" | "updated" | "deleted" | "uploaded" | "removed" | "action" | "all";
    readonly id?: string;
    readonly key?: string;
    readonly version?: number;
  };
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

/** A published event. Without `project`, it is about all projects. */
export type FeedEvent = {
  [Type in keyof PublishedEvents]: {
    readonly id: number;
    readonly type: Type;
    readonly project: string | undefined;
    readonly data: PublishedEvents[Type];
  };
}[keyof PublishedEvents];

/** Returns the event data of a request and its response. */
export function requestEvent(exchange: Exchange): PublishedEvents["request"] {
  const { id, method, path, query, operationId, status, source, offContract } = exchange;
  const { receivedAt, serverTime, duration } = exchange;
  // Both are parts of one text, which a short event may keep in memory.
  const isShort = path.length + query.length <= MAX_TEXT;
  const bounded = (text: string) => {
    const start = text.slice(0, MAX_TEXT);
    return isShort ? start : detached(start);
  };
  return {
    id,
    method: bounded(method),
    path: bounded(path),
    query: query && bounded(redactQuery(query)),
    ...(operationId && { operation: operationId }),
    status,
    source: bounded(source),
    ...(offContract && { offContract }),
    violations: violationsOf(exchange).length,
    receivedAt: timestampOf(receivedAt),
    serverTime: timestampOf(serverTime),
    duration: Math.round(duration * 1000) / 1000,
  };
}

let last = { instant: 0, text: new Date(0).toISOString() };

/** Returns the time in the format of RFC 3339. Keeps the last text, as fast requests arrive in the same millisecond. */
function timestampOf(instant: number): string {
  if (instant !== last.instant) last = { instant, text: new Date(instant).toISOString() };
  return last.text;
}

/** Returns the event data of the changes that a step has made in the state of a project. */
export function stateEvents(changes: readonly StateChange[]): readonly FeedEvents["state"][] {
  const events = changes.flatMap((change): FeedEvents["state"][] => {
    const { table, before, after } = change;
    if (table === "image") return [{ change: after ? "uploaded" : "removed", id: change.id }];
    if (table === "action") return [{ change: "action" }];
    if (table !== "resource") return [];
    const [, { id, key, version }] = (after ?? before) as Placed<ResourceRecord>;
    const kind = after ? (before ? "updated" : "created") : "deleted";
    return [{ change: kind, id: shortOnly(id), key: shortOnly(key), version }];
  });
  return events.length > MAX_SEPARATE_EVENTS ? [{ change: "all" }] : events;
}

/** Returns the id or key if it is short. A cut name is a different name, so events leave out long ones. */
function shortOnly(name: string | undefined): string | undefined {
  return name !== undefined && name.length <= MAX_TEXT ? name : undefined;
}
