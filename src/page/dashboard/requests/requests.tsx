import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { path, type RequestSummary } from "../../../control/client/index.ts";
import { useOperationLines } from "../live/contract.ts";
import { SessionContext, useProject, useSession } from "../live/session.ts";
import { Button, Failure, IconButton, Skeleton, useAction, useUndoable } from "../parts/action.tsx";
import { CopyButton, saveFrom } from "../parts/files.tsx";
import { useShortcuts, useSteps } from "../parts/keyboard.tsx";
import { Menu, MenuItem } from "../parts/layout.tsx";
import { counted } from "../parts/text.tsx";
import { Request } from "../request/request.tsx";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";
import { FilterBar, isSet, queryOf } from "./filter.tsx";
import { RowList, type Rows, shortPath, useRequestRows } from "./row-list.tsx";
import { TimelineStrip } from "./timeline-strip.tsx";

/**
 * The requests of a project or, without a project, of all projects: newest first and updated live, next to the details
 * of the open request. The list holds still while the pointer is on it, it is scrolled, a request is open, or the user
 * has paused it.
 */
export function Requests() {
  const session = useSession();
  const { client, connection, project } = session;
  const route = useRoute();
  const undoable = useUndoable();
  const action = useAction();
  const [isPaused, setPaused] = useState(false);
  const [isScrolled, setScrolled] = useState(false);
  const [isPointed, setPointed] = useState(false);
  const { item, owner, filter } = route;
  const isOpen = item !== undefined && owner !== undefined;
  const ofOwner = useMemo(() => ({ ...session, project: owner }), [session, owner]);
  const rows = useRequestRows(filter, isPaused || isScrolled || isPointed || isOpen);

  // A link can lead to a request that is not among the newest ones.
  const isKnown = !isOpen || !rows.isLoaded || rows.requests.some(({ id }) => id === item);
  useLayoutEffect(() => {
    if (isOpen && !isKnown) void rows.reach(item);
  }, [item, isKnown]);

  const routeOf = (row: RequestSummary): Route => ({
    ...route,
    owner: row.project,
    item: row.id,
    filter: { ...filter, compare: "" },
  });
  const closed: Route = { ...route, owner: undefined, item: undefined, filter: { ...filter, compare: "", tab: "" } };
  /** Saves the selected requests, in all pages, as an HTTP archive. */
  const save = async () => {
    const below = project === undefined ? "/requests" : path`/projects/${project}/requests`;
    await saveFrom(connection, below, `${project ?? "requests"}.har`, { ...queryOf(filter), format: "har" });
  };
  const clear = (key: string) =>
    action.run(() => undoable(key, client.project(key).requests.clear, "The requests are cleared"));
  const step = useSteps(rows.requests, item, (row) => (row ? routeOf(row) : closed));
  useShortcuts({ Enter: () => !isOpen && step(1) });
  return (
    <div class={isOpen ? "panes open" : "panes"}>
      <section class="pane requests" aria-label="Journal">
        <FilterBar
          found={
            <>
              <span class="quiet count" role="status">
                {rows.isLoaded && countOf(rows, isSet(filter))}
              </span>
              {rows.waiting > 0 && (
                <button
                  type="button"
                  aria-pressed="true"
                  aria-label={counted(rows.waiting, "new request")}
                  onClick={rows.showWaiting}
                >
                  {rows.waiting} new
                </button>
              )}
            </>
          }
        >
          <IconButton
            label={isPaused ? "Resume" : "Pause"}
            icon={isPaused ? "play" : "pause"}
            onClick={() => setPaused(!isPaused)}
          />
          <Menu label="Commands for these requests">
            {() => (
              <>
                <MenuItem onClick={() => action.run(save, "Saved the requests")}>Save as HAR</MenuItem>
                {project !== undefined && <MenuItem onClick={() => clear(project)}>Clear the requests</MenuItem>}
              </>
            )}
          </Menu>
        </FilterBar>
        <TimelineStrip />
        <Failure of={action} />
        <Failure of={rows} />
        {/* Always there: an area that disappears under the pointer would not report that the pointer has left. */}
        <div class="row-area" onPointerEnter={() => setPointed(true)} onPointerLeave={() => setPointed(false)}>
          {!rows.isLoaded && rows.error === undefined && <Skeleton lines={8} />}
          {rows.isLoaded && rows.total === 0 && (isSet(filter) ? <p>No matching requests.</p> : <Learn />)}
          {rows.requests.length > 0 && (
            <RowList
              rows={rows.requests}
              selected={item}
              hrefOfRow={(row) => hrefOf(routeOf(row))}
              onScrolled={setScrolled}
              onOlder={rows.next === undefined ? undefined : rows.loadOlder}
            />
          )}
        </div>
      </section>
      {isOpen && (
        <SessionContext.Provider value={ofOwner}>
          <Request id={item} closeHref={hrefOf(closed)} />
        </SessionContext.Provider>
      )}
    </div>
  );
}

/** Says how many requests match: "1 of 5,001 requests". */
function countOf({ total, searched, dropped }: Rows, isFiltered: boolean): string {
  const all = `${isFiltered ? `${total.toLocaleString("en")} of ` : ""}${counted(searched, "request")}`;
  return dropped > 0 ? `${all} · ${dropped.toLocaleString("en")} older dropped` : all;
}

/** Shown while there are no requests: the base URL, and a first request, which needs no parameters in its path. */
export function Learn() {
  const { project: key = "demo" } = useSession();
  const { baseUrl } = useProject(key);
  const lines = useOperationLines().value ?? [];
  const paths = lines.filter(({ method }) => method === "GET").map(shortPath);
  const url = baseUrl + (paths.find((path) => !path.includes("{")) ?? "/");
  const send = async () => {
    const { headers } = await fetch(url);
    navigate({ project: key, item: headers.get("Mock-Request-Id") ?? undefined });
  };
  return (
    <div class="learn">
      <h2>No requests yet</h2>
      <p>Set this base URL in your client. Its requests appear here live, each with the reason for its response.</p>
      <p class="notice calm bar">
        <code class="key">{baseUrl}</code>
        <CopyButton text={baseUrl}>Copy</CopyButton>
      </p>
      <p class="quiet">
        The project {key} has its own state, settings, clock and requests. The first use of a key creates its project.
      </p>
      <pre>curl {url}</pre>
      <Button run={send} kind="primary">
        Send a first request
      </Button>
    </div>
  );
}
