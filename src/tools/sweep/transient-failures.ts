import { type Operation, successStatus } from "../../contract/index.ts";
import type { Effects } from "../../rules/index.ts";

/** A transient failure: one request of a run gets it, and all others succeed. */
interface Failure {
  readonly effects: Effects;
  /** Returns whether a request to the operation can get the failure; by default, each can. */
  readonly canHappen?: (operation: Operation) => boolean;
}

const failures = {
  "503-once": { effects: { respond: { status: 503 } } },
  // Zero, so that a run takes no longer than necessary.
  "429-once": { effects: { respond: { status: 429, headers: { "Retry-After": "0" } } } },
  "reset-once": { effects: { fault: "CONNECTION_RESET_BY_PEER" } },
  "truncated-once": {
    effects: { fault: "TRUNCATED_BODY" },
    // The response of HEAD has no body.
    canHappen: (operation) => operation.responses[successStatus(operation)]?.schema !== undefined,
  },
  "401-once": { effects: { respond: { status: 401 } } },
  // Another client writes first. Only an update sends the version that is stale after that.
  "conflict-once": { effects: { conflict: true }, canHappen: ({ responses }) => responses[409] !== undefined },
  "slow-once": { effects: { latency: { fixed: 2000 } } },
} as const satisfies Readonly<Record<string, Failure>>;

export type FailureName = keyof typeof failures;

/** The names of all failures, in the order of the columns of the report. */
export const failureNames = Object.keys(failures) as FailureName[];

export function failureOf(name: FailureName): Failure {
  return failures[name];
}

/** Returns the failure with this name. The name can omit its end `-once`. */
export function failureNamed(text: string): FailureName | undefined {
  return failureNames.find((name) => name === text || name === `${text}-once`);
}
