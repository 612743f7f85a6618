/* The session of the page with the mock, and the hooks that load values from the mock. */

import { createContext } from "preact";
import { useContext, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  type Connection,
  connectionTo,
  control,
  type FilterOfAll,
  type MockEvent,
  mockClient,
  type ProjectControl,
  type ProjectSummary,
  path,
  type RequestSearch,
  type ResourceMockClient,
  type ResourceRecord,
  type StoredType,
} from "../../../control/client/index.ts";
import { added, type LiveEvents, liveEvents } from "./live-events.ts";

/** The connection to the mock that served this page, and how components read from it. All components share it. */
export interface Session {
  readonly connection: Connection;
  readonly client: ResourceMockClient;
  readonly live: LiveEvents;
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
  const session: Session = { connection, client, live: liveEvents(connection, client) };
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
    if (loader.current) loader.current.isStopped = true;
    loader.current = createLoader(load, () => render({}), pause);
    previous.current = all;
  }
  const current = loader.current as Loader<T>;
  current.load = load;
  // At once, and not after the whole page is on the screen.
  if (isNew) void current.reload();

  useLayoutEffect(() => () => void Object.assign(current, { isStopped: true }), [current]);
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
  /** Ends after the pause that follows the last load. */
  let rest: Promise<unknown> | undefined;
  let next: Promise<void> | undefined;
  const loader = {
    load,
    state: {} as { readonly value?: T; readonly error?: unknown },
    isStopped: false,
    reload(): Promise<void> {
      if (rest) {
        next ??= rest.then(loader.reload);
        return next;
      }
      const run = runOnce();
      rest = run
        .then(() => new Promise((resolve) => setTimeout(resolve, pause)))
        .then(() => {
          rest = undefined;
          next = undefined;
        });
      return run;
    },
  };

  async function runOnce(): Promise<void> {
    if (loader.isStopped) return;
    const state = await loader.load().then(
      (value) => ({ value }),
      (error: unknown) => ({ value: loader.state.value, error }),
    );
    if (loader.isStopped) return;
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
  const isOwn = (of: { readonly project?: string }) => project === undefined || (of.project ?? project) === project;
  if (event.type !== "summary") return (types as MockEvent["type"][]).includes(event.type) && isOwn(event.data);
  const { projects, others } = event.data;
  return [...projects.filter(isOwn), ...(others ? [others] : [])].some(({ requests, changes }) =>
    types.some((type) => (type === "request" ? requests > 0 : (changes[type] ?? 0) > 0)),
  );
}

/** Returns the stored types by their names. Empty until they are loaded. */
export function useTypes(): ReadonlyMap<string, StoredType> {
  const controls = useProject();
  const { value: types = [] } = useLoaded(() => controls.types());
  return new Map(types.map((type) => [type.name, type]));
}

/** Reads projects: those whose key contains `q`, in the order of `sort`. */
export function searchProjects(
  connection: Connection,
  query: { readonly q?: string; readonly sort?: string; readonly limit: number },
): Promise<{ readonly projects: readonly ProjectSummary[]; readonly total: number }> {
  return control(connection, { method: "GET", path: "/projects", query });
}

/** Reads resources of a project: those that match `q` and `where`, in the order of `sort`. */
export function findResources(
  connection: Connection,
  project: string,
  query: Readonly<Record<"q" | "where" | "sort" | "type", string | undefined>> & { readonly limit: number },
): Promise<{ readonly resources: readonly ResourceRecord[]; readonly total: number }> {
  return control(connection, { method: "GET", path: path`/projects/${project}/resources`, query });
}

/**
 * Returns the summary of a project. The page reads none by its key, as the browser reports a 404 for a missing project as
 * an error. Throws if too many other keys contain this one.
 */
async function summaryOf(connection: Connection, key: string): Promise<ProjectSummary | undefined> {
  const { projects, total } = await searchProjects(connection, { q: key, limit: 1000 });
  const found = projects.find((each) => each.key === key);
  if (!found && total > projects.length) throw new Error(`${total} projects have ${key} in their key`);
  return found;
}

/**
 * Returns the session for the views of a project. The views receive no events that end with the deletion of the project:
 * they would read and show a project that no longer exists. `isClosed`: it was deleted, on this page or elsewhere.
 */
export function useProjectSession(project: string) {
  const session = useSession();
  const [isClosed, setClosed] = useState(false);
  const { receive, ...views } = useMemo(() => viewsOf(session, project, setClosed), [session, project]);
  useLayoutEffect(() => session.live.subscribe(receive), [receive]);
  return { ...views, isClosed, setClosed };
}

type Listener = Parameters<LiveEvents["subscribe"]>[0];

function viewsOf(session: Session, project: string, setClosed: (isClosed: boolean) => void) {
  const { connection, live } = session;
  const listeners = new Set<Listener>();
  let loaded: Promise<ProjectSummary | undefined> | undefined;
  const summary = () => {
    loaded ??= summaryOf(connection, project);
    return loaded;
  };
  /** Returns whether the project exists, or true if that is unknown: the views then show the error of their own reads. */
  const exists = async () => (await summary().catch(() => true)) !== undefined;
  /** Whether the project existed at some time. The page of a new project shows its initial state. */
  let existed = false;
  /** Ends after the last batch of events. No batch overtakes another one. */
  let last: Promise<void> = Promise.resolve();

  /** Passes events on, unless the project is deleted after them. */
  async function pass(events: readonly MockEvent[]): Promise<void> {
    existed ||= events.some(({ data }) => data.project === project) || (await exists());
    // A page that was not connected may have missed the deletion. A summary does not tell it from a creation.
    if (events.length === 0 || events.some((event) => isOf(event, project, "project", "reset"))) {
      loaded = undefined;
      const isClosed = existed && !(await exists());
      setClosed(isClosed);
      if (isClosed) return;
    }
    for (const listener of listeners) listener(events);
  }

  const subscribe = (listener: Listener) => added(listeners, listener);
  return {
    receive(events: readonly MockEvent[]) {
      last = last.then(() => pass(events));
    },
    /** Resolves to the summary of the project, as of its last creation, deletion or reset. */
    summary,
    session: { ...session, project, live: Object.create(live, { subscribe: { value: subscribe } }) as LiveEvents },
  };
}
