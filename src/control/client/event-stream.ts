import { createParser } from "eventsource-parser";
import type { FeedEvents } from "../../journal/index.ts";
import { type Connection, callControl } from "./connection.ts";

/** An event; `type` decides the shape of `data`. */
export type MockEvent = {
  [Type in keyof FeedEvents]: {
    readonly type: Type;
    /** Continue after this event with `events({ after: id })`. */
    readonly id: string;
    /** Without `project` if the event concerns all projects. */
    readonly data: FeedEvents[Type] & { readonly project?: string };
  };
}[keyof FeedEvents];

/** A live stream of events. It ends when the mock stops, or when `return()` is called, as leaving `for await` does. */
export interface EventStream extends AsyncIterableIterator<MockEvent, undefined>, AsyncDisposable {
  return(): Promise<IteratorResult<MockEvent, undefined>>;
}

export interface EventOptions {
  /**
   * The id of the last event that you have received. The stream starts with the later events that the mock still keeps.
   * If the mock no longer keeps all of them, or does not know the id, the first event is `gap`.
   */
  readonly after?: string;
  /**
   * Counts events that come fast: if a second has more than 50 events of one type, one `summary` event replaces all
   * further events of the second. False by default.
   */
  readonly summary?: boolean;
  /** Ends the stream; a pending `next()` rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** Opens a stream of server-sent events. The stream reports every event after the returned promise has resolved. */
export async function openEvents(
  connection: Connection,
  path: string,
  { after, summary, signal }: EventOptions = {},
): Promise<EventStream> {
  const headers = { Accept: "text/event-stream", ...(after !== undefined && { "Last-Event-ID": after }) };
  const { body } = await callControl(connection, { method: "GET", path, query: { summary }, headers, signal });
  if (!body) throw new TypeError("fetch: expected a response with a readable body, found no body");
  const reader = body.getReader();
  // An aborted reader rejects; the stream has ended in this case too.
  const cancel = () => reader.cancel().catch(() => {});
  // Some `fetch` functions ignore the signal after the response has arrived.
  signal?.addEventListener("abort", cancel, { once: true });
  const events = eventsIn(reader, signal);
  let isOver = false;
  const end = async () => {
    isOver = true;
    signal?.removeEventListener("abort", cancel);
    // Ends a pending read, which the generator waits for.
    await cancel();
    return { done: true, value: undefined } as const;
  };
  const stream: EventStream = {
    [Symbol.asyncIterator]: () => stream,
    next: async () => (isOver ? { done: true, value: undefined } : events.next()),
    return: end,
    async [Symbol.asyncDispose]() {
      await end();
    },
  };
  return stream;
}

/**
 * Reads events one after the other. Does not use stream classes such as TextDecoderStream: DOM environments lack them, or
 * have classes that reject the streams of Node. `jest-environment-jsdom` also lacks TextDecoder.
 */
async function* eventsIn(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<MockEvent, undefined> {
  const { TextDecoder } = globalThis.TextDecoder ? globalThis : process.getBuiltinModule("node:util");
  const decoder = new TextDecoder();
  const events: MockEvent[] = [];
  const parser = createParser({
    onEvent: ({ event: type, id = "", data }) => events.push({ type, id, data: JSON.parse(data) } as MockEvent),
  });
  for (;;) {
    signal?.throwIfAborted();
    const event = events.shift();
    if (event) {
      yield event;
      continue;
    }
    const piece = await reader.read();
    signal?.throwIfAborted();
    if (piece.done) return undefined;
    parser.feed(decoder.decode(piece.value, { stream: true }));
  }
}
