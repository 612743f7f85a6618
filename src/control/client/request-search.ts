import { checkOptionNames, MAX_REQUEST_PAGE } from "../../contract/index.ts";
import type { Har, RequestEntry, RequestSummary, Timeline } from "../../journal/index.ts";
import type { Match } from "../../rules/index.ts";
import type { FoundRequests } from "../request-operations.ts";
import type { PageOptions, RequestSelection, TimelineOptions } from "../request-selection.ts";
import { type Connection, checkListFilter, control } from "./connection.ts";

type Times = "since" | "from" | "to";

/** Filter for requests. A request must match all members. */
export interface RequestFilter
  extends Readonly<Omit<RequestSelection, "operation" | "status" | Times>>,
    Readonly<Partial<Record<Times, Date | string>>> {
  readonly operation?: Match["operation"] | readonly NonNullable<Match["operation"]>[];
  /** Statuses (`409`), classes (`"4xx"`) and `"broken"`, also in a text with commas: `"4xx,5xx"`. */
  readonly status?: number | string;
}

/** Filter for the requests of all projects. */
export interface FilterOfAll extends RequestFilter {
  /** Only projects with this text in their key. Case is ignored. */
  readonly project?: string;
}

/** An entry of a journal, with its project. */
export type EntryOfAll = RequestEntry & { readonly project: string };

/** A page of the requests: entries or summaries. */
export type RequestPage<Entry> = Omit<FoundRequests, "requests"> & { readonly requests: Entry[] };

/** Finds requests in the journal of a project, or in the journals of all projects. */
export interface RequestSearch<Filter extends RequestFilter, Entry> {
  /** Returns the requests in the journal, newest first. */
  list(filter?: Filter): Promise<Entry[]>;
  /** Returns a page of the requests, newest first. */
  page(filter: Filter & PageOptions & { readonly brief: true }): Promise<RequestPage<RequestSummary>>;
  page(filter?: Filter & PageOptions & { readonly brief?: false }): Promise<RequestPage<Entry>>;
  /** Returns the requests as an HTTP archive (HAR 1.2), in the order of arrival. */
  har(filter?: Filter): Promise<Har>;
  /** Returns the number of requests, errors and their durations over time, and the periods of scenarios. */
  timeline(filter?: Filter & TimelineOptions): Promise<Timeline>;
}

/** Returns the calls that find requests. Each call reads connection and path again, so they may change between calls. */
export function requestSearch<Filter extends RequestFilter, Entry>(
  target: { readonly connection: Connection },
  path: () => string,
): RequestSearch<Filter, Entry> {
  type Query = RequestFilter & PageOptions & TimelineOptions & { readonly format?: "har" };
  const get = async <T>(below: string, filter: Query = {}, more?: Query) => {
    checkOptionNames("requests", filter);
    const { since, from, to, ...query } = filter;
    const times = { since: timeOf(since), from: timeOf(from), to: timeOf(to) };
    return control<T>(target.connection, {
      method: "GET",
      path: path() + below,
      query: { ...query, ...times, ...more },
    });
  };
  return {
    async list(filter) {
      checkListFilter("requests", filter);
      const entries: Entry[] = [];
      for (let before: string | undefined; ; ) {
        const page = await get<RequestPage<Entry>>("", filter, { before, limit: MAX_REQUEST_PAGE });
        for (const entry of page.requests) entries.push(entry);
        if (page.next === undefined) return entries;
        before = page.next;
      }
    },
    page: <Item>(filter?: Filter & PageOptions) => get<RequestPage<Item>>("", filter),
    har: (filter) => get("", filter, { format: "har" }),
    timeline: (filter) => get("/timeline", filter),
  };
}

function timeOf(time: Date | string | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}
