import {
  isObject,
  join,
  MAX_CONTAINED_ITEMS,
  MAX_MATCH_TEXT,
  MAX_MATCHED_TEXT,
  readJson,
} from "../../contract/index.ts";
import { jsonWithin } from "../template.ts";
import type { Difference } from "./difference.ts";
import { type Match, pathConditions, type Text, type Values } from "./match-schema.ts";
import { formsOf, PROJECT_KEY, pathTest, plainKey } from "./paths.ts";
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
  /** Returns the texts that an expected path can equal. */
  readonly paths: () => readonly string[] = once(() => formsOf(this.request.path));
  readonly query: () => ValuesByName = once(() => queryOf(this.request));
  readonly cookies: () => ValuesByName = once(() => cookiesOf(this.request));
  readonly #body = once(() => bodyOf(this.request));
  readonly #texts = new Map<unknown, string | undefined>();

  constructor(request: Matchable) {
    this.request = request;
  }

  get body(): SeenBody {
    return this.#body();
  }

  /** Returns the text of a value in the body; undefined if its JSON exceeds the limit for patterns. */
  textOf(value: unknown): string | undefined {
    if (typeof value === "string") return value;
    if (!this.#texts.has(value)) this.#texts.set(value, jsonWithin(value, MAX_MATCHED_TEXT));
    return this.#texts.get(value);
  }
}

function once<T>(read: () => T): () => T {
  let seen: { readonly value: T } | undefined;
  return () => {
    seen ??= { value: read() };
    return seen.value;
  };
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
    values[name] ??= [];
    values[name].push(value);
  }
  return values;
}

export function queryOf({ query }: Pick<Matchable, "query">): ValuesByName {
  return byName(new URLSearchParams(query));
}

function cookiesOf({ headers }: Matchable): ValuesByName {
  const lines = [headers.cookie ?? []].flat();
  const pairs = lines.flatMap((line) => line.split(";")).filter((pair) => pair.includes("="));
  return byName(pairs.map((pair) => pair.split(/=(.*)/s, 2).map((text) => text.trim())));
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
  const parts = partsOf(match);
  const locations = json.includes('"matches":') ? patternsIn(parts) : [];
  return matcherOf(match, await compilePatterns(locations, candidates.problems), parts);
}

function patternsIn({ whole, named, body }: Parts): PatternLocation[] {
  const found: PatternLocation[] = [];
  const collect = (value: unknown, pointer: string): void => {
    if (isPattern(value)) found.push({ node: value, pattern: value.matches, pointer: join(pointer, "matches") });
    else if (typeof value === "object" && value !== null) {
      for (const [name, member] of Object.entries(value)) collect(member, join(pointer, name));
    }
  };
  collect(whole, "/path");
  collect(named, "");
  collect(body, "/body");
  return found;
}

/** @param patterns by the object in the match that contains them */
function matcherOf(match: Match, patterns: ReadonlyMap<object, Pattern>, parts = partsOf(match)): Matcher {
  return {
    match,
    size: patterns.values().reduce((sum, { size }) => sum + size, 0),
    differences(view, effort, atMost = Number.POSITIVE_INFINITY) {
      const comparison = { view, patterns, effort, atMost, found: [] };
      compare(match, parts, comparison);
      return comparison.found;
    },
  };
}

/** The conditions of a match, by the way of comparing them. */
type Parts = ReturnType<typeof partsOf>;

function partsOf({ path, query, headers, cookies, body, method, ...others }: Match) {
  const { whole, parameters } = pathConditions(path);
  return {
    exact: { method: method?.toUpperCase(), ...others },
    whole,
    fitsPath: typeof whole === "string" ? pathTest(whole) : undefined,
    named: { path: parameters, query, headers, cookies },
    body,
  };
}

/** The values that an exact condition can equal; the first one is shown. */
const exactValues = {
  operation: ({ operationId }) => [operationId],
  method: ({ method }) => [method, method.toUpperCase()],
  status: ({ status }) => [status, `${String(status)[0]}xx`],
  source: ({ source }) => [source, source?.split(":", 1)[0]],
  offContract: ({ offContract = false }) => [offContract],
} satisfies { readonly [Part in keyof Parts["exact"]]-?: (request: Matchable) => readonly unknown[] };
const exactParts = Object.keys(exactValues) as (keyof typeof exactValues)[];

/** The values of a name, for the parts of a match whose conditions have names. */
const namedValues = {
  // A project key in a path can name a sandbox, which matches leave out.
  path: ({ request }, name) => {
    const values = ownValues(request.pathParameters, name);
    return name === PROJECT_KEY ? [...new Set([...values, ...values.map(plainKey)])] : values;
  },
  query: (view, name) => view.query()[name] ?? [],
  headers: ({ request }, name) => ownValues(request.headers, name.toLowerCase()),
  cookies: (view, name) => view.cookies()[name] ?? [],
} satisfies { readonly [Part in keyof Parts["named"]]: (view: View, name: string) => readonly string[] };
const namedParts = Object.keys(namedValues) as (keyof typeof namedValues)[];

/** Returns the values of a name. Ignores inherited properties, so that `constructor` is a normal name. */
function ownValues(object: Readonly<Record<string, string | string[] | undefined>>, name: string): string[] {
  return Object.hasOwn(object, name) ? [object[name] ?? []].flat() : [];
}

/** The request of a comparison, its limits, and the differences until now. */
interface Comparison {
  readonly view: View;
  readonly found: Difference[];
  readonly atMost: number;
  readonly patterns: ReadonlyMap<object, Pattern>;
  readonly effort: Effort | undefined;
  /** Set within `contains`: the items to compare, and the characters to test with patterns, in all that is nested in it. */
  readonly room?: { items: number; characters: number };
}

/**
 * Finds the differences, up to a number of them. Of several values with one name, one must match, or all if the condition is
 * a list. Compares the parts that take the longest last, as a rule or filter needs only the first difference.
 */
function compare(match: Match, { exact, whole, fitsPath, named }: Parts, comparison: Comparison): void {
  const { view, found, atMost } = comparison;
  const { request } = view;
  for (const part of exactParts) {
    const expected = exact[part];
    if (expected === undefined) continue;
    const values: readonly unknown[] = exactValues[part](request);
    if (!values.includes(expected)) found.push({ location: [part], expected: match[part], actual: values[0] });
  }
  if (whole !== undefined && found.length < atMost) {
    const fits = fitsPath?.(view.paths()) ?? fitsPattern(whole as object, view.paths(), comparison);
    if (!fits) found.push({ location: ["path"], expected: whole, actual: request.path });
  }
  for (const part of namedParts) {
    const conditions: Values | undefined = named[part];
    for (const name in conditions) {
      if (found.length >= atMost) return;
      const expected = conditions[name] ?? "";
      const values = namedValues[part](view, name);
      // A request can send several values of a header as one text (RFC 9110, 5.3).
      const joined = part === "headers" && name.toLowerCase() !== "set-cookie" ? values.join(", ") : undefined;
      if (fitsValues(expected, values, joined, comparison)) continue;
      found.push({ location: [part, name], expected, actual: values.length > 1 ? values : values[0] });
    }
  }
  if (!("body" in match) || found.length >= atMost) return;
  const { body } = view;
  if (body && "value" in body) compareJson(match.body, body.value, ["body"], comparison);
  else if (body || !isAbsent(match.body))
    found.push({ location: ["body"], expected: match.body, actual: body?.unread });
}

function fitsValues(
  expected: Values[string],
  values: readonly string[],
  joined: string | undefined,
  comparison: Comparison,
): boolean {
  if (isAbsent(expected)) return values.length === 0;
  if (!Array.isArray(expected)) {
    return fitsText(expected, values.length > 1 && joined !== undefined ? [...values, joined] : values, comparison);
  }
  const lists = [values, ...(joined === undefined ? [] : [joined.split(",").map((member) => member.trim())])];
  return lists.some(
    (list) =>
      list.length === expected.length &&
      expected.every((text, index) => fitsText(text, list.slice(index, index + 1), comparison)),
  );
}

function fitsText(expected: Text, texts: readonly string[], comparison: Comparison): boolean {
  return isPattern(expected) ? fitsPattern(expected, texts, comparison) : texts.includes(String(expected));
}

/** Compares JSON. Objects can have more members than expected, arrays must match item by item, other values must be equal. */
function compareJson(expected: unknown, actual: unknown, location: readonly string[], comparison: Comparison): void {
  const { found, atMost } = comparison;
  const areArrays = Array.isArray(expected) && Array.isArray(actual) && actual.length === expected.length;
  if (areArrays || (isObject(expected) && isObject(actual) && !isAbsent(expected) && !isPattern(expected))) {
    for (const [name, member] of Object.entries(expected)) {
      if (found.length >= atMost) return;
      const value = Object.hasOwn(actual, name) ? (actual as Record<string, unknown>)[name] : undefined;
      compareJson(member, value, [...location, name], comparison);
    }
  } else if (!fitsValue(expected, actual, comparison)) found.push({ location, expected, actual });
}

/** Returns whether a value in a body meets a condition, or equals another value. */
function fitsValue(expected: unknown, actual: unknown, comparison: Comparison): boolean {
  if (isAbsent(expected)) return actual === undefined;
  if (isPattern(expected)) {
    const text = comparison.view.textOf(actual);
    return text !== undefined && fitsPattern(expected, [text], comparison);
  }
  if (isContains(expected) && Array.isArray(actual)) return contains(actual, expected.contains, comparison);
  return expected === actual;
}

function contains(items: readonly unknown[], expected: unknown, comparison: Comparison): boolean {
  const { room = { items: MAX_CONTAINED_ITEMS, characters: MAX_MATCHED_TEXT } } = comparison;
  for (const item of items) {
    if (room.items-- <= 0 || room.characters < 0) return false;
    const found: Difference[] = [];
    compareJson(expected, item, [], { ...comparison, room, found, atMost: 1 });
    if (found.length === 0) return true;
  }
  return false;
}

/**
 * Returns whether the pattern in this node of the match matches one of the texts. The limit of characters is for all texts
 * together: a path as sent and decoded, or the values of one name.
 */
function fitsPattern(node: object, texts: readonly string[], { patterns, effort, room }: Comparison): boolean {
  const pattern = patterns.get(node);
  const limits = room ?? { characters: MAX_MATCHED_TEXT };
  for (const text of texts) {
    limits.characters -= text.length;
    if (!pattern || limits.characters < 0) return false;
    if (effort ? effort.test(pattern, text) : pattern.test(text)) return true;
  }
  return false;
}
