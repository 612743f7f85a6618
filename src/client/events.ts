import { createParser } from "eventsource-parser";
import type { FeedEvents } from "../journal/feed.ts";
import { type Connection, callControl } from "./connection.ts";

/** Something that happened; `type` tells what `data` holds. */
export type MockEvent = {
  [Type in keyof FeedEvents]: {
    readonly type: Type;
    /** To go on from here later: `events({ after: id })`. */
    readonly id: string;
    /** `project` is left out where every project is concerned. */
    readonly data: FeedEvents[Type] & { readonly project?: string };
  };
}[keyof FeedEvents];

/** Events as they happen. It ends when the mock stops, or with `return()`, which a left `for await` loop calls. */
export interface EventStream extends AsyncIterableIterator<MockEvent, undefined>, AsyncDisposable {
  return(): Promise<IteratorResult<MockEvent, undefined>>;
}

export interface EventOptions {
  /**
   * The id of the last event that was seen: those after it that the mock still keeps come first. If some are no longer
   * kept, or the id is from another mock, the first event is `gap`.
   */
  readonly after?: string;
  /** Ends the stream; a reader that waits is rejected with the reason. */
  readonly signal?: AbortSignal;
}

/** Opens a stream of server-sent events. Whatever happens once this has resolved is in it. */
export async function openEvents(
  connection: Connection,
  path: string,
  { after, signal }: EventOptions = {},
): Promise<EventStream> {
  const headers = { Accept: "text/event-stream", ...(after !== undefined && { "Last-Event-ID": after }) };
  const { body } = await callControl(connection, { method: "GET", path, headers, signal });
  if (!body) throw new TypeError("this fetch gives its responses no body to read");
  const received = receivedEvents(body.getReader(), signal);
  const end = async () => {
    await received.end();
    return { done: true, value: undefined } as const;
  };
  const stream: EventStream = {
    [Symbol.asyncIterator]: () => stream,
    next: received.next,
    return: end,
    async [Symbol.asyncDispose]() {
      await end();
    },
  };
  return stream;
}

/**
 * Reads events one after the other. Without streams of this realm: DOM environments may have none, or none that take
 * the streams of another.
 */
function receivedEvents(reader: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal | undefined) {
  const decoder = new TextDecoder();
  const events: MockEvent[] = [];
  const parser = createParser({
    onEvent: ({ event: type, id = "", data }) => events.push({ type, id, data: JSON.parse(data) } as MockEvent),
  });
  // One that has been aborted meanwhile has come to its end too.
  const cancel = () => reader.cancel().catch(() => {});
  // The signal once more: not every `fetch` listens to it once there is a response.
  signal?.addEventListener("abort", cancel, { once: true });

  async function read(): Promise<IteratorResult<MockEvent, undefined>> {
    for (;;) {
      signal?.throwIfAborted();
      const value = events.shift();
      if (value) return { done: false, value };
      const piece = await reader.read();
      signal?.throwIfAborted();
      if (piece.done) return { done: true, value: undefined };
      parser.feed(decoder.decode(piece.value, { stream: true }));
    }
  }
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** Calls that overlap get the events in turn. */
    next(): Promise<IteratorResult<MockEvent, undefined>> {
      const next = last.then(read, read);
      last = next;
      return next;
    },
    async end(): Promise<void> {
      signal?.removeEventListener("abort", cancel);
      events.length = 0;
      await cancel();
    },
  };
}
