import { lazily } from "../contract/lazily.ts";
import { count, type FromSchema, object, type Schema } from "../contract/schema.ts";
import type { Engine } from "../engine/engine.ts";
import { Har } from "../har/schema.ts";
import { entryOf, RequestEntry } from "../journal/entry.ts";
import { RequestSummary, summaryOf } from "../journal/summary.ts";
import { Buckets, Timeline } from "../journal/timeline.ts";
import type { Effort } from "../matching/effort.ts";
import { LAST_INSTANT } from "../projects/clock.ts";
import type { Project } from "../projects/project.ts";
import type { ScenarioPeriod } from "../scenarios/periods.ts";
import { sorted } from "../schedule/sort.ts";
import { shown } from "../text/shown.ts";
import { type ControlCall, type FromQuery, inProject, json, noContent, onServer } from "./operation.ts";
import { invalid, notFound } from "./problem.ts";
import { projectSelection, REQUEST_PAGE, requestPaging, selection } from "./queries.ts";
import { type ControlResponse, done, ok } from "./response.ts";
import { effortOf, entriesOf, type Found, filterOf, instant, projectsNamed, visitRequests } from "./search.ts";

/** The number of intervals in a timeline. */
const BUCKETS = { default: 60, maximum: 300 };

/** The number of scenario periods in a timeline. */
const MAX_PERIODS = 1000;

const RequestPage = object(["requests", "total", "searched", "dropped"], {
  requests: { type: "array", items: { anyOf: [RequestEntry, RequestSummary] } },
  total: { ...count, description: "The number of matching requests, in all pages." },
  searched: { ...count, description: "The number of requests in the journal." },
  dropped: {
    ...count,
    description: "The number of older requests that the journal has dropped, as it was full.",
  },
  next: {
    type: "string",
    description: "The value of `before` for the next page. Absent on the last page.",
  },
} as const satisfies Record<string, Schema>);

const buckets = {
  buckets: {
    type: "integer",
    minimum: 1,
    maximum: BUCKETS.maximum,
    description: `The number of intervals; ${BUCKETS.default} by default.`,
  },
} as const;

const page = json(
  "The requests, up to `limit` and up to 8 MiB; with format=har, an HTTP archive without the limit of 8 MiB.",
  {
    anyOf: [RequestPage, Har],
  },
);
const timeline = json("The timeline.", Timeline);
const range = "Without `from` and `to`, the timeline covers all requests in the journal, also those that do not match.";

export const findOperations = {
  listRequests: inProject("GET", "/requests", {
    summary: "List the requests in the journal, newest first",
    query: { ...selection, ...requestPaging },
    responses: { 200: page },
    handle: (call) => list(call, () => [call.project]),
  }),

  getTimeline: inProject("GET", "/requests/timeline", {
    summary: "Return the number of requests, errors and their durations over time",
    description: range,
    query: { ...selection, ...buckets },
    responses: { 200: timeline },
    handle: (call) => timelineOf(call, () => [call.project]),
  }),

  listAllRequests: onServer("GET", "/requests", {
    summary: "List the requests of all projects, newest first",
    query: { ...projectSelection, ...selection, ...requestPaging },
    responses: { 200: page },
    handle: (call) => list(call, () => projectsNamed(call.engine, call.query.project)),
  }),

  getTimelineOfAll: onServer("GET", "/requests/timeline", {
    summary: "Return the timeline of the requests of all projects",
    description: range,
    query: { ...projectSelection, ...selection, ...buckets },
    responses: { 200: timeline },
    handle: (call) => timelineOf(call, () => projectsNamed(call.engine, call.query.project)),
  }),

  clearRequests: inProject("DELETE", "/requests", {
    summary: "Delete the requests from the journal",
    responses: { 204: noContent },
    handle({ project }) {
      project.clearJournal();
      return done;
    },
  }),

  readRequest: inProject("GET", "/requests/{id}", {
    summary: "Return a request and its response",
    pathParameters: {
      id: { description: "The id of the request, from the header Mock-Request-Id.", example: "5f0c2a9e-1" },
    },
    responses: { 200: json("The request with its response.", RequestEntry) },
    handle({ project, path: { id } }) {
      const exchange = project.exchanges().find((each) => each.id === id);
      if (exchange) return ok(entryOf(exchange));
      throw notFound(`Request ${shown(id)} not found. It may belong to another project, or the journal has dropped it`);
    },
  }),
};

type Call<Query> = Pick<ControlCall<unknown, Query, unknown, Project | undefined>, "engine" | "query" | "signal"> & {
  /** Absent for a call over all projects. */
  readonly project?: Project;
};
type Selection = FromQuery<typeof selection>;

interface Page {
  /** The requests of the page, newest first. */
  readonly newest: readonly Found[];
  /** The number of matching requests that are older than the start of the page. */
  readonly older: number;
  readonly total: number;
  readonly searched: number;
}

type ListCall = Call<Selection & FromQuery<typeof requestPaging>> & Pick<ControlCall, "control">;

async function list(call: ListCall, projects: () => Iterable<Project>): Promise<ControlResponse> {
  const { project, query } = call;
  if (query.format === "har") return archive(call, projects);
  const effort = effortOf({ project, signal: call.signal });
  const { newest, older, total, searched } = await pageOf(call, projects, REQUEST_PAGE.default, effort);
  const requests = query.brief
    ? newest.map((found) => summaryOf(found.project.key, found.exchange))
    : (
        await entriesOf(
          newest.map(({ exchange }) => exchange),
          effort,
        )
      ).map((entry, index) => (project ? entry : { project: newest[index]?.project.key, ...entry }));
  const next = nextPage(newest.slice(0, requests.length), older, project);
  return ok({ requests, total, searched, dropped: await droppedIn(projects(), effort), next });
}

/** Finds the requests that a query selects, up to its `limit`. */
async function pageOf(
  call: ListCall,
  projects: () => Iterable<Project>,
  defaultLimit: number,
  effort: Effort,
): Promise<Page> {
  const { engine, query } = call;
  const { limit = defaultLimit, before } = query;
  const filter = await filterOf(query, engine);
  const bound = before === undefined ? Infinity : await serialOf(before, call, projects(), effort);
  const older: Found[] = [];
  let [total, searched] = [0, 0];
  await visitRequests(engine, projects(), effort, async (found) => {
    searched++;
    if (!(await filter.matches(found.exchange, effort))) return;
    total++;
    if (found.exchange.serial < bound) older.push(found);
  });
  const newest = (await sorted(older, (a, b) => b.exchange.serial - a.exchange.serial)).slice(0, limit);
  return { newest, older: older.length, total, searched };
}

/** Returns the cursor of the page after these requests; undefined if it would be empty. */
function nextPage(shown: readonly Found[], older: number, project: Project | undefined): string | undefined {
  const last = shown.at(-1)?.exchange;
  return last && shown.length < older ? cursorAt(last, project) : undefined;
}

const loadHar = lazily(() => import("../har/har.ts"));

/** Returns the requests as an HTTP archive that browsers save as a file. Throws InvalidField for `brief`. */
async function archive(call: ListCall, projects: () => Iterable<Project>): Promise<ControlResponse> {
  const { control, project, query } = call;
  if (query.brief) throw invalid("brief", "expected false with format=har, found true. An archive has no summaries.");
  const effort = effortOf({ project, signal: call.signal });
  const { newest, older, total } = await pageOf(call, projects, Infinity, effort);
  const byArrival = await sorted(newest, (a, b) => a.exchange.arrival - b.exchange.arrival);
  const requests = byArrival.map((found) => ({ exchange: found.exchange, project: found.project.key }));
  const { harPieces } = await loadHar();
  const next = nextPage(newest, older, project);
  return {
    status: 200,
    headers: { "Content-Disposition": attachment(`${project?.key ?? "requests"}.har`) },
    pieces: harPieces(requests, { version: control.version, _total: total, _next: next }),
  };
}

/** Returns the header for a file with this name (RFC 6266), with a plain name for old clients. */
function attachment(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${name.replaceAll(/[^\w.~-]/g, "_")}"; filename*=UTF-8''${encoded}`;
}

/** Returns the number of requests that the journals of these projects have dropped. */
async function droppedIn(projects: Iterable<Project>, effort: Effort): Promise<number> {
  let dropped = 0;
  for (const { droppedRequests } of projects) {
    if (effort.isDue) await effort.pause();
    dropped += droppedRequests;
  }
  return dropped;
}

/** Returns the cursor of the requests before this one. */
function cursorAt({ id, serial }: Found["exchange"], project: Project | undefined): string {
  // Another journal can have older requests, also after this one has dropped the request.
  return project ? id : `${id}@${serial}`;
}

/** Returns the serial number of a cursor. Throws InvalidField for an unknown request. */
async function serialOf(
  before: string,
  { engine, project }: Call<unknown>,
  projects: Iterable<Project>,
  effort: Effort,
): Promise<number> {
  const serial = /^[\da-f]{8}-\d{1,15}@(\d{1,15})$/.exec(before)?.[1];
  if (serial !== undefined) return Number(serial);
  let found: number | undefined;
  await visitRequests(engine, projects, effort, ({ exchange }) => {
    if (exchange.id === before) found = exchange.serial;
  });
  if (found !== undefined) return found;
  // The journal drops the oldest requests first, so it has none before a request that it has dropped.
  if (project?.issued(before)) return 0;
  const hint = project ? "" : " The journal may have dropped it. `next` of a page stays valid.";
  throw invalid("before", `expected the id of a request, or \`next\` of a page, found ${shown(before)}.${hint}`);
}

async function timelineOf(
  call: Call<Selection & FromQuery<typeof buckets>>,
  projects: () => Iterable<Project>,
): Promise<ControlResponse> {
  const { engine, project, query } = call;
  const filter = await filterOf(query, engine);
  const effort = effortOf({ project, signal: call.signal });
  const { from, to } = await rangeOf(call, projects(), effort);
  const counted = new Buckets(from, to, query.buckets ?? BUCKETS.default);
  let total = 0;
  await visitRequests(engine, projects(), effort, async ({ exchange }) => {
    if (exchange.serverTime < from || exchange.serverTime > to) return;
    if (!(await filter.matches(exchange, effort))) return;
    counted.add(exchange);
    total++;
  });
  const scenarios = await periodsIn(counted, engine, projects(), effort);
  return ok({ from: timeOf(counted.from), to: timeOf(counted.to), total, buckets: counted.list(), scenarios });
}

/** Returns the time of a timeline: `from` and `to` of the query, or the times of the first and the last request. */
async function rangeOf({ engine, query }: Call<Selection>, projects: Iterable<Project>, effort: Effort) {
  const [from, to] = [instant("from", query.from), instant("to", query.to)];
  let [first, last] = [Infinity, -Infinity];
  if (from === undefined || to === undefined) {
    await visitRequests(engine, projects, effort, ({ exchange: { serverTime } }) => {
      first = Math.min(first, serverTime);
      last = Math.max(last, serverTime);
    });
    if (last < first) first = last = engine.now();
  }
  const end = Math.min(to ?? Math.max(last, from ?? last), LAST_INSTANT - BUCKETS.maximum);
  return { from: Math.floor(Math.min(from ?? first, end)), to: Math.ceil(end) };
}

type ShownPeriod = FromSchema<typeof Timeline>["scenarios"][number];

/** Returns the last `MAX_PERIODS` periods in which scenarios were active during this time, oldest first. */
async function periodsIn(
  { from, to }: Buckets,
  engine: Engine,
  projects: Iterable<Project>,
  effort: Effort,
): Promise<ShownPeriod[]> {
  type Period = ScenarioPeriod & { readonly project?: string };
  const overlaps = (period: Period) => period.from <= to && (period.to ?? Infinity) >= from;
  const newestFirst = (periods: Period[]) => periods.sort((a, b) => b.from - a.from).slice(0, MAX_PERIODS);
  let periods: Period[] = engine.activeRules.periods.filter(overlaps);
  for (const { key, scenarioPeriods } of projects) {
    if (effort.isDue) await effort.pause();
    for (const period of scenarioPeriods) if (overlaps(period)) periods.push({ ...period, project: key });
    if (periods.length > 2 * MAX_PERIODS) periods = newestFirst(periods);
  }
  return newestFirst(periods)
    .reverse()
    .map((period) => ({
      name: period.name,
      ...(period.project !== undefined && { project: period.project }),
      from: timeOf(period.from),
      ...(period.to !== undefined && { to: timeOf(period.to) }),
    }));
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
