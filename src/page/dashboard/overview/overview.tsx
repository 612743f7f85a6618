import type { CoverageReport, RequestSummary } from "../../../control/client/index.ts";
import { useLoaded, useRequestSearch, useSession } from "../live/session.ts";
import { Loading } from "../parts/action.tsx";
import { counted, Status, Time, useNow } from "../parts/text.tsx";
import { Learn } from "../requests/requests.tsx";
import { hrefOf } from "../route.ts";

/** Each load reads the whole journal, so it is loaded less often than the list of requests. */
const PAUSE_MS = 2000;

/** The failures of one project or, on the page of all projects, of all: those without a cause in the mock first. */
export function Overview() {
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
              <p>
                <b class={unexpected.length > 0 ? "bad" : undefined}>
                  {unexpected.flat().length.toLocaleString("en")} unexpected
                </b>{" "}
                and {expected.flat().length.toLocaleString("en")} expected failures in {counted(searched, "request")}
                {total > requests.length && ` (the newest ${MAX_READ.toLocaleString("en")} failures are read)`}.
              </p>
              <Groups title="Unexpected failures" of={unexpected}>
                None. A scenario, a rule or a function caused each failure so far.
              </Groups>
              {expected.length > 0 && <Groups title="Expected failures" of={expected} />}
            </>
          );
        }}
      </Loading>
      <FailureMatrix />
    </div>
  );
}

const MAX_GROUPS = 50;

function Groups({ title, of, children }: { title: string; of: readonly FailureGroup[]; children?: string }) {
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
  const filter = { status: status === 0 ? "broken" : String(status), operation: operation ?? "", rule: by.join(",") };
  return (
    <li>
      <a href={of.length === 1 ? hrefOf({ project, owner, item: id }) : hrefOf({ project: owner, filter })}>
        <span class="count" title="Requests">
          {of.length}×
        </span>
        <Status of={status} />
        <span>{operation ?? "no operation"}</span>
        <span class="failure-reason quiet">{reason}</span>
        {project === undefined && <span class="failure-projects quiet">{owner}</span>}
        <span class="quiet number">
          <Time of={serverTime} as="relative" now={now} />
        </span>
      </a>
    </li>
  );
}

/** The most failed requests that the overview reads. */
const MAX_READ = 1000;

/** Failed requests of a project with the same operation, status and reason, newest first. */
type FailureGroup = readonly RequestSummary[];

/** Groups failed requests, largest group first. A failure is expected if a rule, function or scenario had an effect on it. */
function groupsOf(requests: readonly RequestSummary[]) {
  const groups = Map.groupBy(requests, ({ project, status, operation, reason = "", by = [] }) =>
    JSON.stringify([project, status, operation, withoutValues(reason), by]),
  );
  const all = [...groups.values()].sort((a, b) => b.length - a.length);
  const isExpected = ([newest]: FailureGroup) => (newest?.by ?? []).length > 0;
  return { unexpected: all.filter((group) => !isExpected(group)), expected: all.filter(isExpected) };
}

/** Returns a reason without the numbers, ids, paths and quoted texts that differ from request to request. */
function withoutValues(reason: string): string {
  return reason.replace(/"[^"]*"|\/\S+|\b[\da-f]+(-[\da-f]+)+\b|\d+/g, "…");
}

/** The failures that clients of one project or, on the page of all projects, of all have got from each operation. */
function FailureMatrix() {
  const { client, project } = useSession();
  const coverage = useLoaded(
    () => (project === undefined ? client : client.project(project)).coverage(),
    ["request", "journal"],
  );
  return (
    <Loading of={coverage} lines={10}>
      {({ totals: { failures }, operations }) => {
        const used = operations.filter((each) => each.used);
        return (
          <>
            <h2>
              {failures.exercised} of {failures.declared} failures tried
            </h2>
            <p class="quiet">
              Tried: a client got the failure. Whether it survives, <code>resource-mock sweep</code> shows. A number
              opens the requests; the journal may have dropped older ones. <Missing /> marks a failure that no response
              had.
            </p>
            {used.length === 0 ? <p>No operation has requests yet.</p> : <Matrix of={used} />}
          </>
        );
      }}
    </Loading>
  );
}

function Matrix({ of }: { readonly of: CoverageReport["operations"] }) {
  const { project } = useSession();
  const names = [...new Set(of.flatMap(({ exposures }) => Object.keys(exposures)))].sort();
  return (
    <div class="scrolling">
      <table class="matrix">
        <caption class="hidden">Tried failures by operation</caption>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            {names.map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.map(({ operation, exposures: { ...times } }) => (
            <tr key={operation}>
              <th scope="row">{operation}</th>
              {names.map((name) => (
                <td key={name} class={times[name] ? "number exercised" : "number"}>
                  {times[name] === 0 && <Missing />}
                  {times[name] ? (
                    <a
                      href={hrefOf({ project, filter: { operation, failure: name } })}
                      aria-label={`${times[name]} × ${operation} failure ${name}`}
                    >
                      {times[name]}
                    </a>
                  ) : null}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Missing() {
  return (
    <span>
      <span aria-hidden="true">–</span>
      <span class="hidden">missing</span>
    </span>
  );
}
