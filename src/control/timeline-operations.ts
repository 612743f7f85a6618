import { type FromSchema, MAX_TIMELINE_PERIODS } from "../contract/index.ts";
import { Buckets, Timeline } from "../journal/index.ts";
import { LAST_INSTANT } from "../project/index.ts";
import type { Effort, ScenarioPeriod } from "../rules/index.ts";
import { type ControlResponse, ok } from "./control-response.ts";
import { inProject, json, onServer } from "./define-operation.ts";
import { effortOf, filterOf, instant, projectsOf, type SearchCall, visitRequests } from "./journal-search.ts";
import { BUCKETS, projectSelection, type RequestSelection, selection, TimelineOptions } from "./request-selection.ts";

const timeline = json("The timeline.", Timeline);
const range = "Without `from` and `to`, the timeline covers all requests in the journal, also those that do not match.";

export const operations = {
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

type TimelineCall = SearchCall<RequestSelection & TimelineOptions>;

async function timelineOf(call: TimelineCall): Promise<ControlResponse> {
  const { query } = call;
  const filter = await filterOf(query, call.engine);
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

type ShownPeriod = FromSchema<typeof Timeline>["scenarios"][number];

/** Returns the last `MAX_TIMELINE_PERIODS` periods in which scenarios were active during this time, oldest first. */
async function periodsIn({ from, to }: Buckets, call: TimelineCall, effort: Effort): Promise<ShownPeriod[]> {
  type Period = ScenarioPeriod & { readonly project?: string };
  const overlaps = (period: Period) => period.from <= to && (period.to ?? Infinity) >= from;
  const newestFirst = (periods: Period[]) => periods.sort((a, b) => b.from - a.from).slice(0, MAX_TIMELINE_PERIODS);
  let periods: Period[] = call.engine.activeForAll.activeRules.periods.filter(overlaps);
  for (const { key, activeRules } of projectsOf(call)) {
    if (effort.isOver) await effort.next();
    for (const period of activeRules.periods) if (overlaps(period)) periods.push({ ...period, project: key });
    if (periods.length > 2 * MAX_TIMELINE_PERIODS) periods = newestFirst(periods);
  }
  return newestFirst(periods)
    .reverse()
    .map((period) => ({
      ...period,
      from: timeOf(period.from),
      to: period.to === undefined ? undefined : timeOf(period.to),
    }));
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
