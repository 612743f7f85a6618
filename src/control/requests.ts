import { isDateTime } from "../contract/formats.ts";
import { ServiceError } from "../contract/service-error.ts";
import { briefEntryOf, entryOf, RequestEntry } from "../journal/entry.ts";
import { type Exchange, sizeOf } from "../journal/exchange.ts";
import { compileMatch } from "../journal/match.ts";
import { Verification, VerificationFailed, VerificationPassed } from "../journal/verification.ts";
import { verify } from "../journal/verify.ts";
import { Effort, MAX_STEPS } from "../matching/effort.ts";
import { OperationName, type UncheckedMatch } from "../matching/match.ts";
import { View } from "../matching/matchable.ts";
import { type Matcher, matches } from "../matching/matcher.ts";
import { MAX_PATTERNS_SIZE } from "../matching/pattern.ts";
import { type Project, projectEnded } from "../projects/project.ts";
import { counted, shown } from "../text/shown.ts";
import { type ControlCall, type FromQuery, inProject, json, listOf, nothing, paging, problem } from "./operation.ts";
import { invalid, notFound, problemResponse } from "./problem.ts";
import { type ControlResponse, done, listed, ok } from "./response.ts";
import { WaitRequest, WaitTimedOut } from "./schemas.ts";
import { waitFor } from "./wait-for.ts";

/** How many requests a list holds. */
const REQUEST_PAGE = { default: 100, maximum: 1000 };

/** A list ends earlier if its requests come to more than this, in bytes as the journal counts them. */
const MAX_LIST_BYTES = 8 * 1024 * 1024;

/** How many requests a wait that is over in time shows. */
const MAX_MISSING_SHOWN = 10;

/** Each new request of a project is compared with as many waits. */
const MAX_WAITS = 1000;

const Requests = listOf("requests", RequestEntry);

const filters = {
  operation: { type: "string", schema: OperationName, description: "The operation's id." },
  method: { type: "string" },
  status: { type: "string", description: "409, or a class: 4xx." },
  path: { type: "string", description: "The whole path, decoded or as sent; * at its end stands for any rest." },
  source: { type: "string", description: "scenario:conflict, or its kind: scenario." },
} as const;

const limits = WaitRequest.properties;
const waiting = {
  description: "Past ones count. Answers at once when there are enough, else as soon as there are.",
  responses: {
    200: json("The requests, newest first: those that the journal still keeps, up to 8 MiB.", Requests),
    408: problem("They have not arrived in time; the newest that have.", WaitTimedOut),
    409: problem("There are too many waits, or the patterns would take too long."),
  },
};

export const requestOperations = {
  listRequests: inProject("GET", "/requests", {
    summary: "The requests that the journal keeps, newest first",
    query: {
      ...filters,
      violations: { type: "boolean", description: "Only those that broke the contract, or only those that did not." },
      since: {
        type: "string",
        description:
          "Received then or later, by the project's clock: a date-time (RFC 3339) or milliseconds since 1970.",
      },
      ...paging(REQUEST_PAGE),
    },
    responses: {
      200: json("The requests; fewer than `limit` if they would come to more than 8 MiB.", Requests),
    },
    async handle(call) {
      const { engine, project, query } = call;
      const { violations, since, limit = REQUEST_PAGE.default, offset = 0 } = query;
      const matcher = await compileMatch(filterOf(query), engine.contract);
      const earliest = since === undefined ? Number.NEGATIVE_INFINITY : instantOf(since);
      const effort = effortOf(call);
      const found: Exchange[] = [];
      for (const exchange of project.journal.list()) {
        if (effort.isDue) await effort.pause();
        if (violations !== undefined && exchange.violations.length > 0 !== violations) continue;
        if (exchange.receivedAt >= earliest && (await matches(matcher, new View(exchange), effort)))
          found.push(exchange);
      }
      const entries = await entriesOf(found.slice(offset, offset + limit), effort);
      return ok(listed("requests", entries, found.length));
    },
  }),

  clearRequests: inProject("DELETE", "/requests", {
    summary: "Forget the requests",
    responses: { 204: nothing },
    handle({ project }) {
      project.journal.clear();
      return done;
    },
  }),

  readRequest: inProject("GET", "/requests/{id}", {
    summary: "A request and its answer",
    pathParameters: { id: { description: "The request's id, from Mock-Request-Id.", example: "5f0c2a9e-1" } },
    responses: { 200: json("The request.", RequestEntry) },
    handle({ project, path: { id } }) {
      const exchange = project.journal.list().find((each) => each.id === id);
      if (exchange) return ok(entryOf(exchange));
      throw notFound(`The journal has no request ${shown(id)}: it may be of another project, or too long ago`);
    },
  }),

  verifyRequests: inProject("POST", "/requests/verify", {
    summary: "Hold the requests against an expectation",
    body: Verification,
    responses: {
      200: json("It holds.", VerificationPassed),
      409: problem("The patterns would take too long."),
      422: json("It does not hold, and why.", VerificationFailed),
    },
    async handle(call) {
      const { engine, project, body } = call;
      const { journal, key } = project;
      const exchanges = journal.list().sort((a, b) => a.arrival - b.arrival);
      const received = { exchanges, projectKey: key, forgotten: journal.forgotten, effort: effortOf(call) };
      const verdict = await verify(body, received, engine.contract);
      return { status: verdict.pass ? 200 : 422, json: verdict };
    },
  }),

  waitForRequests: inProject("GET", "/requests/wait", {
    summary: "Wait until requests have arrived",
    query: {
      ...filters,
      count: { ...limits.count, description: "How many; 1 by default." },
      timeout: { ...limits.timeout, description: "Milliseconds; 5000 by default." },
    },
    ...waiting,
    handle: async (call) => wait(call, await compileMatch(filterOf(call.query), call.engine.contract), call.query),
  }),

  waitForMatch: inProject("POST", "/requests/wait", {
    summary: "Wait until requests that match have arrived",
    body: WaitRequest,
    bodyIsOptional: true,
    ...waiting,
    handle: async (call) =>
      wait(call, await compileMatch(call.body.match ?? {}, call.engine.contract, "/match"), call.body),
  }),
};

type Call = Pick<ControlCall<unknown, unknown, unknown, Project>, "engine" | "project" | "signal">;

/** The effort of a call: it ends when the project does, and when the client goes away. */
function effortOf({ project, signal }: Call): Effort {
  const gone = signal();
  return new Effort({
    maxSteps: MAX_STEPS,
    check() {
      if (project.hasEnded) throw projectEnded(project);
      if (gone.aborted) throw new ServiceError({ code: "ServiceUnavailable", message: "The client went away" });
    },
  });
}

/** Returns the entries of these exchanges, up to `MAX_LIST_BYTES`, and at least one. */
async function entriesOf(exchanges: readonly Exchange[], effort: Effort): Promise<RequestEntry[]> {
  const entries: RequestEntry[] = [];
  let bytes = 0;
  for (const exchange of exchanges) {
    if (effort.isDue) await effort.pause();
    bytes += sizeOf(exchange);
    if (bytes > MAX_LIST_BYTES && entries.length > 0) break;
    entries.push(entryOf(exchange));
  }
  return entries;
}

/** Waits for so many requests; `timeout` is in milliseconds. */
async function wait(
  call: Call,
  matcher: Matcher,
  {
    count = limits.count.default,
    timeout = limits.timeout.default,
  }: { readonly count?: number; readonly timeout?: number },
): Promise<ControlResponse> {
  const { engine, project, signal } = call;
  const { journal } = project;
  if (journal.watchers >= MAX_WAITS) {
    throw tooMany(`at most ${MAX_WAITS} waits in progress in a project, found ${journal.watchers}`);
  }
  const size = journal.watchedSize + matcher.size;
  if (size > MAX_PATTERNS_SIZE) {
    const all = "the patterns of all waits in progress in a project";
    throw tooMany(`${all} to have at most ${MAX_PATTERNS_SIZE} instructions together, found ${size}`);
  }
  const awaited = { size: matcher.size, fits: (view: View, effort: Effort) => matches(matcher, view, effort) };
  const missedBefore = journal.missed;
  const signals = [project.ended, engine.stopping, signal()];
  const effort = effortOf(call);
  const { numbers, complete } = await waitFor(journal, awaited, { count, timeout, signals }, effort);
  const arrived = numbers.flatMap((number) => journal.at(number) ?? []);
  if (complete) return ok(listed("requests", await entriesOf(arrived, effort), numbers.length));
  if (engine.stopping.aborted) {
    throw new ServiceError({ code: "ServiceUnavailable", message: "The server is stopping: the wait is over" });
  }
  const missed = journal.missed - missedBefore;
  const unseen = missed === 0 ? "" : `; ${counted(missed, "request")} arrived too fast to be compared`;
  const message = `Waited ${timeout} ms for ${counted(count, "request")}, and ${numbers.length} arrived${unseen}`;
  const newest = arrived.slice(0, MAX_MISSING_SHOWN).map(briefEntryOf);
  return problemResponse(
    new ServiceError({ code: "RequestsMissing", message }),
    listed("requests", newest, numbers.length),
  );
}

function tooMany(expected: string): ServiceError {
  return new ServiceError({
    code: "LimitReached",
    message: `waits: expected ${expected}. Wait again when some are over`,
  });
}

/** The filters of a query, as a match. */
function filterOf({ status, ...filter }: Partial<FromQuery<typeof filters>>): UncheckedMatch {
  return { ...filter, status: status === undefined ? undefined : statusFilter(status) };
}

function statusFilter(text: string): number | string {
  if (/^[1-5]xx$/.test(text)) return text;
  if (/^[1-5]\d\d$/.test(text)) return Number(text);
  throw invalid("status", `expected a status, such as 409, or a class, such as 4xx, found ${shown(text)}`);
}

/** Milliseconds since 1970. */
function instantOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  if (isDateTime(text)) return Date.parse(text);
  throw invalid("since", `expected a date-time (RFC 3339) or milliseconds since 1970, found ${shown(text)}`);
}
