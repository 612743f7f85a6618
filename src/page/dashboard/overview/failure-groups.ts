import type { RequestSummary } from "../../../control/client/index.ts";

/** The most failed requests that the overview reads. */
export const MAX_READ = 1000;

/** Failed requests with the same operation, status and reason. */
export interface FailureGroup {
  readonly status: number;
  readonly operation: string | undefined;
  /** The reason of the newest request. */
  readonly reason: string;
  /** The rules, functions and scenarios with an effect on these requests: they make the failure an expected one. */
  readonly by: readonly string[];
  readonly newest: RequestSummary;
  readonly count: number;
  /** The number of requests of each project. */
  readonly projects: ReadonlyMap<string, number>;
}

/**
 * Groups failed requests, newest first, by operation, status and reason, most first. A failure is expected if a rule,
 * function or scenario had an effect on its request.
 */
export function groupsOf(requests: readonly RequestSummary[]) {
  const groups = new Map<string, RequestSummary[]>();
  for (const request of requests) {
    const { status, operation, reason = "", by = [] } = request;
    const key = JSON.stringify([status, operation, withoutValues(reason), by]);
    const group = groups.get(key);
    if (group) group.push(request);
    else groups.set(key, [request]);
  }
  const all = Array.from(groups.values(), groupOf).sort((a, b) => b.count - a.count);
  return {
    unexpected: all.filter(({ by }) => by.length === 0),
    expected: all.filter(({ by }) => by.length > 0),
  };
}

function groupOf(requests: readonly RequestSummary[]): FailureGroup {
  const newest = requests[0] as RequestSummary;
  return {
    status: newest.status,
    operation: newest.operation,
    reason: newest.reason ?? "",
    by: newest.by ?? [],
    newest,
    count: requests.length,
    projects: countsOf(requests.map(({ project }) => [project, 1])),
  };
}

/** Returns a reason without the numbers, ids, paths and quoted texts that differ from request to request. */
function withoutValues(reason: string): string {
  return reason.replace(/"[^"]*"|\/\S+|\b[\da-f]+(-[\da-f]+)+\b|\d+/g, "…");
}

/** Returns the projects of these groups with the number of their failures, most first. */
export function projectsOf(groups: readonly FailureGroup[]): (readonly [project: string, count: number])[] {
  return [...countsOf(groups.flatMap(({ projects }) => [...projects]))].sort((a, b) => b[1] - a[1]);
}

function countsOf(found: readonly (readonly [project: string, count: number])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [project, count] of found) counts.set(project, (counts.get(project) ?? 0) + count);
  return counts;
}
