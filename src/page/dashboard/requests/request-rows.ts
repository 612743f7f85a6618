import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { MockEvent, RequestPage, RequestSummary } from "../../../control/client/index.ts";
import { isOf, useEvents, useRequestSearch, useSession } from "../live/session.ts";
import { type Filter, queryOf } from "./filter.tsx";

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
