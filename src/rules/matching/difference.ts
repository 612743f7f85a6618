import { distance as editDistance } from "fastest-levenshtein";
import {
  cachedBy,
  cut,
  isObject,
  isSecret,
  join,
  MAX_DETAILS,
  MAX_ID,
  mapValues,
  REDACTED,
  redactHeader,
  redactJson,
  redactText,
  type Schema,
  shown,
} from "../../contract/index.ts";
import { segmentsOf } from "../template.ts";
import { type Matchable, type Matcher, View } from "./matcher.ts";
import { type Effort, isAbsent, isContains, isPattern } from "./pattern.ts";

/** The path to a location in a match: `["query", "limit"]`, `["body", "actions", "0"]`. */
type MatchLocation = readonly string[];

/** A location where a request differs from a match. */
export interface Difference {
  readonly location: MatchLocation;
  readonly expected: unknown;
  /** Undefined if the request has no value there. */
  readonly actual: unknown;
}

function pointerTo(location: MatchLocation): string {
  return location.reduce(join, "");
}

/** Returns the difference as the control API shows it, without credentials and tokens. */
export function shownDifference({ location, expected, actual }: Difference) {
  const found = actual !== undefined && { actual: redacted(location, actual) };
  return { pointer: pointerTo(location), expected: redacted(location, expected), ...found };
}

/** Returns a value in a match or request without credentials and tokens. */
export function redacted(location: MatchLocation, value: unknown): unknown {
  const [part = "", name] = location;
  if (isAbsent(value)) return value;
  if (part !== "headers") return location.some(isSecret) ? REDACTED : redactJson(value);
  if (Array.isArray(value)) return value.map((each) => redacted(location, each));
  if (name !== undefined) return typeof value === "string" ? redactHeader(name, value) : value;
  return mapValues({ ...(value as object) }, (text, each) => redacted([part, each], text));
}

const nouns: Readonly<Record<string, string>> = {
  path: "path parameter",
  query: "query parameter",
  headers: "header",
  cookies: "cookie",
  body: "body member",
};

/** The schemas of a difference as the journal keeps it. */
export const differenceFacts = {
  pointer: { type: "string", description: "The first condition that the request does not meet, in the match." },
  expected: { type: "string", description: "The expected value in words. Absent for headers." },
  found: { type: "string", description: "The value in the request in words. Absent if it is missing." },
} as const satisfies Record<string, Schema>;
export type DifferenceFacts = Readonly<Partial<Record<keyof typeof differenceFacts, string>>>;

/** Returns the difference as the journal keeps it: short, and without credentials and tokens. */
export function factsOf({ location, expected, actual }: Difference): DifferenceFacts {
  const pointer = cut(pointerTo(location), MAX_ID);
  // Any header can contain a secret.
  const isHeader = location[0] === "headers";
  const isHidden = isHeader || location.some(isSecret);
  const text = (value: unknown) => (isHidden && !isAbsent(value) ? REDACTED : shownBriefly(value));
  const inWords = isHeader && !isAbsent(expected) ? {} : { expected: text(expected) };
  return { pointer, ...inWords, ...(actual !== undefined && { found: text(actual) }) };
}

/** Returns why a request does not match, in words: `query parameter limit is "6", expected "5"`. */
export function differenceText({ pointer = "", expected, found }: DifferenceFacts): string {
  const [part = "", ...names] = segmentsOf(pointer);
  const what = names.length === 0 ? `the ${part}` : `${nouns[part]} ${names.join("/")}`;
  if (expected === undefined) return `${what} ${found === undefined ? "is missing" : "does not match"}`;
  return `${what} is ${found ?? "missing"}, expected ${expected}`;
}

function shownBriefly(value: unknown): string {
  if (isPattern(value)) return `a match of ${shownBriefly(value.matches)}`;
  if (isContains(value)) return "an array with a matching item";
  if (isAbsent(value)) return "nothing";
  // Cuts long text first, as this runs for every request that a rule skips.
  return shown(typeof value === "string" ? redactText(value.slice(0, 100)) : value);
}

/** The number of values of a repeated name that are compared. */
const VALUES_OF_NAME = 5;

/** The weight of another operation or method. It exceeds the sum of all other differences. */
const FOREIGN = 1e9;

/** Returns the nearest requests that do not match, nearest first. Of equally near requests, the later one comes first. */
export async function nearestTo<Request extends Matchable>(
  matcher: Matcher,
  requests: readonly Request[],
  atMost: number,
  effort: Effort,
): Promise<Request[]> {
  let nearest: { request: Request; distance: number }[] = [];
  for (const request of requests) {
    if (effort.isOver) await effort.next();
    const differences = matcher.differences(new View(request), effort, MAX_DETAILS);
    const distance = differences.reduce((sum, difference) => sum + weight(difference), 0);
    if (distance === 0) continue;
    nearest = [{ request, distance }, ...nearest].sort((a, b) => a.distance - b.distance).slice(0, atMost);
  }
  return nearest.map(({ request }) => request);
}

/**
 * Returns the weight of a difference. A different value: 1 to 2, by dissimilarity. An object or array that has another
 * type: 2 for each expected value in it. A missing value: 3 for each expected value in it.
 */
function weight({ location: [part], expected, actual }: Difference): number {
  if (part === "operation" || part === "method") return FOREIGN;
  if (actual === undefined) return 3 * valuesIn(expected);
  if (!isLeaf(expected)) return 2 * valuesIn(expected);
  // Of several values with one name, the nearest counts.
  const found = Array.isArray(actual) ? actual.slice(0, VALUES_OF_NAME) : [actual];
  return 1 + Math.min(1, ...found.map((each) => dissimilarity(textOf(expected), textOf(each))));
}

/** Returns whether a value has no values inside. A condition has none either: its text is compared. */
function isLeaf(value: unknown): boolean {
  return isPattern(value) || isAbsent(value) || !(Array.isArray(value) || isObject(value));
}

function textOf(value: unknown): string {
  if (isAbsent(value)) return "";
  return isPattern(value) ? value.matches : String(value);
}

/** Returns the number of values in a value, itself included. */
function valuesIn(value: unknown): number {
  return isLeaf(value) ? 1 : sizeOf(value as object);
}

/** The same for an object or array. Cached, as a match is compared with many requests. */
const sizeOf = cachedBy((members: object) =>
  Object.values(members).reduce((sum: number, member) => sum + valuesIn(member), 1),
);

/** The most characters that are compared: the time grows with the square of this. */
const COMPARED = 100;

/** Returns the dissimilarity of two texts, from 0 (equal at their starts) to 1. */
function dissimilarity(a: string, b: string): number {
  const longer = Math.min(Math.max(a.length, b.length), COMPARED);
  return editDistance(a.slice(0, COMPARED), b.slice(0, COMPARED)) / Math.max(longer, 1);
}
