import { isDeepStrictEqual } from "node:util";
import type { AssumptionId, Contract, OperationId } from "../../contract/index.ts";
import type { Change, ComparedService, Exchange } from "./compared-service.ts";
import { errorIn, needs, type Reply } from "./service-requests.ts";

/** The operation of checks that concern every operation. */
export const EVERY_OPERATION = "*";

/** The claim that a valid request to the operation succeeds, with any 2xx. Its other checks need it. */
export const SUCCEEDS = "a valid request succeeds";

/** Whether a claim is true, and what was seen, without secrets. */
export interface Fact {
  readonly isTrue: boolean;
  readonly seen: string;
}

/** Members by name: each has a value, or one that a function accepts. */
type Expected = Readonly<Record<string, unknown>>;
type Status = number | "2xx";
type Awaitable<T> = T | Promise<T>;

/** Judges a response. Throws Skip if the response lacks what another check claims. */
export type Judge = (exchange: Exchange, service: ComparedService) => Awaitable<Fact>;

/** Sends requests. Returns the last response, or the parts of the last request, as text its query. */
export type Sender = (service: ComparedService, id: OperationId) => Awaitable<string | Change | Reply | Exchange>;

/** One check as data. A row with an assumption `differs` if its claim is false; another one fails. */
export interface Row {
  /** The expected behaviour, in one sentence; by default the claim. */
  readonly expected?: string;
  /**
   * The parts of a request that differ from a valid one (a text is its query, such as `limit=1&offset=2`), or a
   * function that sends requests. By default, a valid request, which the checks of an operation share.
   */
  readonly sends?: string | Change | Sender;
  /**
   * A status, `2xx`, or a list of them; members of the body; or a function that judges the response. By default the
   * status at the end of the name (`… is 404`), or else `2xx`.
   */
  readonly expects?: Status | readonly Status[] | Expected | Judge;
  /** The status of a response that can be judged; another one skips the check. By default 2xx; others deviate. */
  readonly given?: number;
  /** Judges the responses of all other checks instead of one. Such checks run last. */
  readonly observed?: (service: ComparedService) => Fact;
  /**
   * The claims that have to pass first, of the same operation unless they name another one. If one does not, this check is
   * skipped: it would fail for the same reason.
   */
  readonly needs?: readonly string[];
  readonly assumption?: AssumptionId;
  /** `contract`: the interface states it. `behaviour`: it follows from the interface. `assumption`: our choice. */
  readonly kind?: "contract" | "behaviour" | "assumption";
  /** Set if the check depends on the order of writes in the project. Such checks run alone, one after the other. */
  readonly inOrder?: boolean;
  /** The start of the name; by default the operation. */
  readonly prefix?: string;
}

/** Rows by their claims, such as `a deleted resource is 404`. */
export type Rows = Readonly<Record<string, Row>>;

/** A row with its operation. The name is unique and stable: reports of different runs are compared by it. */
export interface Check extends Row {
  readonly name: string;
  readonly operation: OperationId | typeof EVERY_OPERATION;
  readonly expected: string;
  readonly kind: NonNullable<Row["kind"]>;
  readonly needs: readonly string[];
}

/** Rows of an operation, and what they have in common. */
export interface Group {
  readonly operation: Check["operation"];
  readonly shared: Row;
  readonly rows: Rows;
}

export function group(operation: Check["operation"], shared: Row = {}): (rows: Rows) => Group {
  return (rows) => ({ operation, shared, rows });
}

export function checksIn({ operation, shared, rows }: Group, contract: Contract): Check[] {
  const known = contract.find(operation);
  const prefix = shared.prefix ?? (known ? operation : "every operation");
  // PUT and PATCH depend on the resource that was written last.
  const inOrder = known && /^(PUT|PATCH)$/.test(known.method);
  return Object.entries(rows).map(([claim, row]) => {
    const all = { operation, inOrder, ...shared, ...row };
    const needed = [...(known && claim !== SUCCEEDS ? [SUCCEEDS] : []), ...(shared.needs ?? []), ...(row.needs ?? [])];
    const kind = row.kind ?? (row.assumption ? undefined : shared.kind);
    return {
      ...all,
      expected: row.expected ?? `${claim.charAt(0).toUpperCase()}${claim.slice(1)}.`,
      name: `${prefix}: ${claim}`,
      kind: kind ?? (all.assumption ? "assumption" : "behaviour"),
      needs: needed.map((need) => (need.includes(": ") ? need : `${prefix}: ${need}`)),
    };
  });
}

/** Tries the claim of a check. Throws Skip if it cannot be tried. */
export async function tryCheck(service: ComparedService, check: Check): Promise<Fact> {
  const { name, sends, expects = Number(/ is (\d{3})$/.exec(name)?.[1]) || "2xx", given, observed } = check;
  if (observed) return observed(service);
  const id = check.operation as OperationId;
  const isInvalid = typeof expects === "number" && expects >= 400;
  const sent = typeof sends === "function" ? await sends(service, id) : (sends ?? (await service.valid(id)));
  const exchange = await exchangeOf(sent, (change) => service.sendValid(id, { ...change, isInvalid }));
  const { isOk, status, seen } = exchange.reply;
  if (isStatus(expects)) {
    return { isTrue: [expects].flat().some((each) => (each === "2xx" ? isOk : each === status)), seen };
  }
  needs(given === undefined || status === given, `${given}; ${seen}`);
  if (!isOk && given === undefined) return { isTrue: false, seen };
  return typeof expects === "function" ? await expects(exchange, service) : members(exchange, expects, service);
}

function isStatus(expects: NonNullable<Row["expects"]>): expects is Status | readonly Status[] {
  return typeof expects !== "function" && (typeof expects !== "object" || Array.isArray(expects));
}

async function exchangeOf(
  sent: Awaited<ReturnType<Sender>>,
  send: (change: Change) => Promise<Exchange>,
): Promise<Exchange> {
  if (typeof sent === "string") return await send(queryOf(sent));
  if ("reply" in sent) return sent;
  return "status" in sent ? { reply: sent } : await send(sent);
}

function queryOf(text: string): Change {
  return { query: [...new URLSearchParams(text)] };
}

/** Returns whether two values are the same. `what`: the noun for both, such as "content". */
export function same(value: unknown, other: unknown, what: string): Fact {
  const isTrue = isDeepStrictEqual(value, other);
  return { isTrue, seen: `${isTrue ? "the same" : "another"} ${what}` };
}

/** Expects the same body as that of the earlier response, or else of the request. */
export function sameBody({ json, before, reply }: Exchange): Fact {
  needs(reply.json !== undefined, `a body; ${reply.seen}`);
  return same(reply.json, before ? before.json : json, "body");
}

export function error(expected: Expected): Judge {
  return (exchange, service) => members(exchange, expected, service, errorIn(exchange.reply) ?? {});
}

function members(
  exchange: Exchange,
  expected: Expected,
  { secrets }: ComparedService,
  found: Reply["members"] = exchange.reply.members,
): Fact {
  const names = Object.keys(expected);
  const wrong = names.filter((name) => {
    const value = expected[name];
    return typeof value === "function" ? !value(found[name], exchange) : !isDeepStrictEqual(found[name], value);
  });
  const shown = (wrong.length > 0 ? wrong : names).map((name) => `${name} ${secrets.shown(found[name])}`);
  return { isTrue: wrong.length === 0, seen: shown.join(", ") };
}

export const isNumber = (value: unknown) => typeof value === "number";
export const isPresent = (value: unknown) => value !== undefined;

/** Sends valid requests with two queries, to compare their bodies. */
export function twice(first: string, second: string): Sender {
  return async ({ sendValid }, id) => {
    const before = (await sendValid(id, queryOf(first))).reply;
    return { before, reply: (await sendValid(id, queryOf(second))).reply };
  };
}
