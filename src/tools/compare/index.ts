/** The comparison of a real service with its mock, over HTTP only. The service brings the checks. */

import type { Contract } from "../../contract/index.ts";
import { EVERY_OPERATION, type Report, type Result, summaryOf } from "./comparison-report.ts";
import type { Credentials, Tokens } from "./credentials.ts";
import { type Fact, Skip } from "./facts.ts";
import { connect, NoResponse } from "./node-exchange.ts";

export { EVERY_OPERATION, isFailure, junitOf, lineOf, tableOf } from "./comparison-report.ts";
export { createSecrets, createTokens } from "./credentials.ts";
export { factOf, needs } from "./facts.ts";
export { exchange, type Reply } from "./node-exchange.ts";
export { type Credentials, type Fact, NoResponse, Skip };

/** The options of a run, as the flags of the command name them. */
export interface CompareOptions {
  readonly contract: Contract;
  readonly upstream: URL;
  readonly project: string;
  readonly credentials?: Credentials;
  /** Certificates of the authorities to trust, as PEM; undefined trusts those of Node. */
  readonly ca?: string;
  /** The time for each whole response, in milliseconds. */
  readonly timeout: number;
  /** Starts the time for a response. `setTimeout` by default. */
  readonly startTimer?: (onEnd: () => void, milliseconds: number) => NodeJS.Timeout;
  readonly jobs: number;
  readonly readOnly?: boolean;
  readonly only?: readonly string[];
  readonly resourceId?: string;
  readonly resourceKey?: string;
  /** After this signal, no further check starts. The resources of the run are still deleted. */
  readonly signal?: AbortSignal;
  /** Receives each result as soon as it is known, and the number of all checks. */
  readonly onResult?: (result: Result, total: number) => void;
}

/** The run cannot start. The message says why. */
export class CannotStart extends Error {
  override readonly name = "CannotStart";
}

/** A check of a run, with the facts that reports show. */
export interface Check extends Pick<Result, "name" | "operation" | "kind" | "assumption" | "expected"> {
  /** The names of the checks that have to pass first. */
  readonly needs: readonly string[];
  /** Whether the check depends on the order of writes. Such checks run alone, one after the other. */
  readonly inOrder: boolean;
  /** Set if the check judges the responses of all other checks. Such checks run last. */
  readonly observed?: string | undefined;
  /** Throws Skip if the claim cannot be tried. */
  tries(): Promise<Fact>;
}

/** Opens the comparison of a service for one run. */
export type Comparison = (options: CompareOptions) => {
  readonly checks: readonly Check[];
  readonly tokens: Tokens;
  /** Deletes the resources of the run. Returns those that remain, with the reason. */
  cleanUp(): Promise<readonly string[]>;
};

/**
 * Compares a service with its mock. Throws CannotStart if it is unreachable, or if no token can be had. `leftOver`: the
 * resources that could not be deleted, with the reason.
 */
export async function compare(open: Comparison, options: CompareOptions) {
  const { upstream, project, only } = options;
  const service = open(options);
  const startedAt = new Date().toISOString();
  await connect(upstream, options).catch((error: Error) => {
    const isUntrusted = /certificate|CERT|self-signed/i.test(error.message);
    const hint = isUntrusted ? "; --upstream-ca FILE trusts another authority" : "";
    throw new CannotStart(`${upstream.origin} is unreachable: ${error.message}${hint}`);
  });
  await service.tokens.get().catch((error: Error) => {
    const reason = error instanceof NoResponse ? "the token endpoint is unreachable: " : "";
    throw new CannotStart(reason + error.message);
  });
  // The checks that judge all responses also judge those to single operations.
  const checks = service.checks.filter(
    ({ operation, observed }) => !only || (operation === EVERY_OPERATION ? observed : only.includes(operation)),
  );
  let leftOver: readonly string[] = [];
  const results = await runChecks(checks, options).finally(async () => {
    leftOver = await service.cleanUp();
  });
  const report: Report = {
    ...{ upstream: upstream.href.replace(/\/$/, ""), project, startedAt },
    checks: results.map(({ seconds: _seconds, ...check }) => check),
    summary: summaryOf(results),
  };
  return { report, results, leftOver };
}

/**
 * Runs the checks: first those that need order, one after the other, then the others, several at a time, and then those
 * that judge the responses of all others. Returns the results in the order of the checks.
 */
async function runChecks(checks: readonly Check[], { jobs, signal, onResult }: CompareOptions): Promise<Result[]> {
  const byName = new Map(checks.map((check) => [check.name, check]));
  const started = new Map<string, Promise<Result>>();

  /** Runs a check once. A check that another one needs may run before its turn. */
  function start(check: Check): Promise<Result> {
    const result = started.get(check.name) ?? resultOf(check);
    started.set(check.name, result);
    return result;
  }

  async function resultOf(check: Check): Promise<Result> {
    const { name, operation, kind, assumption, expected } = check;
    const startedAt = performance.now();
    const tried = await outcomeOf(check).catch((error: unknown) => {
      if (!(error instanceof Skip || error instanceof NoResponse)) throw error;
      return { outcome: "skipped", seen: "", why: error.message } as const;
    });
    const seconds = (performance.now() - startedAt) / 1000;
    const result = { name, operation, kind, ...(assumption && { assumption }), expected, ...tried, seconds };
    onResult?.(result, checks.length);
    return result;
  }

  async function outcomeOf(check: Check): Promise<Pick<Result, "outcome" | "seen" | "why">> {
    // After an interruption, the responses up to then can still be judged.
    if (signal?.aborted && !check.observed) throw new Skip("interrupted");
    for (const needed of check.needs.flatMap((name) => byName.get(name) ?? [])) {
      const { outcome, why } = await start(needed);
      // The reason of the first skipped check is the reason of all that need it.
      if (outcome === "skipped") throw new Skip(why);
      if (outcome !== "pass") throw new Skip(`needs "${needed.name}", which did not pass`);
    }
    const { isTrue, seen } = await check.tries();
    return { outcome: isTrue ? "pass" : check.kind === "assumption" ? "differs" : "fail", seen, why: sourceOf(check) };
  }

  for (const [most, isInGroup] of [
    [1, ({ inOrder }: Check) => inOrder],
    [jobs, ({ observed }: Check) => !observed],
    [1, ({ observed }: Check) => observed],
  ] as const) {
    const waiting = checks.filter(isInGroup).values();
    const work = async () => {
      for (const check of waiting) await start(check);
    };
    await Promise.all(Array.from({ length: most }, work));
  }
  return await Promise.all(checks.map(start));
}

function sourceOf({ kind, assumption }: Check): string {
  if (kind === "assumption") return `The interface leaves this open. The mock assumes it (${assumption}).`;
  return kind === "contract" ? "The interface states it." : "It follows from the interface.";
}
