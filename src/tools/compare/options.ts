import type { AssumptionId, Contract, OperationId } from "../../contract/index.ts";

/** The credentials of a run: a token, or a client with the address of its token endpoint. */
export type Credentials =
  | { readonly token: string }
  | { readonly client: { readonly id: string; readonly secret: string }; readonly tokenUrl: URL };

export interface VerifyOptions {
  readonly contract: Contract;
  /** The base address of the service, without credentials. The paths of the interface follow it. */
  readonly upstream: URL;
  readonly project: string;
  /** Without credentials, requests are anonymous. */
  readonly credentials?: Credentials;
  /** Certificates of the authorities to trust, as PEM; undefined trusts those of Node. */
  readonly ca?: string;
  /** The time for each whole response, in milliseconds. */
  readonly timeout: number;
  /** Starts the time for a response. `setTimeout` by default. */
  readonly startTimer?: (onEnd: () => void, milliseconds: number) => NodeJS.Timeout;
  /** The number of checks at a time. */
  readonly jobs: number;
  readonly readOnly?: boolean;
  /** The ids of the operations to check; undefined checks all. */
  readonly only?: readonly string[];
  /** The id and the key of a resource that exists already, for reads. */
  readonly resourceId?: string;
  readonly resourceKey?: string;
  /** After this signal, no further check starts. The resources of the run are still deleted. */
  readonly signal?: AbortSignal;
  /** Receives each result as soon as it is known, and the number of all checks. */
  readonly onResult?: (result: Result, total: number) => void;
}

/** The operation of checks that concern every operation. */
export const EVERY_OPERATION = "*";

/** One claim about the service. */
export interface Claim {
  /** Unique and stable: reports of different runs are compared by it. Begins with the operation. */
  readonly name: string;
  readonly operation: OperationId | typeof EVERY_OPERATION;
  /** `contract`: the interface states it. `behaviour`: it follows from the interface. `assumption`: our choice. */
  readonly kind: "contract" | "behaviour" | "assumption";
  /** The assumption that the check tries. */
  readonly assumption?: AssumptionId;
  /** The expected behaviour, in one sentence. */
  readonly expected: string;
}

/** `differs`: an assumption is not true of this service. */
export type Outcome = "pass" | "fail" | "differs" | "skipped";

/** The result of one check. */
export interface Result extends Omit<Claim, "assumption"> {
  readonly outcome: Outcome;
  /** What the service did; empty if the check was skipped. */
  readonly seen: string;
  /** Why the check was skipped; otherwise the source of the expectation. */
  readonly why: string;
  readonly seconds: number;
}
