import type { StateChange } from "../state/store.ts";
import { redactQuery } from "../text/redact.ts";
import type { Exchange } from "./exchange.ts";

/** The data of each event, by the event name in the stream. */
export interface FeedEvents {
  /** A request was handled. */
  request: {
    readonly id: string;
    readonly method: string;
    readonly path: string;
    readonly query: string;
    readonly operation?: string;
    readonly status: number;
    readonly source: string;
    /** Set if the response came from the effect `raw`. */
    readonly offContract?: true;
    readonly violations: number;
    /** By the project's clock. */
    readonly receivedAt: string;
    /** The same time by the server's clock. */
    readonly serverTime: string;
    /** Milliseconds. */
    readonly duration: number;
  };
  /** The state of a project changed. `uploaded`, `removed`: an image. `all`: the whole state changed at once, without an event for each resource. */
  state: {
    readonly change: "created" | "updated" | "deleted" | "uploaded" | "removed" | "all";
    readonly id?: string;
    readonly key?: string;
    readonly version?: number;
  };
  /**
   * A scenario or rule was activated or deactivated, in the project, or in all projects if the event has no project.
   */
  scenario: { readonly scenario?: string; readonly rule?: string; readonly on: boolean };
  /** The project was reset or closed. An event without a project is about all projects. */
  reset: { readonly closed: boolean };
  /**
   * A reader that reconnected has missed events that are no longer kept, or was connected to another server. The reader
   * should load the state again. The ids of the missed events are above `after` and at most `until`.
   */
  gap: { readonly after: number; readonly until: number };
}

/** The limit for paths and queries in events, in UTF-16 units. The journal has the whole text. */
const MAX_EVENT_TEXT = 500;

/** Returns the event data of a request and its response. */
export function requestEvent(exchange: Exchange): FeedEvents["request"] {
  const { id, method, path, query, operationId, status, source, offContract } = exchange;
  const { violations, receivedAt, serverTime, duration } = exchange;
  return {
    id,
    method,
    path: path.slice(0, MAX_EVENT_TEXT),
    query: redactQuery(query).slice(0, MAX_EVENT_TEXT),
    operation: operationId,
    status,
    source,
    offContract: offContract || undefined,
    violations: violations.length,
    receivedAt: new Date(receivedAt).toISOString(),
    serverTime: new Date(serverTime).toISOString(),
    duration: Number(duration.toFixed(3)),
  };
}

/** Returns the event data of a change in the state of a project. */
export function stateEvent(change: StateChange): FeedEvents["state"] {
  switch (change.change) {
    case "all":
      return { change: "all" };
    case "uploaded":
    case "removed":
      return { change: change.change, id: change.image.id };
    default: {
      const { id, key, version } = change.record;
      return { change: change.change, id: shortOnly(id), key: shortOnly(key), version };
    }
  }
}

/** Returns the id or key if it is short. A cut name is a different name, so events leave out long ones. */
function shortOnly(name: string | undefined): string | undefined {
  return name !== undefined && name.length <= MAX_EVENT_TEXT ? name : undefined;
}
