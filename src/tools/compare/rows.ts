import { isDeepStrictEqual } from "node:util";
import type { Contract, OperationId } from "../../contract/index.ts";
import { errorIn, isRead, type Reply, type Sent } from "./messages.ts";
import { EVERY_OPERATION } from "./options.ts";
import { needs, Unmet } from "./outcome.ts";
import type { Check } from "./run.ts";
import type { Exchange, Service } from "./service.ts";

/**
 * The claim that a valid request to the operation succeeds, with any 2xx. The other checks of the operation need it.
 */
export const SUCCEEDS = "a valid request succeeds";

/** Whether a claim is true, and what was seen, without secrets. */
export interface Fact {
  readonly isTrue: boolean;
  readonly seen: string;
}

/** Members by name: each has a value, or one that a function accepts. */
type Expected = Readonly<Record<string, unknown>>;

type Awaitable<T> = T | Promise<T>;

/** Judges a response. Throws Skip if the response lacks what another check claims. */
export type Judge = (exchange: Exchange, service: Service) => Awaitable<Fact>;

/** One check as data. A row with an assumption `differs` if its claim is false; another one fails. */
export interface Row extends Partial<Omit<Check, "attempt" | "operation">> {
  /** The claim: the name of the check after the operation, and by default also its expected behaviour. */
  readonly name: string;
  /**
   * The parts of a request that differ from a valid one (a text is its query, such as `limit=1&offset=2`), or a
   * function that sends requests and returns the last response or the parts of the last request. By default, a valid
   * request, which the checks of an operation share.
   */
  readonly sends?: string | Sent | ((service: Service, id: OperationId) => Awaitable<string | Sent | Reply | Exchange>);
  /**
   * A status, `2xx`, or a list of them; members of the body; or a function that judges the response. By default the
   * status at the end of the name (`… is 404`), or else `2xx`.
   */
  readonly expects?: Statuses | Expected | Judge;
  /**
   * The status of a response that can be judged. Another one skips the check. By default 2xx, and others are
   * deviations.
   */
  readonly given?: number;
  /** Judges all responses of the run instead of one. */
  readonly observed?: (service: Service) => Awaitable<Fact>;
  /** The claims that have to pass first, of the same operation unless they name another one. */
  readonly needs?: readonly string[];
}

/** Returns the checks of an operation. `shared`: what all rows have in common. `prefix`: the start of their names. */
export function checksFor(
  contract: Contract,
  operation: OperationId | typeof EVERY_OPERATION,
  shared: Partial<Row>,
  rows: readonly Row[],
  prefix: string = operation === EVERY_OPERATION ? "every operation" : operation,
): Check[] {
  const known = contract.find(operation);
  const facts = {
    operation,
    writes: known && !isRead(known),
    // PUT and PATCH depend on the resource that was written last.
    inOrder: known && /^(PUT|PATCH)$/.test(known.method),
  };
  return rows.map((row) => {
    const { sends, expects, given, observed, expected = sentence(row.name), ...rest } = { ...facts, ...shared, ...row };
    const needed = [
      ...(known && row.name !== SUCCEEDS ? [SUCCEEDS] : []),
      ...(shared.needs ?? []),
      ...(row.needs ?? []),
    ];
    return {
      ...rest,
      expected,
      name: `${prefix}: ${row.name}`,
      kind: row.kind ?? (row.assumption ? "assumption" : (rest.kind ?? (rest.assumption ? "assumption" : "behaviour"))),
      needs: needed.map((need) => (need.includes(": ") ? need : `${prefix}: ${need}`)),
      attempt: async (service) =>
        ensured(
          await (observed?.(service) ?? attempt(service, operation as OperationId, { ...row, sends, expects, given })),
        ),
    };
  });
}

async function attempt(service: Service, id: OperationId, row: Partial<Row>): Promise<Fact> {
  const { name = "", sends, expects = Number(/ is (\d{3})$/.exec(name)?.[1]) || "2xx", given } = row;
  const isInvalid = typeof expects === "number" && expects >= 400;
  const sendValid = async (sent: Sent) => await service.sendValid(id, { ...sent, isInvalid });
  const made = typeof sends === "function" ? await sends(service, id) : (sends ?? (await service.valid(id)));
  const exchange = await exchangeOf(made, sendValid);
  const { isOk, status, seen } = exchange.reply;
  if (isStatus(expects)) {
    return { isTrue: [expects].flat().some((each) => (each === "2xx" ? isOk : each === status)), seen };
  }
  needs(given === undefined || status === given, `${given}; ${seen}`);
  if (!isOk && given === undefined) return { isTrue: false, seen };
  return typeof expects === "function" ? await expects(exchange, service) : members(exchange, expects, service);
}

type Statuses = number | "2xx" | readonly (number | "2xx")[];

function isStatus(expects: Statuses | Expected | Judge): expects is Statuses {
  return typeof expects !== "function" && (typeof expects !== "object" || Array.isArray(expects));
}

async function exchangeOf(
  made: string | Sent | Reply | Exchange,
  send: (sent: Sent) => Promise<Exchange>,
): Promise<Exchange> {
  if (typeof made === "string") return await send({ query: [...new URLSearchParams(made)] });
  if ("reply" in made) return made;
  return "status" in made ? { reply: made } : await send(made);
}

/** Returns what was seen. Throws Unmet if it is not as claimed. */
function ensured({ isTrue, seen }: Fact): string {
  if (!isTrue) throw new Unmet(seen);
  return seen;
}

function sentence(claim: string): string {
  return `${claim.charAt(0).toUpperCase()}${claim.slice(1)}.`;
}

/** Returns whether two values are the same. `what`: the noun for both, such as "content". */
export function same(value: unknown, other: unknown, what: string): Fact {
  const isTrue = isDeepStrictEqual(value, other);
  return { isTrue, seen: `${isTrue ? "the same" : "another"} ${what}` };
}

/** Expects members of the first error. */
export function error(expected: Expected): Judge {
  return (exchange, service) => members(exchange, expected, service, errorIn(exchange.reply) ?? {});
}

function members(
  exchange: Exchange,
  expected: Expected,
  { secrets }: Service,
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
