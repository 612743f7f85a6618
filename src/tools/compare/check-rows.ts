import {
  type Awaitable,
  type Claim,
  type Contract,
  type Expectation,
  type Expected,
  type SeenValue,
  shown,
  valuesOf,
} from "../../contract/index.ts";
import type { Change, ComparedService, Exchange } from "./compared-service.ts";
import { EVERY_OPERATION } from "./comparison-report.ts";
import { type Fact, factOf, needs } from "./facts.ts";
import type { ItemRequest } from "./item-requests.ts";

/** The claim that a valid request to the operation succeeds, with any 2xx. Its other checks need it. */
export const SUCCEEDS = "a valid request succeeds";

/** The claim that the body of a success has a documented media type. The other checks need it too. */
export const HAS_TYPE = "a success has a documented media type";

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
   * Who makes the claim: the contract states it (`contract`), it follows from the contract (`behaviour`, the default),
   * or an assumption. Only a false claim of an assumption `differs`; another one fails.
   */
  readonly source?: string;
  /** The expected behaviour, in one sentence; by default the claim. */
  readonly expected?: string;
  /** Sends requests, or chooses the parts. */
  readonly sends?: Sender;
  /**
   * A status, `2xx` or `4xx`, or several, separated by spaces; the values at locations of the response; or a function that
   * judges the response. By default, what the assumption claims by this name, or the statuses at the end of the name
   * (`… is 404`), or else `2xx`.
   */
  readonly expects?: number | string | Expected | Judge;
  /** The status of a response that can be judged; another one skips the check. By default 2xx; others deviate. */
  readonly given?: number;
  /** The claim about the responses of all other checks, instead of one response. Such checks run last. */
  readonly observed?: string;
  /**
   * The claims that have to pass first, of the same operation unless they name another one. If one does not, this
   * check is skipped: it would fail for the same reason.
   */
  readonly needs?: readonly string[];
}

/** Rows by their names, such as `getPetById: a deleted resource is 404`: an operation and its claim. */
export type Rows = Readonly<Record<string, Row>>;

/** The checks of one service only. */
export interface OwnChecks {
  /** Further rows, and parts of rows of the document; undefined leaves out a row. */
  readonly rows?: Readonly<Record<string, Row | undefined>>;
  /** The parts of valid requests that the contract does not tell, by the ids of operations. */
  readonly valid?: Readonly<Record<string, (service: ComparedService, general: ItemRequest) => Awaitable<ItemRequest>>>;
  /** Operations that create items although they have no role, with the operation that shows how the service does so. */
  readonly creates?: Readonly<Record<string, string>>;
  /** The operations whose checks depend on the order of writes in the project. They run alone, one after the other. */
  readonly inOrder?: readonly string[];
}

/** A row with its operation. The name is unique and stable: reports of different runs are compared by it. */
export type CheckRow = ReturnType<typeof checksOf>[number];

/** Returns a function that names rows by their claims. `shared`: what these rows have in common. */
export function about(operation: string, shared: Row = {}): (rows: Rows) => Rows {
  const named = ([claim, row]: [string, Row]) => {
    const needs = [...(shared.needs ?? []), ...(row.needs ?? [])];
    return [`${operation}: ${claim}`, { ...shared, ...row, ...(needs.length > 0 && { needs }) }];
  };
  return (rows) => Object.fromEntries(Object.entries(rows).map(named));
}

/** Returns the checks of these rows. `claims`: what assumptions claim about single responses. */
export function checksOf(rows: Rows, contract: Contract, claims: readonly Claim[], inOrder: readonly string[] = []) {
  return Object.entries(rows).map(([name, row]) => {
    const { source = "behaviour", sends, expects, given, observed, needs = [], expected, ...parts } = row;
    const isSource = source === "contract" || source === "behaviour";
    // The ids of operations can have colons.
    const ends = Array.from(name.matchAll(/: /g), ({ index }) => index);
    const end = ends.findLast((each) => contract.find(name.slice(0, each))) ?? ends[0];
    const [prefix, text] = [name.slice(0, end), name.slice((end ?? name.length) + 2)];
    // The others concern every operation, or the token endpoint.
    const isOne = contract.find(prefix) !== undefined;
    const first = [SUCCEEDS, HAS_TYPE].filter((claim) => isOne && `${prefix}: ${claim}` in rows);
    const all = first.includes(text) ? first.slice(0, first.indexOf(text)) : [...first, ...needs];
    const shared: Sender = (service, id) => (Object.keys(parts).length > 0 ? parts : service.valid(id));
    const claim = claims.find((each) => each.assumption === source && each.text === text);
    const [, statuses = "2xx"] = / is (\d{3}(?: or \d{3})*|4xx)$/.exec(name) ?? [];
    const byDefault = claim ? judgeOf(claim.expects) : statuses.replaceAll(" or", "");
    return {
      ...{ name, given, observed },
      operation: isOne ? prefix : EVERY_OPERATION,
      kind: isSource ? (source as "contract" | "behaviour") : ("assumption" as const),
      assumption: isSource ? undefined : source,
      expected: expected ?? sentenceOf(text),
      needs: all.map((need) => (need in rows ? need : `${prefix}: ${need}`)),
      inOrder: inOrder.includes(prefix),
      sends: sends ?? shared,
      expects: typeof expects === "object" ? judgeOf(expects) : (expects ?? byDefault),
    };
  });
}

/** Returns a claim as a sentence. One that begins with the name of a parameter or a member keeps this name. */
function sentenceOf(claim: string): string {
  const isName = !/^[a-z]+ /.test(claim) || /^\w+ with /.test(claim);
  return `${isName ? claim.charAt(0) : claim.charAt(0).toUpperCase()}${claim.slice(1)}.`;
}

function judgeOf(expects: Claim["expects"]): Judge {
  return ({ reply, query }, { basePath }) => {
    const paths = [reply.path, basePath + reply.path];
    const values = valuesOf({ ...reply, paths, query: new URLSearchParams(query) }, expects);
    needs(values.length > 0, `another response; ${reply.seen}`);
    return values;
  };
}

/** Throws Skip if the claim of the check cannot be tried. */
export async function tryCheck(service: ComparedService, check: CheckRow): Promise<Fact> {
  const { operation: id, sends, expects, given, observed } = check;
  if (observed) return observedFact(service.observations.get(observed) ?? []);
  const isInvalid = typeof expects !== "function" ? /^4/.test(String(expects)) : (given ?? 0) >= 400;
  const change = await sends(service, id);
  const exchange = "reply" in change ? change : await service.sendValid(id, { ...change, isInvalid });
  const { isOk, status, seen } = exchange.reply;
  if (typeof expects !== "function") {
    const accepted = String(expects).split(" ");
    return { isTrue: [`${status}`, `${Math.floor(status / 100)}xx`].some((each) => accepted.includes(each)), seen };
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
