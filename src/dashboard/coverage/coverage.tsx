import { useMemo } from "preact/hooks";
import type { CoverageReport } from "../../client/types.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { Loading } from "../parts/loading.tsx";
import { useNarrow } from "../parts/narrow.ts";
import { hrefOf, navigate, type Route } from "../route.ts";
import { Failures } from "./failures.tsx";
import { Matrix, type RequestsHref } from "./matrix.tsx";

type Filter = Route["filter"];

/** The coverage of the contract by the requests of one project or, without `project`, of all projects. */
export function Coverage({ project, route }: { project?: string; route: Route }) {
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
              <Share name="Failures" of={totals.failures} />
              <Share name="Statuses" of={totals.statuses} />
              <Share name="Update actions" of={totals.actions} />
              <Share name="Error codes" of={totals.errorCodes} />
            </dl>
            <div class="title">
              <h2>Failures</h2>
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
              A number opens the requests; the journal may have dropped older ones.{" "}
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
            <Failures operations={operations} requests={requests} onlyMissing={onlyMissing} isNarrow={isNarrow} />
            <h2>Operations and statuses</h2>
            <Matrix operations={operations} requests={requests} onlyMissing={onlyMissing} isNarrow={isNarrow} />
            <Counts
              title="Update actions"
              of={operations.flatMap(({ operation, actions = {} }) =>
                Object.entries(actions).map(([name, times]) => ({ name, times, filter: { operation, q: name } })),
              )}
              requests={requests}
              onlyMissing={onlyMissing}
            />
            <Counts
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

interface CountsProps {
  readonly title: string;
  readonly of: readonly { readonly name: string; readonly times: number; readonly filter: Filter }[];
  readonly requests: RequestsHref;
  readonly onlyMissing: boolean;
}

/** Names with the number of requests. A missing one has no link. */
function Counts({ title, of, requests, onlyMissing }: CountsProps) {
  const shown = useMemo(() => of.filter(({ times }) => times === 0 || !onlyMissing), [of, onlyMissing]);
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {shown.length === 0 && <p class="quiet">None are missing.</p>}
      <ul class="counts">
        {shown.map(({ name, times, filter }) => (
          <li key={name}>
            {times > 0 ? (
              <a class="exercised" href={requests(filter)}>
                {name} <span class="number">{times}</span>
              </a>
            ) : (
              <span class="missing">
                {name} <span class="hidden">missing</span>
              </span>
            )}
          </li>
        ))}
      </ul>
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
