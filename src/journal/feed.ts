import type { StateChange } from "../state/store.ts";
import { redactQuery } from "../text/redact.ts";
import type { Exchange } from "./exchange.ts";

/** What is told while it happens, by the names that server-sent events carry. */
export interface FeedEvents {
  /** A request was answered. */
  request: {
    readonly id: string;
    readonly method: string;
    readonly path: string;
    readonly query: string;
    readonly operation?: string;
    readonly status: number;
    readonly source: string;
    readonly violations: number;
    readonly receivedAt: string;
    /** Milliseconds. */
    readonly duration: number;
  };
  /** A project's state changed; `all`: more than is told one by one. */
  state: {
    readonly change: "created" | "updated" | "deleted" | "uploaded" | "all";
    readonly id?: string;
    readonly key?: string;
    readonly version?: number;
  };
  /** A scenario or rule was turned on or off, in the project or, without one, for all. */
  scenario: { readonly scenario?: string; readonly rule?: string; readonly on: boolean };
  /** A project, or without one every project, went back to its beginning, or was closed. */
  reset: { readonly closed: boolean };
}

/**
 * Tells whoever listens what happens, as server-sent events (WHATWG HTML, 9.2) with increasing ids. The last events are
 * kept for readers that lose their connection. While nobody listens, and nobody has left just now, nothing is made.
 */
export interface Feed {
  /** Whether somebody listens, or may still come back: otherwise an event need not be made. */
  readonly isHeard: boolean;
  /** How many streams are open. */
  readonly listeners: number;
  publish<Type extends keyof FeedEvents>(type: Type, project: string | undefined, data: FeedEvents[Type]): void;
  /**
   * A stream of the events from now on, before them those that are kept with ids above `after`; of one project (and
   * those that concern all), or of every one. It ends with the feed; one that is not read breaks off.
   */
  open(options?: { project?: string; after?: number }): ReadableStream<Uint8Array>;
  /** Ends every stream, and each that is opened from then on. */
  close(): void;
}

/** Events that are kept for readers that come back. */
const KEPT_EVENTS = 1000;
/** More bytes than this waiting for one reader, and it is dropped: it can come back with the last id that it saw. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** A comment this often, in milliseconds, keeps proxies from closing a quiet stream. */
export const HEARTBEAT_MS = 15_000;
/** How long clients wait before they come back, in milliseconds. */
const RETRY_MS = 1000;
/** After the last reader has left, events are kept this long for it, in milliseconds. */
export const KEEP_MS = 60_000;

interface Kept {
  readonly id: number;
  readonly project: string | undefined;
  readonly frame: Uint8Array;
}

interface Listener {
  readonly project: string | undefined;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
}

const encoder = new TextEncoder();
const HEARTBEAT = encoder.encode(": still here\n\n");

export function createFeed(): Feed {
  const listeners = new Set<Listener>();
  let kept: Kept[] = [];
  let lastId = 0;
  let isHeard = false;
  let closed = false;
  let heartbeat: NodeJS.Timeout | undefined;
  let forgetting: NodeJS.Timeout | undefined;

  function send(listener: Listener, frame: Uint8Array): void {
    listener.controller.enqueue(frame);
    if ((listener.controller.desiredSize ?? 0) < 0) {
      leave(listener);
      listener.controller.error(new Error("this reader of events was too slow"));
    }
  }

  function leave(listener: Listener): void {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(heartbeat);
    heartbeat = undefined;
    forgetting = setTimeout(() => {
      isHeard = false;
      kept = [];
    }, KEEP_MS).unref();
  }

  function join(listener: Listener, after: number): void {
    isHeard = true;
    clearTimeout(forgetting);
    listeners.add(listener);
    heartbeat ??= setInterval(() => {
      for (const each of listeners) send(each, HEARTBEAT);
    }, HEARTBEAT_MS).unref();
    // An id that was not given out here is from before a restart: then everything since is news.
    const seen = after > lastId ? 0 : after;
    listener.controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
    for (const { id, project, frame } of kept) {
      if (id > seen && concerns(listener, project)) listener.controller.enqueue(frame);
    }
  }

  return {
    get isHeard() {
      return isHeard;
    },
    get listeners() {
      return listeners.size;
    },
    publish(type, project, data) {
      if (!isHeard || closed) return;
      const id = ++lastId;
      const json = JSON.stringify(project === undefined ? data : { project, ...data });
      const frame = encoder.encode(`id: ${id}\nevent: ${type}\ndata: ${json}\n\n`);
      kept.push({ id, project, frame });
      if (kept.length >= 2 * KEPT_EVENTS) kept = kept.slice(-KEPT_EVENTS);
      for (const listener of listeners) if (concerns(listener, project)) send(listener, frame);
    },
    open({ project, after } = {}) {
      let listener: Listener | undefined;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            if (closed) return controller.close();
            listener = { project, controller };
            join(listener, after ?? lastId);
          },
          cancel() {
            if (listener) leave(listener);
          },
        },
        { highWaterMark: MAX_WAITING_BYTES, size: (frame) => frame?.byteLength ?? 0 },
      );
    },
    close() {
      closed = true;
      for (const listener of listeners) {
        leave(listener);
        listener.controller.close();
      }
    },
  };
}

function concerns(listener: Listener, project: string | undefined): boolean {
  return listener.project === undefined || project === undefined || listener.project === project;
}

/** Longer paths and queries are cut in events: the journal has them whole. */
const MAX_EVENT_TEXT = 500;

/** The event of an answered request. */
export function requestEvent(exchange: Exchange): FeedEvents["request"] {
  const { id, method, path, query, operationId, status, source, violations, receivedAt, duration } = exchange;
  return {
    id,
    method,
    path: path.slice(0, MAX_EVENT_TEXT),
    query: redactQuery(query).slice(0, MAX_EVENT_TEXT),
    operation: operationId,
    status,
    source,
    violations: violations.length,
    receivedAt: new Date(receivedAt).toISOString(),
    duration: Number(duration.toFixed(3)),
  };
}

/** The event of a change of a project's state. */
export function stateEvent(change: StateChange): FeedEvents["state"] {
  switch (change.change) {
    case "all":
      return { change: "all" };
    case "uploaded":
      return { change: "uploaded", id: change.image.id };
    default: {
      const { id, key, version } = change.record;
      return { change: change.change, id, key, version };
    }
  }
}
