import type { MockEvent } from "../../../control/client/index.ts";

type Type = Exclude<MockEvent["type"], "summary" | "gap">;

/**
 * Returns whether an event is of one of these types and about this project or, without a project, about any. Events
 * about all projects are about each of them. A summary counts as the events that it counts.
 */
export function isOf(event: MockEvent, project: string | undefined, ...types: Type[]): boolean {
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

/** Returns a test for events of these types, and for resets; see `isOf`. For `useLoaded`. */
export function on(project: string | undefined, ...types: Type[]): (event: MockEvent) => boolean {
  return (event) => isOf(event, project, "reset", ...types);
}
