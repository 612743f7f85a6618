import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { Connection, MockEvent } from "../../../control/client/index.ts";
import { isOf } from "./events.ts";
import type { LiveEvents } from "./live-events.ts";
import { searchProject } from "./search-project.ts";
import { type Session, useSession } from "./session.ts";

/** The session for the views of one project. */
export interface ProjectSession {
  /** Its events end when the project is deleted. */
  readonly session: Session;
  /** Whether the project was deleted, on this page or elsewhere. */
  readonly isClosed: boolean;
  setClosed(isClosed: boolean): void;
}

/**
 * Returns the session for the views of a project. The views receive no events that end with the deletion of the project:
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
  /** Whether the project existed at some time. The page of a new project shows its initial state. */
  let existed = exists(connection, project);
  /** Ends after the last batch of events. No batch overtakes another one. */
  let last: Promise<void> = Promise.resolve();

  /** Passes events on, unless the project is deleted after them. */
  async function pass(events: readonly MockEvent[], mayHaveMissed: boolean): Promise<void> {
    const end = events.findLast((event) => isOf(event, project, "project"));
    // A summary does not say whether the project was created or deleted. A page that was not connected may have missed it.
    const isClosed =
      end?.type === "project"
        ? end.data.change === "deleted"
        : (end || (mayHaveMissed && (await existed))) && !(await exists(connection, project));
    if (events.some(({ data }) => data.project === project)) existed = Promise.resolve(true);
    if (isClosed || end) setClosed(Boolean(isClosed));
    if (!isClosed) for (const listener of listeners) listener(events);
  }

  return {
    receive(events: readonly MockEvent[]) {
      const mayHaveMissed = events.length === 0;
      last = last.then(() => pass(events, mayHaveMissed));
    },
    session: {
      ...session,
      live: Object.create(live, {
        subscribe: {
          value(listener: Listener) {
            listeners.add(listener);
            return () => listeners.delete(listener);
          },
        },
      }) as LiveEvents,
    },
  };
}

/** Returns whether the project exists, or true if that is unknown: the views then show the error of their own reads. */
async function exists(connection: Connection, project: string): Promise<boolean> {
  try {
    const { projects, total } = await searchProject(connection, project);
    return projects.some(({ key }) => key === project) || total > projects.length;
  } catch {
    return true;
  }
}
