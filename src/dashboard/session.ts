import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { type Connection, connectionTo } from "../client/connection.ts";
import { mockClient } from "../client/mock-client.ts";
import type { MockEvent, ProjectControl, ResourceMockClient } from "../client/types.ts";
import { type LiveEvents, liveEvents } from "./live-events.ts";

/** The connection to the mock that served this page. All components share it. */
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

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession: expected a SessionContext.Provider around the component, found none");
  return session;
}

/** Returns the controls of a project. */
export function useProject(key: string): ProjectControl {
  return useSession().client.project(key);
}

/**
 * Calls the listener with batches of events; see `LiveEvents.subscribe`. The listener of the first rendering stays
 * subscribed, so the properties that it uses must be part of the component's `key`.
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

/** Returns whether an event concerns this project: one of the project or of all projects, other than a close. */
export function concerns({ type, data }: MockEvent, project: string): boolean {
  if (type === "project" && data.change === "closed") return false;
  return data.project === undefined || data.project === project;
}
