import {
  type Awaitable,
  type Expectation,
  type Expected,
  type SeenValue,
  shown,
  valuesOf,
} from "../../../contract/index.ts";
import { EVERY_OPERATION, type Fact, factOf, needs } from "../../../tools/compare/index.ts";
import type { AssumptionId } from "../assumptions.ts";
import { responseClaims } from "../claims.ts";
import type { Change, ComparedService, Exchange } from "./compared-service.ts";

/** The claim that a valid request to the operation succeeds, with any 2xx. Its other checks need it. */
export const SUCCEEDS = "a valid request succeeds";

/** The operations whose checks depend on the order of writes in the project. They run alone, one after the other. */
const inOrder = ["overwriteResource", "createOrOverwriteResource", "queryWithSortedParameters", "readNamespaceAction"];

/** Returns values of a response with the expected ones. Throws Skip if the response lacks what another check claims. */
export type Judge = (exchange: Exchange, service: ComparedService) => Awaitable<readonly SeenValue[] | Fact>;

/** Sends requests. Returns the last response, or a request that is still to be sent. */
export type Sender = (service: ComparedService, id: string) => Awaitable<Change | Exchange>;

/**
 * One check as data: the parts of its request that differ from a valid one, and what the response has to be. Without
 * such parts, it judges a valid request that other checks share.
 */
export interface Row extends Change {
  /**
   * Who makes the claim: the interface states it (`contract`), it follows from the interface (`behaviour`, the default),
   * or an assumption. Only a false claim of an assumption `differs`; another one fails.
   */
  readonly source?: AssumptionId | "contract" | "behaviour";
  /** The expected behaviour, in one sentence; by default the claim. */
  readonly expected?: string;
  /** Sends requests, or chooses the parts. */
  readonly sends?: Sender;
  /**
   * A status or `2xx`, or several, separated by spaces; the values at locations of the response; or a function that
   * judges the response. By default, what the assumption claims by this name, or the status at the end of the name
   * (`… is 404`), or else `2xx`.
   */
  readonly expects?: number | string | Expected | Judge;
  /** The status of a response that can be judged; another one skips the check. By default 2xx; others deviate. */
  readonly given?: number;
  /** The claim about the responses of all other checks, instead of one response. Such checks run last. */
  readonly observed?: keyof ComparedService["observations"];
  /**
   * The claims that have to pass first, of the same operation unless they name another one. If one does not, this
   * check is skipped: it would fail for the same reason.
   */
  readonly needs?: readonly string[];
}

/** Rows by their names, such as `getResourceById: a deleted resource is 404`: an operation and its claim. */
export type Rows = Readonly<Record<string, Row>>;

/** A row with its operation. The name is unique and stable: reports of different runs are compared by it. */
export type Check = ReturnType<typeof checksOf>[number];

/** Returns a function that names rows by their claims. `shared`: what these rows have in common. */
export function about(operation: string, shared: Row = {}): (rows: Rows) => Rows {
  const named = ([claim, row]: [string, Row]) => {
    const needs = [...(shared.needs ?? []), ...(row.needs ?? [])];
    return [`${operation}: ${claim}`, { ...shared, ...row, needs }];
  };
  return (rows) => Object.fromEntries(Object.entries(rows).map(named));
}

/** Returns rows by their claims, for queries that get 400. */
export function rejects(queries: readonly string[], more: Row = {}): Rows {
  return Object.fromEntries(queries.map((query) => [`${query} is 400`, { query, ...more }]));
}

export function checksOf(rows: Rows) {
  return Object.entries(rows).map(([name, row]) => {
    const { source = "behaviour", sends, expects, given, observed, needs = [], expected, ...parts } = row;
    const isSource = source === "contract" || source === "behaviour";
    const [prefix = "", text = ""] = name.split(/: (.*)/s);
    // The others concern every operation, or the token endpoint.
    const isOne = /^\w+$/.test(prefix);
    const all = isOne && text !== SUCCEEDS ? [SUCCEEDS, ...needs] : needs;
    const shared: Sender = (service, id) => (Object.keys(parts).length > 0 ? parts : service.valid(id));
    const claim = responseClaims.find((each) => each.assumption === source && each.text === text);
    const byDefault = claim ? judgeOf(claim.expects) : Number(/ is (\d{3})$/.exec(name)?.[1]) || "2xx";
    return {
      ...{ name, given, observed },
      operation: isOne ? prefix : EVERY_OPERATION,
      kind: isSource ? source : ("assumption" as const),
      assumption: isSource ? undefined : source,
      expected: expected ?? `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
      needs: all.map((need) => (need.includes(": ") ? need : `${prefix}: ${need}`)),
      inOrder: inOrder.includes(prefix),
      sends: sends ?? shared,
      expects: typeof expects === "object" ? judgeOf(expects) : (expects ?? byDefault),
    };
  });
}

function judgeOf(expects: Parameters<typeof valuesOf>[1]): Judge {
  return ({ reply, query }, { basePath, projectPath }) => {
    const paths = [projectPath, basePath + projectPath].map((path) => `${path}/resource`);
    const values = valuesOf({ ...reply, paths, query: new URLSearchParams(query) }, expects);
    needs(values.length > 0, `another response; ${reply.seen}`);
    return values;
  };
}

/** Throws Skip if the claim of the check cannot be tried. */
export async function tryCheck(service: ComparedService, check: Check): Promise<Fact> {
  const { operation: id, sends, expects, given, observed } = check;
  if (observed) return observedFact(service.observations[observed]);
  const isInvalid = (typeof expects === "number" ? expects : (given ?? 0)) >= 400;
  const change = await sends(service, id);
  const exchange = "reply" in change ? change : await service.sendValid(id, { ...change, isInvalid });
  const { isOk, status, seen } = exchange.reply;
  if (typeof expects !== "function") {
    const statuses = String(expects).split(" ");
    return { isTrue: statuses.includes(String(status)) || (isOk && statuses.includes("2xx")), seen };
  }
  needs(given === undefined || status === given, `${given}; ${seen}`);
  if (!isOk && given === undefined) return { isTrue: false, seen };
  const judged = await expects(exchange, service);
  return "isTrue" in judged ? judged : factOf(judged, service.secrets);
}

function observedFact(all: readonly (string | undefined)[]): Fact {
  const [first, ...others] = all.filter((violation) => violation !== undefined);
  needs(all.length > 0, "a response to judge");
  if (first === undefined) return { isTrue: true, seen: `${all.length} responses` };
  return { isTrue: false, seen: others.length > 0 ? `${first} (and ${others.length} more)` : first };
}

/** Expects the same body as that of the earlier response, or else of the request. */
export const sameBody: Judge = ({ json, before, reply }) => {
  needs(reply.json !== undefined, `a body; ${reply.seen}`);
  return [["the body", reply.json, before ? before.json : json]];
};

export function anotherThan(...values: readonly unknown[]): Expectation {
  return { text: `another value than ${values.map(shown).join(" and ")}`, accepts: (value) => !values.includes(value) };
}
