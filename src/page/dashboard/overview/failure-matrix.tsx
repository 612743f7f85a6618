import type { CoverageReport } from "../../../control/client/index.ts";
import { useLoaded } from "../live/loaded.ts";
import { useSession } from "../live/session.ts";
import { Loading } from "../parts/action.tsx";
import { hrefOf } from "../route.ts";

/** The failures that clients of one project or, on the page of all projects, of all have got from each operation. */
export function FailureMatrix() {
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
    <span class="missing-mark">
      <span aria-hidden="true">–</span>
      <span class="hidden">missing</span>
    </span>
  );
}
