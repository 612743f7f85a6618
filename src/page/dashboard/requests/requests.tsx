import { useMemo, useState } from "preact/hooks";
import { path } from "../../../control/client/index.ts";
import { SessionContext, useProject, useSession } from "../live/session.ts";
import { Button, Failure, Skeleton, useAction, useUndoable } from "../parts/action.tsx";
import { CopyButton, saveFrom } from "../parts/files.tsx";
import { useShortcuts, useSteps } from "../parts/keyboard.tsx";
import { Menu, MenuItem } from "../parts/layout.tsx";
import { counted } from "../parts/text.tsx";
import { Request } from "../request/request.tsx";
import { hrefOf, navigate, type Route, useRoute } from "../route.ts";
import { FilterBar, isSet, queryOf } from "./filter.tsx";
import { type RequestRow, RowList, type Rows, useRequestRows } from "./row-list.tsx";
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

  const routeOf = (row: RequestRow): Route => ({
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
        <FilterBar />
        <TimelineStrip>
          <span role="status">{rows.isLoaded && <Count rows={rows} isFiltered={isSet(filter)} />}</span>
          {rows.waiting > 0 && (
            <button type="button" class="quiet new-rows" onClick={rows.showWaiting}>
              {rows.waiting}
              {rows.hasMoreWaiting && "+"} new {rows.waiting === 1 ? "request" : "requests"}
            </button>
          )}
          <button type="button" class="quiet" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? "Resume" : "Pause"}
          </button>
          <Menu label="Commands for these requests" align="start">
            {() => (
              <>
                <MenuItem onClick={() => action.run(save, "Saved the requests")}>Save as HAR</MenuItem>
                {project !== undefined && <MenuItem onClick={() => clear(project)}>Clear the requests</MenuItem>}
              </>
            )}
          </Menu>
        </TimelineStrip>
        <Failure of={action} />
        <Failure of={rows} />
        {/* Always there: an area that disappears under the pointer would not report that the pointer has left. */}
        <div class="row-area" onPointerEnter={() => setPointed(true)} onPointerLeave={() => setPointed(false)}>
          {!rows.isLoaded && rows.error === undefined && <Skeleton lines={8} />}
          {rows.isLoaded && rows.total === 0 && isSet(filter) && <p>No matching requests.</p>}
          {rows.isLoaded && rows.total === 0 && !isSet(filter) && <Learn />}
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
          <Request id={item} closeHref={hrefOf(closed)} onStep={step} />
        </SessionContext.Provider>
      )}
    </div>
  );
}

/** Says how many requests match: "1 of 5,001 requests". */
function Count({ rows: { total, searched, dropped }, isFiltered }: { rows: Rows; isFiltered: boolean }) {
  const all = counted(searched, "request");
  return (
    <>
      <span>{isFiltered ? `${total.toLocaleString("en")} of ${all}` : all}</span>
      {dropped > 0 && ` · ${dropped.toLocaleString("en")} older dropped, as journalSize says`}
    </>
  );
}

/** Shown while there are no requests: the base URL, and buttons that send the first ones. */
export function Learn() {
  const { project: key = "demo" } = useSession();
  const controls = useProject(key);
  const { baseUrl } = controls;
  const action = useAction();
  const send = async () => {
    const response = await fetch(`${baseUrl}/resource/my-id`);
    const id = response.headers.get("Mock-Request-Id");
    navigate({ project: key, item: id ?? undefined });
  };
  const fail = async () => {
    await controls.use("server-error", { times: 1 });
    await send();
  };
  const curl = `curl ${baseUrl}/resource/my-id`;
  return (
    <div class="learn">
      <h2>No requests yet</h2>
      <p>Set this base URL in your client. Its requests appear here live, each with the reason for its response.</p>
      <p class="notice calm bar">
        <code class="key">{baseUrl}</code>
        <CopyButton text={() => baseUrl}>Copy</CopyButton>
      </p>
      <div class="bar">
        <Button run={send} action={action} kind="primary">
          Send a first request
        </Button>
        <Button run={fail} action={action}>
          Make it fail
        </Button>
        <a class="button" href={hrefOf({ project: key, view: "api" })}>
          Open the API
        </a>
      </div>
      <Failure of={action} />
      <p class="quiet">
        The first part of the path, {key}, is the project: each project has its own state, settings, clock and requests,
        and is created by its first use. “Make it fail” activates the scenario server-error for one request.
      </p>
      <pre>{curl}</pre>
    </div>
  );
}
