import { ControlError } from "../client/control-error.ts";
import type { MockEvent, ResourceMockClient } from "../client/types.ts";

/** What happens in the mock, while it happens, to as many parts of the page as want to know. */
export interface LiveEvents {
  /** Whether the mock is there to tell. */
  readonly isConnected: boolean;
  /**
   * Calls back with the events since the last call, oldest first. Without events when the connection came or went, or
   * when events were missed: the listener then reads the state again.
   *
   * @returns ends the subscription
   */
  subscribe(listener: (events: readonly MockEvent[]) => void): () => void;
  close(): void;
}

/** A busy suite makes thousands of events a second; the page need not change more often than one can see. */
const BATCH_MS = 50;
const RETRY_MS = 1000;

/** Listens to the mock, and comes back when the connection breaks, until closed. */
export function liveEvents(client: ResourceMockClient): LiveEvents {
  const listeners = new Set<(events: readonly MockEvent[]) => void>();
  const closing = new AbortController();
  let isConnected = false;
  let batch: MockEvent[] = [];

  function tell(events: readonly MockEvent[]): void {
    for (const listener of listeners) listener(events);
  }

  function flush(): void {
    const events = batch;
    batch = [];
    if (!closing.signal.aborted) tell(events);
  }

  function setConnected(connected: boolean): void {
    if (isConnected === connected || closing.signal.aborted) return;
    isConnected = connected;
    tell([]);
  }

  async function listen(): Promise<void> {
    const stream = await client.events({ signal: closing.signal });
    setConnected(true);
    for await (const event of stream) {
      if (event.type === "gap") {
        tell([]);
        continue;
      }
      if (batch.length === 0) setTimeout(flush, BATCH_MS);
      batch.push(event);
    }
  }

  async function listenOn(): Promise<void> {
    while (!closing.signal.aborted) {
      // However it ended, it is tried again, and the page says meanwhile that nobody is there; but for a token that is
      // wrong: another one makes another session.
      await listen().catch((error: unknown) => {
        if (error instanceof ControlError && error.status === 401) closing.abort();
      });
      setConnected(false);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  void listenOn();

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
