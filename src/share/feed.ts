import type { Redis } from "ioredis";
import { lazily } from "../contract/lazily.ts";
import type { FeedEvent, PublishedEvents } from "../journal/events.ts";
import { createFeed, type Feed, KEEP_MS, type ReceivingFeed, type StreamOptions } from "../journal/feed.ts";
import type { SharedStore } from "./store.ts";

/** An event in the stream of the store. */
type StoredEvent = Pick<FeedEvent, "type" | "project" | "data">;

/** The longest wait of one read, in milliseconds. */
const BLOCK_MS = 1000;

/** Receives the events of this process, to store them with the changes that they report. */
export interface EventSink {
  readonly isListening: boolean;
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
  #connection: Redis | undefined;

  constructor(store: SharedStore, sink: EventSink) {
    this.#store = store;
    this.#sink = sink;
  }

  get isPublishing(): boolean {
    return this.#sink.isListening;
  }

  get listeners(): number {
    return this.#opened?.listeners ?? 0;
  }

  publish<Type extends keyof PublishedEvents>(
    type: Type,
    project: string | undefined,
    data: PublishedEvents[Type],
  ): void {
    if (this.isPublishing) this.#sink.add(JSON.stringify({ type, project, data }), project);
  }

  open(options: StreamOptions = {}): ReadableStream<Uint8Array> {
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    return new ReadableStream<Uint8Array>({
      start: async () => {
        reader = (await this.#start()).open(options).getReader();
      },
      async pull(controller) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done || !value) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader?.cancel(reason),
    });
  }

  close(): void {
    this.#closed.abort();
    this.#connection?.disconnect();
    this.#opened?.close();
  }

  /** Marks that this process has readers, reads the events that are still stored, and follows the stream. */
  async #open(): Promise<ReceivingFeed> {
    const [stream, counters, mark] = [
      this.#store.key("events"),
      this.#store.key("counters"),
      this.#store.key("listening"),
    ];
    const lastId = await this.#store.run(async (redis) => {
      // The first reader: events were not stored before, so earlier ids are no longer valid.
      if ((await redis.set(mark, "1", "PX", 2 * KEEP_MS, "NX")) === "OK") {
        await redis.del(stream);
        await redis.hsetnx(counters, "event", String(Date.now() * 1000));
        await redis.hincrby(counters, "event", 1);
      }
      return Number(await redis.hget(counters, "event"));
    });
    const kept = await this.#store.run((redis) => redis.xrange(stream, "-", `${lastId}-0`));
    const firstId = kept[0] ? Number(kept[0][0].split("-")[0]) - 1 : lastId;
    const local = createFeed({ firstId, lastId });
    for (const entry of kept) local.receive(eventOf(entry));
    this.#opened = local;
    this.#keepMark(mark);
    void this.#follow(local, stream, lastId);
    return local;
  }

  /** Renews the mark while this process has readers or had some less than a minute ago. */
  #keepMark(mark: string): void {
    const timer = setInterval(() => {
      if (this.#opened?.isPublishing) void this.#store.run((redis) => redis.pexpire(mark, 2 * KEEP_MS)).catch(() => {});
    }, KEEP_MS / 4).unref();
    this.#closed.signal.addEventListener("abort", () => clearInterval(timer));
  }

  async #follow(local: ReceivingFeed, stream: string, from: number): Promise<void> {
    this.#connection = this.#store.connection();
    let last = from;
    while (!this.#closed.signal.aborted) {
      try {
        const reply = await this.#connection.xread("COUNT", 1000, "BLOCK", BLOCK_MS, "STREAMS", stream, `${last}-0`);
        for (const entry of reply?.[0]?.[1] ?? []) {
          const event = eventOf(entry);
          last = event.id;
          local.receive(event);
        }
      } catch {
        if (this.#closed.signal.aborted) return;
        // The connection is broken, and connects again by itself.
        await new Promise((resolve) => setTimeout(resolve, 100).unref());
      }
    }
  }
}

function eventOf([id, [, text = ""]]: [id: string, fields: string[]]): FeedEvent {
  const event = JSON.parse(text) as StoredEvent;
  return { ...event, id: Number(id.split("-")[0]) } as FeedEvent;
}
