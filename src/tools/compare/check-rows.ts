import { isDeepStrictEqual } from "node:util";
import { type AssumptionId, claimOf, join } from "../../contract/index.ts";
import type { Change, ComparedService, Exchange } from "./compared-service.ts";
import type { Reply } from "./node-exchange.ts";
import { errorIn, needs } from "./service-requests.ts";

/** The operation of checks that concern every operation. */
export const EVERY_OPERATION = "*";

/** The claim that a valid request to the operation succeeds, with any 2xx. Its other checks need it. */
export const SUCCEEDS = "a valid request succeeds";

/** The operations whose checks depend on the order of writes in the project. They run alone, one after the other. */
const inOrder = ["overwriteResource", "createOrOverwriteResource", "queryWithSortedParameters", "readNamespaceAction"];

/** Whether a claim is true, and what was seen, without secrets. */
export interface Fact {
  readonly isTrue: boolean;
  readonly seen: string;
}

/** Members by name: each has a value, or one that a function accepts. */
export type Expected = Readonly<Record<string, unknown>>;

/** Judges a response. Throws Skip if the response lacks what another check claims. */
export type Judge = (exchange: Exchange, service: ComparedService) => Fact | Promise<Fact>;

/** Sends requests. Returns the last response, or a request that is still to be sent; a text is its query. */
export type Sender = (service: ComparedService, id: string) => Sending | Promise<Sending>;
type Sending = string | Change | Exchange;

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
   * A status or `2xx`, or several, separated by spaces; members of the body; or a function that judges the response. By
   * default, what the assumption claims by this name, or the status at the end of the name (`… is 404`), or else `2xx`.
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
    const [prefix = "", claim = ""] = name.split(/: (.*)/s);
    // The others concern every operation, or the token endpoint.
    const isOne = /^\w+$/.test(prefix);
    const all = isOne && claim !== SUCCEEDS ? [SUCCEEDS, ...needs] : needs;
    const shared: Sender = (service, id) => (Object.keys(parts).length > 0 ? parts : service.valid(id));
    return {
      ...{ name, given, observed },
      operation: isOne ? prefix : EVERY_OPERATION,
      kind: isSource ? source : ("assumption" as const),
      assumption: isSource ? undefined : source,
      expected: expected ?? `${claim.charAt(0).toUpperCase()}${claim.slice(1)}.`,
      needs: all.map((need) => (need.includes(": ") ? need : `${prefix}: ${need}`)),
      inOrder: inOrder.includes(prefix),
      sends: sends ?? shared,
      expects: expects ?? claimed(source, claim) ?? (Number(/ is (\d{3})$/.exec(name)?.[1]) || "2xx"),
    };
  });
}

/** Returns the judge of a claim about a single response, if the assumption has a claim with this text. */
function claimed(assumption: string, text: string): Judge | undefined {
  const judge = claimOf(assumption, text);
  return (
    judge &&
    (({ reply, query }, { basePath, projectPath, secrets }) => {
      const collection = `${projectPath}/resource`;
      const paths = [collection, basePath + collection];
      const members = reply.json === undefined ? undefined : reply.members;
      const values = judge({ ...reply, members, paths, query: new URLSearchParams(query) });
      needs(values.length > 0, `another response; ${reply.seen}`);
      const wrong = values.filter(({ isTrue }) => !isTrue);
      const seen = (wrong.length > 0 ? wrong : values).map(({ field, found }) => `${field} ${secrets.shown(found)}`);
      return { isTrue: wrong.length === 0, seen: `${reply.seen} with ${seen.join(", ")}` };
    })
  );
}

/** Throws Skip if the claim of the check cannot be tried. */
export async function tryCheck(service: ComparedService, check: Check): Promise<Fact> {
  const { operation: id, sends, expects, given, observed } = check;
  if (observed) return observedFact(service.observations[observed]);
  const isInvalid = (typeof expects === "number" ? expects : (given ?? 0)) >= 400;
  const sent = await sends(service, id);
  const change = typeof sent === "string" ? { query: sent } : sent;
  const exchange = "reply" in change ? change : await service.sendValid(id, { ...change, isInvalid });
  const { isOk, status, seen } = exchange.reply;
  if (typeof expects === "number" || typeof expects === "string") {
    const statuses = String(expects).split(" ");
    return { isTrue: statuses.includes(String(status)) || (isOk && statuses.includes("2xx")), seen };
  }
  needs(given === undefined || status === given, `${given}; ${seen}`);
  if (!isOk && given === undefined) return { isTrue: false, seen };
  return typeof expects === "function" ? await expects(exchange, service) : hasMembers(expects)(exchange, service);
}

function observedFact(all: readonly (string | undefined)[]): Fact {
  const [first, ...others] = all.filter((violation) => violation !== undefined);
  needs(all.length > 0, "a response to judge");
  if (first === undefined) return { isTrue: true, seen: `${all.length} responses` };
  return { isTrue: false, seen: others.length > 0 ? `${first} (and ${others.length} more)` : first };
}

/**
 * Returns the first place where a JSON value differs from the expected one, in words: `/version is 2, expected 1`. Returns
 * undefined if the values are equal.
 *
 * @param place the place of the value
 */
export function differenceIn(
  place: string,
  found: unknown,
  expected: unknown,
  secrets: ComparedService["secrets"],
): string | undefined {
  if (isDeepStrictEqual(found, expected)) return undefined;
  const isWhole = Array.isArray(found) !== Array.isArray(expected) || !isContainer(found) || !isContainer(expected);
  if (isWhole) return `${secrets.redact(place)} is ${secrets.shown(found)}, expected ${secrets.shown(expected)}`;
  for (const name of new Set([...Object.keys(found), ...Object.keys(expected)])) {
    const difference = differenceIn(join(place, name), found[name], expected[name], secrets);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** Returns whether a JSON value is an object or an array. */
function isContainer(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}

/** Expects the same body as that of the earlier response, or else of the request. */
export function sameBody({ json, before, reply }: Exchange, { secrets }: ComparedService): Fact {
  needs(reply.json !== undefined, `a body; ${reply.seen}`);
  const difference = differenceIn("the body", reply.json, before ? before.json : json, secrets);
  return { isTrue: difference === undefined, seen: difference ?? "the same body" };
}

/** Expects members of the body, or of what a function finds in the response. */
export function hasMembers(expected: Expected, membersOf = ({ members }: Reply) => members) {
  return (exchange: Exchange, { secrets }: ComparedService): Fact => {
    const found = membersOf(exchange.reply);
    const names = Object.keys(expected);
    const shownOf = (name: string) => `${name} ${secrets.shown(found[name])}`;
    const wrong = names.flatMap((name) => {
      const value = expected[name];
      if (typeof value === "function") return value(found[name], exchange) ? [] : shownOf(name);
      return differenceIn(name, found[name], value, secrets) ?? [];
    });
    return { isTrue: wrong.length === 0, seen: (wrong.length > 0 ? wrong : names.map(shownOf)).join(", ") };
  };
}

export function error(expected: Expected): Judge {
  return hasMembers(expected, errorIn);
}

export const isNumber = (value: unknown) => typeof value === "number";
export const hasLength = (length: number) => (value: unknown) => Array.isArray(value) && value.length === length;
export const isPresent = (value: unknown) => value !== undefined;
