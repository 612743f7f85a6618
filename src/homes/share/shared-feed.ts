import type { Redis } from "ioredis";
import { isObject, jsonValue, lazily, MAX_READERS, MAX_SHARED_EVENTS } from "../../contract/index.ts";
import {
  createFeed,
  type Feed,
  type FeedEvent,
  type ReceivingFeed,
  type StreamOptions,
  tooManyReaders,
} from "../../journal/index.ts";
import { startEvents } from "./script.ts";
import type { SharedStore } from "./store.ts";

/** The longest wait of one read, in milliseconds. */
const BLOCK_MS = 1000;

/** The pause before the next attempt to read, after the connection broke. */
const RECONNECT_MS = 100;

/** Returns the id before the first event, and the last id. KEYS: the counters. */
const idsScript = `
if redis.call('HEXISTS', KEYS[1], 'event') == 0 then ${startEvents("KEYS[1]")} end
return redis.call('HMGET', KEYS[1], 'firstEvent', 'event')
`;

/**
 * The feed of the events of all processes. Events are stored with the changes that they report, and get their ids there. A
 * process with readers reads the stored events and passes them on. So an id is valid in every process.
 */
export class SharedFeed implements Feed {
  readonly isPublishing = true;
  readonly #store: SharedStore;
  /** Receives the events of this process, to store them with the changes that they report. */
  readonly #add: (event: string, project: string | undefined) => void;
  readonly #closed = new AbortController();
  /** Opens the feed of the readers in this process, at the first reader. */
  readonly #start = lazily(() => this.#open());
  #opened: ReceivingFeed | undefined;
  /** The number of open streams, including those that wait for the store. */
  #readers = 0;
  #connection: Redis | undefined;
  /** The id before the first event, by which a store is recognized that has lost its data. */
  #first = 0;
  #last = 0;

  constructor(store: SharedStore, add: (event: string, project: string | undefined) => void) {
    this.#store = store;
    this.#add = add;
  }

  get listeners(): number {
    return this.#readers;
  }

  readonly publish: Feed["publish"] = (type, project, data) => {
    this.#add(JSON.stringify({ type, project, data }), project);
  };

  open(options: StreamOptions = {}): ReadableStream<Uint8Array> {
    if (this.#readers >= MAX_READERS) throw tooManyReaders();
    this.#readers++;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    this.#start()
      .then(async (local) => {
        // Another process can have passed on later events. They are still to come here.
        if ((options.after ?? 0) > this.#last) await this.#expectStored(local);
        return local.open(options).pipeTo(writable);
      })
      .catch((error: unknown) => writable.abort(error))
      // The reader has left.
      .catch(() => {})
      .finally(() => this.#readers--);
    return readable;
  }

  close(): void {
    this.#closed.abort();
    this.#connection?.disconnect();
    this.#opened?.close();
  }

  /** Reads the events that are still stored, and follows the stream. */
  async #open(): Promise<ReceivingFeed> {
    const stream = this.#store.key("events");
    const { first, last } = await this.#ids();
    const kept = await this.#store.run((redis) => redis.xrange(stream, "-", `${last}-0`));
    const firstId = kept[0] ? idOf(kept[0]) - 1 : last;
    const local = createFeed({ firstId, lastId: last, most: MAX_SHARED_EVENTS, keepsAlways: true });
    for (const entry of kept) receive(local, entry);
    this.#first = first;
    this.#last = last;
    this.#opened = local;
    void this.#follow(local, stream);
    return local;
  }

  async #expectStored(local: ReceivingFeed): Promise<void> {
    const { first, last } = await this.#ids();
    if (first === this.#first) local.expect(last);
  }

  async #ids(): Promise<{ readonly first: number; readonly last: number }> {
    const reply = await this.#store.run((redis) => redis.eval(idsScript, 1, this.#store.key("counters")));
    const [first, last] = reply as [string, string];
    return { first: Number(first), last: Number(last) };
  }

  async #follow(local: ReceivingFeed, stream: string): Promise<void> {
    this.#connection = this.#store.connection();
    while (!this.#closed.signal.aborted) {
      try {
        const from = `${this.#last}-0`;
        const reply = await this.#connection.xread("COUNT", 1000, "BLOCK", BLOCK_MS, "STREAMS", stream, from);
        const entries = reply?.[0]?.[1] ?? [];
        // Ids have no gaps, so that only other entries than the next one, or none, can follow a loss of data.
        const isNext = entries[0] && idOf(entries[0]) === this.#last + 1;
        if (!isNext && (await this.#skipLost(local))) continue;
        for (const entry of entries) {
          this.#last = idOf(entry);
          receive(local, entry);
        }
      } catch {
        // The connection connects again by itself.
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS).unref());
      }
    }
  }

  /** If the store has lost its data, readers get a gap. Returns whether it has. */
  async #skipLost(local: ReceivingFeed): Promise<boolean> {
    const { first } = await this.#ids();
    if (first === this.#first) return false;
    this.#first = first;
    this.#last = first;
    local.skip(first);
    return true;
  }
}

type Entry = [id: string, fields: string[]];

function idOf([id]: Entry): number {
  return Number(id.split("-")[0]);
}

/** Passes an event of the store on. Skips one that cannot be read, so that the stream goes on. */
function receive(local: ReceivingFeed, entry: Entry): void {
  const event = jsonValue(entry[1][1] ?? "");
  if (isObject(event)) local.receive({ ...event, id: idOf(entry) } as unknown as FeedEvent);
}
