import { isObject } from "../text/json.ts";
import { type Difference, type Place, pointerTo } from "./difference.ts";
import { type Match, parametersOf, type Texts, type UncheckedMatch } from "./match.ts";
import { bodyOf, type Matchable, queryOf } from "./matchable.ts";
import { isPattern, type PatternCompiler, patternCompiler, type TextTest } from "./pattern.ts";
import { type Candidates, checkPossible } from "./possible.ts";

/** A match that is ready to be compared with requests. */
export interface Matcher {
  readonly match: UncheckedMatch;
  /** Returns where the request differs; none for a request that matches. Stops once there are `atMost` or more. */
  differences(request: Matchable, atMost?: number): readonly Difference[];
}

/** Whether the request matches. */
export function matches(matcher: Matcher, request: Matchable): boolean {
  return matcher.differences(request, 1).length === 0;
}

/** Larger matches are refused. In characters of JSON; twice as much as the journal keeps of a body. */
const MAX_MATCH = 128 * 1024;

/**
 * Compiles a match that fits its schema. Narrows the candidates to the operations that it can match. Adds to their
 * problems, with pointers into the match, what no request can match, what is too large, and invalid patterns.
 */
export async function compileMatcher(match: UncheckedMatch, candidates: Candidates): Promise<Matcher> {
  const json = JSON.stringify(match);
  if (json.length > MAX_MATCH) {
    const message = `expected a match of at most ${MAX_MATCH} characters of JSON, found ${json.length}`;
    candidates.problems.push({ pointer: "", message });
    return compiled({}, () => () => false);
  }
  checkPossible(match, candidates);
  return compiled(match, await patternCompiler(json, candidates.problems));
}

/** Adds the differences between a value and what is expected of it. */
type Compare<Value> = (value: Value, differences: Difference[], atMost: number) => void;

function compiled(match: UncheckedMatch, compile: PatternCompiler): Matcher {
  const texts = (part: "path" | "query" | "headers", expected: Texts = {}) =>
    Object.entries(expected).map(([name, value]) => [name, compareTexts(value, [part, name], compile)] as const);
  const fitsPath = pathTest(match.path, compile);
  const parameters = texts("path", parametersOf(match.path));
  const query = texts("query", match.query);
  const headers = texts("headers", match.headers);
  const compareBody = "body" in match ? compareJson(match.body, ["body"], compile) : undefined;

  function differences(request: Matchable, atMost = Number.POSITIVE_INFINITY): Difference[] {
    const found: Difference[] = [];
    const { operation, method, path, status, source } = match;
    if (operation !== undefined && operation !== request.operationId) {
      found.push({ place: ["operation"], expected: operation, actual: request.operationId });
    }
    if (method !== undefined && method.toUpperCase() !== request.method.toUpperCase()) {
      found.push({ place: ["method"], expected: method, actual: request.method });
    }
    if (!fitsPath(request.path)) {
      const expected = typeof path === "object" ? { matches: path.matches } : path;
      found.push({ place: ["path"], expected, actual: request.path });
    }
    for (const [name, compare] of parameters) compare(valuesOf(request.pathParameters, name), found, atMost);
    if (query.length > 0 && found.length < atMost) {
      const sent = queryOf(request);
      for (const [name, compare] of query) compare(sent[name] ?? [], found, atMost);
    }
    for (const [name, compare] of headers) compare(valuesOf(request.headers, name.toLowerCase()), found, atMost);
    if (compareBody && found.length < atMost) {
      const body = bodyOf(request);
      if (body && "value" in body) compareBody(body.value, found, atMost);
      else found.push({ place: ["body"], expected: match.body, actual: body?.unread });
    }
    if (status !== undefined && status !== request.status && status !== `${String(request.status)[0]}xx`) {
      found.push({ place: ["status"], expected: status, actual: request.status });
    }
    if (source !== undefined && source !== request.source && source !== request.source?.split(":", 1)[0]) {
      found.push({ place: ["source"], expected: source, actual: request.source });
    }
    return found;
  }
  return { match, differences };
}

/** The values of this name, if it is the object's own: `constructor` is a name like any other. */
function valuesOf(object: Readonly<Record<string, string | string[] | undefined>>, name: string): readonly string[] {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

function textTest(expected: Texts[string], place: Place, compile: PatternCompiler): TextTest {
  if (isPattern(expected)) return compile(expected.matches, pointerTo([...place, "matches"]));
  return (text) => text === String(expected);
}

/** Tests the whole path as sent, then decoded. */
function pathTest(expected: Match["path"], compile: PatternCompiler): TextTest {
  const whole = typeof expected === "object" ? expected.matches && { matches: expected.matches } : expected;
  if (!whole) return () => true;
  const beginning = typeof whole === "string" && whole.endsWith("*") ? whole.slice(0, -1) : undefined;
  const fits =
    beginning === undefined ? textTest(whole, ["path"], compile) : (path: string) => path.startsWith(beginning);
  return (path) => {
    if (fits(path)) return true;
    try {
      return fits(decodeURIComponent(path));
    } catch {
      return false;
    }
  };
}

/** Of several values with one name, any one may fit. */
function compareTexts(expected: Texts[string], place: Place, compile: PatternCompiler): Compare<readonly string[]> {
  const fits = textTest(expected, place, compile);
  return (values, differences) => {
    if (!values.some(fits)) differences.push({ place, expected, actual: values.length > 1 ? values : values[0] });
  };
}

/** Objects may have more members than expected, arrays are compared item by item, everything else is equal. */
function compareJson(expected: unknown, place: Place, compile: PatternCompiler): Compare<unknown> {
  if (typeof expected === "object" && expected !== null && !isPattern(expected)) {
    const hasShape = Array.isArray(expected) ? isArrayOf(expected.length) : isObject;
    const members = Object.entries(expected).map(
      ([name, member]) => [name, compareJson(member, [...place, name], compile)] as const,
    );
    return (value, differences, atMost) => {
      if (!hasShape(value)) {
        differences.push({ place, expected, actual: value });
        return;
      }
      for (const [name, compare] of members) {
        if (differences.length >= atMost) return;
        compare(Object.hasOwn(value, name) ? value[name] : undefined, differences, atMost);
      }
    };
  }
  const fits = isPattern(expected) ? jsonTest(expected, place, compile) : (value: unknown) => value === expected;
  return (value, differences) => {
    if (!fits(value)) differences.push({ place, expected, actual: value });
  };
}

function isArrayOf(length: number) {
  return (value: unknown): value is { [index: string]: unknown } => Array.isArray(value) && value.length === length;
}

/** Tests a text, or the JSON of any other value. */
function jsonTest(pattern: { matches: string }, place: Place, compile: PatternCompiler): (found: unknown) => boolean {
  const fits = textTest(pattern, place, compile);
  return (found) => found !== undefined && fits(typeof found === "string" ? found : JSON.stringify(found));
}
