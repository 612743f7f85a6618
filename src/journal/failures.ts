import { type Contract, changesItem, declaredStatuses, hasOnlyDefault, type Operation } from "../contract/index.ts";
import { type Decision, evolvedIn } from "./decisions.ts";
import type { Exchange } from "./kept-exchange.ts";

/** The failures of the failure coverage, in the order of its columns: sorted, as pages and reports only have the names. */
export const failureNames = [
  "400",
  "401/403",
  "404",
  "409",
  "429",
  "5xx",
  "broken",
  "drift",
  "off-contract",
  "slow",
] as const;
export type Failure = (typeof failureNames)[number];

/** The delay from which a response counts as slow, in milliseconds. */
const SLOW = 1000;

/** Returns whether a failure with this status is in the column; undefined for columns that are not about the status. */
const statusTests: { readonly [Name in Failure]?: (status: number) => boolean } = {
  "400": (status) => status === 400 || status === 422,
  "401/403": (status) => status === 401 || status === 403,
  "404": (status) => status === 404,
  "409": (status) => status === 409 || status === 412,
  "429": (status) => status === 429,
  "5xx": (status) => status >= 500,
};

/** Whether clients can get a failure although the document does not declare it: by the request, or by the role. */
const undeclared: { readonly [Name in Failure]?: (operation: Operation, contract: Contract) => boolean } = {
  "400": ({ body, parameters }) => body !== undefined || parameters.length > 0,
  "401/403": ({ security = [] }) => security.some((requirements) => requirements.length > 0),
  "404": canBeMissing,
  "409": ({ role }, { typeOf }) => changesItem(role) && typeOf(role?.type ?? "")?.version !== undefined,
  "5xx": () => true,
};

/** Returns whether the item of the operation, or an item whose path is before that of its collection, can be missing. */
function canBeMissing({ role }: Operation, { typeOf }: Contract): boolean {
  const { parents = [], isAbsent = false } = typeOf(role?.type ?? "") ?? {};
  const by = role && "by" in role && !("creates" in role && role.creates) ? role.by : undefined;
  return parents.length > 0 || (by !== undefined && (isAbsent || by.parameters.length > 0 || by.from !== undefined));
}

/** Returns whether `raw`, a function or a failed upstream made the response off-contract. Others count by their status. */
export function isForeign({ offContract = false, source, decisions }: Exchange): boolean {
  const isCause = (each: Decision) =>
    each.kind === "effect" ? /^(raw|function)$/.test(each.effect) : each.kind === "rejected" && source === "upstream";
  return offContract && decisions.some(isCause);
}

/** Returns the failures that the response exposed the client to. An off-contract response does not count by its status. */
export function failuresOf(exchange: Exchange): Failure[] {
  const { status, isBroken, source, delayed = 0, decisions } = exchange;
  const evolved = evolvedIn(decisions);
  const offContract = isForeign(exchange);
  // Most responses are no failures.
  if (status > 0 && status < 400 && delayed < SLOW && !isBroken && !offContract && !evolved) return [];
  const others: Partial<Record<Failure, boolean>> = {
    // Only the simulated delay counts: a slow machine must not change the coverage.
    slow: delayed >= SLOW,
    // The source is `error` if the client closed the connection.
    broken: isBroken && source !== "error",
    "off-contract": offContract,
    drift: evolved !== undefined && !isBroken,
  };
  return failureNames.filter((name) => others[name] ?? (!offContract && statusTests[name]?.(status)));
}

/** Returns the failures that a client can be exposed to: as declared, and unless all statuses are declared, `undeclared`. */
export function possibleFailures(operation: Operation, contract: Contract): Failure[] {
  const { responses } = operation;
  // A class of statuses, and `default` beside other statuses, can be any error.
  const isOpen = responses["4XX"] ?? (hasOnlyDefault(operation) ? undefined : responses.default);
  const statuses = [...declaredStatuses(operation), ...(isOpen ? [400, 401, 404, 409, 429] : [])];
  const hasBody = Object.values(responses).some(({ schema }) => schema !== undefined);
  return failureNames.filter((name) => {
    const test = statusTests[name];
    // A later version of the service can only differ in its bodies.
    if (!test) return name !== "drift" || hasBody;
    return statuses.some(test) || (!contract.declaresAllStatuses && undeclared[name]?.(operation, contract) === true);
  });
}
