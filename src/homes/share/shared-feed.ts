import type { Redis } from "ioredis";
import { isObject, KEEP_EVENTS_MS, lazily, MAX_READERS } from "../../contract/index.ts";
import {
  createFeed,
  type Feed,
  type FeedEvent,
  type PublishedEvents,
  type ReceivingFeed,
  type StreamOptions,
  tooManyReaders,
} from "../../journal/index.ts";
import type { SharedStore } from "./store.ts";

/** An event in the stream of the store. */
type StoredEvent = Pick<FeedEvent, "type" | "project" | "data">;

/** The longest wait of one read, in milliseconds. */
const BLOCK_MS = 1000;

/** The pause before the next attempt to read, after the connection broke. */
const RECONNECT_MS = 100;

/**
 * Renews the mark of event readers. Its value is the id before the first stored event. Ids are microseconds at first, so
 * they are above those of events that the store has lost. KEYS: the mark, the counters, the stream. ARGV: the lifetime of
 * the mark, the last id that the process knows, and the time.
 */
const markScript = `
local start = redis.call('GET', KEYS[1])
local last = tonumber(redis.call('HGET', KEYS[2], 'event') or '0')
if start and last >= tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  redis.call('PEXPIRE', KEYS[3], ARGV[1])
else
  last = math.max(last, tonumber(ARGV[2]), tonumber(ARGV[3])) + 1
  start = string.format('%.0f', last)
  redis.call('DEL', KEYS[3])
  redis.call('HSET', KEYS[2], 'event', start)
  redis.call('SET', KEYS[1], start, 'PX', ARGV[1])
end
return { start, string.format('%.0f', last) }
`;

/** Receives the events of this process, to store them with the changes that they report. */
interface EventSink {
  isListening(): boolean;
  add(event: string, project: string | undefined): void;
}

/**
 * The feed of the events of all processes. Events are stored with the changes that they report, and get their ids there. A
 * process with readers reads the stored events and passes them on. So an id is valid in every process.
 */
export class SharedFeed implements Feed {
  readonly #store: SharedStore;
  readonly #sink: EventSink;
  readonly #closed = new AbortController();
  /** Opens the feed of the readers in this process, at the first reader. */
  readonly #start = lazily(() => this.#open());
  #opened: Feed | undefined;
  /** The number of open streams, including those that wait for the store. */
  #readers = 0;
  #connection: Redis | undefined;
  /** The id before the first event that the store has (see `#mark`). */
  #started = 0;
  /** The id of the last received event. */
  #last = 0;

  constructor(store: SharedStore, sink: EventSink) {
    this.#store = store;
    this.#sink = sink;
  }

  get isPublishing(): boolean {
    return this.#sink.isListening();
  }

  get listeners(): number {
    return this.#readers;
  }

  publish<Type extends keyof PublishedEvents>(
    type: Type,
    project: string | undefined,
    data: PublishedEvents[Type],
  ): void {
    if (this.isPublishing) this.#sink.add(JSON.stringify({ type, project, data }), project);
  }

  open(options: StreamOptions = {}): ReadableStream<Uint8Array> {
    if (this.#readers >= MAX_READERS) throw tooManyReaders();
    this.#readers++;
    let isOpen = true;
    const leave = () => {
      if (isOpen) this.#readers--;
      isOpen = false;
    };
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    return new ReadableStream<Uint8Array>({
      start: async () => {
        try {
          const local = await this.#start();
          // Without readers, the mark is not renewed.
          await this.#renewMark(local);
          if (isOpen) reader = local.open(options).getReader();
        } catch (error) {
          leave();
          throw error;
        }
      },
      async pull(controller) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (!done && value) return controller.enqueue(value);
        leave();
        controller.close();
      },
      cancel: (reason) => {
        leave();
        return reader?.cancel(reason);
      },
    });
  }

  close(): void {
    this.#closed.abort();
    this.#connection?.disconnect();
    this.#opened?.close();
  }

  /** Marks that this process has readers, reads the events that are still stored, and follows the stream. */
  async #open(): Promise<ReceivingFeed> {
    const stream = this.#store.key("events");
    const { start, last } = await this.#mark();
    const kept = await this.#store.run((redis) => redis.xrange(stream, "-", `${last}-0`));
    const firstId = kept[0] ? Number(kept[0][0].split("-")[0]) - 1 : last;
    const local = createFeed({ firstId, lastId: last });
    for (const entry of kept) receive(local, entry);
    this.#started = start;
    this.#last = last;
    this.#opened = local;
    this.#keepMark(local);
    void this.#follow(local, stream);
    return local;
  }

  /**
   * Marks that this process has readers. Returns the id before the first stored event, and the last id. Events are stored
   * from the first mark on, until no process has renewed the mark for two minutes, or the store loses its data.
   */
  async #mark(): Promise<{ start: number; last: number }> {
    const keys = [this.#store.key("listening"), this.#store.key("counters"), this.#store.key("events")];
    const args = [2 * KEEP_EVENTS_MS, this.#last, Date.now() * 1000];
    const reply = await this.#store.run((redis) => redis.eval(markScript, keys.length, ...keys, ...args));
    const [start, last] = reply as [string, string];
    return { start: Number(start), last: Number(last) };
  }

  async #renewMark(local: ReceivingFeed): Promise<void> {
    const { start } = await this.#mark();
    if (start === this.#started) return;
    this.#started = start;
    this.#last = Math.max(this.#last, start);
    local.skip(this.#last);
  }

  /** Renews the mark while this process has readers or had some less than a minute ago. */
  #keepMark(local: ReceivingFeed): void {
    const timer = setInterval(() => {
      if (local.isPublishing) void this.#renewMark(local).catch(() => {});
    }, KEEP_EVENTS_MS / 4).unref();
    this.#closed.signal.addEventListener("abort", () => clearInterval(timer));
  }

  async #follow(local: ReceivingFeed, stream: string): Promise<void> {
    this.#connection = this.#store.connection();
    while (!this.#closed.signal.aborted) {
      try {
        const from = `${this.#last}-0`;
        const reply = await this.#connection.xread("COUNT", 1000, "BLOCK", BLOCK_MS, "STREAMS", stream, from);
        for (const entry of reply?.[0]?.[1] ?? []) {
          const id = idOf(entry);
          if (id <= this.#last) continue;
          this.#last = id;
          receive(local, entry);
        }
      } catch {
        await this.#reconnect(local);
      }
    }
  }

  /** Waits until the store can be reached again. It may have lost events. */
  async #reconnect(local: ReceivingFeed): Promise<void> {
    while (!this.#closed.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS).unref());
      try {
        return await this.#renewMark(local);
      } catch {
        // Both connections connect again by themselves.
      }
    }
  }
}

type Entry = [id: string, fields: string[]];

function idOf([id]: Entry): number {
  return Number(id.split("-")[0]);
}

/** Passes an event of the store on. Skips one that cannot be read, so that the stream goes on. */
function receive(local: ReceivingFeed, entry: Entry): void {
  const [, text = ""] = entry[1];
  let event: StoredEvent;
  try {
    event = JSON.parse(text) as StoredEvent;
  } catch {
    return;
  }
  if (isObject(event)) local.receive({ ...event, id: idOf(entry) } as FeedEvent);
}
