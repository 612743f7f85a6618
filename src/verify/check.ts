import type { AssumptionId } from "../contract/assumptions.ts";
import type { OperationId } from "../contract/contract.ts";
import type { Service } from "./service.ts";

/** `contract`: the interface states it. `behaviour`: it follows from the interface. `assumption`: our choice. */
export type Kind = "contract" | "behaviour" | "assumption";

/** The operation of checks that concern every operation. */
export const EVERY_OPERATION = "*";

/** One claim about the service, and how to try it. */
export interface Check {
  /** Unique and stable: reports of different runs are compared by it. Begins with the operation. */
  readonly name: string;
  readonly operation: OperationId | typeof EVERY_OPERATION;
  readonly kind: Kind;
  /** The assumption that the check tries. */
  readonly row?: AssumptionId;
  /** The expected behaviour, in one sentence. */
  readonly expected: string;
  /** Set if the check changes the service, so that `--read-only` skips it. */
  readonly writes?: true;
  /** Set if the check depends on the order of writes in the project. Such checks run alone, one after the other. */
  readonly inOrder?: true;
  /** Set if the check judges the responses of the other checks. Such checks run last. */
  readonly observes?: true;
  /** The names of earlier checks. If one of them does not pass, this check is skipped: it would fail for the same reason. */
  readonly needs?: readonly string[];
  /**
   * Tries the claim. Returns what was seen if the claim is true.
   *
   * @throws Unmet if the claim is false, and Skip if it cannot be tried (`outcome.ts`)
   */
  attempt(service: Service): Promise<string>;
}
