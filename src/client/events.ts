import { EventSourceParserStream } from "eventsource-parser/stream";
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
  /** The id of the last event that was seen: those after it that the mock still keeps come first. */
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
  // The signal once more: not every `fetch` listens to it once there is a response.
  const text = body.pipeThrough(new TextDecoderStream(), { signal });
  const reader = text.pipeThrough(new EventSourceParserStream()).getReader();

  const end = async () => {
    // One that has been aborted meanwhile has come to its end too.
    await reader.cancel().catch(() => {});
    return { done: true, value: undefined } as const;
  };
  const stream: EventStream = {
    [Symbol.asyncIterator]: () => stream,
    async next() {
      const { done, value } = await reader.read();
      if (done) return { done, value: undefined };
      const { event: type, id = "", data } = value;
      return { done, value: { type, id, data: JSON.parse(data) } as MockEvent };
    },
    return: end,
    async [Symbol.asyncDispose]() {
      await end();
    },
  };
  return stream;
}
