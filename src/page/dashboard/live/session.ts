import { createContext } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  type Connection,
  connectionTo,
  control,
  type FilterOfAll,
  type MockEvent,
  mockClient,
  type ProjectControl,
  path,
  type RequestSearch,
  type ResourceMockClient,
} from "../../../control/client/index.ts";
import type { ApiName, ApiOperation } from "../api/document.ts";
import { type LiveEvents, liveEvents } from "./live-events.ts";

/** The connection to the mock that served this page. All components share it. */
export interface Session {
  readonly connection: Connection;
  readonly client: ResourceMockClient;
  readonly live: LiveEvents;
  /** The contracts that were read so far; see `useContract`. */
  readonly contracts: Partial<Record<ApiName, Promise<readonly ApiOperation[]>>>;
  /** The project that the components show; undefined on the page of all projects. */
  readonly project?: string;
}

/**
 * Opens a session. Calls `onRejected` with it when the mock rejects the admin token: it is wrong, or the mock has
 * restarted.
 */
export function openSession(adminToken: string | undefined, onRejected: (session: Session) => void): Session {
  const connection = connectionTo(location.origin, {
    adminToken,
    async fetch(url, init) {
      const response = await fetch(url, init);
      if (response.status === 401) onRejected(session);
      return response;
    },
  });
  const client = mockClient(connection);
  const session: Session = { connection, client, live: liveEvents(connection, client), contracts: {} };
  return session;
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("useSession: expected a SessionContext.Provider around the component, found none");
  return session;
}

/** Returns the controls of a project, by default of the one that the page shows. */
export function useProject(key?: string): ProjectControl {
  const { client, project = "" } = useSession();
  return client.project(key ?? project);
}

export function useRead() {
  const { connection, project = "" } = useSession();
  return <T>(below: string, query?: object): Promise<T> =>
    control<T>(connection, { method: "GET", path: path`/projects/${project}` + below, query: { ...query } });
}

/** Returns the search for the requests of the project or, on the page of all projects, of all of them. */
export function useRequestSearch(): Pick<RequestSearch<FilterOfAll, unknown>, "page" | "timeline"> {
  const { client, project } = useSession();
  return project === undefined ? client.requests : client.project(project).requests;
}

/** Calls the listener of the last rendering with batches of events; see `LiveEvents.subscribe`. */
export function useEvents(listener: (events: readonly MockEvent[]) => void): void {
  const { live } = useSession();
  const latest = useRef(listener);
  latest.current = listener;
  useLayoutEffect(() => live.subscribe((events) => latest.current(events)), [live]);
}

/** Returns the connection of the page to the mock, and renders again when it changes. */
export function useLive(): LiveEvents {
  const { live } = useSession();
  const [, render] = useState({});
  useLayoutEffect(() => live.watch(() => render({})), [live]);
  return live;
}
