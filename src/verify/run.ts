import { type Assumption, assumptions } from "../contract/assumptions.ts";
import type { Check } from "./check.ts";
import { NoResponse } from "./http.ts";
import { Skip, Unmet } from "./outcome.ts";
import type { Service } from "./service.ts";

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
    const running = results.get(check.name) ?? resultOf(check);
    results.set(check.name, running);
    return running;
  }

  async function resultOf(check: Check): Promise<Result> {
    const { name, operation, kind, expected, observes } = check;
    const started = performance.now();
    const result = (outcome: Outcome, seen: string, why = sourceOf(check)): Result => {
      const seconds = (performance.now() - started) / 1000;
      const found: Result = { name, operation, kind, outcome, expected, seen, why, seconds };
      onResult?.(found);
      return found;
    };
    // After an interruption, the responses up to then can still be judged.
    if (signal?.aborted && !observes) return result("skipped", "", "interrupted");
    if (readOnly && check.writes) return result("skipped", "", "--read-only sends no writes");
    for (const need of check.needs ?? []) {
      const needed = byName.get(need);
      const { outcome, why } = needed ? await start(needed) : { outcome: "pass", why: "" };
      // The reason of the first skipped check is the reason of all that need it.
      if (outcome === "skipped") return result("skipped", "", why);
      if (outcome !== "pass") return result("skipped", "", `needs "${need}", which did not pass`);
    }
    try {
      return result("pass", await check.attempt(service));
    } catch (error) {
      if (error instanceof Skip || error instanceof NoResponse) return result("skipped", "", error.message);
      if (!(error instanceof Unmet)) throw error;
      return result(kind === "assumption" ? "differs" : "fail", error.message);
    }
  }

  async function runGroup(group: readonly Check[], most: number): Promise<void> {
    const waiting = group.values();
    const work = async () => {
      for (const check of waiting) await start(check);
    };
    await Promise.all(Array.from({ length: most }, work));
  }

  const observing = checks.filter(({ observes }) => observes);
  await runGroup(
    checks.filter(({ inOrder }) => inOrder),
    1,
  );
  await runGroup(
    checks.filter(({ inOrder, observes }) => !inOrder && !observes),
    jobs,
  );
  await runGroup(observing, 1);
  return await Promise.all(checks.map(start));
}

/** Returns the source of the expectation of a check. */
function sourceOf({ kind, row }: Check): string {
  const questions: readonly Assumption[] = Object.values(assumptions).flat();
  const question = questions.find(({ id }) => id === row)?.question;
  if (kind === "assumption" && question !== undefined) return `The interface leaves this open: ${question}`;
  return kind === "contract" ? "The interface states it." : "It follows from the interface.";
}
