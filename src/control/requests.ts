import { isDateTime } from "../contract/date-time.ts";
import { ServiceError } from "../contract/service-error.ts";
import { entryOf } from "../journal/entry.ts";
import type { Exchange } from "../journal/exchange.ts";
import { compileMatch, type Match, type Matcher, matches } from "../journal/match.ts";
import { type Verification, verify } from "../journal/verify.ts";
import { waitFor } from "../journal/wait-for.ts";
import { counted, shown } from "../text/shown.ts";
import { type ControlAnswer, done, ok, type ProjectCall, type ProjectHandler, page } from "./control.ts";
import { invalid, notFound, problemAnswer } from "./problem.ts";
import { REQUEST_PAGE } from "./project-operations.ts";
import { DEFAULT_WAIT_MS, type WaitRequest } from "./schemas.ts";

export const listRequests: ProjectHandler = async (call) => {
  const { violations, since } = call.query as { violations?: boolean; since?: string };
  const matcher = await compileMatch(filterOf(call));
  const earliest = since === undefined ? Number.NEGATIVE_INFINITY : instantOf(since);
  const found = call.project.journal.list().filter((exchange) => {
    if (violations !== undefined && exchange.violations.length > 0 !== violations) return false;
    return exchange.receivedAt >= earliest && matches(matcher, exchange);
  });
  const { requests, total } = page("requests", found, call, REQUEST_PAGE.default);
  return ok({ requests: requests.map(entryOf), total });
};

export const clearRequests: ProjectHandler = ({ project }) => {
  project.journal.clear();
  return done;
};

export const readRequest: ProjectHandler = ({ project, path: { id = "" } }) => {
  const exchange = project.journal.list().find((each) => each.id === id);
  if (!exchange)
    throw notFound(`The journal has no request ${shown(id)}: it may be of another project, or too long ago`);
  return ok(entryOf(exchange));
};

export const verifyRequests: ProjectHandler = async ({ project, body }) => {
  const { journal, key } = project;
  const exchanges = journal.list().sort((a, b) => a.arrival - b.arrival);
  const verdict = await verify(body as Verification, { exchanges, projectKey: key, forgotten: journal.forgotten });
  return { status: verdict.pass ? 200 : 422, json: verdict };
};

export const waitForRequests: ProjectHandler = async (call) => {
  return wait(call, await compileMatch(filterOf(call)), call.query as Omit<WaitRequest, "match">);
};

export const waitForMatch: ProjectHandler = async (call) => {
  const { match = {}, ...limits } = (call.body ?? {}) as WaitRequest;
  return wait(call, await compileMatch(match, "/match"), limits);
};

async function wait(
  call: ProjectCall,
  matcher: Matcher,
  { count = 1, timeout = DEFAULT_WAIT_MS }: Omit<WaitRequest, "match">,
): Promise<ControlAnswer> {
  const { engine, project } = call;
  const fits = (exchange: Exchange) => matches(matcher, exchange);
  const signals = [project.ended, engine.stopping, call.signal()];
  const { exchanges, complete } = await waitFor(project.journal, fits, { count, timeout, signals });
  const arrived = { requests: exchanges.map(entryOf), total: exchanges.length };
  if (complete) return ok(arrived);
  if (engine.stopping.aborted) {
    throw new ServiceError({ code: "ServiceUnavailable", message: "The server is stopping: the wait is over" });
  }
  const message = `Waited ${timeout} ms for ${counted(count, "request")}, and ${exchanges.length} arrived`;
  return problemAnswer(new ServiceError({ code: "RequestsMissing", message }), arrived);
}

/** The filters of a query, as a match. */
function filterOf({ query }: ProjectCall): Match {
  const { operation, method, status, path, source } = query as Record<string, string | undefined>;
  return {
    ...(operation !== undefined && { operation: operation as NonNullable<Match["operation"]> }),
    ...(method !== undefined && { method }),
    ...(status !== undefined && { status: statusOf(status) }),
    ...(path !== undefined && { path }),
    ...(source !== undefined && { source }),
  };
}

function statusOf(text: string): number | string {
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
