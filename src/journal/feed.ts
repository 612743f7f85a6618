import { KEEP_EVENTS_MS, MAX_KEPT_EVENTS, MAX_READERS, ServiceError, TimeSlice } from "../contract/index.ts";
import { type EventOf, type FeedEvent, type FeedEvents, type PublishedEvents, Summary } from "./events.ts";

/**
 * Publishes server-sent events (WHATWG HTML, 9.2) with increasing ids. Keeps the last events for readers that lose their
 * connection or read slowly. Creates no events if no reader is connected and the last one left more than a minute ago.
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
   * If `after` is not an id of this feed, and whenever events that the reader has not read are no longer kept, the stream
   * has a `gap` event instead. With `project`, the stream has only the events of this project and those about all
   * projects. With `summary`, the stream counts events that come fast (see `Summary`). The stream ends when the feed
   * closes.
   *
   * @throws ServiceError ServiceUnavailable if the feed has `MAX_READERS` readers
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

/** The number of kept events that a reader passes at once. */
const PORTION = 200;
/** The interval between comments that keep proxies from closing a quiet stream, in milliseconds. */
export const HEARTBEAT_MS = 15_000;
/** The time that clients wait before they reconnect, in milliseconds. */
const RETRY_MS = 1000;
interface Kept {
  readonly event: FeedEvent;
  /** The text of the event for all readers, created when the first of them needs it. */
  frame?: Uint8Array;
}

interface Listener {
  readonly project: string | undefined;
  /** Absent for a reader of all single events. */
  readonly summary: Summary | undefined;
  /** The id of the last event that the reader has passed. */
  seen: number;
  /** What the reader gets before the next event. */
  readonly frames: Uint8Array[];
  /** Continues a reader that waits for events. */
  wake: () => void;
}

const encoder = new TextEncoder();
const HEARTBEAT = encoder.encode(": still here\n\n");

function frameOf({ type, id, project, data }: EventOf<FeedEvents>): Uint8Array {
  const json = JSON.stringify(project === undefined ? data : { project, ...data });
  return encoder.encode(`id: ${id}\nevent: ${type}\ndata: ${json}\n\n`);
}

/** A feed that also passes on events that have an id already. */
export interface ReceivingFeed extends Feed {
  receive(event: FeedEvent): void;
  /** Notes that the event with this id, and those before, have been published and will still be received. */
  expect(id: number): void;
  /** Continues above the id `until`. Readers get a `gap` event, as the events before are lost. */
  skip(until: number): void;
}

interface FeedOptions {
  /** Event ids are above this one. If each server has a different one, feeds recognize readers of another server. */
  readonly firstId?: number;
  /** New event ids are above this one. */
  readonly lastId?: number;
  /** The number of kept events. */
  readonly most?: number;
  /** Whether the feed also keeps events while it has no readers. */
  readonly keepsAlways?: boolean;
}

export function createFeed(options: FeedOptions = {}): ReceivingFeed {
  const { firstId = 0, most = MAX_KEPT_EVENTS, keepsAlways = false } = options;
  let { lastId = firstId } = options;
  /** The highest id that a reader can have. */
  let published = lastId;
  const listeners = new Set<Listener>();
  let kept: Kept[] = [];
  /** The highest dropped id. Readers with a smaller last id may have missed events. */
  let lost = 0;
  /** The last id before events were not created. A reader that reconnects with it may have missed events. */
  let forgotten: number | undefined;
  let isPublishing = false;
  let closed = false;
  let heartbeat: NodeJS.Timeout | undefined;
  let forgetting: NodeJS.Timeout | undefined;

  function join(listener: Listener): void {
    isPublishing = true;
    clearTimeout(forgetting);
    listeners.add(listener);
    heartbeat ??= setInterval(() => {
      for (const each of listeners) if (each.frames.length === 0) send(each, HEARTBEAT);
    }, HEARTBEAT_MS).unref();
  }

  function leave(listener: Listener): void {
    listener.summary?.stop();
    if (!listeners.delete(listener) || listeners.size > 0) return;
    clearInterval(heartbeat);
    heartbeat = undefined;
    if (keepsAlways) return;
    forgetting = setTimeout(() => {
      isPublishing = false;
      kept = [];
      lost = lastId;
      forgotten = lastId;
    }, KEEP_EVENTS_MS).unref();
  }

  function send(listener: Listener, frame: Uint8Array): void {
    listener.frames.push(frame);
    listener.wake();
  }

  function sendGap(listener: Listener, until: number): void {
    listener.summary?.flush();
    const { seen: after, project } = listener;
    listener.frames.push(frameOf({ type: "gap", id: until, project, data: { after, until } }));
    listener.seen = until;
  }

  /** Returns the next frames for the reader; none if it has passed events that it does not get. */
  function nextPortion(listener: Listener): Uint8Array[] {
    if (listener.seen < lost) sendGap(listener, lost);
    const frames = listener.frames.splice(0);
    const start = kept.findLastIndex(({ event }) => event.id <= listener.seen) + 1;
    for (const each of kept.slice(start, start + PORTION)) {
      const { event } = each;
      listener.seen = event.id;
      const isForAll = listener.project === undefined || event.project === undefined;
      if (!(isForAll || listener.project === event.project) || listener.summary?.passes(event) === false) continue;
      each.frame ??= frameOf(event);
      frames.push(each.frame);
    }
    return frames;
  }

  function receive(event: FeedEvent): void {
    lastId = event.id;
    published = Math.max(published, lastId);
    kept.push({ event });
    if (kept.length >= most * 1.25) lost = kept.splice(0, kept.length - most).at(-1)?.event.id ?? lost;
    for (const listener of listeners) listener.wake();
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
    expect(id) {
      published = Math.max(published, id);
    },
    skip(until) {
      lastId = until;
      published = until;
      kept = [];
      lost = until;
      for (const listener of listeners) listener.wake();
    },
    open({ project, after = lastId, summary = false } = {}) {
      if (listeners.size >= MAX_READERS) throw tooManyReaders();
      const isForeign = after < firstId || after > published;
      const listener: Listener = {
        project,
        summary: summary
          ? new Summary((id, data) => send(listener, frameOf({ type: "summary", id, project, data })))
          : undefined,
        seen: isForeign ? firstId : after,
        frames: [encoder.encode(`retry: ${RETRY_MS}\n\n`)],
        wake: () => {},
      };
      if (isForeign || after === forgotten) sendGap(listener, Math.max(listener.seen, lost));
      if (!closed) join(listener);
      const slice = new TimeSlice();
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          // In each turn of the event loop, one reader gets a portion, if it has read its last one.
          for (await slice.next(); listeners.has(listener); await slice.next()) {
            const frames = nextPortion(listener);
            if (frames.length > 0) return controller.enqueue(Buffer.concat(frames));
            if (listener.seen < lastId) continue;
            if (closed) {
              listener.summary?.flush();
              if (listener.frames.length === 0) leave(listener);
            } else {
              await new Promise<void>((resolve) => {
                listener.wake = resolve;
              });
            }
          }
          if (closed) controller.close();
        },
        cancel() {
          leave(listener);
          listener.wake();
        },
      });
    },
    close() {
      closed = true;
      for (const listener of listeners) listener.wake();
    },
  };
}

export function tooManyReaders(): ServiceError {
  const message = `Readers of events: expected at most ${MAX_READERS} on a server, found more. Close unused event streams`;
  return new ServiceError({ code: "ServiceUnavailable", message }, { "Retry-After": "1" });
}
