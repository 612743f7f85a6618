import type { ProjectSummary } from "../../../control/client/index.ts";
import { sandboxOf } from "../../../state/index.ts";

/** A project with its sandboxes. */
export interface ProjectGroup {
  readonly key: string;
  /** Undefined if the list has only sandboxes of the project. */
  project?: ProjectSummary;
  readonly sandboxes: { readonly name: string; readonly summary: ProjectSummary }[];
}

/** Groups sandboxes, such as `shop~t1`, under their project. A group has the place of its first project. */
export function projectGroups(projects: readonly ProjectSummary[]): ProjectGroup[] {
  const groups = new Map<string, ProjectGroup>();
  for (const summary of projects) {
    const [key, sandbox] = split(summary.key);
    const group: ProjectGroup = groups.get(key) ?? { key, sandboxes: [] };
    groups.set(key, group);
    if (sandbox === undefined) group.project = summary;
    else group.sandboxes.push({ name: sandbox, summary });
  }
  return [...groups.values()];
}

function split(key: string): [project: string, sandbox?: string] {
  const sandbox = sandboxOf(key);
  return sandbox === undefined ? [key] : [key.slice(0, -sandbox.length - 1), sandbox];
}
