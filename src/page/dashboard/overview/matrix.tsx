import { type Count, Counts, type RequestsHref, shownCounts } from "./counts.tsx";

/** The counts of an operation. */
export interface MatrixRow {
  readonly operation: string;
  readonly counts: readonly Count[];
  /** The number of requests; absent in a matrix without this column. */
  readonly total?: number;
  /** The number of off-contract responses, which are never missing; absent in a matrix without this column. */
  readonly offContract?: number;
}

interface MatrixProps {
  /** The name of the table. */
  readonly caption: string;
  /** What a count is, for the names of its links, such as "failure". */
  readonly what?: string;
  readonly rows: readonly MatrixRow[];
  readonly requests: RequestsHref;
  /** Whether to show only operations with missing counts, and only these counts. */
  readonly onlyMissing: boolean;
  readonly isNarrow: boolean;
}

/** The number of requests by operation and status or failure: a table or, on a narrow page, a card for each operation. */
export function Matrix({ isNarrow, ...props }: MatrixProps) {
  const { rows, requests, onlyMissing } = props;
  const shown = onlyMissing ? rows.filter(({ counts }) => shownCounts(counts, true).length > 0) : rows;
  if (shown.length === 0) return <p>None are missing.</p>;
  return isNarrow ? (
    <ul class="plain">
      {shown.map((row) => (
        <Card key={row.operation} of={row} requests={requests} onlyMissing={onlyMissing} />
      ))}
    </ul>
  ) : (
    <Table {...props} rows={shown} />
  );
}

function Table({ caption, what, rows, requests, onlyMissing }: Omit<MatrixProps, "isNarrow">) {
  const names = [...new Set(rows.flatMap(({ counts }) => counts.map(({ name }) => name)))].sort();
  const hasTotal = rows.some(({ total }) => total !== undefined);
  const hasOffContract = rows.some(({ offContract }) => offContract !== undefined);
  return (
    <div class="wide">
      <table class="matrix">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            {hasTotal && <NumberHeader>Requests</NumberHeader>}
            {names.map((name) => (
              <NumberHeader key={name}>{name}</NumberHeader>
            ))}
            {hasOffContract && <NumberHeader>Off contract</NumberHeader>}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ operation, counts, total, offContract }) => (
            <tr key={operation}>
              <th scope="row">{operation}</th>
              {total !== undefined && (
                <td class="number">{total > 0 ? <a href={requests({ operation })}>{total}</a> : <Missing />}</td>
              )}
              {names.map((name) => {
                const { times, filter } = counts.find((count) => count.name === name) ?? {};
                return (
                  <td class={times ? "number exercised" : "number"} key={name}>
                    {times === 0 && <Missing />}
                    {times !== undefined && times > 0 && !onlyMissing && (
                      <a
                        href={requests(filter ?? {})}
                        aria-label={`${times} × ${[operation, what, name].filter(Boolean).join(" ")}`}
                      >
                        {times}
                      </a>
                    )}
                  </td>
                );
              })}
              {offContract !== undefined && (
                <td class="number">
                  {offContract > 0 && <a href={requests(offContractOf(operation))}>{offContract}</a>}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NumberHeader({ children }: { readonly children: string }) {
  return (
    <th scope="col" class="number">
      {children}
    </th>
  );
}

/** The mark of a part of the contract without requests. */
function Missing() {
  return (
    <span class="missing-mark">
      <span aria-hidden="true">–</span>
      <span class="hidden">missing</span>
    </span>
  );
}

type CardProps = Pick<MatrixProps, "requests" | "onlyMissing"> & { readonly of: MatrixRow };

function Card({ of: { operation, counts, total, offContract = 0 }, requests, onlyMissing }: CardProps) {
  const other = offContract > 0 ? [{ name: "off contract", times: offContract, filter: offContractOf(operation) }] : [];
  return (
    <li class="coverage-card">
      <h3>
        {total ? <a href={requests({ operation })}>{operation}</a> : operation}{" "}
        {total !== undefined && (
          <span class="quiet">{total === 0 ? "no requests" : `${total} ${total === 1 ? "request" : "requests"}`}</span>
        )}
      </h3>
      <Counts counts={[...shownCounts(counts, onlyMissing), ...other]} requests={requests} />
    </li>
  );
}

function offContractOf(operation: string) {
  return { operation, offContract: "true" };
}
