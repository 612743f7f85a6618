import type { CoverageReport } from "../../../control/client/index.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { Loading } from "../parts/loading.tsx";
import { useNarrow } from "../parts/narrow.ts";
import { hrefOf, navigate, type Route } from "../route.ts";
import { type Count, Counts, type RequestsHref, shownCounts } from "./counts.tsx";
import { Matrix, type MatrixRow } from "./matrix.tsx";

/** The coverage of the contract by the requests of one project or, without `project`, of all projects. */
export function Overview({ project, route }: { project?: string; route: Route }) {
  const { client } = useSession();
  const isNarrow = useNarrow();
  const coverage = useLoaded(
    () => (project === undefined ? client : client.project(project)).coverage(),
    on(project, "request", "journal"),
    [project],
  );
  const onlyMissing = route.filter.missing === "true";
  const requests: RequestsHref = (filter) => hrefOf({ project, view: "requests", filter });
  return (
    <div class="view coverage-view">
      <Loading of={coverage} lines={10}>
        {({ totals, operations, errorCodes, unmatched, ...report }) => (
          <>
            <dl class="totals">
              <Share name="Operations" of={totals.operations} />
              <Share name="Failures tried" of={totals.failures} />
              <Share name="Statuses" of={totals.statuses} />
              <Share name="Update actions" of={totals.actions} />
              <Share name="Error codes" of={totals.errorCodes} />
            </dl>
            <div class="title">
              <h2>Tried failures</h2>
              <button
                type="button"
                aria-pressed={onlyMissing}
                onClick={() =>
                  navigate({ ...route, filter: { missing: onlyMissing ? "" : "true" } }, { replace: true })
                }
              >
                Missing only
              </button>
            </div>
            <p class="quiet">
              Tried: a client got the failure. Whether it survives, <code>resource-mock sweep</code> shows. A number
              opens the requests; the journal may have dropped older ones.{" "}
              {isNarrow ? (
                "A dashed line marks"
              ) : (
                <>
                  <span class="missing-mark">–</span> marks
                </>
              )}{" "}
              a failure or a status that no response had; an empty cell, one that is not possible.{" "}
              {unmatched > 0 && `Requests that match no operation: ${unmatched}.`}
            </p>
            {operations.some(({ used }) => used) ? (
              <Matrix
                caption="Tried failures by operation"
                what="failure"
                rows={operations.filter(({ used }) => used).map(failuresOf)}
                requests={requests}
                onlyMissing={onlyMissing}
                isNarrow={isNarrow}
              />
            ) : (
              <p>No operation has requests yet.</p>
            )}
            <h2>Operations and statuses</h2>
            <Matrix
              caption="Responses by operation and status"
              rows={operations.map(statusesOf)}
              requests={requests}
              onlyMissing={onlyMissing}
              isNarrow={isNarrow}
            />
            <CountsSection
              title="Update actions"
              of={operations.flatMap(({ operation, actions = {} }) =>
                Object.entries(actions).map(([name, times]) => ({ name, times, filter: { operation, q: name } })),
              )}
              requests={requests}
              onlyMissing={onlyMissing}
            />
            <CountsSection
              title="Error codes"
              of={Object.entries(errorCodes).map(([name, times]) => ({ name, times, filter: { q: name } }))}
              requests={requests}
              onlyMissing={onlyMissing}
            />
            <Violations {...report} requests={requests} />
          </>
        )}
      </Loading>
    </div>
  );
}

function Share({ name, of: { exercised, declared } }: { name: string; of: { exercised: number; declared: number } }) {
  const missing = declared - exercised;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <b>
          {exercised} of {declared}
        </b>{" "}
        <span class="quiet">{missing === 0 ? "complete" : `${missing} missing`}</span>
        <meter value={exercised} max={declared} aria-label={`${name}: ${exercised} of ${declared}`} />
      </dd>
    </div>
  );
}

type OperationCoverage = CoverageReport["operations"][number];

/** Returns the failures that were tried on the clients of an operation. */
function failuresOf({ operation, exposures }: OperationCoverage): MatrixRow {
  const counts = Object.entries(exposures).map(([name, times]) => ({
    name,
    times,
    filter: { operation, failure: name },
  }));
  return { operation, counts: counts.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function statusesOf({ operation, statuses, requests: total, offContract }: OperationCoverage): MatrixRow {
  const counts = Object.entries(statuses).map(([name, times]) => ({
    name,
    times,
    filter: { operation, status: name },
  }));
  return { operation, counts, total, offContract };
}

interface CountsSectionProps {
  readonly title: string;
  readonly of: readonly Count[];
  readonly requests: RequestsHref;
  readonly onlyMissing: boolean;
}

function CountsSection({ title, of, requests, onlyMissing }: CountsSectionProps) {
  const shown = shownCounts(of, onlyMissing);
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {shown.length === 0 && <p class="quiet">None are missing.</p>}
      <Counts counts={shown} requests={requests} />
    </section>
  );
}

type ViolationsProps = Pick<CoverageReport, "violations" | "otherViolations"> & { readonly requests: RequestsHref };

/** The most violations that are shown. */
const MAX_VIOLATIONS = 100;

function Violations({ violations, otherViolations, requests }: ViolationsProps) {
  if (violations.length === 0) return null;
  const others = otherViolations + violations.slice(MAX_VIOLATIONS).reduce((sum, { count }) => sum + count, 0);
  return (
    <section aria-label="Contract violations">
      <h2>Contract violations</h2>
      <ul class="plain violations">
        {violations.slice(0, MAX_VIOLATIONS).map(({ operation, code, message, field, count }) => (
          <li key={`${operation} ${code} ${field}`}>
            <a href={requests({ operation, violations: "true" })}>
              {count} × {operation || "no operation"}
            </a>{" "}
            {code}: <bdi>{message}</bdi>
          </li>
        ))}
      </ul>
      {others > 0 && <p class="quiet">{others} more at other locations.</p>}
    </section>
  );
}
