import { isDateTime } from "../contract/formats.ts";
import { ServiceError } from "../contract/service-error.ts";
import type { Engine } from "../engine/engine.ts";
import { entryOf, RequestEntry } from "../journal/entry.ts";
import type { Exchange } from "../journal/exchange.ts";
import { compileMatch } from "../journal/match.ts";
import { Verification, VerificationFailed, VerificationPassed } from "../journal/verification.ts";
import { verify } from "../journal/verify.ts";
import { OperationName, type UncheckedMatch } from "../matching/match.ts";
import { type Matcher, matches } from "../matching/matcher.ts";
import type { Project } from "../projects/project.ts";
import { counted, shown } from "../text/shown.ts";
import { type ControlAnswer, done, listed, ok, selected } from "./answer.ts";
import { type FromQuery, inProject, json, listOf, nothing, paging, problem } from "./operation.ts";
import { invalid, notFound, problemAnswer } from "./problem.ts";
import { WaitRequest, WaitTimedOut } from "./schemas.ts";
import { waitFor } from "./wait-for.ts";

/** How many requests a list holds. */
const REQUEST_PAGE = { default: 100, maximum: 1000 };

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
    200: json("The requests, newest first.", Requests),
    408: problem("They have not arrived in time; those that have.", WaitTimedOut),
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
    responses: { 200: json("The requests.", Requests) },
    async handle({ engine, project, query }) {
      const { violations, since } = query;
      const matcher = await compileMatch(filterOf(query), engine.contract);
      const earliest = since === undefined ? Number.NEGATIVE_INFINITY : instantOf(since);
      const found = project.journal.list().filter((exchange) => {
        if (violations !== undefined && exchange.violations.length > 0 !== violations) return false;
        return exchange.receivedAt >= earliest && matches(matcher, exchange);
      });
      return ok(listed("requests", selected(found, query, REQUEST_PAGE).map(entryOf), found.length));
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
      422: json("It does not hold, and why.", VerificationFailed),
    },
    async handle({ engine, project: { journal, key }, body }) {
      const exchanges = journal.list().sort((a, b) => a.arrival - b.arrival);
      const received = { exchanges, projectKey: key, forgotten: journal.forgotten };
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

/** Waits for so many requests; `timeout` is in milliseconds. */
async function wait(
  { engine, project, signal }: { engine: Engine; project: Project; signal(): AbortSignal },
  matcher: Matcher,
  {
    count = limits.count.default,
    timeout = limits.timeout.default,
  }: { readonly count?: number; readonly timeout?: number },
): Promise<ControlAnswer> {
  const fits = (exchange: Exchange) => matches(matcher, exchange);
  const signals = [project.ended, engine.stopping, signal()];
  const { exchanges, complete } = await waitFor(project.journal, fits, { count, timeout, signals });
  const arrived = listed("requests", exchanges.map(entryOf));
  if (complete) return ok(arrived);
  if (engine.stopping.aborted) {
    throw new ServiceError({ code: "ServiceUnavailable", message: "The server is stopping: the wait is over" });
  }
  const message = `Waited ${timeout} ms for ${counted(count, "request")}, and ${exchanges.length} arrived`;
  return problemAnswer(new ServiceError({ code: "RequestsMissing", message }), arrived);
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
