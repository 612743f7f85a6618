import { useState } from "preact/hooks";
import { Button, Failure, useAction } from "./action.tsx";
import { Request } from "./request.tsx";
import { rowText, useRequestRows } from "./request-rows.ts";
import { hrefOf } from "./route.ts";
import { useProject } from "./session.ts";

/** The journal of a project, newest first and while it grows, and the request that is open. */
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
            broke the contract
          </label>
          <Button action={action} run={rows.clear}>
            Clear
          </Button>
        </div>
        <Failure of={action} />
        <Failure of={rows} />
        {rows.isRead && rows.list.length === 0 && <Invitation baseUrl={baseUrl} />}
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
                      <span class="badge warning" title="Broke the contract">
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
        {rows.list.length > 0 && shown.length === 0 && <p class="quiet">None of them is like that.</p>}
      </section>
      {item !== undefined && <Request key={item} project={project} id={item} />}
    </div>
  );
}

/** A request's path without the project's key, which is the same for all. */
function pathInProject(path: string): string {
  return path.replace(/^\/[^/]+/, "");
}

/** What to do where nothing has been asked yet. */
function Invitation({ baseUrl }: { baseUrl: string }) {
  return (
    <>
      <p>Nobody has asked anything yet. Requests show up here as they come:</p>
      <pre>{`curl ${baseUrl}/resource/my-id\n
curl ${baseUrl}/resource/my-id -H 'Content-Type: application/json' \\
  -d '{ "version": 1, "actions": [{ "action": "changeSomeProperty", "someProperty": "linen" }] }'`}</pre>
    </>
  );
}
