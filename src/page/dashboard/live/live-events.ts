import {
  type Connection,
  ControlError,
  control,
  type Health,
  type MockEvent,
  type ResourceMockClient,
} from "../../../control/client/index.ts";

/** The connection of the page to the mock: its events, and its health. */
export type LiveEvents = Readonly<ReturnType<typeof liveEvents>>;

/** Gets the events since the last call, oldest first. An empty list means that the page has connected, or missed some. */
type Listener = (events: readonly MockEvent[]) => void;

/** Events are delivered in batches, because a busy suite causes thousands of events per second. */
const BATCH_MS = 100;
const RETRY_MS = 1000;
/** The time between two calls for the health, and the longest time of one: a silent mock is noticed within 10 seconds. */
const HEARTBEAT_MS = { pause: 4000, timeout: 5000 };
const healthCall = { method: "GET", path: "/health", accept: [503] } as const;

/**
 * Reads the events and the health of the mock while the tab is visible. A browser opens at most six connections to a
 * server, so hidden tabs have none. Reconnects after each failure, until `close` is called.
 */
export function liveEvents(connection: Connection, client: ResourceMockClient) {
  const listeners = new Set<Listener>();
  const watchers = new Set<() => void>();
  const closing = new AbortController();
  const state = { isOpen: false, isSilent: false };
  let lastId: string | undefined;
  /** Aborted when the tab is hidden, and for a new attempt. */
  let turn = new AbortController();

  const live = {
    /** Whether the page receives events, and the mock has responded to the last call for its health. */
    isConnected: false,
    /** The last health of the mock; undefined until the first response. */
    health: undefined as Health | undefined,
    /** The time of the last response of the mock, in milliseconds since 1970. */
    lastSign: Date.now(),
    /** Whether the mock has restarted since the page was opened. */
    hasRestarted: false,
    /** Calls the mock at once, and connects again. */
    retry: start,
    /** Adds a listener, which must read the state again after an empty list. Returns a function that removes it. */
    subscribe: (listener: Listener) => added(listeners, listener),
    /** Calls the listener when another member of this object changes. Returns a function that removes it. */
    watch: (listener: () => void) => added(watchers, listener),
    close() {
      closing.abort();
      document.removeEventListener("visibilitychange", start);
    },
  };
  const deliver = (events: readonly MockEvent[]) => {
    for (const listener of listeners) listener(events);
  };
  function change(changed: Partial<typeof state>): void {
    const wasConnected = live.isConnected;
    Object.assign(state, changed);
    live.isConnected = state.isOpen && !state.isSilent;
    if (!wasConnected && live.isConnected) deliver([]);
    for (const watcher of watchers) watcher();
  }

  async function readStream(signal: AbortSignal): Promise<void> {
    const stream = await client.events({ signal, after: lastId, summary: true });
    // After a pause, this may be another mock.
    if (live.health) await readHealth(signal);
    change({ isOpen: true });
    let batch: MockEvent[] = [];
    const flush = () => {
      lastId = batch.at(-1)?.id ?? lastId;
      if (!signal.aborted) deliver(batch);
      batch = [];
    };
    for await (const event of stream) {
      if (event.type === "gap") {
        lastId = undefined;
        deliver([]);
        continue;
      }
      if (batch.length === 0) setTimeout(flush, BATCH_MS);
      batch.push(event);
    }
  }

  async function readHealth(signal: AbortSignal): Promise<void> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(HEARTBEAT_MS.timeout)]);
    try {
      const found = await control<Health>(connection, { ...healthCall, signal: limited });
      live.hasRestarted ||= live.health !== undefined && Date.now() - found.uptime * 1000 > live.lastSign;
      live.health = found;
      live.lastSign = Date.now();
      change({ isSilent: false });
    } catch {
      if (!signal.aborted) change({ isSilent: true });
    }
  }

  /** Runs a task again and again until the signal aborts, with a pause after each run. */
  async function repeat(signal: AbortSignal, task: (signal: AbortSignal) => Promise<void>, pause: () => number) {
    while (!signal.aborted) {
      await task(signal).catch((error: unknown) => {
        // A new token starts a new session.
        if (error instanceof ControlError && error.status === 401) closing.abort();
      });
      if (task === readStream && !signal.aborted) change({ isOpen: false });
      await new Promise((resolve) => setTimeout(resolve, pause()));
    }
  }

  function start(): void {
    turn.abort();
    change({ isOpen: false });
    if (closing.signal.aborted || document.visibilityState === "hidden") return;
    turn = new AbortController();
    const signal = AbortSignal.any([turn.signal, closing.signal]);
    void repeat(signal, readStream, () => RETRY_MS);
    void repeat(signal, readHealth, () => (state.isSilent ? RETRY_MS : HEARTBEAT_MS.pause));
  }
  document.addEventListener("visibilitychange", start);
  start();

  return live;
}

/** Adds a listener. Returns a function that removes it. */
export function added<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
