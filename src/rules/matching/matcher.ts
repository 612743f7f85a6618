import {
  isObject,
  join,
  MAX_CONTAINED_ITEMS,
  MAX_MATCH_TEXT,
  MAX_MATCHED_TEXT,
  readJson,
} from "../../contract/index.ts";
import type { Difference } from "./difference.ts";
import { type Match, parametersOf, type Texts } from "./match-schema.ts";
import { compilePatterns, type Effort, isContains, isPattern, type Pattern, type PatternLocation } from "./pattern.ts";
import { type Candidates, checkPossible, decoded } from "./possible.ts";

/** A request to match: a journal entry, or a live call before its response. */
export interface Matchable {
  readonly operationId: string | undefined;
  readonly method: string;
  /** As sent, percent-encoded, without the query. */
  readonly path: string;
  /** Decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** As sent, without `?`. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly requestBody: string | Uint8Array | undefined;
  /** The JSON in the body, if it has been parsed. */
  readonly json?: { readonly value: unknown };
  /** The full size of the body in bytes, if the journal cut it. */
  readonly cut?: { readonly request?: number };
  readonly status?: number;
  readonly source?: string;
  readonly offContract?: boolean;
}

/** The JSON of a body, or the reason why it cannot be compared; undefined for a request without a body. */
type SeenBody = { readonly value: unknown } | { readonly unread: string } | undefined;

/** A request during a comparison. Parses the query and the body once, at their first use. */
export class View {
  readonly request: Matchable;
  #query: ReturnType<typeof queryOf> | undefined;
  #body: { readonly found: SeenBody } | undefined;

  constructor(request: Matchable) {
    this.request = request;
  }

  get query(): ReturnType<typeof queryOf> {
    this.#query ??= queryOf(this.request);
    return this.#query;
  }

  get body(): SeenBody {
    this.#body ??= { found: bodyOf(this.request) };
    return this.#body.found;
  }
}

function bodyOf({ json, requestBody, cut }: Matchable): SeenBody {
  if (json) return json;
  if (cut?.request !== undefined) {
    return { unread: `(${cut.request} bytes, which the journal has cut)` };
  }
  if (!requestBody?.length) return undefined;
  const reading = readJson(requestBody);
  return "value" in reading ? reading : { unread: "(not JSON)" };
}

/** Returns the values of the query by name, in the order of the request. */
export function queryOf({ query }: Pick<Matchable, "query">): Readonly<Record<string, readonly string[]>> {
  const values: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    const before = values[name];
    if (before) before.push(value);
    else values[name] = [value];
  }
  return values;
}

/** A compiled match, ready to be compared with requests. */
export interface Matcher {
  readonly match: Match;
  /** The total size of the patterns, in RE2 instructions. */
  readonly size: number;
  /**
   * Returns the differences; an empty array if the request matches. Stops after `atMost` differences. `effort` limits the
   * tests of patterns in a call over many requests.
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
export async function compileMatcher(match: Match, candidates: Candidates): Promise<Matcher> {
  const json = JSON.stringify(match);
  if (json.length > MAX_MATCH_TEXT) {
    const message = `expected a match of at most ${MAX_MATCH_TEXT} characters of JSON, found ${json.length}`;
    candidates.problems.push({ pointer: "", message });
    return matcherOf({}, new Map());
  }
  checkPossible(match, candidates);
  const locations = json.includes('"matches":') ? patternsIn(match) : [];
  return matcherOf(match, await compilePatterns(locations, candidates.problems));
}

function patternsIn(match: Match): PatternLocation[] {
  const found: PatternLocation[] = [];
  const add = (node: object, pattern: string, pointer: string) =>
    found.push({ node, pattern, pointer: join(pointer, "matches") });
  const collect = (value: unknown, pointer: string): void => {
    if (isPattern(value)) add(value, value.matches, pointer);
    else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (typeof member === "object") collect(member, join(pointer, name));
      }
    }
  };
  const { path } = match;
  if (typeof path === "object" && typeof path.matches === "string") add(path, path.matches, "/path");
  collect(parametersOf(path), "/path");
  for (const part of ["query", "headers", "body"] as const) collect(match[part], `/${part}`);
  return found;
}

/** @param patterns by the object in the match that contains them */
function matcherOf(match: Match, patterns: ReadonlyMap<object, Pattern>): Matcher {
  return {
    match,
    size: patterns.values().reduce((sum, { size }) => sum + size, 0),
    differences(view, effort, atMost = Number.POSITIVE_INFINITY) {
      const comparison = new Comparison(patterns, atMost, effort);
      comparison.compare(match, view);
      return comparison.found;
    },
  };
}

/** The room of `contains` and all that is nested in it: items to compare, and characters to test with patterns. */
interface Room {
  items: number;
  characters: number;
}

/** A comparison of a match with a request. Finds the differences, up to a number of them. */
class Comparison {
  readonly found: Difference[] = [];
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

  get #isComplete(): boolean {
    return this.found.length >= this.#atMost;
  }

  /** Compares the parts that take the longest last, as a rule or filter needs only the first difference. */
  compare(match: Match, view: View): void {
    const { request } = view;
    const { operation, method, path, query, headers, status, source, offContract = request.offContract } = match;
    if (operation !== undefined && operation !== request.operationId) {
      this.#differsIn("operation", operation, request.operationId);
    }
    if (method !== undefined && method.toUpperCase() !== request.method.toUpperCase()) {
      this.#differsIn("method", method, request.method);
    }
    if (status !== undefined && status !== request.status && status !== `${String(request.status)[0]}xx`) {
      this.#differsIn("status", status, request.status);
    }
    if (source !== undefined && source !== request.source && source !== request.source?.split(":", 1)[0]) {
      this.#differsIn("source", source, request.source);
    }
    if (Boolean(offContract) !== Boolean(request.offContract)) {
      this.#differsIn("offContract", offContract, !offContract);
    }
    if (path !== undefined && !this.#isComplete) this.#comparePath(path, request.path);
    if (typeof path === "object") {
      this.#compareTexts("path", parametersOf(path), (name) => valuesOf(request.pathParameters, name));
    }
    if (query && !this.#isComplete) this.#compareTexts("query", query, (name) => view.query[name] ?? []);
    if (headers) this.#compareTexts("headers", headers, (name) => valuesOf(request.headers, name.toLowerCase()));
    if ("body" in match && !this.#isComplete) {
      this.#names.push("body");
      const { body } = view;
      if (body && "value" in body) this.#compareJson(match.body, body.value);
      else this.#differs(match.body, body?.unread);
      this.#names.pop();
    }
  }

  #comparePath(expected: NonNullable<Match["path"]>, sent: string): void {
    const paths = sent.includes("%") ? [sent, decoded(sent)] : [sent];
    if (typeof expected === "string") {
      const prefix = expected.endsWith("*") ? expected.slice(0, -1) : undefined;
      const fits = (path: string) => (prefix === undefined ? path === expected : path.startsWith(prefix));
      if (!paths.some(fits)) this.#differsIn("path", expected, sent);
    } else if (typeof expected.matches === "string" && !this.#fitsPattern(expected, paths)) {
      this.#differsIn("path", { matches: expected.matches }, sent);
    }
  }

  /** Compares texts by name. Of several values with one name, one must match. */
  #compareTexts(part: string, expected: Texts, valuesNamed: (name: string) => readonly string[]): void {
    this.#names.push(part);
    for (const name in expected) {
      if (this.#isComplete) break;
      const text = expected[name];
      const values = valuesNamed(name);
      const fits = isPattern(text) ? this.#fitsPattern(text, values) : values.includes(String(text));
      if (!fits) this.#differsIn(name, text, values.length > 1 ? values : values[0]);
    }
    this.#names.pop();
  }

  /** Compares JSON. Objects can have more members than expected, arrays must match item by item, other values must be equal. */
  #compareJson(expected: unknown, actual: unknown): void {
    if (isPattern(expected)) {
      const text = typeof actual === "string" ? actual : shortJson(actual);
      if (text === undefined || !this.#fitsPattern(expected, [text])) this.#differs(expected, actual);
    } else if (isContains(expected) && Array.isArray(actual)) {
      if (!this.#contains(actual, expected.contains)) this.#differs(expected, actual);
    } else if (Array.isArray(expected) && Array.isArray(actual) && actual.length === expected.length) {
      for (const [index, item] of expected.entries()) this.#compareMember(index, item, actual[index]);
    } else if (isObject(expected) && isObject(actual)) {
      for (const name in expected) {
        this.#compareMember(name, expected[name], Object.hasOwn(actual, name) ? actual[name] : undefined);
      }
    } else if (expected !== actual) this.#differs(expected, actual);
  }

  #contains(items: readonly unknown[], expected: unknown): boolean {
    const room = this.#room ?? { items: MAX_CONTAINED_ITEMS, characters: MAX_MATCHED_TEXT };
    return items.some((item) => {
      if (room.items-- <= 0) return false;
      const comparison = new Comparison(this.#patterns, 1, this.#effort, room);
      comparison.#compareJson(expected, item);
      return !comparison.#isComplete;
    });
  }

  #compareMember(name: string | number, expected: unknown, actual: unknown): void {
    if (this.#isComplete) return;
    this.#names.push(name);
    this.#compareJson(expected, actual);
    this.#names.pop();
  }

  /**
   * Returns whether the pattern in this node of the match matches one of the texts. The limit of characters is for all
   * texts together: a path as sent and decoded, or the values of one name.
   */
  #fitsPattern(node: object, texts: readonly string[]): boolean {
    const pattern = this.#patterns.get(node);
    const room = this.#room ?? { characters: MAX_MATCHED_TEXT };
    return texts.some((text) => {
      room.characters -= text.length;
      if (!pattern || room.characters < 0) return false;
      return this.#effort ? this.#effort.test(pattern, text) : pattern.test(text);
    });
  }

  #differs(expected: unknown, actual: unknown): void {
    this.found.push({ location: this.#names.map(String), expected, actual });
  }

  #differsIn(name: string, expected: unknown, actual: unknown): void {
    this.found.push({ location: [...this.#names.map(String), name], expected, actual });
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
