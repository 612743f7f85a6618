import { Failure } from "../parts/action.tsx";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";

/** The coverage of the contract by the requests of one project or, without `project`, of all projects. */
export function Coverage({ project }: { project?: string }) {
  const { client } = useSession();
  const coverage = useLoaded(
    () => (project === undefined ? client : client.project(project)).coverage(),
    on(project, "request", "journal"),
    [project],
  );
  if (!coverage.value) return <Failure of={coverage} />;

  const { totals, operations, errorCodes, violations, otherViolations, unmatched } = coverage.value;
  const statuses = [...new Set(operations.flatMap((operation) => Object.keys(operation.statuses)))].sort();
  const actions = operations.flatMap((operation) => Object.entries(operation.actions ?? {}));
  return (
    <div class="view">
      <Failure of={coverage} />
      <dl class="totals">
        <Share name="Operations" of={totals.operations} />
        <Share name="Statuses" of={totals.statuses} />
        <Share name="Update actions" of={totals.actions} />
        <Share name="Error codes" of={totals.errorCodes} />
      </dl>
      <div class="wide">
        <table class="rows coverage">
          <thead>
            <tr>
              <th>Operation</th>
              <th class="number">Requests</th>
              {statuses.map((status) => (
                <th class="number" key={status}>
                  {status}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {operations.map((operation) => (
              <tr key={operation.operation}>
                <td>{operation.operation}</td>
                <td class="number">{operation.requests || ""}</td>
                {statuses.map((status) => (
                  <Cell key={status} times={operation.statuses[status]} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h3>Update actions</h3>
      <Counts of={actions} />
      <h3>Error codes</h3>
      <Counts of={Object.entries(errorCodes)} />
      {unmatched > 0 && <p>Requests that match no operation: {unmatched}</p>}
      {violations.length > 0 && (
        <>
          <h3>Contract violations</h3>
          <ul>
            {violations.map(({ operation, code, message, field, count }) => (
              <li key={`${operation} ${code} ${field}`}>
                {count} × <b>{operation}</b> {code}: {message}
              </li>
            ))}
          </ul>
          {otherViolations > 0 && <p>Violations at other locations: {otherViolations}</p>}
        </>
      )}
    </div>
  );
}

function Share({ name, of: { exercised, declared } }: { name: string; of: { exercised: number; declared: number } }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {exercised} of {declared}
      </dd>
      <meter value={exercised} max={declared} />
    </div>
  );
}

/** The number of responses with one status. A dot marks a declared status without responses; an undeclared one is blank. */
function Cell({ times }: { times: number | undefined }) {
  return <td class={times ? "number exercised" : "number"}>{times === 0 ? "·" : times}</td>;
}

function Counts({ of }: { of: readonly (readonly [name: string, times: number])[] }) {
  return (
    <ul class="counts">
      {of.map(([name, times]) => (
        <li key={name} class={times > 0 ? "exercised" : "quiet"}>
          {name} {times > 0 && `${times}×`}
        </li>
      ))}
    </ul>
  );
}
