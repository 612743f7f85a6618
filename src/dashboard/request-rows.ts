import { useEffect, useState } from "preact/hooks";
import { control, path } from "../client/connection.ts";
import type { MockEvent, RequestEntry } from "../client/types.ts";
import { queryText } from "../text/shell.ts";
import { concerns, useEvents, useSession } from "./session.ts";

/** A request in a line, as events tell it. */
export type RequestRow = Extract<MockEvent, { type: "request" }>["data"];

/** More are not kept on the page: the journal has them. */
const MAX_ROWS = 500;
/** How many of the past ones are read: their bodies come with them. */
const PAST_ROWS = 100;

interface RequestRows {
  /** Newest first. */
  readonly list: readonly RequestRow[];
  /** Whether the past ones have been read. */
  readonly isRead: boolean;
  readonly error?: unknown;
  /** Forgets them all, in the journal too. */
  clear(): Promise<void>;
}

/** The requests of a project: those that the journal has, and those that come. */
export function useRequestRows(project: string): RequestRows {
  const { client, connection } = useSession();
  const [rows, setRows] = useState<Omit<RequestRows, "clear">>({ list: [], isRead: false });

  const read = () => {
    const request = { method: "GET", path: path`/projects/${project}/requests`, query: { limit: PAST_ROWS } } as const;
    control<{ requests: RequestEntry[] }>(connection, request).then(
      ({ requests }) => {
        const past = requests.map(rowOf);
        const known = new Set(past.map(({ id }) => id));
        // What has come since is on the page already.
        setRows(({ list }) => ({ list: [...list.filter(({ id }) => !known.has(id)), ...past], isRead: true }));
      },
      (error: unknown) => setRows((before) => ({ ...before, error })),
    );
  };
  useEffect(read, []);

  useEvents((events) => {
    const own = events.filter((event) => concerns(event, project));
    const lastReset = own.findLastIndex(({ type }) => type === "reset");
    const came = own.slice(lastReset + 1).flatMap(({ type, data }) => (type === "request" ? [data] : []));
    if (lastReset >= 0 || came.length > 0) {
      setRows(({ list, ...before }) => {
        const kept = lastReset >= 0 ? [] : list;
        return { ...before, list: [...came.reverse(), ...kept].slice(0, MAX_ROWS) };
      });
    }
    if (events.length === 0) {
      // What is there may be another mock, which knows nothing of these.
      setRows({ list: [], isRead: false });
      read();
    }
  });

  return {
    ...rows,
    // No event tells of this: nothing happened to the project.
    async clear() {
      await client.project(project).requests.clear();
      setRows((before) => ({ ...before, list: [] }));
    },
  };
}

function rowOf({ id, operation, request, response, source, violations, timings }: RequestEntry): RequestRow {
  return {
    id,
    method: request.method,
    path: request.path,
    query: queryText(request.query),
    operation,
    status: response.status,
    source,
    violations: violations.length,
    ...timings,
  };
}

/** What a filter looks into. */
export function rowText({ method, path, query, operation, status, source }: RequestRow): string {
  return `${method} ${path}?${query} ${operation} ${status} ${source}`.toLowerCase();
}
