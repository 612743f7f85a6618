import { type Contract, changesItem, type Operation, responseFor, successStatus } from "../../contract/index.ts";
import { type Failure as Column, possibleFailures } from "../../journal/index.ts";
import type { Effects } from "../../rules/index.ts";

/** A transient failure: one request of a run gets it, and all others succeed. */
interface Failure {
  readonly effects: Effects;
  /** Only operations with this failure in the coverage can have it. */
  readonly column?: Column;
}

export const transientFailures = {
  "503-once": { effects: { respond: { status: 503 } } },
  // Zero, so that a run takes no longer than necessary.
  "429-once": { effects: { respond: { status: 429, headers: { "Retry-After": "0" } } }, column: "429" },
  "reset-once": { effects: { fault: "CONNECTION_RESET_BY_PEER" } },
  "truncated-once": { effects: { fault: "TRUNCATED_BODY" } },
  "401-once": { effects: { respond: { status: 401 } }, column: "401/403" },
  "conflict-once": { effects: { conflict: true }, column: "409" },
  "slow-once": { effects: { latency: { fixed: 2000 } } },
} as const satisfies Readonly<Record<string, Failure>>;

export type FailureName = keyof typeof transientFailures;

/** Returns whether clients of the operation can get the failure. */
export function canHappen(name: FailureName, operation: Operation, contract: Contract): boolean {
  const { effects, column }: Failure = transientFailures[name];
  const { method, role } = operation;
  if (column !== undefined && !possibleFailures(operation, contract).includes(column)) return false;
  // Another client writes first. Only a change can send the version that is stale after that.
  if (effects.conflict) return changesItem(role);
  if (effects.fault !== "TRUNCATED_BODY") return true;
  const rule = responseFor(operation, successStatus(operation));
  // The response can have an item that the document does not describe.
  const isShown = role && role.does !== "delete" && (!rule || contract.typeOf(role.type)?.isUndocumented);
  return method !== "HEAD" && (isShown || rule?.schema !== undefined);
}

/** The names of all failures, in the order of the columns of the report. */
export const failureNames = Object.keys(transientFailures) as FailureName[];

/** Returns the failure with this name. The name can omit its end `-once`. */
export function failureNamed(text: string): FailureName | undefined {
  return failureNames.find((name) => name === text || name === `${text}-once`);
}
