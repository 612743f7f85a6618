import type { StateChange } from "../state/store.ts";
import { redactQuery } from "../text/redact.ts";
import { type BudgetMember, FairBudget } from "./budget.ts";
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
  /**
   * A reader that came back has missed events which are no longer kept, or came from another server: it should read
   * the state again. The missed events have ids above `after`, and none above `until`.
   */
  gap: { readonly after: number; readonly until: number };
}

/**
 * Publishes events as server-sent events (WHATWG HTML, 9.2) with increasing ids. Keeps the last events of each project
 * for readers that lose their connection. While nobody listens, and nobody has left just now, no events are made.
 */
export interface Feed {
  /** Whether somebody listens, or may still come back: otherwise an event need not be made. */
  readonly isHeard: boolean;
  /** How many streams are open. */
  readonly listeners: number;
  publish<Type extends Exclude<keyof FeedEvents, "gap">>(
    type: Type,
    project: string | undefined,
    data: FeedEvents[Type],
  ): void;
  /**
   * Returns a stream of the events from now on, before them those that are kept with ids above `after`; of one project
   * (and those that concern all), or of every one. If some after `after` are no longer kept, or the id is not from this
   * feed, it begins with `gap`. The stream ends with the feed, and breaks off if it is not read.
   */
  open(options?: { project?: string; after?: number }): ReadableStream<Uint8Array>;
  /** Ends every stream, and each that is opened from then on. */
  close(): void;
}

/** Events of one project that are kept for readers that come back. */
const KEPT_EVENTS = 1000;
/** What the kept events of all projects may hold together, in bytes. Less than may wait for one reader. */
const KEPT_BYTES = 2 * 1024 * 1024;
/** More bytes than this waiting for one reader, and it is cut off: it can come back with the last id that it saw. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** What keeping an event, or the events of a project, takes beside its bytes, by measurement. */
const EVENT_BYTES = 150;
const PROJECT_BYTES = 300;
/** A comment this often, in milliseconds, keeps proxies from closing a quiet stream. */
export const HEARTBEAT_MS = 15_000;
/** How long clients wait before they come back, in milliseconds. */
const RETRY_MS = 1000;
/** After the last reader has left, events are kept this long for it, in milliseconds. */
export const KEEP_MS = 60_000;

interface Kept {
  readonly id: number;
  readonly frame: Uint8Array;
}

interface Listener {
  readonly project: string | undefined;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
}

/** The kept events of one project, or those that concern all. Calls `onEmpty` when none of them is kept any more. */
class KeptEvents implements BudgetMember {
  readonly #budget: FairBudget;
  readonly #onEmpty: (last: KeptEvents) => void;
  #events: Kept[] = [];
  #bytes = 0;
  #lost = 0;

  constructor(budget: FairBudget, onEmpty: (last: KeptEvents) => void) {
    this.#budget = budget;
    this.#onEmpty = onEmpty;
    budget.add(this);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The id of the last event that is no longer kept; 0 if all are. */
  get lost(): number {
    return this.#lost;
  }

  after(id: number): Kept[] {
    return this.#events.filter((event) => event.id > id);
  }

  add(event: Kept): void {
    this.#events.push(event);
    this.#count(sizeOf(event) + (this.#bytes === 0 ? PROJECT_BYTES : 0));
    // Dropping many at once moves each event once at most.
    if (this.#events.length >= 2 * KEPT_EVENTS) this.#drop(KEPT_EVENTS);
  }

  shrinkTo(bytes: number): void {
    let left = this.#bytes;
    const kept = this.#events.findIndex((event) => {
      if (left <= bytes) return true;
      left -= sizeOf(event);
      return false;
    });
    this.#drop(kept === -1 ? this.#events.length : kept);
    if (this.#events.length === 0) this.#onEmpty(this);
  }

  /** Gives back what it holds. */
  end(): void {
    this.#budget.remove(this);
    this.#count(-this.#bytes);
  }

  #drop(count: number): void {
    const dropped = this.#events.splice(0, count);
    this.#lost = dropped.at(-1)?.id ?? this.#lost;
    this.#count(-dropped.reduce((sum, event) => sum + sizeOf(event), 0));
  }

  #count(by: number): void {
    this.#bytes += by;
    this.#budget.change(by);
  }
}

function sizeOf({ frame }: Kept): number {
  return EVENT_BYTES + frame.byteLength;
}

const encoder = new TextEncoder();
const HEARTBEAT = encoder.encode(": still here\n\n");

function frameOf(type: keyof FeedEvents, id: number, project: string | undefined, data: object): Uint8Array {
  const json = JSON.stringify(project === undefined ? data : { project, ...data });
  return encoder.encode(`id: ${id}\nevent: ${type}\ndata: ${json}\n\n`);
}

/** `firstId`: ids are greater. Feeds with ids of their own can tell that a reader comes from another one. */
export function createFeed({ firstId = 0 } = {}): Feed {
  const listeners = new Set<Listener>();
  const budget = new FairBudget(KEPT_BYTES);
  const kept = new Map<string | undefined, KeptEvents>();
  let lastId = firstId;
  /** Readers that saw only smaller ids may have missed events of projects of which none is kept. */
  let lost = 0;
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
      forgetAll();
    }, KEEP_MS).unref();
  }

  function forgetAll(): void {
    for (const events of kept.values()) events.end();
    kept.clear();
    // The next events are not made: whoever comes back with the last id has missed them.
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

  /** The kept events that concern a reader of this project, or of all of them. */
  function keptFor(project: string | undefined): KeptEvents[] {
    const all = project === undefined ? [...kept.values()] : [kept.get(undefined), kept.get(project)];
    return all.filter((events) => events !== undefined);
  }

  function replay({ project, controller }: Listener, after: number): void {
    const concerned = keptFor(project);
    const until = Math.max(lost, ...concerned.map((events) => events.lost));
    const isForeign = after < firstId || after > lastId;
    const seen = isForeign ? firstId : after;
    const events = concerned.flatMap((each) => each.after(seen)).sort((a, b) => a.id - b.id);
    if (isForeign || after < until) {
      const data = { after: seen, until: Math.max(seen, Math.min(until, lastId)) };
      // With the id that the reader has: those of the events that follow are greater.
      controller.enqueue(frameOf("gap", seen, project, data));
    }
    for (const { frame } of events) controller.enqueue(frame);
  }

  function join(listener: Listener, after: number | undefined): void {
    isHeard = true;
    clearTimeout(forgetting);
    listeners.add(listener);
    heartbeat ??= setInterval(() => {
      for (const each of listeners) send(each, HEARTBEAT);
    }, HEARTBEAT_MS).unref();
    listener.controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
    if (after !== undefined) replay(listener, after);
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
      const frame = frameOf(type, id, project, data);
      keptOf(project).add({ id, frame });
      for (const listener of listeners) if (concerns(listener, project)) send(listener, frame);
    },
    open({ project, after } = {}) {
      let listener: Listener | undefined;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            if (closed) return controller.close();
            listener = { project, controller };
            join(listener, after);
          },
          cancel() {
            if (listener) leave(listener);
          },
        },
        { highWaterMark: MAX_WAITING_BYTES, size: (frame) => (frame?.byteLength ?? 0) + EVENT_BYTES },
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
      return { change: change.change, id: shortOnly(id), key: shortOnly(key), version };
    }
  }
}

/** A name that was cut would be another name: events leave out long ones. */
function shortOnly(name: string | undefined): string | undefined {
  return name !== undefined && name.length <= MAX_EVENT_TEXT ? name : undefined;
}
