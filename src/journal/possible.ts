import { serviceContract } from "../contract/service-contract.ts";
import type { Problem } from "../contract/validator.ts";
import { type Candidates, keepThose, keepThoseWithParameters } from "../scenarios/candidates.ts";
import { TOKEN } from "../scenarios/scenario.ts";
import { scenarioName } from "../scenarios/scenario-set.ts";
import { isObject } from "../text/json.ts";
import { didYouMean } from "../text/nearest.ts";
import { shown } from "../text/shown.ts";

/** What of a match can be impossible; a `Match` has more. */
interface Meant {
  readonly operation?: string;
  readonly method?: string;
  readonly path?: string | Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly source?: string;
}

/**
 * Notes what no request can ever have: who expects none of such would be told that all is well, for a slip of the pen.
 * `placeOf` says where a member of the match stands.
 */
export function checkPossible(match: Meant, placeOf: (member: string) => string, problems: Problem[]): void {
  const { operation, method, path, source } = match;
  const named = serviceContract.operations.filter(({ id }) => operation === undefined || id === operation);
  const candidates: Candidates = { operations: named, problems };
  const parameters = Object.keys(parametersOf(path));
  keepThoseWithParameters(candidates, parameters, placeOf("path"));
  if ("body" in match) {
    keepThose(candidates, ({ body }) => body !== undefined, {
      pointer: placeOf("body"),
      message: "no such request has one in the journal, which keeps bodies of operations that take one",
    });
  }
  if (method !== undefined) {
    const isOfOperation = operation !== undefined || parameters.length > 0 || "body" in match;
    checkMethod(method, placeOf("method"), isOfOperation ? candidates : undefined, problems);
  }
  if (typeof path === "string") checkPath(path, placeOf("path"), problems);
  if (source !== undefined) checkSource(source, placeOf("source"), problems);
}

/** The path parameters that a match names. `matches` is none of any operation: it is the pattern of the whole path. */
export function parametersOf(path: Meant["path"]): Record<string, unknown> {
  const { matches: _pattern, ...parameters } = isObject(path) ? path : {};
  return parameters;
}

const methodName = new RegExp(TOKEN);

/** A request that is no operation's can have any method: it is answered 404 or 405. */
function checkMethod(method: string, pointer: string, candidates: Candidates | undefined, problems: Problem[]): void {
  if (!methodName.test(method)) {
    problems.push({ pointer, message: `expected a method, such as POST, found ${shown(method)}` });
  } else if (candidates) {
    const methods = [...new Set(candidates.operations.map((operation) => operation.method))];
    const ids = candidates.operations.map(({ id }) => id);
    keepThose(candidates, (operation) => operation.method === method.toUpperCase(), {
      pointer,
      message: `expected ${anyOf(methods)}, as ${anyOf(ids)} has it, found ${shown(method)}`,
    });
  }
}

function checkPath(path: string, pointer: string, problems: Problem[]): void {
  if (!path.startsWith("/")) {
    problems.push({ pointer, message: `expected a path, which begins with /, found ${shown(path)}` });
  } else if (path.includes("?")) {
    const message = `expected the path alone, without a query (a ? of its own is written %3F), found ${shown(path)}`;
    problems.push({ pointer, message });
  }
}

/** Where answers come from (`Answer.source`): each kind, and what follows its colon where anything does. */
const sources = new Map<string, RegExp | undefined>([
  ["state", undefined],
  ["fixture", new RegExp(`^(${serviceContract.ids.join("|")})/\\d{3}(\\..+)?\\.json$`)],
  ["scenario", scenarioName],
  ["rule", /^r-\d+$/],
  ["generated", undefined],
  ["error", undefined],
  ["defect", undefined],
]);

function checkSource(source: string, pointer: string, problems: Problem[]): void {
  const [kind = ""] = source.split(":", 1);
  const name = source.slice(kind.length + 1);
  const isKnown = source === kind ? sources.has(kind) : sources.get(kind)?.test(name);
  if (isKnown) return;
  const kinds = [...sources.keys()];
  const hint = sources.has(kind) ? "" : didYouMean(kind, kinds);
  problems.push({
    pointer,
    message: `expected ${anyOf(kinds)}, or one such as scenario:conflict, rule:r-1 and fixture:getCart/200.json, found ${shown(source)}.${hint}`,
  });
}

function anyOf(names: readonly string[]): string {
  return new Intl.ListFormat("en-GB", { type: "disjunction" }).format(names);
}
