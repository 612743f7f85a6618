import { inProgressText, MAX_LISTED, MAX_PATTERNS_SIZE, MAX_WAITS, ServiceError, shown } from "../contract/index.ts";
import { wait } from "../engine/index.ts";
import {
  briefEntryOf,
  compileMatch,
  type Journal,
  pendingRequestOf,
  RequestEntry,
  type Watcher,
} from "../journal/index.ts";
import type { Project } from "../project/index.ts";
import { type Effort, type Match, type Matcher, matches, View } from "../rules/index.ts";
import { type ControlResponse, invalid, list, problemResponse } from "./control-response.ts";
import { WaitRequest, WaitTimedOut } from "./control-schemas.ts";
import {
  type ControlCall,
  type FromQuery,
  inProject,
  json,
  listOf,
  operationThat,
  problem,
} from "./define-operation.ts";
import { selection } from "./request-selection.ts";
import { effortOf, entriesOf, selectedBy } from "./search.ts";

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

/** The operations that wait for requests. */
export const operations = {
  waitForRequests: inProject("GET", "/requests/wait", {
    reach: "wait",
    summary: "Wait for requests, selected by query parameters",
    opensProject: true,
    query: {
      ...filters,
      count: {
        ...limits.count,
        description: `The number of requests to wait for; ${limits.count.default} by default.`,
      },
      timeout: {
        ...limits.timeout,
        description: `The longest wait, in milliseconds; ${limits.timeout.default} by default.`,
      },
    },
    ...waiting,
    async handle(call) {
      const { count, timeout, ...filter } = call.query;
      return waitIn(call, await compileMatch(filterOf(filter), selectedBy(call)), { count, timeout });
    },
  }),

  waitForMatch: inProject("POST", "/requests/wait", {
    reach: "wait",
    summary: "Wait for requests, selected by a match",
    body: WaitRequest,
    example: (contract) => ({ match: { operation: operationThat("create", contract) }, count: 1, timeout: 5000 }),
    bodyIsOptional: true,
    ...waiting,
    handle: async (call) =>
      waitIn(call, await compileMatch(call.body.match ?? {}, selectedBy(call), "/match"), call.body),
  }),
};

async function waitIn(
  call: Pick<ControlCall<unknown, unknown, unknown, Project>, "engine" | "project" | "signal" | "step">,
  matcher: Matcher,
  { count = limits.count.default, timeout = limits.timeout.default }: Omit<WaitRequest, "match">,
): Promise<ControlResponse> {
  const { engine, project, signal, step } = call;
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
  const verification = { match: matcher.match, atLeast: count };
  if (complete) {
    const verdict = { pass: true, matched: numbers.length } as const;
    if (project.verifications.length > 0) await step((current) => current.noteVerdict(verification, verdict));
    return list("requests", await entriesOf(arrived, effort), numbers.length);
  }
  if (engine.stopping.aborted) {
    throw new ServiceError({ code: "ServiceUnavailable", message: "The server is stopping, which ends the wait" });
  }
  const inProgress = engine.inProgress.of(project.key);
  const pending = inProgress.length > 0 ? `. ${inProgressText(inProgress.map(pendingRequestOf))}` : "";
  // A verification counts requests in progress too, so it can pass. A wait that succeeds does not load it.
  const { verdictOf } = await import("./verify-requests.ts");
  const verdict = await verdictOf(verification, call);
  if (!verdict.pass) await step((current) => current.noteVerdict(verification, verdict));
  const message = `requests: expected ${count} within ${timeout} ms, found ${numbers.length}`;
  return problemResponse(new ServiceError({ code: "RequestsMissing", message }), {
    detail: message + (verdict.pass ? pending : `\n\n${verdict.message}`),
    requests: arrived.slice(0, MAX_LISTED).map(briefEntryOf),
    total: numbers.length,
    nearest: verdict.pass ? [] : verdict.nearest,
    ...(pending && { inProgress: inProgress.length }),
  });
}

/**
 * Waits for `count` matching exchanges, including past ones. The wait ends after `timeout` milliseconds, or when one of
 * the signals aborts. Returns the numbers of the matching exchanges, newest first, and whether `count` was reached. Keeps
 * no exchange in memory: the journal may drop some before the wait ends. `effort` limits the search in past exchanges.
 */
export async function waitFor(
  project: Project,
  matcher: Matcher,
  { count, timeout, signals }: Required<Omit<WaitRequest, "match">> & { readonly signals: readonly AbortSignal[] },
  effort: Effort,
): Promise<{ numbers: readonly number[]; complete: boolean }> {
  let numbers: number[] = [];
  const end = new AbortController();
  const isEnough = () => {
    // Requests before the journal was cleared no longer count.
    numbers = numbers.filter((number) => number > project.journalStart);
    return numbers.length >= count;
  };
  // Starts to watch before the search in past exchanges, so that requests that arrive during the search count too.
  const receive: Watcher["receive"] = (view, number) => {
    if (end.signal.aborted || !matches(matcher, view)) return;
    numbers.push(number);
    if (isEnough()) end.abort();
  };
  const unwatch = project.watchers.add({ size: matcher.size, receive }, project.journal.last);
  end.signal.addEventListener("abort", unwatch);
  try {
    // The requests that arrive meanwhile can replace the list.
    const past = await findPast(project.journal, matcher, effort);
    numbers.push(...past);
    if (isEnough()) end.abort();
    await wait(timeout, end.signal, ...signals);
  } finally {
    unwatch();
  }
  const complete = isEnough();
  return { numbers: numbers.sort((a, b) => b - a), complete };
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

function filterOf({ status, ...filter }: Partial<FromQuery<typeof filters>>): Match {
  if (status === undefined || /^[1-5]xx$/.test(status)) return { ...filter, status };
  if (/^[1-5]\d\d$/.test(status)) return { ...filter, status: Number(status) };
  throw invalid("status", `expected a status, such as 409, or a class, such as 4xx, found ${shown(status)}`);
}
