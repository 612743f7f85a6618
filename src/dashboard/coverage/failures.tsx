import type { CoverageReport } from "../../client/types.ts";
import { Missing, type RequestsHref } from "./matrix.tsx";

type OperationCoverage = CoverageReport["operations"][number];

interface FailuresProps {
  readonly operations: readonly OperationCoverage[];
  readonly requests: RequestsHref;
  /** Whether to show only operations with missing failures, and only these failures. */
  readonly onlyMissing: boolean;
  readonly isNarrow: boolean;
}

/** The failures that clients of the used operations were exposed to: a table or, on a narrow page, cards. */
export function Failures({ operations, requests, onlyMissing, isNarrow }: FailuresProps) {
  const used = operations.filter((operation) => operation.used);
  const shown = onlyMissing ? used.filter(({ failures }) => Object.values(failures).includes(false)) : used;
  if (used.length === 0) return <p>No operation has requests yet.</p>;
  if (shown.length === 0) return <p>No failure is missing.</p>;
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

function Table({ operations, requests, onlyMissing }: Omit<FailuresProps, "isNarrow">) {
  const names = [...new Set(operations.flatMap(({ failures }) => Object.keys(failures)))].sort();
  return (
    <div class="wide">
      <table class="matrix">
        <caption class="hidden">Failures by operation</caption>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            {names.map((name) => (
              <th scope="col" class="number" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {operations.map(({ operation, exposures }) => (
            <tr key={operation}>
              <th scope="row">{operation}</th>
              {names.map((name) => {
                const times = exposures[name];
                return (
                  <td class={times ? "number exercised" : "number"} key={name}>
                    {times === 0 && <Missing />}
                    {times !== undefined && times > 0 && !onlyMissing && (
                      <a
                        href={requests({ operation, failure: name })}
                        aria-label={`${times} × ${operation} failure ${name}`}
                      >
                        {times}
                      </a>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type CardProps = Pick<FailuresProps, "requests" | "onlyMissing"> & { readonly of: OperationCoverage };

function Card({ of: { operation, exposures }, requests, onlyMissing }: CardProps) {
  const shown = Object.entries(exposures)
    .filter(([, times]) => times === 0 || !onlyMissing)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <li class="coverage-card">
      <h3>{operation}</h3>
      <ul class="counts">
        {shown.map(([name, times]) => (
          <li key={name}>
            {times > 0 ? (
              <a class="exercised" href={requests({ operation, failure: name })}>
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
    </li>
  );
}
