import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { type Connection, connectionTo } from "../client/connection.ts";
import { mockClient } from "../client/mock-client.ts";
import type { MockEvent, ProjectControl, ResourceMockClient } from "../client/types.ts";
import { type LiveEvents, liveEvents } from "./live-events.ts";

/** The mock that gave out this page, as every part of the page drives it. */
export interface Session {
  readonly connection: Connection;
  readonly client: ResourceMockClient;
  readonly live: LiveEvents;
}

export function openSession(adminToken: string | undefined): Session {
  const connection = connectionTo(location.origin, { adminToken });
  const client = mockClient(connection);
  return { connection, client, live: liveEvents(client) };
}

/** The session of the page's parts. */
export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("there is a session only within SessionContext.Provider");
  return session;
}

/** The controls of one project. */
export function useProject(key: string): ProjectControl {
  return useSession().client.project(key);
}

/**
 * Calls back with what happens, in batches; see `LiveEvents.subscribe`. The listener is the one of the first rendering:
 * it knows the properties that are the component's `key`, and no others.
 */
export function useEvents(listener: (events: readonly MockEvent[]) => void): void {
  const { live } = useSession();
  useEffect(() => live.subscribe(listener), [live]);
}

export function useConnected(): boolean {
  const { live } = useSession();
  const [isConnected, setConnected] = useState(live.isConnected);
  useEffect(() => live.subscribe(() => setConnected(live.isConnected)), [live]);
  return isConnected;
}

/** Whether an event is about this project as it still is: its own, or one of all projects. */
export function concerns({ type, data }: MockEvent, project: string): boolean {
  if (type === "reset" && data.closed) return false;
  return data.project === undefined || data.project === project;
}
