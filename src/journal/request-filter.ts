import {
  type Contract,
  invalidField,
  MAX_COMPARISONS,
  MAX_QUERY_TEXT,
  redactMember,
  redactQuery,
  ServiceError,
  shown,
  tokenOperation,
} from "../contract/index.ts";
import {
  type Candidates,
  compileMatcher,
  decoded,
  type Effort,
  type Match,
  type Matcher,
  matches,
  queryOf,
  View,
} from "../rules/index.ts";
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
export async function compileMatch(
  match: Match,
  { contract, ...selected }: Selected,
  pointer?: string,
): Promise<Matcher> {
  const candidates: Candidates = {
    operations: [...contract.operations, tokenOperation],
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
export interface Filter {
  matches(exchange: Exchange, effort: Effort): boolean;
}

/** Compiles a filter. Throws InvalidField for invalid values, and for conditions that no request can meet. */
export async function compileFilter(query: FilterQuery, selected: Selected): Promise<Filter> {
  const { method, path, offContract, violations, since = -Infinity, from = -Infinity, to = Infinity } = query;
  const operations = valuesOf("operation", query.operation) ?? [undefined];
  const sources = valuesOf("source", query.source) ?? [undefined];
  const statuses = valuesOf("status", query.status)?.map(statusTest);
  const failures = valuesOf("failure", query.failure)?.map(failureNamed);
  const words = wordsOf(query.q);
  const header = query.header === undefined ? undefined : headerTest(query.header);
  const rules = valuesOf("rule", query.rule);
  if (from > to) throw invalid("to", "expected a time at or after from, found an earlier one");
  /** One matcher of each group must match. */
  const groups: Matcher[][] = [];
  if (query.operation !== undefined || method !== undefined || path !== undefined) {
    // Of several operations, not each can have the path.
    const ofOperation = { method, ...(operations.length === 1 && { path }) };
    groups.push(
      await Promise.all(operations.map((operation) => compileMatch({ operation, ...ofOperation }, selected))),
    );
    if (operations.length > 1) groups.push([await compileMatch({ path }, selected)]);
  }
  if (query.source !== undefined) {
    groups.push(await Promise.all(sources.map((source) => compileMatch({ source }, selected))));
  }
  return {
    matches(exchange, effort) {
      const { receivedAt, serverTime } = exchange;
      if (receivedAt < since || serverTime < from || serverTime > to) return false;
      if (offContract !== undefined && (exchange.offContract ?? false) !== offContract) return false;
      if (violations !== undefined && violationsOf(exchange).length > 0 !== violations) return false;
      if (statuses && !statuses.some((fits) => fits(exchange))) return false;
      if (failures && !failuresOf(exchange).some((failure) => failures.includes(failure))) return false;
      if (
        rules &&
        !exchange.decisions.some((each) => each.kind === "effect" && rules.some((name) => isNamed(each.source, name)))
      )
        return false;
      if (query.changed !== undefined && !changes(exchange, query.changed)) return false;
      if (header && !header(exchange)) return false;
      const view = new View(exchange);
      for (const group of groups) if (!group.some((matcher) => matches(matcher, view, effort))) return false;
      return words.length === 0 || containsAll(exchange, words);
    },
  };
}

function valuesOf(name: string, text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const values = [...new Set(text.split(",").map((value) => value.trim()))];
  if (values.length > MAX_COMPARISONS)
    throw invalid(name, `expected at most ${MAX_COMPARISONS} values, found ${values.length}`);
  return values;
}

function statusTest(text: string): (exchange: Exchange) => boolean {
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

function wordsOf(text = ""): string[] {
  if (text.length > MAX_QUERY_TEXT)
    throw invalid("q", `expected at most ${MAX_QUERY_TEXT} characters, found ${text.length}`);
  const words = [...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))];
  if (words.length > MAX_COMPARISONS)
    throw invalid("q", `expected at most ${MAX_COMPARISONS} words, found ${words.length}`);
  return words;
}

/** Returns whether `rule:r-1` is the source of the rule with this name, which can have its kind before it. */
function isNamed(source: string, name: string): boolean {
  return source === name || source.slice(source.indexOf(":") + 1) === name;
}

function changes(exchange: Exchange, id: string): boolean {
  return (exchange.changes ?? []).some((change) => change.id === id);
}

/** Returns the test of the condition `x-trace` or `x-trace=part of the value`. */
function headerTest(condition: string): (exchange: Exchange) => boolean {
  if (condition.length > MAX_QUERY_TEXT) {
    throw invalid("header", `expected at most ${MAX_QUERY_TEXT} characters, found ${condition.length}`);
  }
  const [name = "", ...rest] = condition.toLowerCase().split("=");
  const part = rest.join("=");
  return ({ headers, responseHeaders }) =>
    [headers, responseHeaders].some((each) =>
      Object.entries(shownHeaders(each)).some(
        ([found, value]) => found.toLowerCase() === name && value.toLowerCase().includes(part),
      ),
    );
}

function invalid(name: string, message: string): ServiceError {
  return new ServiceError(invalidField(name, message));
}

/** Returns whether each word occurs in the texts of the request, or is its id. */
function containsAll(exchange: Exchange, words: readonly string[]): boolean {
  let missing = words.filter((word) => word !== exchange.id);
  for (const each of textsOf(exchange)) {
    const text = each.toLowerCase();
    missing = missing.filter((word) => !text.includes(word));
    if (missing.length === 0) return true;
  }
  return missing.length === 0;
}

/**
 * Returns the searched texts, those that take the longest last. Searches what the entry shows, so that a search cannot
 * reveal redacted secrets. The path and the query appear as sent and decoded.
 */
function* textsOf(exchange: Exchange): Iterable<string> {
  const { method, operationId = "", path, query, headers, responseHeaders, decisions } = exchange;
  const head = [method, operationId, path];
  if (path.includes("%")) head.push(decoded(path));
  if (query !== "") head.push(redactQuery(query));
  if (/[%+]/.test(query)) {
    for (const [name, values] of Object.entries(queryOf(exchange))) {
      for (const value of values) head.push(`${name}=${redactMember(name, value)}`);
    }
  }
  yield head.join("\n");
  const pairs = [headers, responseHeaders].flatMap((each) => Object.entries(shownHeaders(each)));
  yield [...pairs.map(([name, value]) => `${name}: ${value}`), ...decisions.map(sentenceOf)].join("\n");
  yield* shownBodies(exchange);
}
