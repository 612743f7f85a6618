import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { type Connection, control } from "../../client/connection.ts";
import type { MockEvent, ProjectSummary } from "../../client/types.ts";
import { isOf } from "./events.ts";
import type { LiveEvents } from "./live-events.ts";
import { type Session, useSession } from "./session.ts";

/** The session for the views of one project. */
export interface ProjectSession {
  /** Its events end when the project is closed. */
  readonly session: Session;
  /** Whether the project was closed, on this page or elsewhere. */
  readonly isClosed: boolean;
  setClosed(isClosed: boolean): void;
}

/**
 * Returns the session for the views of a project. The views receive no events that end with the close of the project:
 * they would read and show a project that no longer exists.
 */
export function useProjectSession(project: string): ProjectSession {
  const session = useSession();
  const [isClosed, setClosed] = useState(false);
  const views = useMemo(() => viewsOf(session, project, setClosed), [session, project]);
  useLayoutEffect(() => session.live.subscribe(views.receive), [views]);
  return { session: views.session, isClosed, setClosed };
}

type Listener = Parameters<LiveEvents["subscribe"]>[0];

function viewsOf(session: Session, project: string, setClosed: (isClosed: boolean) => void) {
  const { connection, live } = session;
  const listeners = new Set<Listener>();
  let wasConnected = live.isConnected;
  /** Whether the project existed at some time. The page of a new project shows its initial state. */
  let existed = exists(connection, project);
  /** Ends after the last batch of events. No batch overtakes another one. */
  let last: Promise<void> = Promise.resolve();

  /** Passes events on, unless the project is closed after them. */
  async function pass(events: readonly MockEvent[], mayHaveMissed: boolean): Promise<void> {
    const end = events.findLast((event) => isOf(event, project, "project"));
    // A summary does not say whether the project was opened or closed, and a hidden tab may have missed the event.
    const isClosed =
      end?.type === "project"
        ? end.data.change === "closed"
        : (end || (mayHaveMissed && (await existed))) && !(await exists(connection, project));
    if (events.some(({ data }) => data.project === project)) existed = Promise.resolve(true);
    if (isClosed || end) setClosed(Boolean(isClosed));
    if (!isClosed) for (const listener of listeners) listener(events);
  }

  return {
    receive(events: readonly MockEvent[]) {
      // After a reconnect, the mock may be another one. The open views keep their drafts for it.
      const mayHaveMissed = events.length === 0 && wasConnected && live.isConnected;
      wasConnected = live.isConnected;
      last = last.then(() => pass(events, mayHaveMissed));
    },
    session: {
      ...session,
      live: {
        get isConnected() {
          return live.isConnected;
        },
        subscribe(listener: Listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        close: live.close,
      },
    },
  };
}

interface ProjectList {
  readonly projects: readonly ProjectSummary[];
  readonly total: number;
}

/** The largest number of projects that a search for one project returns. */
const MAX_FOUND = 1000;

/** Returns whether the project exists, or true if that is unknown: the views then show the error of their own reads. */
async function exists(connection: Connection, project: string): Promise<boolean> {
  const query = { q: project, limit: MAX_FOUND };
  try {
    // A search, as the browser reports a 404 for a missing project as an error.
    const { projects, total } = await control<ProjectList>(connection, { method: "GET", path: "/projects", query });
    return projects.some(({ key }) => key === project) || total > projects.length;
  } catch {
    return true;
  }
}
