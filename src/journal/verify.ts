import {
  type Contract,
  counted,
  cut,
  inProgressText,
  invalidField,
  MAX_DETAILS,
  MAX_PROBLEMS,
  MAX_SHOWN_TEXT,
  MAX_SHOWN_VALUE,
  ServiceError,
} from "../contract/index.ts";
import {
  type Difference,
  type Effort,
  type Match,
  type Matcher,
  matches,
  nearestTo,
  redacted,
  shownDifference,
  View,
} from "../rules/index.ts";
import { briefEntryOf } from "./entry.ts";
import type { Exchange } from "./kept-exchange.ts";
import { compileMatch } from "./request-filter.ts";
import { pendingRequestOf } from "./request-summary.ts";
import type { Verdict, Verification } from "./verification.ts";

/** The received requests of a project. */
export interface VerifiedRequests {
  /** In the order of arrival, with the requests in progress. */
  readonly exchanges: readonly Exchange[];
  /** The requests that have no response yet. */
  readonly inProgress: readonly Exchange[];
  readonly projectKey: string;
  /** The number of requests that the journal no longer keeps. */
  readonly forgotten: number;
  /** The work of comparing the requests: pauses and limits. */
  readonly effort: Effort;
}

const NEAREST = 3;

/**
 * Verifies the received requests of a project. Throws InvalidField for a contradictory or invalid expectation, and
 * LimitReached for patterns that take too many steps over this journal.
 */
export async function verify(verification: Verification, received: VerifiedRequests, contract: Contract) {
  const { effort, exchanges, projectKey } = received;
  const selected = { contract, projectKey, requests: () => exchanges };
  const { match, count, atLeast, atMost, order } = verification;
  const exclusive = order ? "order" : "count";
  const others = { order: ["match", "count", "atLeast", "atMost"], count: ["atLeast", "atMost"] } as const;
  for (const name of verification[exclusive] === undefined ? [] : others[exclusive]) {
    if (verification[name] !== undefined) throw contradiction(name, `cannot be combined with ${exclusive}`);
  }
  if (order) {
    const steps: Matcher[] = [];
    for (const [index, step] of order.entries()) {
      if (effort.isOver) await effort.next();
      steps.push(await compileMatch(step, selected, `/order/${index}`));
    }
    return verifyOrder(steps, received);
  }
  const least = count ?? atLeast ?? (atMost === undefined ? 1 : 0);
  const most = count ?? atMost ?? Number.POSITIVE_INFINITY;
  if (least > most) throw contradiction("atMost", `expected at least ${least} (the value of atLeast), found ${most}`);
  return verifyCount(await compileMatch(match ?? {}, selected, "/match"), { least, most }, received);
}

function contradiction(name: string, message: string): ServiceError {
  return new ServiceError(invalidField(`/${name}`, message));
}

type Bounds = Readonly<Record<"least" | "most", number>>;

async function verifyCount(matcher: Matcher, { least, most }: Bounds, received: VerifiedRequests): Promise<Verdict> {
  const { exchanges, projectKey, forgotten, effort } = received;
  const matching = await Array.fromAsync(matchingIn(exchanges, matcher, effort));
  const matched = matching.length;
  const matchedAtMost = matched + forgotten;
  if (matched >= least && matchedAtMost <= most) return { pass: true, matched, ...numberIn(received) };

  const tooMany = matched > most;
  const tooFew = matched < least;
  const last = tooMany || tooFew ? matching.slice(-NEAREST) : [];
  const found = last.map((exchange): Near => ({ exchange, differences: [] }));
  const nearest = tooFew ? await nearestOf(matcher, exchanges, received) : [];
  const unknown = tooMany || tooFew ? "" : "; the number among earlier requests is unknown";
  const lines = [
    `Expected ${boundsText({ least, most })} in project "${projectKey}" to match, found ${matched} among ${requests(exchanges.length)}${unknown}.`,
    "",
    "Expected:",
    ...matchLines(matcher.match),
  ];
  const which = matched > NEAREST ? ` (the last ${NEAREST} of ${matched})` : "";
  if (found.length > 0) lines.push("", `Matching${which}:`, ...found.flatMap(nearestLines));
  if (nearest.length > 0) lines.push("", "Nearest:", ...nearest.flatMap(nearestLines));
  const undecided = !tooMany && matchedAtMost >= least;
  const facts = { pass: false, matched, ...(undecided && { undecided }) } as const;
  return { ...facts, ...failure(lines, tooMany ? found : nearest, received) };
}

async function* matchingIn(exchanges: readonly Exchange[], matcher: Matcher, effort: Effort) {
  for (const exchange of exchanges) {
    if (effort.isOver) await effort.next();
    if (matches(matcher, new View(exchange), effort)) yield exchange;
  }
}

async function firstIn(exchanges: readonly Exchange[], matcher: Matcher, effort: Effort) {
  return (await matchingIn(exchanges, matcher, effort).next()).value;
}

async function verifyOrder(steps: readonly Matcher[], received: VerifiedRequests): Promise<Verdict> {
  const { exchanges, projectKey, effort } = received;
  const found: Exchange[] = [];
  let rest = exchanges;
  for (const [index, step] of steps.entries()) {
    const exchange = await firstIn(rest, step, effort);
    if (!exchange) {
      const nearest = await nearestOf(step, rest, received);
      const before = exchanges.slice(0, exchanges.length - rest.length).reverse();
      const earlier = await firstIn(before, step, effort);
      const lines = [
        `Expected ${steps.length} requests in project "${projectKey}" in this order, but number ${index + 1} did not arrive${index > 0 ? ` after number ${index}` : ""}. The journal has ${requests(exchanges.length)}.`,
        "",
        "Expected:",
      ];
      for (const [number, each] of steps.entries()) {
        if (effort.isOver) await effort.next();
        lines.push(stepLine(each, number, found[number], number === index));
      }
      if (earlier) lines.push("", `A request that matches number ${index + 1} arrived too early: ${title(earlier)}`);
      if (nearest.length > 0) {
        lines.push("", `Nearest to number ${index + 1}${index > 0 ? `, of the requests after number ${index}` : ""}:`);
        lines.push(...nearest.flatMap(nearestLines));
      }
      const undecided = received.forgotten > 0;
      const facts = { pass: false, matched: index, ...(undecided && { undecided }) } as const;
      return { ...facts, ...failure(lines, nearest, received) };
    }
    found.push(exchange);
    rest = rest.slice(rest.indexOf(exchange) + 1);
  }
  return { pass: true, matched: steps.length, ...numberIn(received) };
}

interface Near {
  readonly exchange: Exchange;
  readonly differences: readonly Difference[];
}

/** A request in progress still gets its response, so it is not compared here. */
async function nearestOf(matcher: Matcher, exchanges: readonly Exchange[], { inProgress, effort }: VerifiedRequests) {
  const nearest: Near[] = [];
  const complete = inProgress.length === 0 ? exchanges : exchanges.filter((each) => !inProgress.includes(each));
  for (const exchange of await nearestTo(matcher, complete, NEAREST, effort)) {
    nearest.push({ exchange, differences: matcher.differences(new View(exchange), effort, MAX_PROBLEMS) });
  }
  return nearest;
}

function failure(lines: readonly string[], nearest: readonly Near[], received: VerifiedRequests) {
  return {
    ...numberIn(received),
    message: [...lines, ...notes(received)].join("\n"),
    nearest: nearest.map(({ exchange, differences }) => ({
      request: briefEntryOf(exchange),
      differences: differences.slice(0, MAX_DETAILS).map(briefDifference),
    })),
  };
}

function numberIn({ inProgress: { length } }: VerifiedRequests): { readonly inProgress?: number } {
  return length > 0 ? { inProgress: length } : {};
}

/** Returns the difference with long values cut to the start of their JSON text. */
function briefDifference(difference: Difference) {
  const { pointer, expected, actual } = shownDifference(difference);
  return {
    pointer: cut(pointer, MAX_SHOWN_VALUE),
    expected: briefValue(expected),
    ...(actual !== undefined && { actual: briefValue(actual) }),
  };
}

function briefValue(value: unknown): unknown {
  if (value === null || (typeof value !== "object" && typeof value !== "string")) return value;
  const json = JSON.stringify(value);
  return json.length > MAX_SHOWN_VALUE ? cut(json, MAX_SHOWN_VALUE) : value;
}

function notes({ exchanges, inProgress, forgotten }: VerifiedRequests): string[] {
  const pending = inProgress.length > 0 ? ["", `${inProgressText(inProgress.map(pendingRequestOf))}.`] : [];
  if (forgotten > 0) {
    const older = `${counted(forgotten, "older request")}, so ${forgotten === 1 ? "it was" : "they were"} not compared`;
    const hint = "Raise the setting journalSize, or clear the journal before the requests to verify";
    return [...pending, "", `The journal no longer has ${older}. ${hint}.`];
  }
  if (exchanges.length > 0) return pending;
  const hint = "Check that the client uses this server's address and this project key";
  return ["", `The project has received no requests. ${hint}.`];
}

function boundsText({ least, most }: Bounds): string {
  if (least === most) return least === 0 ? "no request" : `exactly ${requests(least)}`;
  if (most === Number.POSITIVE_INFINITY) return `at least ${requests(least)}`;
  return least === 0 ? `at most ${requests(most)}` : `${least} to ${requests(most)}`;
}

function requests(number: number): string {
  return counted(number, "request");
}

function matchLines(match: Match): string[] {
  const lines = Object.entries(match).map(([name, value]) => `  ${name}: ${brief(redacted([name], value))}`);
  return lines.length === 0 ? ["  any request"] : lines;
}

function stepLine(step: Matcher, index: number, found: Exchange | undefined, missing: boolean): string {
  const expected = matchLines(step.match).map((line) => line.trim());
  const state = missing ? "  <-- did not arrive" : found ? `  (request ${found.id})` : "";
  return `  ${index + 1}. ${expected.join(", ")}${state}`;
}

function nearestLines({ exchange, differences }: Near, index: number): string[] {
  const visible = differences.slice(0, MAX_DETAILS).map(shownDifference);
  const lines = visible.map(
    ({ pointer, expected, actual }) => `       ${pointer}: expected ${brief(expected)}, found ${brief(actual)}`,
  );
  if (differences.length > visible.length) {
    const atLeast = differences.length >= MAX_PROBLEMS ? "at least " : "";
    lines.push(`       and ${atLeast}${differences.length - visible.length} more differences`);
  }
  return [`  ${index + 1}. ${title(exchange)}`, ...lines];
}

/** Returns a line such as `POST /shop/resource/42 -> 409 error (request 3f2a81bc-2)`. */
function title({ method, path, status, source, id, serial }: Exchange): string {
  const response = serial === Number.POSITIVE_INFINITY ? id : `${status} ${source} (request ${id})`;
  return `${method} ${cut(path, MAX_SHOWN_TEXT)} -> ${response}`;
}

function brief(value: unknown): string {
  return value === undefined ? "nothing" : cut(JSON.stringify(value), MAX_SHOWN_TEXT);
}
