import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { MockEvent, RequestPage, RequestSummary } from "../../../control/client/index.ts";
import { isOf, useEvents, useRequestSearch, useSession } from "../live/session.ts";
import { PlainButton } from "../parts/action.tsx";
import { useFocusOfOpen, useOneStop } from "../parts/keyboard.tsx";
import { useNarrow } from "../parts/layout.tsx";
import { counted, Status, Time, useNow } from "../parts/text.tsx";
import { type Filter, queryOf } from "./filter.tsx";

/** The height of a row in pixels, as in the style sheet. */
const ROW = { wide: 30, narrow: 54 };
/** The number of rows outside of the visible part that are rendered too, so that scrolling shows no gaps. */
const MARGIN = 12;

interface RowListProps {
  readonly rows: readonly RequestRow[];
  readonly selected?: string;
  readonly hrefOfRow: (row: RequestRow) => string;
  /** Called when the list is scrolled away from its top, and back. */
  readonly onScrolled: (isScrolled: boolean) => void;
  /** Loads older rows; absent if there are no older ones. Called when the end of the list comes into view. */
  readonly onOlder?: () => Promise<void>;
}

/** A list of requests. It renders only the visible rows, so thousands of them scroll well. */
export function RowList({ rows, selected, hrefOfRow, onScrolled, onOlder }: RowListProps) {
  const area = useRef<HTMLDivElement>(null);
  const height = useNarrow() ? ROW.narrow : ROW.wide;
  const [view, setView] = useState({ top: 0, height: 800 });

  const measure = () => {
    const { scrollTop, clientHeight } = area.current ?? { scrollTop: 0, clientHeight: 800 };
    // The state changes only with the first rendered row, so most scroll events render nothing.
    setView((before) => {
      const isSame = Math.floor(before.top / height) === Math.floor(scrollTop / height);
      return isSame && before.height === clientHeight ? before : { top: scrollTop, height: clientHeight };
    });
    onScrolled(scrollTop > height);
    if (scrollTop + clientHeight > (rows.length - MARGIN) * height) void onOlder?.();
  };
  useLayoutEffect(measure, [rows.length, height]);

  const first = Math.max(0, Math.floor(view.top / height) - MARGIN);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / height) + MARGIN);
  const selectedIndex = rows.findIndex(({ id }) => id === selected);
  useLayoutEffect(() => {
    const element = area.current;
    if (selectedIndex === -1 || !element) return;
    const top = selectedIndex * height;
    const isInView = top >= element.scrollTop && top + height <= element.scrollTop + element.clientHeight;
    // In the middle: the timeline above may still grow.
    if (!isInView) element.scrollTop = top - (element.clientHeight - height) / 2;
  }, [selected]);
  useFocusOfOpen(area, selected);
  useOneStop(area, "li > a");
  const now = useNow();

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
              <Row row={row} now={now} />
            </a>
          </li>
        ))}
      </ol>
      {onOlder && <PlainButton onClick={onOlder}>Load older</PlainButton>}
    </div>
  );
}

function Row({ row, now }: { readonly row: RequestRow; readonly now: number }) {
  const showsProject = useSession().project === undefined;
  const { project, method, path, query, status, violations, offContract, serverTime, duration, reason } = row;
  return (
    <>
      <span class="row-status">
        <Status of={status} />
      </span>
      <span class="row-request">
        {showsProject && <span class="badge">{project}</span>} <span class="verb">{method}</span> {pathInProject(path)}
        {query && <span class="quiet">?{decoded(query)}</span>}
      </span>
      <span class="row-reason quiet">
        {violations > 0 && status < 400 && (
          <span class="badge warning" title="Contract violations">
            {counted(violations, "violation")}
          </span>
        )}{" "}
        {offContract && <span class="badge warning">off contract</span>} {reason}
      </span>
      <span class="row-duration quiet number">{duration.toFixed(duration < 10 ? 1 : 0)} ms</span>
      <span class="row-time quiet number">
        <Time of={serverTime} as="relative" now={now} />
      </span>
    </>
  );
}

export function pathInProject(path: string): string {
  return decoded(path.replace(/^\/[^/]+/, "")) || "/";
}

/** Returns a percent-encoded text decoded, or as it is if it is invalid. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** One row of the list: a request without its headers and bodies. */
export type RequestRow = RequestSummary;

/** The rows that were read so far, the newest ones, without gaps. `next` is the cursor for older rows. */
export type Rows = RequestPage<RequestRow>;

/** The number of rows in a page. The first one fills the window, also on a slow line. A page of new rows must be longer than the number of requests between two reads. */
const PAGE = { first: 60, new: 500, older: 500 };
/** The largest number of rows on the page. A filter selects among all requests. */
const MAX_ROWS = 20_000;
/** The shortest time between two reads of new rows, in milliseconds. A busy mock is read less often. */
const PAUSE_MS = { usual: 300, busy: 1500 };

const none: Rows = { requests: [], total: 0, searched: 0, dropped: 0 };

/**
 * Returns the requests of the page that match the filter. The mock does the filtering, as the
 * page has only a part of the journal. New requests cause a read of the newest page, which is merged with the rows.
 *
 * While `isHeld`, `requests` does not change, so that no row moves under the pointer; `waiting` counts the new rows.
 */
export function useRequestRows(filter: Filter, isHeld: boolean) {
  const { client, project } = useSession();
  const search = useRequestSearch();
  const [, render] = useState({});
  const query = queryOf(filter);
  const reader = useMemo(
    () =>
      createReader(
        (limit, before) => search.page({ ...query, brief: true, limit, before }),
        () => render({}),
        // The rows of a project that was reset are gone, even if the list is held.
        project !== undefined,
      ),
    [client, project, JSON.stringify(query)],
  );
  useLayoutEffect(() => () => reader.stop(), [reader]);
  useEvents((events) => {
    const isBusy = events.some(({ type }) => type === "summary");
    const removes = events.some((event) => removesRequests(event, project));
    const adds = events.length === 0 || events.some((event) => isOf(event, project, "request"));
    if (removes || adds) void reader.read(removes, isBusy ? PAUSE_MS.busy : PAUSE_MS.usual);
  });
  const { rows } = reader;
  // An empty list has nothing that could move.
  reader.held = isHeld && reader.held?.requests.length ? reader.held : rows;
  const shown = reader.held ?? none;
  const [newest] = shown.requests;
  const index = newest === undefined ? 0 : (rows?.requests.findIndex((row) => isSame(row, newest)) ?? 0);
  return {
    ...shown,
    isLoaded: rows !== undefined,
    error: reader.error,
    /** The number of new rows that are not in `requests`, as the list is held; there are more if `hasMoreWaiting`. */
    waiting: index === -1 ? (rows?.requests.length ?? 0) : index,
    hasMoreWaiting: index === -1,
    showWaiting() {
      reader.held = undefined;
      render({});
    },
    loadOlder: () => reader.readOlder(shown),
  };
}

type ReadPage = (limit: number, before?: string) => Promise<Rows>;

/**
 * Reads the rows of one project and filter: one page at a time, with a pause between the newest ones. `replacesHeld`: rows
 * that were read from the start replace held ones.
 */
function createReader(readPage: ReadPage, onChange: () => void, replacesHeld: boolean) {
  let isStopped = false;
  let isBusy = false;
  /** What to read after the current page: the newest page once more, or the rows from the start. */
  let wanted: "newest" | "all" | undefined;
  /** The cursor of the older page that is being read. */
  let older: string | undefined;
  const reader = {
    rows: undefined as Rows | undefined,
    error: undefined as unknown,
    /** The rows that the list shows while it is held. */
    held: undefined as Rows | undefined,
    stop() {
      isStopped = true;
    },
    /** Reads the newest page. `replaces` drops the rows, as requests may have left the journal. */
    async read(replaces: boolean, pause: number): Promise<void> {
      if (replaces || wanted === undefined) wanted = replaces ? "all" : "newest";
      if (isBusy || isStopped) return;
      isBusy = true;
      const isFirst = wanted === "all";
      wanted = undefined;
      await change(async () => {
        const page = await readPage(isFirst ? PAGE.first : PAGE.new);
        reader.rows = isFirst || !reader.rows ? page : merged(reader.rows, page);
        if (isFirst && replacesHeld) reader.held = undefined;
      });
      await new Promise((resolve) => setTimeout(resolve, pause));
      isBusy = false;
      if (wanted !== undefined) void reader.read(false, pause);
    },
    async readOlder({ next, requests }: Rows): Promise<void> {
      if (next === undefined || next === older || requests.length >= MAX_ROWS) return;
      older = next;
      await change(async () => {
        const page = await readPage(PAGE.older, next);
        const withOlder = (rows: Rows | undefined) =>
          rows?.next === next ? { ...page, requests: [...rows.requests, ...page.requests] } : rows;
        reader.rows = withOlder(reader.rows);
        reader.held = withOlder(reader.held);
      });
      older = undefined;
    },
  };

  async function change(read: () => Promise<void>): Promise<void> {
    try {
      await read();
      reader.error = undefined;
    } catch (error) {
      reader.error = error;
    }
    if (!isStopped) onChange();
  }

  void reader.read(true, PAUSE_MS.usual);
  return reader;
}

/** Returns whether requests leave a journal with this event. */
function removesRequests(event: MockEvent, project: string | undefined): boolean {
  if (event.type === "project" && event.data.change === "created") return false;
  // The page of a project handles its deletion.
  return isOf(event, project, "reset", "journal") || (project === undefined && isOf(event, project, "project"));
}

/** Returns whether both rows are the same request. A mock that was restarted uses the same ids again. */
function isSame(row: RequestRow, other: RequestRow | undefined): boolean {
  return row.id === other?.id && row.serverTime === other.serverTime;
}

/** Returns the rows with those of a newer page on top. Without a common row, there may be a gap: the page replaces them. */
function merged(before: Rows, page: Rows): Rows {
  const index = page.requests.findIndex((row) => isSame(row, before.requests[0]));
  if (index === -1) return page;
  const requests = [...page.requests.slice(0, index), ...before.requests].slice(0, MAX_ROWS);
  return { ...page, requests, next: before.next };
}
