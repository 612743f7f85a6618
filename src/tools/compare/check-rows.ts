import { isDeepStrictEqual } from "node:util";
import type { AssumptionId, OperationId } from "../../contract/index.ts";
import type { Change, ComparedService, Exchange } from "./compared-service.ts";
import type { Reply } from "./node-exchange.ts";
import { type Claim, errorIn, needs } from "./service-requests.ts";

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
type Expected = Readonly<Record<string, unknown>>;

/** Judges a response. Throws Skip if the response lacks what another check claims. */
export type Judge = (exchange: Exchange, service: ComparedService) => Fact | Promise<Fact>;

/** The parts of a request that differ from a valid one, as text its query. */
type Request = string | Change;

/** Sends requests. Returns the last response, or a request that is still to be sent. */
export type Sender = (service: ComparedService, id: OperationId) => Request | Exchange | Promise<Request | Exchange>;

/** One check as data. A row with an assumption `differs` if its claim is false; another one fails. */
export interface Row {
  /** The expected behaviour, in one sentence; by default the claim. */
  readonly expected?: string;
  /** A request, or a function that sends requests. By default a valid request, which other checks share. */
  readonly sends?: Request | Sender;
  /**
   * A status or `2xx`, or several, separated by spaces; members of the body; or a function that judges the response. By
   * default the status at the end of the name (`… is 404`), or else `2xx`.
   */
  readonly expects?: number | string | Expected | Judge;
  /** The status of a response that can be judged; another one skips the check. By default 2xx; others deviate. */
  readonly given?: number;
  /** The claim about the responses of all other checks, instead of one response. Such checks run last. */
  readonly observed?: Claim;
  /**
   * The claims that have to pass first, of the same operation unless they name another one. If one does not, this
   * check is skipped: it would fail for the same reason.
   */
  readonly needs?: readonly string[];
  readonly assumption?: AssumptionId;
  /** `contract`: the interface states it. `behaviour`: it follows from it; the default without an assumption. */
  readonly kind?: "contract" | "behaviour" | "assumption";
  /** The start of the name; by default the operation. */
  readonly prefix?: string;
}

/** Rows by their claims, such as `a deleted resource is 404`. */
export type Rows = Readonly<Record<string, Row>>;

type Derived = "expected" | "kind" | "needs";

/** A row with its operation. The name is unique and stable: reports of different runs are compared by it. */
export interface Check extends Omit<Row, Derived>, Required<Pick<Row, Derived>> {
  readonly name: string;
  readonly operation: OperationId | typeof EVERY_OPERATION;
  readonly inOrder: boolean;
}

/** Returns the checks of an operation. `shared`: what its rows have in common. */
export function group(operation: Check["operation"], shared: Row = {}): (rows: Rows) => Check[] {
  const isOne = operation !== EVERY_OPERATION;
  const prefix = shared.prefix ?? (isOne ? operation : "every operation");
  return (rows) =>
    Object.entries(rows).map(([claim, row]) => {
      const all = { ...shared, ...row };
      const needed = [
        ...(isOne && claim !== SUCCEEDS ? [SUCCEEDS] : []),
        ...(shared.needs ?? []),
        ...(row.needs ?? []),
      ];
      return {
        ...all,
        operation,
        name: `${prefix}: ${claim}`,
        expected: row.expected ?? `${claim.charAt(0).toUpperCase()}${claim.slice(1)}.`,
        kind: all.assumption ? "assumption" : (all.kind ?? "behaviour"),
        needs: needed.map((need) => (need.includes(": ") ? need : `${prefix}: ${need}`)),
        inOrder: inOrder.includes(operation),
      };
    });
}

/** Throws Skip if the claim of the check cannot be tried. */
export async function tryCheck(service: ComparedService, check: Check): Promise<Fact> {
  const { name, sends, expects = Number(/ is (\d{3})$/.exec(name)?.[1]) || "2xx", given, observed } = check;
  if (observed) return observedFact(service.observations[observed]);
  const id = check.operation as OperationId;
  const isInvalid = (typeof expects === "number" ? expects : (given ?? 0)) >= 400;
  const sent = typeof sends === "function" ? await sends(service, id) : (sends ?? (await service.valid(id)));
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

/** Expects the same body as that of the earlier response, or else of the request. */
export function sameBody({ json, before, reply }: Exchange): Fact {
  needs(reply.json !== undefined, `a body; ${reply.seen}`);
  const isTrue = isDeepStrictEqual(reply.json, before ? before.json : json);
  return { isTrue, seen: `${isTrue ? "the same" : "another"} body` };
}

/** Expects members of the body, or of what a function finds in it. */
function hasMembers(expected: Expected, membersOf = ({ members }: Reply) => members) {
  return (exchange: Exchange, { secrets }: ComparedService): Fact => {
    const found = membersOf(exchange.reply);
    const names = Object.keys(expected);
    const wrong = names.filter((name) => {
      const value = expected[name];
      return typeof value === "function" ? !value(found[name], exchange) : !isDeepStrictEqual(found[name], value);
    });
    const shown = (wrong.length > 0 ? wrong : names).map((name) => `${name} ${secrets.shown(found[name])}`);
    return { isTrue: wrong.length === 0, seen: shown.join(", ") };
  };
}

export function error(expected: Expected): Judge {
  return hasMembers(expected, errorIn);
}

export const isNumber = (value: unknown) => typeof value === "number";
export const hasLength = (length: number) => (value: unknown) => Array.isArray(value) && value.length === length;
export const isPresent = (value: unknown) => value !== undefined;
