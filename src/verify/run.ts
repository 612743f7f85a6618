import { type Assumption, type AssumptionId, assumptions } from "../contract/assumptions.ts";
import type { OperationId } from "../contract/contract.ts";
import { NoResponse } from "./http.ts";
import { Skip, Unmet } from "./outcome.ts";
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
  readonly assumption?: AssumptionId;
  /** The expected behaviour, in one sentence. */
  readonly expected: string;
  /** Set if the check changes the service, so that `--read-only` skips it. */
  readonly writes?: boolean;
  /** Set if the check depends on the order of writes in the project. Such checks run alone, one after the other. */
  readonly inOrder?: boolean;
  /** Set if the check judges the responses of the other checks. Such checks run last. */
  readonly observes?: boolean;
  /** The names of other checks. If one of them does not pass, this check is skipped: it would fail for the same reason. */
  readonly needs?: readonly string[];
  /**
   * Tries the claim. Returns what was seen if the claim is true.
   *
   * @throws Unmet if the claim is false, and Skip if it cannot be tried (`outcome.ts`)
   */
  attempt(service: Service): Promise<string>;
}

/** `differs`: an assumption is not true of this service. */
export type Outcome = "pass" | "fail" | "differs" | "skipped";

/** The result of one check. */
export interface Result extends Pick<Check, "name" | "operation" | "kind" | "expected"> {
  readonly outcome: Outcome;
  /** What the service did; empty if the check was skipped. */
  readonly seen: string;
  /** Why the check was skipped; otherwise the source of the expectation. */
  readonly why: string;
  readonly seconds: number;
}

export interface RunOptions {
  /** The number of checks at a time. */
  readonly jobs: number;
  readonly readOnly: boolean;
  readonly signal?: AbortSignal;
  /** Receives each result as soon as it is known. */
  readonly onResult?: (result: Result) => void;
}

/**
 * Runs the checks: first those that need order, one after the other, then the others, several at a time, and then those
 * that judge the responses of all others. Returns the results in the order of the checks.
 */
export async function runChecks(checks: readonly Check[], service: Service, options: RunOptions): Promise<Result[]> {
  const { jobs, readOnly, signal, onResult } = options;
  const byName = new Map(checks.map((check) => [check.name, check]));
  const results = new Map<string, Promise<Result>>();

  /** Runs a check once. A check that another one needs may run before its turn. */
  function start(check: Check): Promise<Result> {
    const result = results.get(check.name) ?? resultOf(check);
    results.set(check.name, result);
    return result;
  }

  async function resultOf(check: Check): Promise<Result> {
    const { name, operation, kind, expected } = check;
    const started = performance.now();
    const { outcome, seen = "", why = sourceOf(check) } = await tried(check);
    const seconds = (performance.now() - started) / 1000;
    const result: Result = { name, operation, kind, outcome, expected, seen, why, seconds };
    onResult?.(result);
    return result;
  }

  async function tried(check: Check): Promise<Pick<Result, "outcome"> & Partial<Pick<Result, "seen" | "why">>> {
    const reason = await reasonToSkip(check);
    if (reason !== undefined) return { outcome: "skipped", why: reason };
    try {
      return { outcome: "pass", seen: await check.attempt(service) };
    } catch (error) {
      if (error instanceof Skip || error instanceof NoResponse) return { outcome: "skipped", why: error.message };
      if (!(error instanceof Unmet)) throw error;
      return { outcome: check.kind === "assumption" ? "differs" : "fail", seen: error.message };
    }
  }

  async function reasonToSkip({ observes, writes, needs = [] }: Check): Promise<string | undefined> {
    // After an interruption, the responses up to then can still be judged.
    if (signal?.aborted && !observes) return "interrupted";
    if (readOnly && writes) return "--read-only sends no writes";
    for (const name of needs) {
      const needed = byName.get(name);
      const result = needed && (await start(needed));
      // The reason of the first skipped check is the reason of all that need it.
      if (result?.outcome === "skipped") return result.why;
      if (result && result.outcome !== "pass") return `needs "${name}", which did not pass`;
    }
    return undefined;
  }

  async function runGroup(group: readonly Check[], most: number): Promise<void> {
    const waiting = group.values();
    const work = async () => {
      for (const check of waiting) await start(check);
    };
    await Promise.all(Array.from({ length: most }, work));
  }

  const trying = checks.filter(({ observes }) => !observes);
  await runGroup(
    trying.filter(({ inOrder }) => inOrder),
    1,
  );
  await runGroup(trying, jobs);
  await runGroup(checks, 1);
  return await Promise.all(checks.map(start));
}

/** Returns the source of the expectation of a check. */
function sourceOf({ kind, assumption }: Check): string {
  const questions: readonly Assumption[] = Object.values(assumptions).flat();
  const question = questions.find(({ id }) => id === assumption)?.question;
  if (kind === "assumption" && question !== undefined) return `The interface leaves this open: ${question}`;
  return kind === "contract" ? "The interface states it." : "It follows from the interface.";
}
