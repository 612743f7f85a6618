import { MAX_REQUEST_PAGE, type OperationSummary } from "../../../contract/index.ts";
import type { FailedVerification, RequestSummary } from "../../../control/client/index.ts";
import { useOperationLines } from "../live/contract.ts";
import { searchProjects, useLoaded, useRequestSearch, useSession } from "../live/session.ts";
import { Loading } from "../parts/action.tsx";
import { counted, Fold, Method, Status, Time, useNow } from "../parts/text.tsx";
import { Learn } from "../requests/requests.tsx";
import { pathInProject, shortPath } from "../requests/row-list.tsx";
import { hrefOf, type Route } from "../route.ts";

/** Each load reads the whole journal, so it is loaded less often than the list of requests. */
const PAUSE_MS = 2000;
/** The most rows of a group, and projects of the page. */
const MAX_SHOWN = 50;

/**
 * The failed requests of one project or, on the page of all projects, of each: first what no part of the mock has caused.
 * The page of a project begins with its failed verifications, which the page of all projects counts.
 */
export function Failures() {
  const { client, connection, project } = useSession();
  const search = useRequestSearch();
  const { value: lines = [] } = useOperationLines();
  const load = async () => {
    const [page, { projects }, verifications] = await Promise.all([
      search.page({ status: "4xx,5xx,broken", brief: true, limit: MAX_REQUEST_PAGE }),
      searchProjects(connection, { q: project, sort: "failures", limit: MAX_REQUEST_PAGE }),
      project === undefined ? [] : client.project(project).failedVerifications(),
    ]);
    return { ...page, projects, verifications };
  };
  const failures = useLoaded(load, ["request", "journal", "verification"], [], PAUSE_MS);
  return (
    <div class="view failures">
      <Loading of={failures} lines={6}>
        {({ requests, total, searched, projects, verifications }) => {
          const failed = Map.groupBy(requests, ({ project: key }) => key);
          const isShown = (key: string) => project === undefined || key === project;
          const shown = projects.filter(
            ({ key, failedVerifications }) => isShown(key) && (failed.has(key) || failedVerifications > 0),
          );
          if (shown.length === 0 && searched === 0) return <Learn />;
          if (shown.length === 0) return <p class="quiet">No failures in {counted(searched, "request")}.</p>;
          return (
            <>
              <div class="failure-groups">
                {shown.slice(0, MAX_SHOWN).map(({ key, archive, failedVerifications: count }) => {
                  const { [UNEXPECTED]: unexpected = [], ...caused } = Object.groupBy(failed.get(key) ?? [], causeOf);
                  const groups = Object.entries({ [UNEXPECTED]: unexpected, ...caused });
                  return (
                    <section key={key} aria-label={`Failures of ${key}`}>
                      <h2>
                        {project === undefined && <a href={hrefOf({ project: key, view: "failures" })}>{key}</a>}{" "}
                        <span class="count">
                          {archive?.test !== undefined && `failed test ${archive.test} · `}
                          {count > 0 && <b class="bad">{counted(count, "failed verification")} · </b>}
                          <b class={unexpected.length > 0 ? "bad" : undefined}>{unexpected.length} unexpected</b>
                        </span>
                      </h2>
                      <Group title="Failed verifications" rows={verifications.map((each) => rowOf(each, key, lines))} />
                      {groups.map(([title, some = []]) => (
                        <Group key={title} title={title} rows={rowsOf(some, project, lines)} />
                      ))}
                    </section>
                  );
                })}
              </div>
              <p class="quiet">
                {shown.length > MAX_SHOWN && `And ${counted(shown.length - MAX_SHOWN, "further project")}. `}
                {`In ${counted(searched, "request")}. `}
                {total > requests.length && `Only the newest ${counted(requests.length, "failure")} are read. `}
              </p>
            </>
          );
        }}
      </Loading>
    </div>
  );
}

const UNEXPECTED = "Unexpected failures";

/** Returns the title of the group of a failure, such as "Caused by scenario flaky". */
function causeOf({ by = [] }: RequestSummary): string {
  return by.length === 0 ? UNEXPECTED : `Caused by ${by.map((each) => each.replace(":", " ")).join(", ")}`;
}

interface Row {
  readonly id: string;
  readonly to: Partial<Route>;
  /** The number and the status of the requests; undefined for a verification. */
  readonly count?: number;
  readonly status?: number;
  readonly method?: string;
  readonly path?: string;
  readonly reason: string;
  readonly time: string;
  /** What follows the reason in the message of a verification. */
  readonly more?: string;
}

function Group({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  const now = useNow();
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="plain items" aria-label={title}>
        {rows.slice(0, MAX_SHOWN).map(({ id, to, count, status, method = "", path, reason, time, more }) => (
          <li key={id}>
            <a href={hrefOf(to)}>
              <span class="count">{count !== undefined && `${count.toLocaleString("en")}×`}</span>
              {status === undefined ? <span class="status bad">test</span> : <Status of={status} />}
              <Method name={method} />
              <span class="cut">
                <bdi dir="ltr">{path}</bdi>
              </span>
              <span class="failure-reason quiet">{reason}</span>
              <span class="quiet number">
                <Time of={time} as="relative" now={now} />
              </span>
            </a>
            {more && <Fold title="Expected, and the nearest requests">{() => <pre>{more}</pre>}</Fold>}
          </li>
        ))}
        {rows.length > MAX_SHOWN && <li class="quiet">And {rows.length - MAX_SHOWN} more.</li>}
      </ul>
    </>
  );
}

type Lines = readonly OperationSummary[];

/** Returns the row of a failed verification. It leads to the nearest request or, without one, to those of its operation. */
function rowOf({ id, operation = "", message, nearest, at }: FailedVerification, project: string, lines: Lines): Row {
  const line = lines.find((each) => each.id === operation);
  const [first = "", ...rest] = message.split("\n");
  return {
    id,
    to: nearest ? { project, item: nearest } : { project, filter: { operation } },
    method: line?.method,
    path: line && shortPath(line),
    reason: first.replace(/ in project ".*?"/, ""),
    time: at,
    more: rest.join("\n").trim(),
  };
}

/** Returns a row for all requests of a project with the same operation, status and reason, largest group first. */
function rowsOf(requests: readonly RequestSummary[], project: string | undefined, lines: Lines): Row[] {
  const groups = Map.groupBy(requests, ({ status, operation, reason = "" }) =>
    JSON.stringify([status, operation, withoutValues(reason)]),
  );
  const rows = [...groups.values()].map((group): Row => {
    const [newest] = group as [RequestSummary];
    const { id, project: owner, status, operation = "", method, reason = "", by = [], serverTime } = newest;
    const line = group.length > 1 && lines.find((each) => each.id === operation);
    const filter = { status: status === 0 ? "broken" : String(status), operation, rule: by.join(",") };
    return {
      ...{ id, status, method, reason },
      to: group.length > 1 ? { project: owner, filter } : { project, owner, item: id },
      count: group.length,
      path: line ? shortPath(line) : pathInProject(newest.path, owner),
      time: serverTime,
    };
  });
  return rows.sort((a, b) => (b.count ?? 0) - (a.count ?? 0));
}

/** Returns a reason without the numbers, ids, paths and quoted texts that differ from request to request. */
function withoutValues(reason: string): string {
  return reason.replace(/"[^"]*"|\/\S+|\b[\da-f]+(-[\da-f]+)+\b|\d+/g, "…");
}
