import { isObject, MAX_CONTAINED_ITEMS, MAX_MATCH_TEXT, MAX_MATCHED_TEXT } from "../../contract/index.ts";
import { type Difference, type MatchLocation, pointerTo } from "./difference.ts";
import type { Effort } from "./effort.ts";
import { type Match, parametersOf, type Texts, type UncheckedMatch } from "./match-schema.ts";
import type { View } from "./matchable.ts";
import { compilePatterns, isContains, isPattern, type Pattern, type PatternLocation } from "./pattern.ts";
import { type Candidates, checkPossible, decoded } from "./possible.ts";

/** A compiled match, ready to be compared with requests. */
export interface Matcher {
  readonly match: UncheckedMatch;
  /** The total size of the patterns, in RE2 instructions. */
  readonly size: number;
  /**
   * Returns the differences in the order of the match; an empty array if the request matches. Stops
   * after `atMost` differences. Tests patterns only if it finds fewer differences without them. `effort` limits the tests of
   * a call over many requests.
   */
  differences(view: View, effort?: Effort, atMost?: number): readonly Difference[];
}

/** Returns whether the request matches. */
export function matches(matcher: Matcher, view: View, effort?: Effort): boolean {
  return matcher.differences(view, effort, 1).length === 0;
}

/**
 * Compiles a match that is valid by its schema. Narrows the candidates to the operations that can match. Adds problems
 * with pointers into the match: impossible conditions, a match above the limit, and invalid patterns.
 */
export async function compileMatcher(match: UncheckedMatch, candidates: Candidates): Promise<Matcher> {
  const json = JSON.stringify(match);
  if (json.length > MAX_MATCH_TEXT) {
    const message = `expected a match of at most ${MAX_MATCH_TEXT} characters of JSON, found ${json.length}`;
    candidates.problems.push({ pointer: "", message });
    return matcherOf({}, new Map());
  }
  checkPossible(match, candidates);
  const locations = json.includes('"matches":') ? patternsIn(match) : [];
  const compiled = await compilePatterns(locations, candidates.problems);
  return matcherOf(match, new Map(Array.from(compiled, ([{ node }, pattern]) => [node, pattern])));
}

interface FoundPattern extends PatternLocation {
  /** The object in the match: `{ "matches": "…" }`, or the whole path with its parameters. */
  readonly node: object;
}

function patternsIn(match: UncheckedMatch): FoundPattern[] {
  const found: FoundPattern[] = [];
  const add = (node: object, pattern: string, location: MatchLocation) =>
    found.push({ node, pattern, pointer: pointerTo([...location, "matches"]) });
  const collect = (value: unknown, names: string[]): void => {
    if (isPattern(value)) add(value, value.matches, names);
    else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (typeof member !== "object") continue;
        names.push(name);
        collect(member, names);
        names.pop();
      }
    }
  };
  const { path } = match;
  if (typeof path === "object" && typeof path.matches === "string") add(path, path.matches, ["path"]);
  collect(parametersOf(path), ["path"]);
  for (const part of ["query", "headers", "body"] as const) collect(match[part], [part]);
  return found;
}

/** A location where the request differs unless the pattern matches one of the texts. */
interface Undecided extends Difference {
  readonly pattern: Pattern;
  readonly texts: readonly string[];
}

/** @param patterns by the object in the match that contains them */
function matcherOf(match: UncheckedMatch, patterns: ReadonlyMap<object, Pattern>): Matcher {
  return {
    match,
    size: patterns.values().reduce((sum, { size }) => sum + size, 0),
    differences(view, effort, atMost = Number.POSITIVE_INFINITY) {
      const comparison = new Comparison(patterns, atMost, effort);
      comparison.compare(match, view);
      return comparison.differences();
    },
  };
}

/** The room of `contains` and all that is nested in it: items to compare, and characters to test with patterns. */
interface Room {
  items: number;
  characters: number;
}

/** The limit of characters is for all texts together: a path as sent and decoded, or the values of one name. */
function fitsAny({ pattern, texts }: Undecided, effort: Effort | undefined, room: { characters: number }): boolean {
  for (const text of texts) {
    room.characters -= text.length;
    if (room.characters < 0) return false;
    if (effort ? effort.test(pattern, text) : pattern.test(text)) return true;
  }
  return false;
}

/** A comparison of a match with a request. Finds all differences, except for patterns: these it records as undecided. */
class Comparison {
  readonly #found: (Difference | Undecided)[] = [];
  #undecided = 0;
  readonly #patterns: ReadonlyMap<object, Pattern>;
  readonly #atMost: number;
  readonly #effort: Effort | undefined;
  /** Set in an item of an array. */
  readonly #room: Room | undefined;
  /** The path to the current value. */
  readonly #names: (string | number)[] = [];

  constructor(patterns: ReadonlyMap<object, Pattern>, atMost: number, effort?: Effort, room?: Room) {
    this.#patterns = patterns;
    this.#atMost = atMost;
    this.#effort = effort;
    this.#room = room;
  }

  /** Whether enough differences are found without testing patterns. */
  get isComplete(): boolean {
    return this.#found.length - this.#undecided >= this.#atMost;
  }

  /** Returns the differences. Tests patterns if there are too few without them. */
  differences(): Difference[] {
    if (this.#undecided === 0) return this.#found;
    if (this.isComplete) return this.#found.filter((each) => !("pattern" in each));
    const differences: Difference[] = [];
    for (const found of this.#found) {
      if ("pattern" in found && fitsAny(found, this.#effort, this.#room ?? { characters: MAX_MATCHED_TEXT })) continue;
      differences.push(found);
      if (differences.length >= this.#atMost) break;
    }
    return differences;
  }

  compare(match: UncheckedMatch, view: View): void {
    const { request } = view;
    const { operation, method, path, query, headers, status, source, offContract } = match;
    if (operation !== undefined && operation !== request.operationId) {
      this.#differs("operation", operation, request.operationId);
    }
    if (method !== undefined && method.toUpperCase() !== request.method.toUpperCase()) {
      this.#differs("method", method, request.method);
    }
    if (path !== undefined && !this.isComplete) this.#comparePath(path, request.path);
    if (typeof path === "object") {
      this.#compareTexts("path", parametersOf(path), (name) => valuesOf(request.pathParameters, name));
    }
    if (query && !this.isComplete) this.#compareTexts("query", query, (name) => view.query[name] ?? []);
    if (headers) this.#compareTexts("headers", headers, (name) => valuesOf(request.headers, name.toLowerCase()));
    if ("body" in match && !this.isComplete) {
      this.#names.push("body");
      const { body } = view;
      if (body && "value" in body) this.#compareJson(match.body, body.value);
      else this.#differsHere(match.body, body?.unread);
      this.#names.pop();
    }
    if (status !== undefined && status !== request.status && status !== `${String(request.status)[0]}xx`) {
      this.#differs("status", status, request.status);
    }
    if (source !== undefined && source !== request.source && source !== request.source?.split(":", 1)[0]) {
      this.#differs("source", source, request.source);
    }
    const isOffContract = request.offContract ?? false;
    if (offContract !== undefined && offContract !== isOffContract) {
      this.#differs("offContract", offContract, isOffContract);
    }
  }

  /** Compares the whole path as sent and decoded. */
  #comparePath(expected: NonNullable<Match["path"]>, sent: string): void {
    const paths = sent.includes("%") ? [sent, decoded(sent)] : [sent];
    if (typeof expected === "object") {
      if (typeof expected.matches !== "string") return;
      this.#names.push("path");
      this.#testPattern(expected, { matches: expected.matches }, paths, sent);
      this.#names.pop();
      return;
    }
    const prefix = expected.endsWith("*") ? expected.slice(0, -1) : undefined;
    const fits = (path: string) => (prefix === undefined ? path === expected : path.startsWith(prefix));
    if (!paths.some(fits)) this.#differs("path", expected, sent);
  }

  /** Compares texts by name. Of several values with one name, one must match. */
  #compareTexts(part: string, expected: Texts, valuesNamed: (name: string) => readonly string[]): void {
    this.#names.push(part);
    for (const name in expected) {
      if (this.isComplete) break;
      this.#names.push(name);
      const text = expected[name];
      const values = valuesNamed(name);
      const actual = values.length > 1 ? values : values[0];
      if (isPattern(text)) this.#testPattern(text, text, values, actual);
      else if (!values.includes(String(text))) this.#differsHere(text, actual);
      this.#names.pop();
    }
    this.#names.pop();
  }

  /** Compares JSON. Objects can have more members than expected, arrays must match item by item, other values must be equal. */
  #compareJson(expected: unknown, actual: unknown): void {
    if (typeof expected !== "object" || expected === null) {
      if (expected !== actual) this.#differsHere(expected, actual);
    } else if (isPattern(expected)) {
      const text = typeof actual === "string" ? actual : shortJson(actual);
      this.#testPattern(expected, expected, text === undefined ? [] : [text], actual);
    } else if (isContains(expected) && Array.isArray(actual)) {
      if (!this.#contains(actual, expected.contains)) this.#differsHere(expected, actual);
    } else if (Array.isArray(expected)) {
      if (Array.isArray(actual) && actual.length === expected.length) this.#compareItems(expected, actual);
      else this.#differsHere(expected, actual);
    } else if (isObject(expected)) {
      if (isObject(actual)) this.#compareMembers(expected, actual);
      else this.#differsHere(expected, actual);
    }
  }

  #contains(items: readonly unknown[], expected: unknown): boolean {
    const room = this.#room ?? { items: MAX_CONTAINED_ITEMS, characters: MAX_MATCHED_TEXT };
    return items.some((item) => {
      if (room.items-- <= 0) return false;
      const comparison = new Comparison(this.#patterns, 1, this.#effort, room);
      comparison.#compareJson(expected, item);
      return comparison.differences().length === 0;
    });
  }

  #compareItems(expected: readonly unknown[], actual: readonly unknown[]): void {
    for (const [index, item] of expected.entries()) {
      if (this.isComplete) return;
      this.#compareMember(index, item, actual[index]);
    }
  }

  #compareMembers(expected: { [name: string]: unknown }, actual: { [name: string]: unknown }): void {
    for (const name in expected) {
      if (this.isComplete) return;
      this.#compareMember(name, expected[name], Object.hasOwn(actual, name) ? actual[name] : undefined);
    }
  }

  #compareMember(name: string | number, expected: unknown, actual: unknown): void {
    this.#names.push(name);
    this.#compareJson(expected, actual);
    this.#names.pop();
  }

  /** Records a test of the pattern in this node. The test runs only if the result depends on it. */
  #testPattern(node: object, expected: unknown, texts: readonly string[], actual: unknown): void {
    const pattern = this.#patterns.get(node);
    const difference = { location: this.#names.map(String), expected, actual };
    if (pattern && texts.length > 0) {
      this.#undecided++;
      this.#found.push({ ...difference, pattern, texts });
    } else this.#found.push(difference);
  }

  #differs(part: string, expected: unknown, actual: unknown): void {
    this.#found.push({ location: [part], expected, actual });
  }

  #differsHere(expected: unknown, actual: unknown): void {
    this.#found.push({ location: this.#names.map(String), expected, actual });
  }
}

/** Returns the values of a name. Ignores inherited properties, so that `constructor` is a normal name. */
function valuesOf(object: Readonly<Record<string, string | string[] | undefined>>, name: string): readonly string[] {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

const tooLong = new Error("the JSON exceeds the limit for patterns");

/** Returns the JSON of a value; undefined if there is no value or its JSON exceeds the limit for patterns. */
function shortJson(value: unknown): string | undefined {
  let length = 0;
  try {
    return JSON.stringify(value, (_name, member: unknown) => {
      // Counts the minimum length, as serializing a large value completely would be slow.
      length += typeof member === "string" ? member.length + 2 : 1;
      if (length > MAX_MATCHED_TEXT) throw tooLong;
      return member;
    });
  } catch (error) {
    if (error === tooLong) return undefined;
    throw error;
  }
}
