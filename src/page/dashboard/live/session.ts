/* The session of the page with the mock, and the hooks that load values from the mock. */

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
  type RequestSearch,
  type ResourceMockClient,
} from "../../../control/client/index.ts";
import { type ApiName, type ApiOperation, type OpenApiDocument, operationsOf } from "../api/document.ts";
import { type LiveEvents, liveEvents } from "./live-events.ts";

/** The connection to the mock that served this page, and how components read from it. All components share it. */
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

/** The last value that was loaded from the mock, and the error of a later load that failed. */
export interface Loaded<T> {
  /** Undefined until the first load ends. */
  readonly value?: T;
  readonly error?: unknown;
  /** Loads the value again. Resolves when a load that began after this call has ended. */
  reload(): Promise<void>;
}

/** The shortest time between two loads, in milliseconds. It limits the load on the mock during many events. */
const PAUSE_MS = 250;

type EventType = Exclude<MockEvent["type"], "summary" | "gap">;

/**
 * Loads a value from the mock: on the first rendering, when one of `inputs` or the project changes, after a reconnect, and
 * after each event of these types or reset that concerns the page. Without types, no event loads the value again. Only one
 * load is in progress at a time. The previous value is kept until the load ends, except if `inputs` have changed: then the
 * value belongs to something else.
 */
export function useLoaded<T>(
  load: () => Promise<T>,
  types: readonly EventType[] | "any" = [],
  inputs: readonly unknown[] = [],
  pause = PAUSE_MS,
): Loaded<T> {
  const { project } = useSession();
  const [, render] = useState({});
  const all = [project, ...inputs];
  const previous = useRef(all);
  const loader = useRef<Loader<T>>(undefined);
  const isNew = !loader.current || all.some((input, index) => !Object.is(input, previous.current[index]));
  if (isNew) {
    loader.current?.stop();
    loader.current = createLoader(load, () => render({}), pause);
    previous.current = all;
  }
  const current = loader.current as Loader<T>;
  current.load = load;
  // At once, and not after the whole page is on the screen.
  if (isNew) void current.reload();

  useLayoutEffect(() => () => current.stop(), [current]);
  // The page of a project handles its deletion.
  const ends: readonly EventType[] = project === undefined ? ["reset", "project"] : ["reset"];
  const concerns = (event: MockEvent) =>
    types === "any" || (types.length > 0 && isOf(event, project, ...ends, ...types));
  useEvents((events) => {
    if (events.length === 0 || events.some(concerns)) void current.reload();
  });
  return { ...current.state, reload: () => current.reload() };
}

type Loader<T> = ReturnType<typeof createLoader<T>>;

/** Runs the loads of one `useLoaded`: one at a time, with a pause between them. */
function createLoader<T>(load: () => Promise<T>, onChange: () => void, pause: number) {
  let isStopped = false;
  /** Ends after the pause that follows the last load. */
  let rest: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const loader = {
    load,
    state: {} as { readonly value?: T; readonly error?: unknown },
    stop() {
      isStopped = true;
    },
    reload(): Promise<void> {
      if (!rest) return start();
      next ??= rest.then(() => {
        next = undefined;
        return start();
      });
      return next;
    },
  };

  function start(): Promise<void> {
    const run = runOnce();
    rest = run
      .then(() => new Promise((resolve) => setTimeout(resolve, pause)))
      .then(() => {
        rest = undefined;
      });
    return run;
  }

  async function runOnce(): Promise<void> {
    if (isStopped) return;
    const state = await loader.load().then(
      (value) => ({ value }),
      (error: unknown) => ({ value: loader.state.value, error }),
    );
    if (isStopped) return;
    loader.state = state;
    onChange();
  }
  return loader;
}

/**
 * Returns whether an event is of one of these types and about this project or, without a project, about any. Events
 * about all projects are about each of them. A summary counts as the events that it counts.
 */
export function isOf(event: MockEvent, project: string | undefined, ...types: EventType[]): boolean {
  if (event.type !== "summary") {
    const isWanted = (types as MockEvent["type"][]).includes(event.type);
    return isWanted && (project === undefined || event.data.project === undefined || event.data.project === project);
  }
  const { projects, others } = event.data;
  const own = projects.filter(
    (each) => project === undefined || each.project === undefined || each.project === project,
  );
  // Without a project, `others` adds nothing: the entries show whether anything has changed.
  return [...own, ...(others ? [others] : [])].some(({ requests, changes }) =>
    types.some((type) => (type === "request" ? requests > 0 : (changes[type] ?? 0) > 0)),
  );
}

/** The OpenAPI documents of the mock, below `/__admin`. */
const documents: Readonly<Record<ApiName, string>> = { service: "/contract.json", control: "/openapi.json" };

/** Loads the operations of an API, by default of the service, in the order of its document. */
export function useContract(api: ApiName = "service"): Loaded<readonly ApiOperation[]> {
  const { connection, contracts } = useSession();
  return useLoaded(
    async () => {
      // The documents never change while the mock runs, so a session loads each of them once.
      contracts[api] ??= control<OpenApiDocument>(connection, { method: "GET", path: documents[api] })
        .then((document) => operationsOf(api, document))
        .catch((error: unknown) => {
          delete contracts[api];
          throw error;
        });
      return contracts[api];
    },
    [],
    [api],
  );
}
