import type { CoverageReport } from "../../client/types.ts";
import type { Route } from "../route.ts";

/** Returns the URL of the requests with a filter. */
export type RequestsHref = (filter: Route["filter"]) => string;

type OperationCoverage = CoverageReport["operations"][number];

interface MatrixProps {
  readonly operations: readonly OperationCoverage[];
  readonly requests: RequestsHref;
  /** Whether to show only operations with missing statuses, and only these statuses. */
  readonly onlyMissing: boolean;
  readonly isNarrow: boolean;
}

/** The number of responses by operation and status: a table or, on a narrow page, a card for each operation. */
export function Matrix({ operations, requests, onlyMissing, isNarrow }: MatrixProps) {
  const shown = onlyMissing ? operations.filter(({ statuses }) => Object.values(statuses).includes(0)) : operations;
  if (shown.length === 0) return <p>No status is missing.</p>;
  return isNarrow ? (
    <ul class="plain">
      {shown.map((operation) => (
        <Card key={operation.operation} of={operation} requests={requests} onlyMissing={onlyMissing} />
      ))}
    </ul>
  ) : (
    <Table operations={shown} requests={requests} onlyMissing={onlyMissing} />
  );
}

function Table({ operations, requests, onlyMissing }: Omit<MatrixProps, "isNarrow">) {
  const statuses = [...new Set(operations.flatMap((operation) => Object.keys(operation.statuses)))].sort();
  return (
    <div class="wide">
      <table class="matrix">
        <caption class="hidden">Responses by operation and status</caption>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            <th scope="col" class="number">
              Requests
            </th>
            {statuses.map((status) => (
              <th scope="col" class="number" key={status}>
                {status}
              </th>
            ))}
            <th scope="col" class="number">
              Off contract
            </th>
          </tr>
        </thead>
        <tbody>
          {operations.map(({ operation, requests: total, statuses: own, offContract }) => (
            <tr key={operation}>
              <th scope="row">{operation}</th>
              <td class="number">{total > 0 ? <a href={requests({ operation })}>{total}</a> : <Missing />}</td>
              {statuses.map((status) => {
                const times = own[status];
                return (
                  <td class={times ? "number exercised" : "number"} key={status}>
                    {times === 0 && <Missing />}
                    {times !== undefined && times > 0 && !onlyMissing && (
                      <a href={requests({ operation, status })} aria-label={`${times} × ${operation} ${status}`}>
                        {times}
                      </a>
                    )}
                  </td>
                );
              })}
              <td class="number">
                {offContract > 0 && <a href={requests({ operation, offContract: "true" })}>{offContract}</a>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The mark of a part of the contract without requests. */
export function Missing() {
  return (
    <span class="missing-mark">
      <span aria-hidden="true">–</span>
      <span class="hidden">missing</span>
    </span>
  );
}

type CardProps = Pick<MatrixProps, "requests" | "onlyMissing"> & { readonly of: OperationCoverage };

function Card({ of: { operation, requests: total, statuses, offContract }, requests, onlyMissing }: CardProps) {
  const shown = Object.entries(statuses).filter(([, times]) => times === 0 || !onlyMissing);
  return (
    <li class="coverage-card">
      <h3>
        {total > 0 ? <a href={requests({ operation })}>{operation}</a> : operation}{" "}
        <span class="quiet">{total === 0 ? "no requests" : `${total} ${total === 1 ? "request" : "requests"}`}</span>
      </h3>
      <ul class="counts">
        {shown.map(([status, times]) => (
          <li key={status}>
            {times > 0 ? (
              <a class="exercised" href={requests({ operation, status })}>
                {status} <span class="number">{times}</span>
              </a>
            ) : (
              <span class="missing">
                {status} <span class="hidden">missing</span>
              </span>
            )}
          </li>
        ))}
        {offContract > 0 && (
          <li>
            <a class="exercised" href={requests({ operation, offContract: "true" })}>
              off contract <span class="number">{offContract}</span>
            </a>
          </li>
        )}
      </ul>
    </li>
  );
}
