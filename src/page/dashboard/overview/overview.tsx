import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { Loading } from "../parts/loading.tsx";
import { Time, useNow } from "../parts/time.tsx";
import { Learn } from "../requests/learn.tsx";
import { hrefOf, type Route } from "../route.ts";
import { type FailureGroup, groupsOf, MAX_READ, projectsOf } from "./failure-groups.ts";
import { FailureMatrix } from "./failure-matrix.tsx";

/** Each load reads the whole journal, so it is loaded less often than the list of requests. */
const PAUSE_MS = 2000;

/** The failures of one project or, without `project`, of all projects: those without a cause in the mock first. */
export function Overview({ project, route }: { project?: string; route: Route }) {
  const { client } = useSession();
  const inputs = [project];
  const isChange = on(project, "request", "journal", ...(project === undefined ? (["project"] as const) : []));
  const failures = useLoaded(
    async () => {
      const query = { status: "4xx,5xx,broken", brief: true, limit: MAX_READ } as const;
      return project === undefined ? client.requests.page(query) : client.project(project).requests.page(query);
    },
    isChange,
    inputs,
    PAUSE_MS,
  );
  return (
    <div class="view overview coverage-view">
      <Loading of={failures} lines={6}>
        {({ requests, total, searched }) => {
          if (searched === 0) return <Learn project={project} />;
          const { unexpected, expected } = groupsOf(requests);
          return (
            <>
              <p class="overview-total">
                <b class={unexpected.length > 0 ? "bad" : undefined}>
                  {unexpected.reduce((sum, { count }) => sum + count, 0).toLocaleString("en")} unexpected
                </b>{" "}
                and {expected.reduce((sum, { count }) => sum + count, 0).toLocaleString("en")} expected failures in{" "}
                {searched.toLocaleString("en")} {searched === 1 ? "request" : "requests"}
                {total > requests.length && ` (the newest ${MAX_READ.toLocaleString("en")} failures are read)`}.
              </p>
              {project === undefined && <Projects of={unexpected} />}
              <Groups title="Unexpected failures" of={unexpected} project={project}>
                None. A scenario, a rule or a function caused each failure so far.
              </Groups>
              {expected.length > 0 && (
                <Groups title="Expected failures" of={expected} project={project}>
                  None.
                </Groups>
              )}
            </>
          );
        }}
      </Loading>
      <FailureMatrix project={project} route={route} />
    </div>
  );
}

/** The projects with unexpected failures, most first. */
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
  readonly project: string | undefined;
  /** Shown without groups. */
  readonly children: string;
}

/** The most groups in a table. */
const MAX_GROUPS = 50;

function Groups({ title, of, project, children }: GroupsProps) {
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
              <span class="status" data-class={Math.floor(status / 100)}>
                {status || "broken"}
              </span>
              <span class="failure-operation">{operation ?? "no operation"}</span>
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
