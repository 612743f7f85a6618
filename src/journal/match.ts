import type { FromSchema, Schema } from "../contract/schema.ts";
import { serviceContract } from "../contract/service-contract.ts";
import { invalidField, ServiceError } from "../contract/service-error.ts";
import type { Problem } from "../contract/validator.ts";
import { isPattern, ownOf, type PatternCompiler, patternCompiler } from "../scenarios/match.ts";
import { Pattern, TOKEN, When } from "../scenarios/scenario.ts";
import { isObject, join } from "../text/json.ts";
import { queryOf, requestJson } from "./entry.ts";
import { type Exchange, MAX_KEPT_BODY } from "./exchange.ts";
import { checkPossible, parametersOf } from "./possible.ts";
import { redactHeader, redactJson, redactMember } from "./redact.ts";

const { path, query, header, body } = When.properties;

/** Which requests are meant: all that is named must hold. Values are matched as in a rule's `when`. */
export const Match = {
  type: "object",
  additionalProperties: false,
  description: "Which requests are meant: all that is named must hold; nothing named means every request.",
  properties: {
    operation: { type: "string", enum: serviceContract.ids, description: "The operation's id." },
    method: { type: "string", pattern: TOKEN, description: "In any case." },
    path: {
      type: ["string", "object"],
      minLength: 1,
      description:
        'The path, decoded or as sent, where * at its end stands for any rest; or a pattern for it: { "matches": "^/shop/" }; or path parameters by name, decoded: { "id": "42" }.',
      properties: { matches: { ...Pattern.properties.matches, description: "A pattern for the whole path." } },
      additionalProperties: path.additionalProperties,
    },
    query,
    headers: header,
    body,
    status: {
      type: ["integer", "string"],
      minimum: 100,
      maximum: 599,
      pattern: "^[1-5]xx$",
      description: "The answer's status, or its class: 4xx.",
    },
    source: {
      type: "string",
      minLength: 1,
      description: "Where the answer came from: scenario:conflict, or its kind: scenario.",
    },
  },
} as const satisfies Schema;

/** A value that fits `Match`. */
export interface Match {
  operation?: FromSchema<typeof Match.properties.operation>;
  method?: string;
  path?: string | Texts;
  query?: Texts;
  headers?: Texts;
  body?: unknown;
  status?: number | string;
  source?: string;
}

type Texts = Record<string, unknown>;

/** One place where a request is not what was expected. */
export interface Difference {
  /** RFC 6901, into the match: `/operation`, `/body/actions/0/action`. */
  readonly pointer: string;
  readonly expected: unknown;
  /** Left out where there is nothing. */
  readonly actual?: unknown;
}

/** A match that is ready to be held against requests. */
export interface Matcher {
  readonly match: Match;
  /** Where the request differs, told one by one; nothing for a request that matches. */
  differences(exchange: Exchange): IteratorObject<Difference>;
}

/** Whether the request is one that is meant. */
export function matches(matcher: Matcher, exchange: Exchange): boolean {
  for (const _difference of matcher.differences(exchange)) return false;
  return true;
}

/** A larger match, in characters of JSON, is refused: no body that the journal keeps has room for half of it. */
const MAX_MATCH = 2 * MAX_KEPT_BODY;

/** Compares what was found with what is expected. `place` is where that stands within the match. */
type Compare = (found: unknown, place: string) => Iterable<Difference>;

/**
 * The matcher of a match that fits `Match`. Throws InvalidField for one that is too large, for what no request can have,
 * and for patterns that are none: by pointer below `pointer`, or without one by the names of query parameters.
 */
export async function compileMatch(match: Match, pointer?: string): Promise<Matcher> {
  const problems: Problem[] = [];
  const size = JSON.stringify(match).length;
  if (size > MAX_MATCH) {
    const message = `expected a match of at most ${MAX_MATCH} characters of JSON, found ${size}`;
    throw new ServiceError({ code: "InvalidField", message, ...(pointer !== undefined && { field: pointer }) });
  }
  const placeOf = (member: string) => (pointer === undefined ? member : join(pointer, member));
  checkPossible(match, placeOf, problems);
  const compile = patternCompiler(problems);
  const texts = async (name: "path" | "query" | "headers"): Promise<[string, Compare][]> => {
    const expected = name === "path" ? parametersOf(match.path) : (match[name] ?? {});
    return Promise.all(
      Object.entries(expected).map(async ([member, value]): Promise<[string, Compare]> => {
        const compare = await compareTexts(value, join(placeOf(name), member), compile);
        return [name === "headers" ? member.toLowerCase() : member, compare];
      }),
    );
  };
  const fitsPath = await pathTest(match.path, placeOf("path"), compile);
  const [parameters, query, headers] = [await texts("path"), await texts("query"), await texts("headers")];
  const body = "body" in match ? await compareJson(match.body, placeOf("body"), compile) : undefined;
  if (problems.length > 0) {
    throw new ServiceError(problems.map(({ pointer, message }) => invalidField(pointer, message)));
  }

  function* differences(exchange: Exchange): Generator<Difference> {
    const { operation, method, status, source } = match;
    if (operation !== undefined && operation !== exchange.operationId) {
      yield { pointer: "/operation", expected: operation, actual: exchange.operationId };
    }
    if (method !== undefined && method.toUpperCase() !== exchange.method.toUpperCase()) {
      yield { pointer: "/method", expected: method, actual: exchange.method };
    }
    if (fitsPath && !fitsPath(exchange.path)) {
      const expected = isObject(match.path) ? { matches: match.path.matches } : match.path;
      yield { pointer: "/path", expected, actual: exchange.path };
    }
    for (const [name, compare] of parameters) {
      const value = ownOf(exchange.pathParameters, name);
      yield* compare(value === undefined ? [] : [value], join("/path", name));
    }
    if (query.length > 0) {
      const sent = queryOf(exchange);
      for (const [name, compare] of query) yield* compare(sent[name] ?? [], join("/query", name));
    }
    for (const [name, compare] of headers) {
      const value = ownOf(exchange.headers, name);
      yield* compare(value === undefined ? [] : [value].flat(), join("/headers", name));
    }
    if (body) yield* bodyDifferences(exchange, match.body, body);
    if (status !== undefined && !isStatus(status, exchange.status)) {
      yield { pointer: "/status", expected: status, actual: exchange.status };
    }
    if (source !== undefined && source !== exchange.source && source !== exchange.source.split(":", 1)[0]) {
      yield { pointer: "/source", expected: source, actual: exchange.source };
    }
  }
  return { match, differences };
}

/** The difference as it may be shown: credentials and tokens that were sent are left out. */
export function shownDifference({ pointer, expected, actual }: Difference): Difference {
  if (actual === undefined) return { pointer, expected };
  const [, kind, ...rest] = pointer.split("/");
  const member = rest.at(-1) ?? "";
  if (kind === "headers" && typeof actual === "string")
    return { pointer, expected, actual: redactHeader(member, actual) };
  return { pointer, expected, actual: redactMember(member, redactJson(actual)) };
}

type PathTest = (path: string) => boolean;

/** What holds the whole path, if the match names it. */
async function pathTest(
  expected: Match["path"],
  pointer: string,
  compile: PatternCompiler,
): Promise<PathTest | undefined> {
  if (typeof expected === "string") {
    const beginning = expected.endsWith("*") ? expected.slice(0, -1) : undefined;
    return sentOrDecoded((path) => (beginning === undefined ? path === expected : path.startsWith(beginning)));
  }
  if (expected?.matches === undefined) return undefined;
  return sentOrDecoded(await compile(String(expected.matches), join(pointer, "matches")));
}

function sentOrDecoded(fits: PathTest): PathTest {
  return (path) => {
    if (fits(path)) return true;
    try {
      return fits(decodeURIComponent(path));
    } catch {
      return false;
    }
  };
}

function isStatus(expected: number | string, found: number): boolean {
  return typeof expected === "number" ? expected === found : expected[0] === String(found)[0];
}

/** Of several values of one name, any one may fit. */
async function compareTexts(expected: unknown, pointer: string, compile: PatternCompiler): Promise<Compare> {
  const test = isPattern(expected)
    ? await compile(expected.matches, join(pointer, "matches"))
    : (text: string) => text === String(expected);
  return function* (found, place) {
    const texts = found as string[];
    if (!texts.some(test)) yield { pointer: place, expected, actual: texts.length > 1 ? texts : texts[0] };
  };
}

function* bodyDifferences(exchange: Exchange, expected: unknown, compare: Compare): Generator<Difference> {
  const json = requestJson(exchange);
  if (json) yield* compare(json.value, "/body");
  else if (exchange.cut?.request !== undefined) {
    const actual = `(${exchange.cut.request} bytes, of which the journal kept the beginning only)`;
    yield { pointer: "/body", expected, actual };
  } else if (exchange.requestBody) yield { pointer: "/body", expected, actual: "(not JSON)" };
  else yield { pointer: "/body", expected };
}

/** As a rule's `when.body` is matched, but telling where it does not. */
async function compareJson(expected: unknown, pointer: string, compile: PatternCompiler): Promise<Compare> {
  if (isPattern(expected)) {
    const test = await compile(expected.matches, join(pointer, "matches"));
    return function* (found, place) {
      const text = typeof found === "string" ? found : JSON.stringify(found);
      if (text === undefined || !test(text)) yield { pointer: place, expected, actual: found };
    };
  }
  if (Array.isArray(expected)) {
    const items: Compare[] = [];
    for (const [index, item] of expected.entries()) items.push(await compareJson(item, join(pointer, index), compile));
    return function* (found, place) {
      if (!Array.isArray(found) || found.length !== items.length) yield { pointer: place, expected, actual: found };
      else for (const [index, compare] of items.entries()) yield* compare(found[index], join(place, index));
    };
  }
  if (isObject(expected)) {
    const members: [string, Compare][] = [];
    for (const name of Object.keys(expected)) {
      members.push([name, await compareJson(expected[name], join(pointer, name), compile)]);
    }
    return function* (found, place) {
      if (!isObject(found)) yield { pointer: place, expected, actual: found };
      else {
        for (const [name, compare] of members) {
          yield* compare(Object.hasOwn(found, name) ? found[name] : undefined, join(place, name));
        }
      }
    };
  }
  return function* (found, place) {
    if (found !== expected) yield { pointer: place, expected, actual: found };
  };
}
