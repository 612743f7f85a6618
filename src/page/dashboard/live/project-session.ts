import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import {
  type Connection,
  control,
  type MockEvent,
  type ProjectSummary,
  path,
  type ResourceRecord,
} from "../../../control/client/index.ts";
import { added, type LiveEvents } from "./live-events.ts";
import { isOf, type Session, useSession } from "./session.ts";

export interface ProjectPage {
  readonly projects: readonly ProjectSummary[];
  readonly total: number;
}

/** Reads projects: those whose key contains `q`, in the order of `sort`. */
export function searchProjects(
  connection: Connection,
  query: { readonly q?: string; readonly sort?: string; readonly limit: number },
): Promise<ProjectPage> {
  return control(connection, { method: "GET", path: "/projects", query });
}

interface ResourceList {
  readonly resources: readonly ResourceRecord[];
  readonly total: number;
}

/** Reads resources of a project: those that match `q` and `where`, in the order of `sort`. */
export function searchResources(
  connection: Connection,
  project: string,
  query: { readonly q?: string; readonly where?: string; readonly sort?: string; readonly limit: number },
): Promise<ResourceList> {
  return control(connection, { method: "GET", path: path`/projects/${project}/resources`, query });
}

/**
 * Returns the summary of a project. The page reads none by its key, as the browser reports a 404 for a missing project as
 * an error. Throws if too many other keys contain this one.
 */
export async function summaryOf(connection: Connection, key: string): Promise<ProjectSummary | undefined> {
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
  const exists = () =>
    summary().then(
      (found) => found !== undefined,
      () => true,
    );
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
