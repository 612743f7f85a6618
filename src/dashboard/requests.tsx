import { useState } from "preact/hooks";
import { Button, Failure, useAction } from "./action.tsx";
import { Request } from "./request.tsx";
import { rowText, useRequestRows } from "./request-rows.ts";
import { hrefOf } from "./route.ts";
import { useProject } from "./session.ts";

/** The requests of a project, newest first and updated live, next to the details of the open request. */
export function Requests({ project, item }: { project: string; item?: string }) {
  const { baseUrl } = useProject(project);
  const rows = useRequestRows(project);
  const action = useAction();
  const [filter, setFilter] = useState("");
  const [onlyViolations, setOnlyViolations] = useState(false);

  const words = filter.toLowerCase().split(/\s+/);
  const shown = rows.list.filter(
    (row) => words.every((word) => rowText(row).includes(word)) && (!onlyViolations || row.violations > 0),
  );
  return (
    <div class={item === undefined ? undefined : "beside"}>
      <section aria-label="Journal">
        <div class="bar">
          <input
            type="search"
            aria-label="Filter requests"
            placeholder="Filter: 409 update, GET key=…"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
          <label>
            <input
              type="checkbox"
              checked={onlyViolations}
              onChange={(event) => setOnlyViolations(event.currentTarget.checked)}
            />
            contract violations only
          </label>
          <Button action={action} run={rows.clear}>
            Clear
          </Button>
        </div>
        <Failure of={action} />
        <Failure of={rows} />
        {rows.isLoaded && rows.list.length === 0 && <FirstRequests baseUrl={baseUrl} />}
        {rows.list.length > 0 && (
          <table class="rows">
            <thead>
              <tr>
                <th>Time</th>
                <th>Request</th>
                <th>Status</th>
                <th>Source</th>
                <th class="number">ms</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <tr key={row.id} aria-selected={row.id === item}>
                  <td class="quiet">{row.receivedAt.slice(11, 23)}</td>
                  <td>
                    <a href={hrefOf({ project, part: "requests", item: row.id })}>
                      <b>{row.method}</b> {pathInProject(row.path)}
                      {row.query && `?${row.query}`}
                    </a>
                    <span class="quiet"> {row.operation}</span>
                  </td>
                  <td>
                    <span class="status" data-class={Math.floor(row.status / 100)}>
                      {row.status}
                    </span>
                    {row.violations > 0 && (
                      <span class="badge warning" title="Contract violations">
                        {row.violations}
                      </span>
                    )}
                  </td>
                  <td>{row.source}</td>
                  <td class="number">{row.duration.toFixed(1)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {rows.list.length > 0 && shown.length === 0 && <p class="quiet">No request matches the filter.</p>}
      </section>
      {item !== undefined && <Request key={item} project={project} id={item} />}
    </div>
  );
}

/** Returns the path of a request without the project key. */
function pathInProject(path: string): string {
  return path.replace(/^\/[^/]+/, "");
}

/** Two commands to try, shown while the project has no requests. */
function FirstRequests({ baseUrl }: { baseUrl: string }) {
  return (
    <>
      <p>No requests yet. Requests appear here live. Try one of these:</p>
      <pre>{`curl ${baseUrl}/resource/my-id\n
curl ${baseUrl}/resource/my-id -H 'Content-Type: application/json' \\
  -d '{ "version": 1, "actions": [{ "action": "changeSomeProperty", "someProperty": "linen" }] }'`}</pre>
    </>
  );
}
