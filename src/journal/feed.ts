import { FairBudget } from "./budget.ts";
import { Summary } from "./event-summary.ts";
import type { FeedEvent, FeedEvents, PublishedEvents } from "./events.ts";
import { KeptEvents } from "./kept-events.ts";

/**
 * Publishes server-sent events (WHATWG HTML, 9.2) with increasing ids. Keeps the last events of each project for
 * readers that lose their connection. Creates no events if no reader is connected and the last one left more than a
 * minute ago.
 */
export interface Feed {
  /** Whether a reader is connected or may still reconnect. Otherwise the caller need not create events. */
  readonly isPublishing: boolean;
  /** The number of open streams. */
  readonly listeners: number;
  publish<Type extends keyof PublishedEvents>(
    type: Type,
    project: string | undefined,
    data: PublishedEvents[Type],
  ): void;
  /**
   * Returns a stream of new events. With `after`, the stream starts with the kept events whose ids are above `after`.
   * If some of these events are no longer kept, or `after` is not an id of this feed, a `gap` event comes first. With
   * `project`, the stream has only the events of this project and those about all projects. With `summary`, the stream
   * counts events that come fast (see `Summary`). The stream ends when the feed closes, and fails if its reader is too
   * slow.
   */
  open(options?: StreamOptions): ReadableStream<Uint8Array>;
  /** Ends all open streams. Streams opened later end immediately. */
  close(): void;
}

/** The contents of an event stream. */
export interface StreamOptions {
  readonly project?: string;
  readonly after?: number;
  readonly summary?: boolean;
}

/**
 * The limit for the kept events of all projects together, in bytes. Below `MAX_WAITING_BYTES`, so one reader can get
 * all of them.
 */
const KEPT_BYTES = 2 * 1024 * 1024;
/**
 * The limit of unread bytes for one reader. Beyond it, its stream fails, and the reader can reconnect with its last id.
 */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Measured overhead of an unread event, in bytes. */
const FRAME_BYTES = 150;
/** The interval between comments that keep proxies from closing a quiet stream, in milliseconds. */
export const HEARTBEAT_MS = 15_000;
/** The time that clients wait before they reconnect, in milliseconds. */
const RETRY_MS = 1000;
/** The time for which events are created and kept after the last reader has left, in milliseconds. */
export const KEEP_MS = 60_000;

interface Listener {
  readonly project: string | undefined;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  /** Absent for a reader of all single events. */
  readonly summary: Summary | undefined;
}

const encoder = new TextEncoder();
const HEARTBEAT = encoder.encode(": still here\n\n");

type Frame<Type extends keyof FeedEvents = keyof FeedEvents> = {
  readonly type: Type;
  readonly id: number;
  readonly project: string | undefined;
  readonly data: FeedEvents[Type];
};

function frameOf<Type extends keyof FeedEvents>({ type, id, project, data }: Frame<Type>): Uint8Array {
  const json = JSON.stringify(project === undefined ? data : { project, ...data });
  return encoder.encode(`id: ${id}\nevent: ${type}\ndata: ${json}\n\n`);
}

/** A feed that also passes on events that have an id already. */
export interface ReceivingFeed extends Feed {
  receive(event: FeedEvent): void;
  /** Continues above the id `until`. Readers get a `gap` event, as the events before are lost. */
  skip(until: number): void;
}

/**
 * Creates a feed. Event ids are above `firstId`, and new ones above `lastId`. If each server has a different `firstId`, the feed recognizes readers
 * that were connected to another server.
 */
export function createFeed({
  firstId = 0,
  lastId = firstId,
}: {
  firstId?: number;
  lastId?: number;
} = {}): ReceivingFeed {
  const listeners = new Set<Listener>();
  const budget = new FairBudget(KEPT_BYTES);
  const kept = new Map<string | undefined, KeptEvents>();
  /** The highest dropped id of projects without kept events. Readers with a smaller last id may have missed events. */
  let lost = 0;
  let isPublishing = false;
  let closed = false;
  let heartbeat: NodeJS.Timeout | undefined;
  let forgetting: NodeJS.Timeout | undefined;

  function send(listener: Listener, frame: Uint8Array): void {
    listener.controller.enqueue(frame);
    if ((listener.controller.desiredSize ?? 0) < 0) {
      leave(listener);
      listener.controller.error(new Error("event stream closed: the reader was too slow"));
    }
  }

  function leave(listener: Listener): void {
    listener.summary?.stop();
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(heartbeat);
    heartbeat = undefined;
    forgetting = setTimeout(() => {
      isPublishing = false;
      forgetAll();
    }, KEEP_MS).unref();
  }

  function forgetAll(): void {
    for (const events of kept.values()) events.end();
    kept.clear();
    // Events from now on are not created, so a reader that reconnects with the last id has missed some.
    lost = lastId + 1;
  }

  function keptOf(project: string | undefined): KeptEvents {
    let events = kept.get(project);
    if (!events) {
      events = new KeptEvents(budget, (emptied) => {
        lost = Math.max(lost, emptied.lost);
        emptied.end();
        kept.delete(project);
      });
      kept.set(project, events);
    }
    return events;
  }

  /** Returns the kept events for a reader of this project, or of all projects. */
  function keptFor(project: string | undefined): KeptEvents[] {
    const all = project === undefined ? [...kept.values()] : [kept.get(undefined), kept.get(project)];
    return all.filter((events) => events !== undefined);
  }

  function replay(listener: Listener, after: number): void {
    const { project, controller } = listener;
    const relevant = keptFor(project);
    const until = Math.max(lost, ...relevant.map((events) => events.lost));
    const isForeign = after < firstId || after > lastId;
    const seen = isForeign ? firstId : after;
    const events = relevant.flatMap((each) => each.after(seen)).sort((a, b) => a.id - b.id);
    if (isForeign || after < until) {
      const data = { after: seen, until: Math.max(seen, Math.min(until, lastId)) };
      // The gap has the last id of the reader, as the ids of the following events must be greater.
      controller.enqueue(frameOf({ type: "gap", id: seen, project, data }));
    }
    for (const event of events) if (isSingle(listener, event)) controller.enqueue(frameOf(event));
  }

  function join(listener: Listener, after: number | undefined): void {
    isPublishing = true;
    clearTimeout(forgetting);
    listeners.add(listener);
    heartbeat ??= setInterval(() => {
      for (const each of listeners) send(each, HEARTBEAT);
    }, HEARTBEAT_MS).unref();
    listener.controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
    if (after !== undefined) replay(listener, after);
  }

  function receive(event: FeedEvent): void {
    lastId = event.id;
    keptOf(event.project).add(event);
    // Encoded once for all readers, and only for readers that receive single events.
    let frame: Uint8Array | undefined;
    for (const listener of listeners) {
      if (!concerns(listener, event.project) || !isSingle(listener, event)) continue;
      frame ??= frameOf(event);
      send(listener, frame);
    }
  }

  return {
    get isPublishing() {
      return isPublishing;
    },
    get listeners() {
      return listeners.size;
    },
    publish(type, project, data) {
      if (isPublishing && !closed) receive({ type, id: lastId + 1, project, data } as FeedEvent);
    },
    receive,
    skip(until) {
      const data = { after: lastId, until };
      lastId = until;
      for (const events of kept.values()) events.end();
      kept.clear();
      lost = until;
      for (const listener of listeners) {
        send(listener, frameOf({ type: "gap", id: until, project: listener.project, data }));
      }
    },
    open({ project, after, summary = false } = {}) {
      let listener: Listener | undefined;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            if (closed) return controller.close();
            const sendSummary = (id: number, data: FeedEvents["summary"]) =>
              send(opened, frameOf({ type: "summary", id, project, data }));
            const opened: Listener = { project, controller, summary: summary ? new Summary(sendSummary) : undefined };
            listener = opened;
            join(opened, after);
          },
          cancel() {
            if (listener) leave(listener);
          },
        },
        { highWaterMark: MAX_WAITING_BYTES, size: (frame) => (frame?.byteLength ?? 0) + FRAME_BYTES },
      );
    },
    close() {
      closed = true;
      for (const listener of listeners) {
        listener.summary?.flush();
        // The summary can exceed the limit of a slow reader.
        if (!listeners.has(listener)) continue;
        leave(listener);
        listener.controller.close();
      }
    },
  };
}

/** Returns whether the reader receives this event by itself, and not as a part of a summary. */
function isSingle({ summary }: Listener, event: FeedEvent): boolean {
  return summary?.passes(event) ?? true;
}

function concerns(listener: Listener, project: string | undefined): boolean {
  return listener.project === undefined || project === undefined || listener.project === project;
}
