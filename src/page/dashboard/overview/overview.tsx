import type { RequestSummary } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useRequestSearch, useSession } from "../live/session.ts";
import { Loading } from "../parts/action.tsx";
import { counted, Status } from "../parts/text.tsx";
import { Time, useNow } from "../parts/time.tsx";
import { Learn } from "../requests/learn.tsx";
import { hrefOf } from "../route.ts";
import { FailureMatrix } from "./failure-matrix.tsx";

/** Each load reads the whole journal, so it is loaded less often than the list of requests. */
const PAUSE_MS = 2000;

/** The failures of one project or, on the page of all projects, of all: those without a cause in the mock first. */
export function Overview() {
  const { project } = useSession();
  const search = useRequestSearch();
  const failures = useLoaded(
    () => search.page({ status: "4xx,5xx,broken", brief: true, limit: MAX_READ }),
    ["request", "journal"],
    [],
    PAUSE_MS,
  );
  return (
    <div class="view overview">
      <Loading of={failures} lines={6}>
        {({ requests, total, searched }) => {
          if (searched === 0) return <Learn />;
          const { unexpected, expected } = groupsOf(requests);
          return (
            <>
              <p class="overview-total">
                <b class={unexpected.length > 0 ? "bad" : undefined}>
                  {unexpected.reduce((sum, { count }) => sum + count, 0).toLocaleString("en")} unexpected
                </b>{" "}
                and {expected.reduce((sum, { count }) => sum + count, 0).toLocaleString("en")} expected failures in{" "}
                {counted(searched, "request")}
                {total > requests.length && ` (the newest ${MAX_READ.toLocaleString("en")} failures are read)`}.
              </p>
              {project === undefined && <Projects of={unexpected} />}
              <Groups title="Unexpected failures" of={unexpected}>
                None. A scenario, a rule or a function caused each failure so far.
              </Groups>
              {expected.length > 0 && (
                <Groups title="Expected failures" of={expected}>
                  None.
                </Groups>
              )}
            </>
          );
        }}
      </Loading>
      <FailureMatrix />
    </div>
  );
}

function Projects({ of }: { of: readonly FailureGroup[] }) {
  const projects = projectsOf(of);
  if (projects.length === 0) return null;
  return (
    <ul class="chips" aria-label="Projects with unexpected failures">
      {projects.slice(0, 20).map(([key, count]) => (
        <li key={key}>
          <a class="chip" href={hrefOf({ project: key, view: "overview" })}>
            <span class="key">{key}</span> <span class="count bad">{count}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

interface GroupsProps {
  readonly title: string;
  readonly of: readonly FailureGroup[];
  readonly children: string;
}

const MAX_GROUPS = 50;

function Groups({ title, of, children }: GroupsProps) {
  const { project } = useSession();
  const now = useNow();
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {of.length === 0 && <p class="quiet">{children}</p>}
      <ul class="plain failure-groups">
        {of.slice(0, MAX_GROUPS).map(({ status, operation, reason, count, newest, projects, by }) => (
          <li key={`${status} ${operation} ${reason}`}>
            <a
              href={
                count === 1
                  ? hrefOf({ project, owner: newest.project, item: newest.id })
                  : hrefOf({ project, filter: filterOf({ status, operation, by }) })
              }
            >
              <span class="count" title="Requests">
                {count}×
              </span>
              <Status of={status} />
              <span>{operation ?? "no operation"}</span>
              <span class="failure-reason quiet">{reason}</span>
              {project === undefined && (
                <span class="failure-projects quiet">
                  {projects.size === 1 ? newest.project : `${projects.size} projects`}
                </span>
              )}
              <span class="quiet number">
                <Time of={newest.serverTime} as="relative" now={now} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {of.length > MAX_GROUPS && <p class="quiet">And {of.length - MAX_GROUPS} more.</p>}
    </section>
  );
}

function filterOf({ status, operation = "", by }: Pick<FailureGroup, "status" | "operation" | "by">) {
  return { status: status === 0 ? "broken" : String(status), operation, rule: by.join(",") };
}

/** The most failed requests that the overview reads. */
const MAX_READ = 1000;

/** Failed requests with the same operation, status and reason. */
interface FailureGroup {
  readonly status: number;
  readonly operation: string | undefined;
  readonly reason: string;
  /** The rules, functions and scenarios with an effect on these requests: they make the failure an expected one. */
  readonly by: readonly string[];
  readonly newest: RequestSummary;
  readonly count: number;
  readonly projects: ReadonlyMap<string, number>;
}

/**
 * Groups failed requests, newest first, by operation, status and reason, most first. A failure is expected if a rule,
 * function or scenario had an effect on its request.
 */
function groupsOf(requests: readonly RequestSummary[]) {
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
function projectsOf(groups: readonly FailureGroup[]): (readonly [project: string, count: number])[] {
  return [...countsOf(groups.flatMap(({ projects }) => [...projects]))].sort((a, b) => b[1] - a[1]);
}

function countsOf(found: readonly (readonly [project: string, count: number])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [project, count] of found) counts.set(project, (counts.get(project) ?? 0) + count);
  return counts;
}
