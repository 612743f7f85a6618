import { ControlError } from "../client/control-error.ts";
import type { MockEvent, ResourceMockClient } from "../client/types.ts";

/** The live events of the mock, for any number of subscribers on the page. */
export interface LiveEvents {
  /** Whether the event stream is open. */
  readonly isConnected: boolean;
  /**
   * Calls the listener with the events since the last call, oldest first. An empty list means that the connection
   * opened or closed, or that events were missed. The listener must then read the state again.
   *
   * @returns a function that ends the subscription
   */
  subscribe(listener: (events: readonly MockEvent[]) => void): () => void;
  close(): void;
}

/** Events are delivered in batches, because a busy suite causes thousands of events per second. */
const BATCH_MS = 50;
const RETRY_MS = 1000;

/** Subscribes to the events of the mock. Reconnects after a connection failure, until `close` is called. */
export function liveEvents(client: ResourceMockClient): LiveEvents {
  const listeners = new Set<(events: readonly MockEvent[]) => void>();
  const closing = new AbortController();
  let isConnected = false;
  let batch: MockEvent[] = [];

  function notify(events: readonly MockEvent[]): void {
    for (const listener of listeners) listener(events);
  }

  function flush(): void {
    const events = batch;
    batch = [];
    if (!closing.signal.aborted) notify(events);
  }

  function setConnected(connected: boolean): void {
    if (isConnected === connected || closing.signal.aborted) return;
    isConnected = connected;
    notify([]);
  }

  async function listen(): Promise<void> {
    const stream = await client.events({ signal: closing.signal });
    setConnected(true);
    for await (const event of stream) {
      if (event.type === "gap") {
        notify([]);
        continue;
      }
      if (batch.length === 0) setTimeout(flush, BATCH_MS);
      batch.push(event);
    }
  }

  async function keepListening(): Promise<void> {
    while (!closing.signal.aborted) {
      // Every failure is retried, except a wrong admin token: a new token starts a new session.
      await listen().catch((error: unknown) => {
        if (error instanceof ControlError && error.status === 401) closing.abort();
      });
      setConnected(false);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  void keepListening();

  return {
    get isConnected() {
      return isConnected;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => closing.abort(),
  };
}
