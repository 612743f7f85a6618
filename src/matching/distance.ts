import { distance as editDistance } from "fastest-levenshtein";
import { isObject } from "../text/json.ts";
import type { Difference } from "./difference.ts";
import type { Effort } from "./effort.ts";
import { type Matchable, View } from "./matchable.ts";
import type { Matcher } from "./matcher.ts";
import { isPattern } from "./pattern.ts";

/** No more differences of a request are weighed: what has as many is far from being the one that was meant. */
const MAX_WEIGHED = 20;

const MAX_OF_ONE_NAME = 5;

/** More than all else that is weighed: what is another operation is further than whatever is the same one. */
const FOREIGN = 1e9;

/** Returns the requests that are nearest to matching, nearest first and of equals the latest, without those that match. */
export async function nearestTo<Request extends Matchable>(
  matcher: Matcher,
  requests: readonly Request[],
  atMost: number,
  effort: Effort,
): Promise<Request[]> {
  const nearest: { request: Request; distance: number }[] = [];
  for (const request of requests) {
    if (effort.isDue) await effort.pause();
    const far = await distance(matcher, request, effort);
    const place = nearest.findIndex((other) => far <= other.distance);
    if (far === 0 || (place === -1 && nearest.length === atMost)) continue;
    nearest.splice(place === -1 ? nearest.length : place, 0, { request, distance: far });
    if (nearest.length > atMost) nearest.pop();
  }
  return nearest.map(({ request }) => request);
}

/** How far the request is from matching; 0 if it matches. */
async function distance(matcher: Matcher, request: Matchable, effort: Effort): Promise<number> {
  const differences = await matcher.differences(new View(request), effort, MAX_WEIGHED);
  return differences.reduce((sum, difference) => sum + weight(difference), 0);
}

/**
 * A value that is another counts by how unlike it is, 1 to 2; an object or list in whose place something else is,
 * 2 for each value in it; and where there is nothing at all, it is 3 for each.
 */
function weight({ place: [part], expected, actual }: Difference): number {
  if (part === "operation" || part === "method") return FOREIGN;
  if (actual === undefined) return 3 * valuesIn(expected);
  if (!isLeaf(expected)) return 2 * valuesIn(expected);
  // Of several of one name, the one that came nearest.
  const found = Array.isArray(actual) ? actual.slice(0, MAX_OF_ONE_NAME) : [actual];
  return 1 + Math.min(1, ...found.map((each) => unlikeness(textOf(expected), textOf(each))));
}

/** A pattern is one too: its own text tells something of what it fits. */
function isLeaf(value: unknown): boolean {
  return isPattern(value) || !(Array.isArray(value) || isObject(value));
}

function textOf(value: unknown): string {
  return isPattern(value) ? value.matches : String(value);
}

const sizes = new WeakMap<object, number>();

/** How many values there are within this one, itself among them. Counted once: a match is held against all requests. */
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

/** What is compared of texts, from the first difference on: comparing takes time by the square of it. */
const COMPARED = 24;

/** From 0, the same text, to 1. */
function unlikeness(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  const longer = Math.max(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [restOfA, restOfB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const beyond = Math.max(longer - start - end - COMPARED, 0);
  const edits = editDistance(restOfA.slice(0, COMPARED), restOfB.slice(0, COMPARED)) + beyond;
  return edits / Math.max(longer, 1);
}
