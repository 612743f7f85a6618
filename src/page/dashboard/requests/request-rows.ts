import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { MockEvent, RequestPage, RequestSummary } from "../../../control/client/index.ts";
import { isOf } from "../live/loaded.ts";
import { useEvents, useRequestSearch, useSession } from "../live/session.ts";
import { type Filter, queryOf } from "./filter.ts";

/** One row of the list: a request without its headers and bodies. */
export type RequestRow = RequestSummary;
type Page = RequestPage<RequestRow>;

/** The rows that were read so far: the newest ones, without gaps. */
interface Rows {
  /** Newest first. */
  readonly list: readonly RequestRow[];
  /** The number of matching requests in the journal. */
  readonly total: number;
  /** The number of requests in the journal. */
  readonly searched: number;
  /** The number of requests that the journal has dropped. */
  readonly dropped: number;
  /** The cursor for older rows; undefined if these rows are the oldest. */
  readonly next: string | undefined;
}

export interface RequestRows extends Rows {
  /** Whether the first page has been read. */
  readonly isLoaded: boolean;
  readonly error?: unknown;
  /** The number of new rows that are not in `list`, as the list is held. */
  readonly waiting: number;
  /** Whether there are more new rows than `waiting`. */
  readonly hasMoreWaiting: boolean;
  /** Shows the new rows of a held list. */
  showWaiting(): void;
  /** Reads the next page of older rows. */
  loadOlder(): Promise<void>;
}

/** The number of rows in a page. The first one fills the window, also on a slow line. A page of new rows must be longer than the number of requests between two reads. */
const PAGE = { first: 60, new: 500, older: 500 };
/** The largest number of rows on the page. A filter selects among all requests. */
const MAX_ROWS = 20_000;
/** The shortest time between two reads of new rows, in milliseconds. A busy mock is read less often. */
const PAUSE_MS = { usual: 300, busy: 1500 };

const none: Rows = { list: [], total: 0, searched: 0, dropped: 0, next: undefined };

/**
 * Returns the requests of the page that match the filter. The mock does the filtering, as the
 * page has only a part of the journal. New requests cause a read of the newest page, which is merged with the rows.
 *
 * While `isHeld`, `list` does not change, so that no row moves under the pointer; `waiting` counts the new rows.
 */
export function useRequestRows(filter: Filter, isHeld: boolean): RequestRows {
  const { project } = useSession();
  const search = useRequestSearch();
  const [rows, setRows] = useState<Rows>();
  const [error, setError] = useState<unknown>();
  const [held, setHeld] = useState<Rows>();
  const query = queryOf(filter);
  const selection = JSON.stringify([project, query]);
  const { current: reading } = useRef<Reading>({ selection, isBusy: false, again: false, replace: false, pause: 0 });

  const readPage = (limit: number, before?: string): Promise<Page> =>
    search.page({ ...query, brief: true, limit, before });

  /** Reads the newest page. `replace` drops the rows, as requests may have left the journal. */
  const readNewest = async (replace: boolean): Promise<void> => {
    reading.replace ||= replace;
    reading.again = true;
    if (reading.isBusy) return;
    const isFirst = reading.replace;
    Object.assign(reading, { isBusy: true, again: false, replace: false });
    try {
      const page = await readPage(isFirst ? PAGE.first : PAGE.new);
      if (reading.selection === selection) {
        setRows((before) => (isFirst || !before ? rowsOf(page) : merged(before, page)));
        setError(undefined);
        // The rows of a project that was reset are gone, even if the list is held.
        if (isFirst && project !== undefined) setHeld(undefined);
      }
    } catch (error) {
      if (reading.selection === selection) setError(error);
    }
    // Another selection is read at once.
    if (reading.selection === selection) await new Promise((resolve) => setTimeout(resolve, reading.pause));
    reading.isBusy = false;
    if (reading.again && reading.selection !== undefined) void latest.current(false);
  };
  const latest = useRef(readNewest);
  latest.current = readNewest;

  useLayoutEffect(() => {
    reading.selection = selection;
    setRows(undefined);
    setHeld(undefined);
    void latest.current(true);
    return () => {
      reading.selection = undefined;
    };
  }, [selection]);
  useEvents((events) => {
    reading.pause = events.some(({ type }) => type === "summary") ? PAUSE_MS.busy : PAUSE_MS.usual;
    const removes = events.some((event) => removesRequests(event, project));
    const adds = events.length === 0 || events.some((event) => isOf(event, project, "request"));
    if (removes || adds) void readNewest(removes);
  });
  useLayoutEffect(() => {
    if (!isHeld) setHeld(undefined);
    else if (!held) setHeld(rows);
  }, [isHeld, held, rows]);

  // An empty list has nothing that could move.
  const shown = (isHeld && held && held.list.length > 0 ? held : rows) ?? none;
  const [newest] = shown.list;
  const index = newest === undefined ? 0 : (rows?.list.findIndex((row) => isSame(row, newest)) ?? 0);
  return {
    ...shown,
    isLoaded: rows !== undefined,
    error,
    waiting: index === -1 ? (rows?.list.length ?? 0) : index,
    hasMoreWaiting: index === -1,
    showWaiting: () => setHeld(rows),
    async loadOlder() {
      const { next } = shown;
      if (next === undefined || next === reading.older || shown.list.length >= MAX_ROWS) return;
      reading.older = next;
      try {
        const page = await readPage(PAGE.older, next);
        const withOlder = (before: Rows | undefined) => (before?.next === next ? extended(before, page) : before);
        setRows(withOlder);
        setHeld(withOlder);
      } catch (error) {
        setError(error);
      }
      reading.older = undefined;
    },
  };
}

/** What is being read. */
interface Reading {
  /** The project and the filter of the rows; undefined when the list is no longer shown. */
  selection: string | undefined;
  isBusy: boolean;
  /** Whether there is a reason to read the newest page once more. */
  again: boolean;
  replace: boolean;
  /** The time until the next read, in milliseconds. */
  pause: number;
  /** The cursor of the older page that is being read. */
  older?: string;
}

/** Returns whether requests leave a journal with this event. */
function removesRequests(event: MockEvent, project: string | undefined): boolean {
  if (event.type === "project" && event.data.change === "created") return false;
  // The page of a project handles its deletion.
  return isOf(event, project, "reset", "journal") || (project === undefined && isOf(event, project, "project"));
}

function extended(rows: Rows, { requests, total, next }: Page): Rows {
  return { ...rows, list: [...rows.list, ...requests], total, next };
}

/** Returns whether both rows are the same request. A mock that was restarted uses the same ids again. */
function isSame(row: RequestRow, other: RequestRow | undefined): boolean {
  return row.id === other?.id && row.serverTime === other.serverTime;
}

function rowsOf({ requests, ...counts }: Page): Rows {
  return { ...counts, list: requests, next: counts.next };
}

/** Returns the rows with those of a newer page on top. Without a common row, there may be a gap: the page replaces them. */
function merged(before: Rows, page: Page): Rows {
  const index = page.requests.findIndex((row) => isSame(row, before.list[0]));
  if (index === -1) return rowsOf(page);
  const list = [...page.requests.slice(0, index), ...before.list].slice(0, MAX_ROWS);
  return { ...before, list, total: page.total, searched: page.searched, dropped: page.dropped };
}
