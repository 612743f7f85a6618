import { distance as editDistance } from "fastest-levenshtein";
import { isObject, MAX_DETAILS } from "../../contract/index.ts";
import type { Difference } from "./difference.ts";
import type { Effort } from "./effort.ts";
import { type Matchable, View } from "./matchable.ts";
import type { Matcher } from "./matcher.ts";
import { isPattern } from "./pattern.ts";

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
  const nearest: { request: Request; distance: number }[] = [];
  for (const request of requests) {
    if (effort.isOver) await effort.next();
    const far = distance(matcher, request, effort);
    const position = nearest.findIndex((other) => far <= other.distance);
    if (far === 0 || (position === -1 && nearest.length === atMost)) continue;
    nearest.splice(position === -1 ? nearest.length : position, 0, { request, distance: far });
    if (nearest.length > atMost) nearest.pop();
  }
  return nearest.map(({ request }) => request);
}

function distance(matcher: Matcher, request: Matchable, effort: Effort): number {
  const differences = matcher.differences(new View(request), effort, MAX_DETAILS);
  return differences.reduce((sum, difference) => sum + weight(difference), 0);
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

/** Returns whether a value has no values inside. A pattern has none either: its text is compared. */
function isLeaf(value: unknown): boolean {
  return isPattern(value) || !(Array.isArray(value) || isObject(value));
}

function textOf(value: unknown): string {
  return isPattern(value) ? value.matches : String(value);
}

const sizes = new WeakMap<object, number>();

/** Returns the number of values in a value, itself included. Caches the result, as a match is compared with many requests. */
function valuesIn(value: unknown): number {
  if (isLeaf(value)) return 1;
  const members = value as object;
  let count = sizes.get(members);
  if (count === undefined) {
    count = Object.values(members).reduce((sum: number, member) => sum + valuesIn(member), 1);
    sizes.set(members, count);
  }
  return count;
}

/** The most characters that are compared: the time grows with the square of this. */
const COMPARED = 100;

/** Returns the dissimilarity of two texts, from 0 (equal at their starts) to 1. */
function dissimilarity(a: string, b: string): number {
  const longer = Math.min(Math.max(a.length, b.length), COMPARED);
  return editDistance(a.slice(0, COMPARED), b.slice(0, COMPARED)) / Math.max(longer, 1);
}
