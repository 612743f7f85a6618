import {
  type Contract,
  decodedPath,
  invalidField,
  MAX_COMPARISONS,
  MAX_QUERY_TEXT,
  redactMember,
  redactQuery,
  ServiceError,
  shown,
  tokenOperation,
} from "../contract/index.ts";
import { type Candidates, compileMatcher, type Effort, type Match, matches, queryOf, View } from "../rules/index.ts";
import { sentenceOf } from "./decisions.ts";
import { shownBodies, shownHeaders } from "./entry.ts";
import { type Failure, failureNames, failuresOf } from "./failures.ts";
import { type Exchange, violationsOf } from "./kept-exchange.ts";

/** The requests that a match selects: those of a project, or of all projects. */
export interface Selected extends Pick<Candidates, "projectKey" | "requests"> {
  readonly contract: Contract;
}

/**
 * Compiles a match for all requests, including those that match no operation. Throws InvalidField for a match that is
 * too large or can never match, and for invalid patterns. `field` of the error is a pointer below `pointer`; without
 * `pointer` it is the name of a query parameter.
 */
export async function compileMatch(match: Match, { contract, ...selected }: Selected, pointer?: string) {
  const candidates: Candidates = {
    operations: [...contract.operations, tokenOperation],
    addresses: contract.addresses,
    problems: [],
    includesUnknown: true,
    ...selected,
  };
  const matcher = await compileMatcher(match, candidates);
  const fieldOf = (location: string) => (pointer === undefined ? location.slice(1) : pointer + location);
  const details = candidates.problems.map((problem) => invalidField(fieldOf(problem.pointer), problem.message));
  if (details.length > 0) throw new ServiceError(details);
  return matcher;
}

/**
 * The conditions of a search in the journal, as the query parameters of the control API. A request must meet all of them.
 * Of several values, separated by commas, one must fit. Times are in milliseconds.
 */
type FilterQuery = Partial<
  Record<
    "operation" | "method" | "status" | "path" | "source" | "failure" | "header" | "rule" | "changed" | "q",
    string
  > &
    Record<"offContract" | "violations", boolean> &
    Record<"since" | "from" | "to", number>
>;

/** Selects requests of the journal. */
export type Filter = Awaited<ReturnType<typeof compileFilter>>;

type Test = (exchange: Exchange) => boolean;

/** Compiles a filter. Throws InvalidField for invalid values, and for conditions that no request can meet. */
export async function compileFilter(query: FilterQuery, selected: Selected) {
  const { method, path, changed, offContract, violations, since = -Infinity, from = -Infinity, to = Infinity } = query;
  if (from > to) throw invalid("to", "expected a time at or after from, found an earlier one");
  const operations = valuesOf("operation", query.operation) ?? [undefined];
  const isOne = operations.length === 1;
  const sources = valuesOf("source", query.source) ?? [];
  const statuses = valuesOf("status", query.status)?.map(statusTest);
  const failures = valuesOf("failure", query.failure)?.map(failureNamed);
  const rules = valuesOf("rule", query.rule);
  const tests: Test[] = [
    ({ receivedAt, serverTime }) => receivedAt >= since && serverTime >= from && serverTime <= to,
    (exchange) => offContract === undefined || (exchange.offContract ?? false) === offContract,
    (exchange) => violations === undefined || violationsOf(exchange).length > 0 === violations,
    (exchange) => statuses?.some((fits) => fits(exchange)) ?? true,
    (exchange) => !failures || failuresOf(exchange).some((failure) => failures.includes(failure)),
    (exchange) => !rules || sourcesOf(exchange).some((source) => rules.includes(source)),
    ({ changes }) => changed === undefined || changes?.some(({ id }) => id === changed) === true,
    ...(query.header === undefined ? [] : [headerTest(query.header)]),
  ];
  const contains = wordsTest(query.q);
  /** One match of each group must match. Of several operations, not each can have the path. */
  const groups: Match[][] = [
    operations.map((operation) => ({ operation, method, ...(isOne && { path }) })),
    isOne ? [] : [{ path }],
    sources.map((source) => ({ source })),
  ].filter((group) => group.some((match) => JSON.stringify(match) !== "{}"));
  const compiled = groups.map((group) => Promise.all(group.map((match) => compileMatch(match, selected))));
  const matchers = await Promise.all(compiled);
  return {
    matches(exchange: Exchange, effort: Effort): boolean {
      if (!tests.every((fits) => fits(exchange))) return false;
      const view = new View(exchange);
      return matchers.every((group) => group.some((each) => matches(each, view, effort))) && contains(exchange);
    },
  };
}

function valuesOf(name: string, text: string | undefined): string[] | undefined {
  const values = text === undefined ? undefined : [...new Set(text.split(",").map((value) => value.trim()))];
  checkCount(name, "values", values?.length ?? 0, MAX_COMPARISONS);
  return values;
}

function checkCount(name: string, unit: string, found: number, most: number): void {
  if (found > most) throw invalid(name, `expected at most ${most} ${unit}, found ${found}`);
}

function statusTest(text: string): Test {
  if (text === "broken") return ({ isBroken }) => isBroken;
  if (/^(0|[1-5]\d\d)$/.test(text)) return ({ status }) => status === Number(text);
  if (/^[1-5]xx$/.test(text)) return ({ status }) => Math.floor(status / 100) === Number(text[0]);
  const expected = "expected a status, such as 409, a class, such as 4xx, or broken (a broken connection)";
  throw invalid("status", `${expected}, found ${shown(text)}`);
}

function failureNamed(name: string): Failure {
  const failure = failureNames.find((each) => each === name);
  if (!failure) throw invalid("failure", `expected ${failureNames.join(", ")}, found ${shown(name)}`);
  return failure;
}

/** Returns the sources of the rules that took effect, with and without their kind: `rule:r-1` and `r-1`. */
function sourcesOf({ decisions }: Exchange): string[] {
  return decisions.flatMap((each) =>
    each.kind === "effect" ? [each.source, each.source.slice(each.source.indexOf(":") + 1)] : [],
  );
}

/** Returns the test of the condition `x-trace` or `x-trace=part of the value`. */
function headerTest(condition: string): Test {
  checkCount("header", "characters", condition.length, MAX_QUERY_TEXT);
  const [name = "", ...rest] = condition.toLowerCase().split("=");
  const part = rest.join("=");
  return (exchange) =>
    headersOf(exchange).some(([found, value]) => found.toLowerCase() === name && value.toLowerCase().includes(part));
}

/** Returns the headers of the request and the response, as the entry shows them. */
function headersOf({ headers, responseHeaders }: Exchange): [name: string, value: string][] {
  return [headers, responseHeaders].flatMap((each) => Object.entries(shownHeaders(each)));
}

function invalid(name: string, message: string): ServiceError {
  return new ServiceError(invalidField(name, message));
}

/** Returns the test whether each word of a text occurs in the texts of the request, or is its id. */
function wordsTest(text = ""): Test {
  checkCount("q", "characters", text.length, MAX_QUERY_TEXT);
  const words = [...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))];
  checkCount("q", "words", words.length, MAX_COMPARISONS);
  return (exchange) => {
    let missing = words.filter((word) => word !== exchange.id);
    for (const each of missing.length > 0 ? textsOf(exchange) : []) {
      const text = each.toLowerCase();
      missing = missing.filter((word) => !text.includes(word));
      if (missing.length === 0) return true;
    }
    return missing.length === 0;
  };
}

/**
 * Returns the searched texts, those that take the longest last. Searches what the entry shows, so that a search cannot
 * reveal redacted secrets. The path and the query appear as sent and decoded.
 */
function* textsOf(exchange: Exchange): Iterable<string> {
  const { method, operationId = "", path, query, decisions } = exchange;
  const head = [method, operationId, path];
  if (path.includes("%")) head.push(decodedPath(path));
  if (query !== "") head.push(redactQuery(query));
  if (/[%+]/.test(query)) {
    for (const [name, values] of Object.entries(queryOf(exchange))) {
      for (const value of values) head.push(`${name}=${redactMember(name, value)}`);
    }
  }
  yield head.join("\n");
  yield [...headersOf(exchange).map(([name, value]) => `${name}: ${value}`), ...decisions.map(sentenceOf)].join("\n");
  yield* shownBodies(exchange);
}
