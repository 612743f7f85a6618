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
                  {unexpected.flat().length.toLocaleString("en")} unexpected
                </b>{" "}
                and {expected.flat().length.toLocaleString("en")} expected failures in {counted(searched, "request")}
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
  const found = Map.groupBy(of.flat(), ({ project }) => project);
  const projects = [...found].sort(([, a], [, b]) => b.length - a.length);
  if (projects.length === 0) return null;
  return (
    <ul class="chips" aria-label="Projects with unexpected failures">
      {projects.slice(0, 20).map(([key, { length }]) => (
        <li key={key}>
          <a class="chip" href={hrefOf({ project: key, view: "overview" })}>
            <span class="key">{key}</span> <span class="count bad">{length}</span>
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
  const now = useNow();
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {of.length === 0 && <p class="quiet">{children}</p>}
      <ul class="plain failure-groups">
        {of.slice(0, MAX_GROUPS).map((group) => (
          <Group key={group[0]?.id} of={group} now={now} />
        ))}
      </ul>
      {of.length > MAX_GROUPS && <p class="quiet">And {of.length - MAX_GROUPS} more.</p>}
    </section>
  );
}

function Group({ of, now }: { readonly of: FailureGroup; readonly now: number }) {
  const { project } = useSession();
  const { id, project: owner, status, operation, reason, by = [], serverTime } = of[0] as RequestSummary;
  const projects = new Set(of.map((each) => each.project));
  const filter = { status: status === 0 ? "broken" : String(status), operation: operation ?? "", rule: by.join(",") };
  return (
    <li>
      <a href={of.length === 1 ? hrefOf({ project, owner, item: id }) : hrefOf({ project, filter })}>
        <span class="count" title="Requests">
          {of.length}×
        </span>
        <Status of={status} />
        <span>{operation ?? "no operation"}</span>
        <span class="failure-reason quiet">{reason}</span>
        {project === undefined && (
          <span class="failure-projects quiet">{projects.size === 1 ? owner : `${projects.size} projects`}</span>
        )}
        <span class="quiet number">
          <Time of={serverTime} as="relative" now={now} />
        </span>
      </a>
    </li>
  );
}

/** The most failed requests that the overview reads. */
const MAX_READ = 1000;

/** Failed requests with the same operation, status and reason, newest first. */
type FailureGroup = readonly RequestSummary[];

/** Groups failed requests, largest group first. A failure is expected if a rule, function or scenario had an effect on it. */
function groupsOf(requests: readonly RequestSummary[]) {
  const groups = Map.groupBy(requests, ({ status, operation, reason = "", by = [] }) =>
    JSON.stringify([status, operation, withoutValues(reason), by]),
  );
  const all = [...groups.values()].sort((a, b) => b.length - a.length);
  const isExpected = ([newest]: FailureGroup) => (newest?.by ?? []).length > 0;
  return { unexpected: all.filter((group) => !isExpected(group)), expected: all.filter(isExpected) };
}

/** Returns a reason without the numbers, ids, paths and quoted texts that differ from request to request. */
function withoutValues(reason: string): string {
  return reason.replace(/"[^"]*"|\/\S+|\b[\da-f]+(-[\da-f]+)+\b|\d+/g, "…");
}
