import type { CoverageReport } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { Loading } from "../parts/action.tsx";
import { hrefOf } from "../route.ts";

type OperationCoverage = CoverageReport["operations"][number];

/** A failure, the number of requests that got it, and the URL of these requests. */
interface Tried {
  readonly name: string;
  readonly times: number;
  readonly href: string;
}

interface Row {
  readonly operation: string;
  readonly failures: readonly Tried[];
}

/** The failures that clients of one project or, on the page of all projects, of all have got from each operation. */
export function FailureMatrix() {
  const { client, project } = useSession();
  const coverage = useLoaded(
    () => (project === undefined ? client : client.project(project)).coverage(),
    ["request", "journal"],
  );
  const rowOf = ({ operation, exposures }: OperationCoverage): Row => ({
    operation,
    failures: Object.entries(exposures)
      .map(([name, times]) => {
        const href = hrefOf({ project, view: "requests", filter: { operation, failure: name } });
        return { name, times, href };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  });
  return (
    <Loading of={coverage} lines={10}>
      {({ totals: { failures }, operations }) => {
        const rows = operations.filter((each) => each.used).map(rowOf);
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
            {rows.length === 0 ? <p>No operation has requests yet.</p> : <Matrix rows={rows} />}
          </>
        );
      }}
    </Loading>
  );
}

function Matrix({ rows }: { readonly rows: readonly Row[] }) {
  const names = [...new Set(rows.flatMap(({ failures }) => failures.map(({ name }) => name)))].sort();
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
          {rows.map(({ operation, failures }) => (
            <tr key={operation}>
              <th scope="row">{operation}</th>
              {names.map((name) => {
                const tried = failures.find((each) => each.name === name);
                return (
                  <td key={name} class={tried?.times ? "number exercised" : "number"}>
                    {tried && <Count of={tried} operation={operation} />}
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

function Count({ of: { name, times, href }, operation }: { readonly of: Tried; readonly operation: string }) {
  return times === 0 ? (
    <Missing />
  ) : (
    <a href={href} aria-label={`${times} × ${operation} failure ${name}`}>
      {times}
    </a>
  );
}

function Missing() {
  return (
    <span class="missing-mark">
      <span aria-hidden="true">–</span>
      <span class="hidden">missing</span>
    </span>
  );
}
