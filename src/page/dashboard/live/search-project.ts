import { type Connection, control, type ProjectSummary } from "../../../control/client/index.ts";

interface ProjectList {
  readonly projects: readonly ProjectSummary[];
  readonly total: number;
}

/** The largest number of projects that a search for one project returns. */
const MAX_FOUND = 1000;

/**
 * Returns the projects whose key contains this key. The page reads no summary by its key, as the browser reports a 404 for
 * a missing project as an error.
 */
export function searchProject(connection: Connection, project: string): Promise<ProjectList> {
  return control(connection, { method: "GET", path: "/projects", query: { q: project, limit: MAX_FOUND } });
}
