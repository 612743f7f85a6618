import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type OperationSummary, percentDecoded } from "../../../contract/index.ts";
import type { MockEvent, RequestPage, RequestSummary } from "../../../control/client/index.ts";
import { isOf, useEvents, useLoaded, useRequestSearch, useSession } from "../live/session.ts";
import { useFocusOfOpen, useOneStop } from "../parts/keyboard.tsx";
import { useNarrow } from "../parts/layout.tsx";
import { counted, Method, Status, Time } from "../parts/text.tsx";
import { type Filter, queryOf } from "./filter.tsx";

/** The height of a row in pixels, as in the style sheet. */
const ROW = { wide: 32, narrow: 52 };
/** The number of rows outside of the visible part that are rendered too, so that scrolling shows no gaps. */
const MARGIN = 12;

interface RowListProps {
  readonly rows: readonly RequestSummary[];
  readonly selected?: string;
  readonly hrefOfRow: (row: RequestSummary) => string;
  /** Called when the list is scrolled away from its top, and back. */
  readonly onScrolled: (isScrolled: boolean) => void;
  /** Loads older rows; absent if there are no older ones. Called when the end of the list comes into view. */
  readonly onOlder?: () => Promise<void>;
}

/** A list of requests. It renders only the visible rows, so thousands of them scroll well. */
export function RowList({ rows, selected, hrefOfRow, onScrolled, onOlder }: RowListProps) {
  const area = useRef<HTMLDivElement>(null);
  const height = useNarrow() ? ROW.narrow : ROW.wide;
  const [top, setTop] = useState(0);

  const measure = () => {
    const { scrollTop = 0, clientHeight = 0 } = area.current ?? {};
    // The state changes only with the first visible row, so most scroll events render nothing.
    setTop(Math.floor(scrollTop / height));
    onScrolled(scrollTop > height);
    if (scrollTop + clientHeight > (rows.length - MARGIN) * height) void onOlder?.();
  };
  useLayoutEffect(measure, [rows.length, height]);

  const first = Math.max(0, top - MARGIN);
  const last = top + Math.ceil(innerHeight / height) + MARGIN;
  const selectedIndex = rows.findIndex(({ id }) => id === selected);
  useLayoutEffect(() => {
    const element = area.current;
    if (selectedIndex === -1 || !element) return;
    const top = selectedIndex * height;
    const isInView = top >= element.scrollTop && top + height <= element.scrollTop + element.clientHeight;
    // In the middle: the timeline above may still grow.
    if (!isInView) element.scrollTop = top - (element.clientHeight - height) / 2;
  }, [selected, selectedIndex === -1]);
  useFocusOfOpen(area, selected);
  useOneStop(area, "li > a");

  return (
    <div class="row-list" ref={area} onScroll={measure}>
      <ol class="plain" aria-label="Requests" style={{ height: `${rows.length * height}px` }}>
        {rows.slice(first, last).map((row, index) => (
          <li
            key={`${row.project} ${row.id}`}
            aria-posinset={first + index + 1}
            aria-setsize={rows.length}
            style={{ top: `${(first + index) * height}px` }}
          >
            <a
              href={hrefOfRow(row)}
              data-id={row.id}
              aria-current={row.id === selected ? "true" : undefined}
              // Enter on the row of the open request leads from the list to the request.
              onClick={() => row.id === selected && document.querySelector<HTMLElement>(".pane.item")?.focus()}
            >
              <Row row={row} />
            </a>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Row({ row }: { readonly row: RequestSummary }) {
  const showsProject = useSession().project === undefined;
  const { project, method, path, query, status, violations, offContract, serverTime, duration, reason } = row;
  return (
    <>
      <span>
        <Status of={status} />
      </span>
      <Method name={method} />
      <span class="row-request">
        <bdi dir="ltr">
          {showsProject && <span class="badge">{project}</span>} {pathInProject(path, project)}
          {query && <span class="quiet">?{percentDecoded(query)}</span>}
        </bdi>
      </span>
      <span class="row-reason quiet">
        {violations > 0 && status < 400 && <span class="badge warning">{counted(violations, "violation")}</span>}{" "}
        {offContract && <span class="badge warning">off contract</span>} {reason}
      </span>
      <span class="row-duration quiet number">{duration.toFixed(duration < 10 ? 1 : 0)} ms</span>
      <span class="row-time quiet number">
        <Time of={serverTime} />
      </span>
    </>
  );
}

/** Returns the path without the key of the project, which requests to the project `default` can leave out. */
export function pathInProject(path: string, project: string): string {
  const decoded = percentDecoded(path);
  const [, key = ""] = decoded.split("/", 2);
  const isKey = key === project || project.startsWith(`${key}~`);
  return (isKey ? decoded.slice(key.length + 1) : decoded) || "/";
}

/** Returns the path of an operation, relative to the base URL of a project. */
export function shortPath({ path }: Pick<OperationSummary, "path">): string {
  return path.replace(/^\/\{projectKey\}/, "");
}

/** The rows that were read so far, the newest ones, without gaps. `next` is the cursor for older rows. */
export type Rows = RequestPage<RequestSummary>;

/** The number of rows in a page. The first one fills the window, also on a slow line. */
const PAGE = { first: 60, others: 500 };
/** The largest number of rows on the page. A filter selects among all requests. */
const MAX_ROWS = 20_000;
/** The shortest time between two reads of new rows, in milliseconds. */
const PAUSE_MS = 400;

const none: Rows = { requests: [], total: 0, searched: 0, dropped: 0 };

/** The rows of a project and a filter. */
interface Kept {
  rows?: Rows;
  /** The rows that the list shows while it is held. */
  held?: Rows;
  /** Whether requests have left the journal since the last read. */
  isStale?: boolean;
  /** The cursor of the older page that is being read. */
  older?: string;
}

/**
 * Returns the requests that match the filter; the mock does the filtering. New requests cause a read of the newest page,
 * which is merged with the rows. While `isHeld`, `requests` does not change, so that no row moves under the pointer.
 */
export function useRequestRows(filter: Filter, isHeld: boolean) {
  const { project } = useSession();
  const search = useRequestSearch();
  const [, render] = useState({});
  const query = queryOf(filter);
  const inputs = [project, JSON.stringify(query)];
  const kept = useMemo((): Kept => ({}), inputs);
  const read = (limit: number, before?: string) => search.page({ ...query, brief: true, limit, before });
  // Before the load that the same events cause.
  useEvents((events) => {
    kept.isStale ||= events.some((event) => removesRequests(event, project));
  });
  const load = async () => {
    const isFirst = kept.isStale || !kept.rows;
    kept.isStale = false;
    const page = await read(isFirst ? PAGE.first : PAGE.others);
    // The rows of a project that was reset are gone, even if the list is held.
    if (isFirst && project !== undefined) kept.held = undefined;
    kept.rows = isFirst || !kept.rows ? page : merged(kept.rows, page);
  };
  const { error } = useLoaded(load, ["request", "journal"], inputs, PAUSE_MS);
  const readOlder = async ({ next, requests }: Rows) => {
    if (next === undefined || next === kept.older || requests.length >= MAX_ROWS) return;
    kept.older = next;
    // After a failure, the next scrolling tries again.
    const page = await read(PAGE.others, next).catch(() => undefined);
    kept.older = undefined;
    const withOlder = (rows: Rows | undefined) =>
      page && rows?.next === next ? { ...page, requests: [...rows.requests, ...page.requests] } : rows;
    kept.rows = withOlder(kept.rows);
    kept.held = withOlder(kept.held);
    render({});
  };
  const { rows } = kept;
  // An empty list has nothing that could move.
  kept.held = isHeld && kept.held?.requests.length ? kept.held : rows;
  const shown = kept.held ?? none;
  const [newest] = shown.requests;
  const index = newest ? (rows?.requests.findIndex((row) => isSame(row, newest)) ?? 0) : 0;
  return {
    ...shown,
    isLoaded: rows !== undefined,
    error,
    /** The number of new rows that are not in `requests`, as the list is held. */
    waiting: index === -1 ? (rows?.requests.length ?? 0) : index,
    showWaiting() {
      kept.held = undefined;
      render({});
    },
    loadOlder: () => readOlder(shown),
    /** Loads the rows down to this request. */
    async reach(id: string) {
      while (kept.held?.next && !kept.held.requests.some((row) => row.id === id)) {
        const { next } = kept.held;
        await readOlder(kept.held);
        // There are too many rows, another read is in progress, or this one failed.
        if (kept.held.next === next) return;
      }
    },
  };
}

/** Returns whether requests leave a journal with this event. */
function removesRequests(event: MockEvent, project: string | undefined): boolean {
  if (event.type === "project" && event.data.change === "created") return false;
  // The page of a project handles its deletion.
  return isOf(event, project, "reset", "journal") || (project === undefined && isOf(event, project, "project"));
}

/** Returns whether both rows are the same request. A mock that was restarted uses the same ids again. */
function isSame(row: RequestSummary, other: RequestSummary | undefined): boolean {
  return row.id === other?.id && row.serverTime === other.serverTime;
}

/** Returns the rows with those of a newer page on top. Without a common row, there may be a gap: the page replaces them. */
function merged(before: Rows, page: Rows): Rows {
  const index = page.requests.findIndex((row) => isSame(row, before.requests[0]));
  if (index === -1) return page;
  const requests = [...page.requests.slice(0, index), ...before.requests].slice(0, MAX_ROWS);
  return { ...page, requests, next: before.next };
}
