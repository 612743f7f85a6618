import { useEffect, useRef, useState } from "preact/hooks";
import { control, path } from "../../client/connection.ts";
import { isOf } from "../live/events.ts";
import { useEvents, useSession } from "../live/session.ts";
import { type Filter, queryOf } from "./filter.ts";

/** One row of the list: a request without its headers and bodies. */
export interface RequestRow {
  readonly project: string;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly operation?: string;
  /** 0 if the connection broke before a response. */
  readonly status: number;
  readonly source: string;
  readonly violations: number;
  readonly offContract?: boolean;
  /** By the project's clock (RFC 3339). */
  readonly receivedAt: string;
  /** Milliseconds. */
  readonly duration: number;
}

interface Page {
  readonly requests: readonly RequestRow[];
  readonly total: number;
  readonly searched: number;
  readonly next?: string;
}

/** The rows that were read so far: the newest ones, without gaps. */
interface Rows {
  /** Newest first. */
  readonly list: readonly RequestRow[];
  /** The number of matching requests in the journal. */
  readonly total: number;
  /** The number of requests in the journal. */
  readonly searched: number;
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

/** The number of rows in a page. A page of new rows must be longer than the number of requests between two reads. */
const PAGE = { first: 100, new: 500, older: 500 };
/** The largest number of rows on the page. A filter selects among all requests. */
const MAX_ROWS = 20_000;
/** The shortest time between two reads of new rows, in milliseconds. */
const PAUSE_MS = 500;

const none: Rows = { list: [], total: 0, searched: 0, next: undefined };

/**
 * Returns the requests of a project, or of all projects, that match the filter. The mock does the filtering, as the
 * page has only a part of the journal. New requests cause a read of the newest page, which is merged with the rows.
 *
 * While `isHeld`, `list` does not change, so that no row moves under the pointer; `waiting` counts the new rows.
 */
export function useRequestRows(project: string | undefined, filter: Filter, isHeld: boolean): RequestRows {
  const { connection } = useSession();
  const [rows, setRows] = useState<Rows>();
  const [error, setError] = useState<unknown>();
  const [held, setHeld] = useState<Rows>();
  const query = queryOf(filter);
  const selection = JSON.stringify([project, query]);
  const { current: reading } = useRef({ selection: "", isBusy: false, again: false, replace: false });

  const readPage = (limit: number, before?: string) =>
    control<Page>(connection, {
      method: "GET",
      path: project === undefined ? "/requests" : path`/projects/${project}/requests`,
      query: { ...query, brief: true, limit, before },
    });

  /** Reads the newest page. `replace` drops the rows: the filter or the journal has changed. */
  const readNewest = async (replace: boolean): Promise<void> => {
    reading.replace ||= replace;
    if (reading.isBusy && reading.selection === selection) {
      reading.again = true;
      return;
    }
    const isFirst = reading.replace;
    Object.assign(reading, { selection, isBusy: true, again: false, replace: false });
    try {
      const page = await readPage(isFirst ? PAGE.first : PAGE.new);
      if (reading.selection !== selection) return;
      setRows((before) => (isFirst || !before ? rowsOf(page) : merged(before, page)));
      if (isFirst) setHeld(undefined);
      setError(undefined);
    } catch (error) {
      if (reading.selection !== selection) return;
      setError(error);
    }
    setTimeout(() => {
      if (reading.selection !== selection) return;
      reading.isBusy = false;
      if (reading.again) void latest.current(false);
    }, PAUSE_MS);
  };
  const latest = useRef(readNewest);
  latest.current = readNewest;

  useEffect(() => {
    setRows(undefined);
    void latest.current(true);
    return () => {
      reading.selection = "";
    };
  }, [selection]);
  useEvents((events) => {
    const isNew = events.length === 0 || events.some((event) => isOf(event, project, "reset", "journal", "project"));
    if (isNew) void readNewest(true);
    else if (events.some((event) => isOf(event, project, "request"))) void readNewest(false);
  });
  useEffect(() => setHeld(isHeld ? rows : undefined), [isHeld]);

  const shown = (isHeld && held) || rows || none;
  const newest = shown.list[0]?.id;
  const index = rows?.list.findIndex(({ id }) => id === newest) ?? 0;
  return {
    ...shown,
    isLoaded: rows !== undefined,
    error,
    waiting: shown === rows ? 0 : index === -1 ? (rows?.list.length ?? 0) : index,
    hasMoreWaiting: index === -1,
    showWaiting: () => setHeld(rows),
    async loadOlder() {
      const { next } = shown;
      if (next === undefined || shown.list.length >= MAX_ROWS) return;
      const page = await readPage(PAGE.older, next);
      const withOlder = (before: Rows | undefined) =>
        before?.next === next
          ? { ...before, list: [...before.list, ...page.requests], next: page.next, total: page.total }
          : before;
      setRows(withOlder);
      setHeld(withOlder);
    },
  };
}

function rowsOf({ requests, total, searched, next }: Page): Rows {
  return { list: requests, total, searched, next };
}

/** Returns the rows with those of a newer page on top. Without a common row, there may be a gap: the page replaces them. */
function merged(before: Rows, page: Page): Rows {
  const newest = before.list[0]?.id;
  const index = page.requests.findIndex(({ id }) => id === newest);
  if (index === -1) return rowsOf(page);
  const list = [...page.requests.slice(0, index), ...before.list].slice(0, MAX_ROWS);
  return { ...before, list, total: page.total, searched: page.searched };
}
