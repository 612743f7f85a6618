import {
  isObject,
  join,
  MAX_CONTAINED_ITEMS,
  MAX_MATCH_TEXT,
  MAX_MATCHED_TEXT,
  readJson,
} from "../../contract/index.ts";
import type { Difference } from "./difference.ts";
import { type Match, parametersOf, type Text, type Values } from "./match-schema.ts";
import { expectedForms, formsOf, PROJECT_KEY, plainKey } from "./paths.ts";
import {
  compilePatterns,
  type Effort,
  isAbsent,
  isContains,
  isPattern,
  type Pattern,
  type PatternLocation,
} from "./pattern.ts";
import { type Candidates, checkPossible } from "./possible.ts";

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
  /** By lower-case name. A repeated header has its lines. */
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

/** A request during a comparison. Parses its parts once, at their first use. */
export class View {
  readonly request: Matchable;
  #paths: readonly string[] | undefined;
  #query: ReturnType<typeof queryOf> | undefined;
  #cookies: ReturnType<typeof cookiesOf> | undefined;
  #body: { readonly found: SeenBody } | undefined;
  readonly #texts = new Map<unknown, string | undefined>();

  constructor(request: Matchable) {
    this.request = request;
  }

  /** The texts that an expected path can equal. */
  get paths(): readonly string[] {
    this.#paths ??= formsOf(this.request.path);
    return this.#paths;
  }

  get query(): ReturnType<typeof queryOf> {
    this.#query ??= queryOf(this.request);
    return this.#query;
  }

  get cookies(): ReturnType<typeof cookiesOf> {
    this.#cookies ??= cookiesOf(this.request);
    return this.#cookies;
  }

  get body(): SeenBody {
    this.#body ??= { found: bodyOf(this.request) };
    return this.#body.found;
  }

  /** Returns the text of a value in the body; undefined if its JSON exceeds the limit for patterns. */
  textOf(value: unknown): string | undefined {
    if (typeof value === "string") return value;
    if (!this.#texts.has(value)) this.#texts.set(value, shortJson(value));
    return this.#texts.get(value);
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

/** The values of a request by name, in the order of the request. */
type ValuesByName = Readonly<Record<string, readonly string[]>>;

function byName(pairs: Iterable<readonly string[]>): ValuesByName {
  const values: Record<string, string[]> = Object.create(null);
  for (const [name = "", value = ""] of pairs) {
    const before = values[name];
    if (before) before.push(value);
    else values[name] = [value];
  }
  return values;
}

export function queryOf({ query }: Pick<Matchable, "query">): ValuesByName {
  return byName(new URLSearchParams(query));
}

function cookiesOf({ headers }: Matchable): ValuesByName {
  const pairs = [headers.cookie ?? []].flat().flatMap((line) => line.split(";"));
  return byName(
    pairs.flatMap((pair) => {
      const equals = pair.indexOf("=");
      return equals === -1 ? [] : [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]];
    }),
  );
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
  for (const part of ["query", "headers", "cookies", "body"] as const) collect(match[part], `/${part}`);
  return found;
}

/** @param patterns by the object in the match that contains them */
function matcherOf(match: Match, patterns: ReadonlyMap<object, Pattern>): Matcher {
  const path = typeof match.path === "string" ? expectedForms(match.path) : [];
  return {
    match,
    size: patterns.values().reduce((sum, { size }) => sum + size, 0),
    differences(view, effort, atMost = Number.POSITIVE_INFINITY) {
      const comparison = new Comparison(view, patterns, atMost, effort);
      comparison.compare(match, path);
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
  readonly #view: View;
  readonly #patterns: ReadonlyMap<object, Pattern>;
  readonly #atMost: number;
  readonly #effort: Effort | undefined;
  /** Set in an item of an array. */
  readonly #room: Room | undefined;
  /** The path to the current value. */
  readonly #names: (string | number)[] = [];

  constructor(view: View, patterns: ReadonlyMap<object, Pattern>, atMost: number, effort?: Effort, room?: Room) {
    this.#view = view;
    this.#patterns = patterns;
    this.#atMost = atMost;
    this.#effort = effort;
    this.#room = room;
  }

  get #isComplete(): boolean {
    return this.found.length >= this.#atMost;
  }

  /** Compares the parts that take the longest last, as a rule or filter needs only the first difference. */
  compare(match: Match, expectedPaths: readonly string[]): void {
    const view = this.#view;
    const { request } = view;
    const { operation, method, path, status, source, offContract = request.offContract } = match;
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
    if (path !== undefined && !this.#isComplete) this.#comparePath(path, expectedPaths);
    if (typeof path === "object") {
      this.#compareValues("path", parametersOf(path), (name) => valuesOf(request.pathParameters, name));
    }
    this.#compareValues("query", match.query, (name) => view.query[name] ?? []);
    this.#compareValues("headers", match.headers, (name) => valuesOf(request.headers, name.toLowerCase()));
    this.#compareValues("cookies", match.cookies, (name) => view.cookies[name] ?? []);
    if ("body" in match && !this.#isComplete) {
      this.#names.push("body");
      const { body } = view;
      if (body && "value" in body) this.#compareJson(match.body, body.value);
      else if (body || !isAbsent(match.body)) this.#differs(match.body, body?.unread);
      this.#names.pop();
    }
  }

  #comparePath(expected: NonNullable<Match["path"]>, texts: readonly string[]): void {
    const { request, paths } = this.#view;
    if (typeof expected === "string") {
      const isPrefix = expected.endsWith("*");
      const fits = (path: string) => texts.some((text) => (isPrefix ? path.startsWith(text) : path === text));
      if (!paths.some(fits)) this.#differsIn("path", expected, request.path);
    } else if (typeof expected.matches === "string" && !this.#fitsPattern(expected, paths)) {
      this.#differsIn("path", { matches: expected.matches }, request.path);
    }
  }

  /** Compares values by name. Of several values with one name, one must match, or all if the condition is a list. */
  #compareValues(part: string, expected: Values = {}, valuesNamed: (name: string) => readonly string[]): void {
    this.#names.push(part);
    for (const name in expected) {
      if (this.#isComplete) break;
      const condition = expected[name];
      const values = valuesNamed(name);
      const joined = part === "headers" && name.toLowerCase() !== "set-cookie" ? values.join(", ") : undefined;
      if (condition !== undefined && !this.#fitsValues(condition, values, joined)) {
        this.#differsIn(name, condition, values.length > 1 ? values : values[0]);
      }
    }
    this.#names.pop();
  }

  /** `joined` has the values as one text, if the request can send them so (RFC 9110, 5.3). */
  #fitsValues(expected: Values[string], values: readonly string[], joined: string | undefined): boolean {
    if (isAbsent(expected)) return values.length === 0;
    if (!Array.isArray(expected)) {
      return this.#fitsText(expected, values.length > 1 && joined !== undefined ? [...values, joined] : values);
    }
    const lists = joined === undefined ? [values] : [values, joined.split(",").map((member) => member.trim())];
    return lists.some(
      (list) =>
        list.length === expected.length && expected.every((text, index) => this.#fitsText(text, [list[index] ?? ""])),
    );
  }

  #fitsText(expected: Text, texts: readonly string[]): boolean {
    return isPattern(expected) ? this.#fitsPattern(expected, texts) : texts.includes(String(expected));
  }

  /** Compares JSON. Objects can have more members than expected, arrays must match item by item, other values must be equal. */
  #compareJson(expected: unknown, actual: unknown): void {
    if (isAbsent(expected)) {
      if (actual !== undefined) this.#differs(expected, actual);
    } else if (isPattern(expected)) {
      const text = this.#view.textOf(actual);
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
    for (const item of items) {
      if (room.items-- <= 0 || room.characters < 0) return false;
      const comparison = new Comparison(this.#view, this.#patterns, 1, this.#effort, room);
      comparison.#compareJson(expected, item);
      if (!comparison.#isComplete) return true;
    }
    return false;
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
    for (const text of texts) {
      room.characters -= text.length;
      if (!pattern || room.characters < 0) return false;
      if (this.#effort ? this.#effort.test(pattern, text) : pattern.test(text)) return true;
    }
    return false;
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
  if (typeof value !== "string") return value;
  // A project key in a path can name a sandbox, which matches leave out.
  return name === PROJECT_KEY ? [...new Set([value, plainKey(value)])] : [value];
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
