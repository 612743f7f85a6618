import { inProgressText, MAX_LISTED, MAX_PATTERNS_SIZE, MAX_WAITS, ServiceError, shown } from "../contract/index.ts";
import { wait } from "../engine/index.ts";
import {
  briefEntryOf,
  type Coverage,
  CoverageReport,
  compileMatch,
  type Journal,
  pendingRequestOf,
  RequestEntry,
  reportOfCoverage,
  Verification,
  VerificationFailed,
  VerificationPassed,
  verify,
  type Watcher,
  withRequest,
} from "../journal/index.ts";
import type { Project } from "../project/index.ts";
import { type Effort, type Match, type Matcher, matches, type UncheckedMatch, View } from "../rules/index.ts";
import { type ControlResponse, invalid, list, ok, problemResponse } from "./control-response.ts";
import { type MatchedRequests, WaitRequest, WaitTimedOut } from "./control-schemas.ts";
import { type ControlCall, type FromQuery, inProject, json, listOf, onServer, problem } from "./define-operation.ts";
import { selection } from "./request-selection.ts";
import { effortOf, entriesOf } from "./search.ts";

const Requests = listOf("requests", RequestEntry);

const { method, path, offContract } = selection;
const filters = {
  operation: { type: "string", description: "The operation id." },
  method,
  status: { type: "string", description: "A status such as 409, or a class such as 4xx." },
  path,
  source: { type: "string", description: "A source such as scenario:conflict, or its kind, such as scenario." },
  offContract,
} as const;

const limits = WaitRequest.properties;
const waiting = {
  description:
    "Past requests count too. The call returns as soon as enough requests have their responses, or their clients have gone.",
  responses: {
    200: json("The requests that the journal still keeps, newest first, up to 8 MiB.", Requests),
    408: problem("Too few requests arrived in time. The problem contains the newest of them.", WaitTimedOut),
    409: problem("The waits of the project or the patterns reached a limit."),
  },
};

const coverage = { 200: json("The coverage.", CoverageReport, { textType: "text/plain" }) };

/** The operations that verify requests, wait for them or return their coverage. */
export const operations = {
  verifyRequests: inProject("POST", "/requests/verify", {
    summary: "Verify the requests",
    opensProject: false,
    body: Verification,
    example: { match: { operation: "createResource" }, atLeast: 1 },
    responses: {
      200: json("The verification passed.", VerificationPassed),
      409: problem("The patterns reached a limit."),
      422: json("The verification failed, with the reasons.", VerificationFailed),
    },
    async handle(call) {
      const verdict = await verify(call.body, receivedBy(call), call.engine.contract);
      return { status: verdict.pass ? 200 : 422, json: verdict };
    },
  }),

  waitForRequests: inProject("GET", "/requests/wait", {
    reach: "wait",
    summary: "Wait for requests, selected by query parameters",
    opensProject: true,
    query: {
      ...filters,
      count: { ...limits.count, description: "The number of requests to wait for; 1 by default." },
      timeout: { ...limits.timeout, description: "The longest wait, in milliseconds; 5000 by default." },
    },
    ...waiting,
    async handle(call) {
      const { count, timeout, ...filter } = call.query;
      return waitIn(call, await compileMatch(filterOf(filter), call.engine.contract), { count, timeout });
    },
  }),

  waitForMatch: inProject("POST", "/requests/wait", {
    reach: "wait",
    summary: "Wait for requests, selected by a match",
    body: WaitRequest,
    example: { match: { operation: "createResource" }, count: 1, timeout: 5000 },
    bodyIsOptional: true,
    ...waiting,
    handle: async (call) =>
      waitIn(call, await compileMatch(call.body.match ?? {}, call.engine.contract, "/match"), call.body),
  }),

  getCoverage: onServer("GET", "/coverage", {
    reach: "all projects",
    summary: "Return the coverage of the contract and of failures, over all projects",
    description: "Includes projects that were reset or deleted. `POST /__admin/reset` clears the coverage.",
    responses: coverage,
    handle: (call) => coverageResponse(call.engine.coverage(), call),
  }),

  getProjectCoverage: inProject("GET", "/coverage", {
    summary: "Return the coverage of the contract and of failures by the project",
    responses: coverage,
    handle: (call) => coverageResponse(call.project.value.coverage, call),
  }),
};

type Call = Pick<ControlCall<unknown, unknown, unknown, Project>, "engine" | "project" | "signal">;

/** Returns how many recorded requests match, and the one that nearly does. */
export async function matchedBy(match: Match, call: Call): Promise<MatchedRequests> {
  const received = receivedBy(call);
  const requests = received.exchanges.length;
  // Only a verification that fails looks for the nearest request.
  const verdict = await verify({ match, atLeast: requests + 1 }, received, call.engine.contract);
  const nearest = verdict.pass ? undefined : verdict.nearest[0];
  return { requests, matched: verdict.matched, ...(nearest && { nearest }) };
}

function receivedBy(call: Call) {
  const { journal, key } = call.project;
  const inProgress = call.engine.inProgress.of(key);
  const exchanges = [...journal.list(), ...inProgress].sort((a, b) => a.arrival - b.arrival);
  return { exchanges, inProgress, projectKey: key, forgotten: journal.forgotten, effort: effortOf(call) };
}

async function waitIn(
  call: Call,
  matcher: Matcher,
  { count = limits.count.default, timeout = limits.timeout.default }: Omit<WaitRequest, "match">,
): Promise<ControlResponse> {
  const { engine, project, signal } = call;
  const { watchers } = project;
  const size = watchers.size + matcher.size;
  const tooMany =
    watchers.count >= MAX_WAITS
      ? `fewer than ${MAX_WAITS} in progress in a project, found ${watchers.count}`
      : size > MAX_PATTERNS_SIZE &&
        `at most ${MAX_PATTERNS_SIZE} instructions in the patterns of a project's waits, found ${size}`;
  if (tooMany) {
    const message = `waits: expected ${tooMany}. Repeat the call when other waits have ended`;
    throw new ServiceError({ code: "LimitReached", message });
  }
  const signals = [project.ended, engine.stopping, signal()];
  const effort = effortOf(call);
  const { numbers, complete } = await waitFor(project, matcher, { count, timeout, signals }, effort);
  const arrived = numbers.flatMap((number) => project.journal.at(number) ?? []);
  if (complete) return list("requests", await entriesOf(arrived, effort), numbers.length);
  if (engine.stopping.aborted) {
    throw new ServiceError({ code: "ServiceUnavailable", message: "The server is stopping, which ends the wait" });
  }
  const received = receivedBy(call);
  const { inProgress } = received;
  const pending = inProgress.length > 0 ? `. ${inProgressText(inProgress.map(pendingRequestOf))}` : "";
  // A verification counts requests in progress too, so it can pass.
  const verdict = await verify({ match: matcher.match as Match, atLeast: count }, received, engine.contract);
  const reason = verdict.pass ? pending : `\n\n${verdict.message}`;
  const message = `requests: expected ${count} within ${timeout} ms, found ${numbers.length}`;
  return problemResponse(new ServiceError({ code: "RequestsMissing", message }), {
    detail: message + reason,
    requests: arrived.slice(0, MAX_LISTED).map(briefEntryOf),
    total: numbers.length,
    nearest: verdict.pass ? [] : verdict.nearest,
    ...(pending && { inProgress: inProgress.length }),
  });
}

/** The conditions that end a wait. */
interface WaitUntil extends Required<Omit<WaitRequest, "match">> {
  readonly signals: readonly AbortSignal[];
}

/**
 * Waits for `count` matching exchanges, including past ones. The wait ends after `timeout` milliseconds, or when one of
 * the signals aborts. Returns the numbers of the matching exchanges, newest first, and whether `count` was reached. Keeps
 * no exchange in memory: the journal may drop some before the wait ends. `effort` limits the search in past exchanges.
 */
export async function waitFor(
  project: Project,
  matcher: Matcher,
  { count, timeout, signals }: WaitUntil,
  effort: Effort,
): Promise<{ numbers: readonly number[]; complete: boolean }> {
  const numbers: number[] = [];
  const end = new AbortController();
  const isEnough = () => numbers.length >= count;
  // Starts to watch before the search in past exchanges, so that requests that arrive during the search count too.
  const receive: Watcher["receive"] = (view, number) => {
    if (end.signal.aborted || !matches(matcher, view)) return;
    numbers.push(number);
    if (isEnough()) end.abort();
  };
  const unwatch = project.watchers.add({ size: matcher.size, receive }, project.journal.last);
  end.signal.addEventListener("abort", unwatch);
  try {
    numbers.push(...(await findPast(project.journal, matcher, effort)));
    if (isEnough()) end.abort();
    await wait(timeout, end.signal, ...signals);
  } finally {
    unwatch();
  }
  return { numbers: numbers.sort((a, b) => b - a), complete: isEnough() };
}

/** Returns the numbers of the matching exchanges. The wait itself must not keep the journal in memory. */
async function findPast(journal: Journal, matcher: Matcher, effort: Effort): Promise<number[]> {
  const numbers: number[] = [];
  for (const number of journal.numbers()) {
    if (effort.isOver) await effort.next();
    const exchange = journal.at(number);
    if (exchange && matches(matcher, new View(exchange), effort)) numbers.push(number);
  }
  return numbers;
}

function filterOf({ status, ...filter }: Partial<FromQuery<typeof filters>>): UncheckedMatch {
  if (status === undefined || /^[1-5]xx$/.test(status)) return { ...filter, status };
  if (/^[1-5]\d\d$/.test(status)) return { ...filter, status: Number(status) };
  throw invalid("status", `expected a status, such as 409, or a class, such as 4xx, found ${shown(status)}`);
}

async function coverageResponse(
  answered: Coverage,
  { engine, header, project }: Pick<ControlCall, "engine" | "header" | "project">,
): Promise<ControlResponse> {
  const coverage = engine.inProgress
    .of(project?.key)
    .reduce((before, request) => withRequest(before, request), answered);
  const report = reportOfCoverage(coverage, engine.contract);
  const accept = header("accept") ?? "";
  if (!accept.includes("text/plain") || accept.includes("json")) return ok(report);
  const { coverageText } = await import("../journal/reports/index.ts");
  return { status: 200, content: coverageText(report), headers: { "Content-Type": "text/plain; charset=utf-8" } };
}
