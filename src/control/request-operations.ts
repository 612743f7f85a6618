import {
  count,
  type FromSchema,
  LAST_INSTANT,
  lazily,
  MAX_TIMELINE_PERIODS,
  object,
  shown,
} from "../contract/index.ts";
import {
  Buckets,
  detailsOf,
  entryOf,
  evolvedIn,
  Har,
  PendingRequest,
  pendingRequestOf,
  RequestEntry,
  RequestSummary,
  summaryOf,
  Timeline,
} from "../journal/index.ts";
import type { Project } from "../project/index.ts";
import type { Effort, ScenarioPeriod } from "../rules/index.ts";
import { type ControlResponse, invalid, ok } from "./control-response.ts";
import { type FromQuery, inProject, json, onServer } from "./define-operation.ts";
import {
  BUCKETS,
  projectSelection,
  REQUEST_PAGE,
  type RequestSelection,
  requestPaging,
  selection,
  TimelineOptions,
} from "./request-selection.ts";
import {
  effortOf,
  entriesOf,
  type Found,
  filterOf,
  instant,
  projectsOf,
  type SearchCall,
  timeOf,
  visitRequests,
} from "./search.ts";
import { momentsOf, notRewindable, RewindRequest, Rewound, requestOf, rewind } from "./state-operations.ts";

/* The requests in the journals: lists, single ones, rewinds, and their number over time. */

/** A page of the requests. */
export const FoundRequests = object(["requests", "total", "searched", "dropped"], {
  requests: { type: "array", items: { anyOf: [RequestEntry, RequestSummary] } },
  total: { ...count, description: "The number of matching requests, in all pages." },
  searched: { ...count, description: "The number of requests in the journal." },
  dropped: {
    ...count,
    description: "The number of older requests that the journal has dropped, as it was full.",
  },
  pending: {
    type: "array",
    items: PendingRequest,
    description:
      "The requests that have arrived at this process and have no response yet, whatever the filters. Absent without such requests.",
  },
  next: { type: "string", description: "The value of `before` for the next page. Absent on the last page." },
});
export type FoundRequests = FromSchema<typeof FoundRequests>;

const page = json(
  "The requests, up to `limit` and up to 8 MiB; with format=har, an HTTP archive without the limit of 8 MiB.",
  { anyOf: [FoundRequests, Har] },
);

const timeline = json("The timeline.", Timeline);
const range = "Without `from` and `to`, the timeline covers all requests in the journal, also those that do not match.";

const pathParameters = {
  id: { description: "The id of the request, from the header Mock-Request-Id.", example: "5f0c2a9e-1" },
};

export const operations = {
  listRequests: inProject("GET", "/requests", {
    summary: "List the requests in the journal, newest first",
    query: { ...selection, ...requestPaging },
    responses: { 200: page },
    handle: list,
  }),

  listAllRequests: onServer("GET", "/requests", {
    reach: "all projects",
    summary: "List the requests of all projects, newest first",
    query: { ...projectSelection, ...selection, ...requestPaging },
    responses: { 200: page },
    handle: list,
  }),

  clearRequests: inProject("DELETE", "/requests", {
    summary: "Delete the requests from the journal",
    description:
      "Requests that arrived before this call never count afterwards, also those that are still in progress. Waits in progress count again from 0. The coverage stays.",
    handle: ({ project }) => project.clearJournal(),
  }),

  readRequest: inProject("GET", "/requests/{id}", {
    summary: "Return a request and its response",
    pathParameters,
    responses: { 200: json("The request with its response.", RequestEntry) },
    handle({ engine, project, path: { id } }) {
      const exchange = requestOf(project, id);
      const evolved = evolvedIn(exchange.decisions);
      return ok({ ...entryOf(exchange), evolved, changes: detailsOf(engine.contract, project.history, exchange) });
    },
  }),

  rewindRequest: inProject("POST", "/requests/{id}/rewind", {
    summary: "Restore the state before or after a request",
    description:
      "Changes only the state: settings, scenarios, rules, clock and journal stay. The moment in `undo` restores the state before this call.",
    pathParameters,
    body: RewindRequest,
    bodyIsOptional: true,
    example: { to: "before" },
    responses: { 200: json("The moment of the restored state.", Rewound), 409: notRewindable },
    async handle({ project, path: { id }, body: { to = "before" } }) {
      const [before, after] = momentsOf(requestOf(project, id));
      return ok(await rewind(project, to === "before" ? before : after, { request: id, to }));
    },
  }),

  getTimeline: inProject("GET", "/requests/timeline", {
    summary: "Return the number of requests, errors and their durations over time",
    description: range,
    query: { ...selection, ...TimelineOptions.properties },
    responses: { 200: timeline },
    handle: timelineOf,
  }),

  getTimelineOfAll: onServer("GET", "/requests/timeline", {
    reach: "all projects",
    summary: "Return the timeline of the requests of all projects",
    description: range,
    query: { ...projectSelection, ...selection, ...TimelineOptions.properties },
    responses: { 200: timeline },
    handle: timelineOf,
  }),
};

type ListCall = SearchCall<RequestSelection & FromQuery<typeof requestPaging>>;

async function list(call: ListCall): Promise<ControlResponse> {
  const { project, query, engine } = call;
  if (query.format === "har") return archive(call);
  const effort = effortOf(call);
  const { newest, older, total, searched } = await pageOf(call, REQUEST_PAGE.default, effort);
  const exchanges = newest.map(({ exchange }) => exchange);
  const projectAt = (index: number) => newest[index]?.project.key ?? "";
  const requests = query.brief
    ? exchanges.map((exchange, index) => summaryOf(projectAt(index), exchange))
    : (await entriesOf(exchanges, effort)).map((each, index) =>
        project ? each : { project: projectAt(index), ...each },
      );
  const next = nextPage(newest.slice(0, requests.length), older, project);
  let dropped = 0;
  for (const { journal } of projectsOf(call)) dropped += journal.forgotten;
  const pending = engine.inProgress.of(project?.key).slice(0, REQUEST_PAGE.default).map(pendingRequestOf);
  return ok({ requests, total, searched, dropped, ...(pending.length > 0 && { pending }), next });
}

/**
 * Finds the requests that a query selects, newest first, up to its `limit`. `older` counts the matching requests that are
 * older than the start of the page.
 */
async function pageOf(call: ListCall, defaultLimit: number, effort: Effort) {
  const { limit = defaultLimit, before } = call.query;
  const filter = await filterOf(call);
  const bound = before === undefined ? Infinity : await serialOf(before, call, effort);
  const older: Found[] = [];
  let [total, searched] = [0, 0];
  await visitRequests(call, effort, (found) => {
    searched++;
    if (!filter.matches(found.exchange, effort)) return;
    total++;
    if (found.exchange.serial < bound) older.push(found);
  });
  const newest = older.sort((a, b) => b.exchange.serial - a.exchange.serial).slice(0, limit);
  return { newest, older: older.length, total, searched };
}

/** Returns the cursor of the page after these requests; undefined if it would be empty. */
function nextPage(shown: readonly Found[], older: number, project: Project | undefined): string | undefined {
  const last = shown.at(-1)?.exchange;
  if (!last || shown.length === older) return undefined;
  // Another journal can have older requests, also after this one has dropped the request.
  return project ? last.id : `${last.id}@${last.serial}`;
}

const loadHar = lazily(() => import("../journal/har/index.ts"));

/** Returns the requests as an HTTP archive that browsers save as a file. Throws InvalidField for `brief`. */
async function archive(call: ListCall): Promise<ControlResponse> {
  const { control, project, query } = call;
  if (query.brief) throw invalid("brief", "expected false with format=har, found true. An archive has no summaries.");
  const { newest, older, total } = await pageOf(call, Infinity, effortOf(call));
  const byArrival = newest.toSorted((a, b) => a.exchange.arrival - b.exchange.arrival);
  const requests = byArrival.map((found) => ({ exchange: found.exchange, project: found.project.key }));
  const { harPieces } = await loadHar();
  const next = nextPage(newest, older, project);
  const name = project?.key ?? "requests";
  return {
    status: 200,
    headers: { "Content-Disposition": `attachment; filename="${name.replaceAll(/[^\w.~-]/g, "_")}.har"` },
    pieces: harPieces(requests, { version: control.version, _total: total, _next: next }),
  };
}

async function serialOf(before: string, call: ListCall, effort: Effort): Promise<number> {
  const serial = /^[\da-f]{8}-\d{1,15}@(\d{1,15})$/.exec(before)?.[1];
  if (serial !== undefined) return Number(serial);
  let found: number | undefined;
  await visitRequests(call, effort, ({ exchange }) => {
    if (exchange.id === before) found = exchange.serial;
  });
  if (found !== undefined) return found;
  // The journal drops the oldest requests first, so it has none before a request that it has dropped.
  if (call.project?.issued(before)) return 0;
  const hint = call.project ? "" : " The journal may have dropped it. `next` of a page stays valid.";
  throw invalid("before", `expected the id of a request, or \`next\` of a page, found ${shown(before)}.${hint}`);
}

type TimelineCall = SearchCall<RequestSelection & TimelineOptions>;

async function timelineOf(call: TimelineCall): Promise<ControlResponse> {
  const { query } = call;
  const filter = await filterOf(call);
  const effort = effortOf(call);
  const { from, to } = await rangeOf(call, effort);
  const counted = new Buckets(from, to, query.buckets ?? BUCKETS.default);
  let total = 0;
  await visitRequests(call, effort, ({ exchange }) => {
    if (exchange.serverTime < from || exchange.serverTime > to) return;
    if (!filter.matches(exchange, effort)) return;
    counted.add(exchange);
    total++;
  });
  const scenarios = await periodsIn(counted, call, effort);
  return ok({ from: timeOf(counted.from), to: timeOf(counted.to), total, buckets: counted.list(), scenarios });
}

/** Returns the time of a timeline: `from` and `to` of the query, or the times of the first and the last request. */
async function rangeOf(call: TimelineCall, effort: Effort) {
  const { engine, query } = call;
  const [from, to] = [instant("from", query.from), instant("to", query.to)];
  let [first, last] = [Infinity, -Infinity];
  if (from === undefined || to === undefined) {
    await visitRequests(call, effort, ({ exchange: { serverTime } }) => {
      first = Math.min(first, serverTime);
      last = Math.max(last, serverTime);
    });
    if (last < first) first = last = engine.now();
  }
  const end = Math.min(to ?? Math.max(last, from ?? last), LAST_INSTANT - BUCKETS.maximum);
  return { from: Math.floor(Math.min(from ?? first, end)), to: Math.ceil(end) };
}

/** Returns the last `MAX_TIMELINE_PERIODS` periods in which scenarios were active during this time, oldest first. */
async function periodsIn({ from, to }: Buckets, call: TimelineCall, effort: Effort) {
  type Period = ScenarioPeriod & { readonly project?: string };
  const overlaps = (period: Period) => period.from <= to && (period.to ?? Infinity) >= from;
  const newestFirst = (periods: Period[]) => periods.sort((a, b) => b.from - a.from).slice(0, MAX_TIMELINE_PERIODS);
  let periods: Period[] = call.engine.activeForAll.activeRules.periods.filter(overlaps);
  for (const { key, activeRules } of projectsOf(call)) {
    if (effort.isOver) await effort.next();
    for (const period of activeRules.periods) if (overlaps(period)) periods.push({ ...period, project: key });
    if (periods.length > 2 * MAX_TIMELINE_PERIODS) periods = newestFirst(periods);
  }
  const shown = (period: Period) => ({ ...period, from: timeOf(period.from), to: timeOf(period.to) });
  return newestFirst(periods).reverse().map(shown);
}
