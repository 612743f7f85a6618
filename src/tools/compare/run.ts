import { type Assumption, assumptions } from "../../contract/index.ts";
import { NoResponse } from "./http.ts";
import type { Claim, Result, VerifyOptions } from "./options.ts";
import { Skip, Unmet } from "./outcome.ts";
import type { Service } from "./service.ts";

export type { Outcome, Result } from "./options.ts";

/** A claim about the service, and how to try it. */
export interface Check extends Claim {
  /** Set if the check changes the service, so that `--read-only` skips it. */
  readonly writes?: boolean;
  /** Set if the check depends on the order of writes in the project. Such checks run alone, one after the other. */
  readonly inOrder?: boolean;
  /** Set if the check judges the responses of the other checks. Such checks run last. */
  readonly observes?: boolean;
  /**
   * The names of other checks. If one of them does not pass, this check is skipped: it would fail for the same reason.
   */
  readonly needs?: readonly string[];
  /** Tries the claim, and returns what was seen. Throws Unmet if the claim is false, and Skip if it cannot be tried. */
  attempt(service: Service): Promise<string>;
}

/**
 * Runs the checks: first those that need order, one after the other, then the others, several at a time, and then those
 * that judge the responses of all others. Returns the results in the order of the checks.
 */
export async function runChecks(checks: readonly Check[], service: Service, options: VerifyOptions): Promise<Result[]> {
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
    onResult?.(result, checks.length);
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

  async function runGroup(most: number, isInGroup: (check: Check) => boolean | undefined): Promise<void> {
    const waiting = checks.filter(isInGroup).values();
    const work = async () => {
      for (const check of waiting) await start(check);
    };
    await Promise.all(Array.from({ length: most }, work));
  }

  await runGroup(1, ({ inOrder }) => inOrder);
  await runGroup(jobs, ({ observes }) => !observes);
  await runGroup(1, ({ observes }) => observes);
  return await Promise.all(checks.map(start));
}

/** Returns the source of the expectation of a check. */
function sourceOf({ kind, assumption }: Check): string {
  const questions: readonly Assumption[] = Object.values(assumptions).flat();
  const question = questions.find(({ id }) => id === assumption)?.question;
  if (kind === "assumption" && question !== undefined) return `The interface leaves this open: ${question}`;
  return kind === "contract" ? "The interface states it." : "It follows from the interface.";
}
