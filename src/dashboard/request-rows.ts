import { useEffect, useState } from "preact/hooks";
import { control, path } from "../client/connection.ts";
import type { MockEvent, RequestEntry } from "../client/types.ts";
import { queryText } from "../text/shell.ts";
import { concerns, useEvents, useSession } from "./session.ts";

/** One row of the request list, in the shape of a request event. */
export type RequestRow = Extract<MockEvent, { type: "request" }>["data"];

/** The largest number of rows on the page. The journal has the older ones. */
const MAX_ROWS = 500;
/** The number of past requests that the page loads. It is low because their bodies are loaded too. */
const PAST_ROWS = 100;

interface RequestRows {
  /** Newest first. */
  readonly list: readonly RequestRow[];
  /** Whether the past requests have been loaded. */
  readonly isLoaded: boolean;
  readonly error?: unknown;
  /** Removes all rows, and clears the journal. */
  clear(): Promise<void>;
}

/** Returns the requests of a project: past ones from the journal, then new ones as they arrive. */
export function useRequestRows(project: string): RequestRows {
  const { client, connection } = useSession();
  const [rows, setRows] = useState<Omit<RequestRows, "clear">>({ list: [], isLoaded: false });

  const load = () => {
    const request = { method: "GET", path: path`/projects/${project}/requests`, query: { limit: PAST_ROWS } } as const;
    control<{ requests: RequestEntry[] }>(connection, request).then(
      ({ requests }) => {
        const past = requests.map(rowOf);
        const known = new Set(past.map(({ id }) => id));
        // Events may already have added some of these rows.
        setRows(({ list }) => ({ list: [...list.filter(({ id }) => !known.has(id)), ...past], isLoaded: true }));
      },
      (error: unknown) => setRows((before) => ({ ...before, error })),
    );
  };
  useEffect(load, []);

  useEvents((events) => {
    const own = events.filter((event) => concerns(event, project));
    const lastReset = own.findLastIndex(({ type }) => type === "reset" || type === "journal");
    const arrived = own.slice(lastReset + 1).flatMap(({ type, data }) => (type === "request" ? [data] : []));
    if (lastReset >= 0 || arrived.length > 0) {
      setRows(({ list, ...before }) => {
        const kept = lastReset >= 0 ? [] : list;
        return { ...before, list: [...arrived.reverse(), ...kept].slice(0, MAX_ROWS) };
      });
    }
    if (events.length === 0) {
      // After a reconnect, the server may be a new process without these requests.
      setRows({ list: [], isLoaded: false });
      load();
    }
  });

  return {
    ...rows,
    clear: () => client.project(project).requests.clear(),
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

/** Returns the text of a row that the filter searches, in lower case. */
export function rowText({ method, path, query, operation, status, source }: RequestRow): string {
  return `${method} ${path}?${query} ${operation} ${status} ${source}`.toLowerCase();
}
