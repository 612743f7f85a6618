import { ControlError, type MockEvent, type ResourceMockClient } from "../../../control/client/index.ts";

/** The live events of the mock, for any number of subscribers on the page. */
export interface LiveEvents {
  /** Whether this tab receives events. */
  readonly isConnected: boolean;
  /**
   * Calls the listener with the events since the last call, oldest first. An empty list means that the connection
   * created or deleted, or that events were missed. The listener must then read the state again.
   *
   * @returns a function that ends the subscription
   */
  subscribe(listener: (events: readonly MockEvent[]) => void): () => void;
  close(): void;
}

/** Events are delivered in batches, because a busy suite causes thousands of events per second. */
const BATCH_MS = 100;
const RETRY_MS = 1000;
/** The name of the lock and of the channel that the tabs of this server share. */
const NAME = "resource-mock events";

/** A message from the leading tab to the other tabs; `ask` goes the other way. */
type Message = { readonly connected: boolean } | { readonly events: readonly MockEvent[] } | "ask";

/**
 * Subscribes to the events of the mock. A browser opens at most six connections to a server, so its tabs share one
 * stream: the tab that holds a lock reads the stream and sends the events to the other tabs. Hidden tabs release the
 * lock, so there is no stream while all tabs are hidden. Web Locks need a secure context; without them, each visible tab
 * has its own stream.
 *
 * Reconnects after a connection failure, until `close` is called.
 */
export function liveEvents(client: ResourceMockClient): LiveEvents {
  const listeners = new Set<(events: readonly MockEvent[]) => void>();
  const closing = new AbortController();
  const locks: LockManager | undefined = navigator.locks;
  const channel = locks && new BroadcastChannel(NAME);
  let isConnected = false;
  /** The last event that this tab received: a new leader continues after it. */
  let lastId: string | undefined;
  /** Aborted when this tab stops to lead, or to wait for the lock. */
  let turn: AbortController | undefined;
  let isLeading = false;

  function receive(message: Exclude<Message, "ask">): void {
    if (closing.signal.aborted) return;
    if ("events" in message) {
      lastId = message.events.at(-1)?.id ?? lastId;
      for (const listener of listeners) listener(message.events);
    } else if (isConnected !== message.connected) {
      isConnected = message.connected;
      for (const listener of listeners) listener([]);
    }
  }

  /** Passes a message of the stream on to all tabs, including this one. */
  function tell(message: Exclude<Message, "ask">): void {
    channel?.postMessage(message);
    receive(message);
  }

  async function readStream(signal: AbortSignal): Promise<void> {
    const stream = await client.events({ signal, after: lastId, summary: true });
    tell({ connected: true });
    let batch: MockEvent[] = [];
    const flush = () => {
      tell({ events: batch });
      batch = [];
    };
    for await (const event of stream) {
      if (event.type === "gap") {
        lastId = undefined;
        tell({ events: [] });
        continue;
      }
      if (batch.length === 0) setTimeout(flush, BATCH_MS);
      batch.push(event);
    }
  }

  /** Reads the stream until the signal aborts. Every failure is retried. */
  async function lead(signal: AbortSignal): Promise<void> {
    isLeading = true;
    while (!signal.aborted) {
      await readStream(signal).catch((error: unknown) => {
        // A new token starts a new session.
        if (error instanceof ControlError && error.status === 401) closing.abort();
      });
      if (signal.aborted) break;
      tell({ connected: false });
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    isLeading = false;
  }

  function takeTurn(): void {
    if (turn || closing.signal.aborted) return;
    const own = new AbortController();
    turn = own;
    const signal = AbortSignal.any([own.signal, closing.signal]);
    const led = locks ? locks.request(NAME, { signal }, () => lead(signal)) : lead(signal);
    // The request for the lock rejects when it is aborted.
    led.catch(() => {});
  }

  function followVisibility(): void {
    if (document.visibilityState === "hidden") {
      turn?.abort();
      turn = undefined;
      return;
    }
    takeTurn();
    // The tab may have missed events while all tabs were hidden.
    receive({ events: [] });
    channel?.postMessage("ask" satisfies Message);
  }

  channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data !== "ask") receive(data);
    else if (isLeading) channel.postMessage({ connected: isConnected } satisfies Message);
  });
  document.addEventListener("visibilitychange", followVisibility);
  followVisibility();

  return {
    get isConnected() {
      return isConnected;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      closing.abort();
      document.removeEventListener("visibilitychange", followVisibility);
      channel?.close();
    },
  };
}
