/**
 * The comparison of a real service with its mock, over HTTP only. The checks follow from the contract (`document-checks.ts`);
 * a service can bring more.
 */

import type { Contract } from "../../contract/index.ts";
import { type CheckRow, checksOf, type OwnChecks, type Row, tryCheck } from "./check-rows.ts";
import { type ComparedService, createService } from "./compared-service.ts";
import { EVERY_OPERATION, type Report, type Result, summaryOf } from "./comparison-report.ts";
import type { Credentials } from "./credentials.ts";
import { documentRows } from "./document-checks.ts";
import { Skip } from "./facts.ts";
import { connect, NoResponse } from "./node-exchange.ts";

export * from "./check-rows.ts";
export { type ComparedService, type Exchange, idOf, type Owned } from "./compared-service.ts";
export { isFailure, junitOf, lineOf, tableOf } from "./comparison-report.ts";
export { needs } from "./facts.ts";
export { locatedPath } from "./item-paths.ts";
export type { Reply } from "./node-exchange.ts";
export type { Sent } from "./service-requests.ts";
export type { Credentials };

/** The options of a run, as the flags of the command name them. */
export interface CompareOptions {
  readonly contract: Contract;
  readonly upstream: URL;
  /** The project key. Only the paths of some contracts have one. */
  readonly project?: string;
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
  /** Values of path parameters by their names: those of items that exist. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** After this signal, no further check starts. The resources of the run are still deleted. */
  readonly signal?: AbortSignal;
  /** Receives each result as soon as it is known, and the number of all checks. */
  readonly onResult?: (result: Result, total: number) => void;
}

/** The run cannot start. The message says why. */
export class CannotStart extends Error {
  override readonly name = "CannotStart";
}

/** Returns the checks of a contract: those that follow from it, and those of its service. */
export async function allChecks(contract: Contract, own: OwnChecks = {}): Promise<readonly CheckRow[]> {
  const { claims } = await contract.loadAssumptions();
  const rows: Record<string, Row | undefined> = documentRows(contract);
  for (const [name, row] of Object.entries(own.rows ?? {})) rows[name] = row && { ...rows[name], ...row };
  const known = Object.fromEntries(Object.entries(rows).flatMap(([name, row]) => (row ? [[name, row]] : [])));
  return checksOf(known, contract, claims, own.inOrder);
}

/**
 * Compares a service with its mock. Throws CannotStart if it is unreachable, or if no token can be had. `leftOver`: the
 * resources that could not be deleted, with the reason.
 *
 * @param own the checks of this service only
 */
export async function compare(options: CompareOptions, own: OwnChecks = {}) {
  const { contract, upstream, project = "", only } = options;
  const service = createService(options, own);
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
  const checks = (await allChecks(contract, own)).filter(
    ({ operation, observed }) => !only || (operation === EVERY_OPERATION ? observed : only.includes(operation)),
  );
  let leftOver: readonly string[] = [];
  const results = await runChecks(checks, service, options).finally(async () => {
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
async function runChecks(
  checks: readonly CheckRow[],
  service: ComparedService,
  { jobs, signal, onResult }: CompareOptions,
): Promise<Result[]> {
  const byName = new Map(checks.map((check) => [check.name, check]));
  const started = new Map<string, Promise<Result>>();

  /** Runs a check once. A check that another one needs may run before its turn. */
  function start(check: CheckRow): Promise<Result> {
    const result = started.get(check.name) ?? resultOf(check);
    started.set(check.name, result);
    return result;
  }

  async function resultOf(check: CheckRow): Promise<Result> {
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

  async function outcomeOf(check: CheckRow): Promise<Pick<Result, "outcome" | "seen" | "why">> {
    // After an interruption, the responses up to then can still be judged.
    if (signal?.aborted && !check.observed) throw new Skip("interrupted");
    for (const needed of check.needs.flatMap((name) => byName.get(name) ?? [])) {
      const { outcome, why } = await start(needed);
      // The reason of the first skipped check is the reason of all that need it.
      if (outcome === "skipped") throw new Skip(why);
      if (outcome !== "pass") throw new Skip(`needs "${needed.name}", which did not pass`);
    }
    const { isTrue, seen } = await tryCheck(service, check);
    return { outcome: isTrue ? "pass" : check.kind === "assumption" ? "differs" : "fail", seen, why: sourceOf(check) };
  }

  for (const [most, isInGroup] of [
    [1, ({ inOrder }: CheckRow) => inOrder],
    [jobs, ({ observed }: CheckRow) => !observed],
    [1, ({ observed }: CheckRow) => observed],
  ] as const) {
    const waiting = checks.filter(isInGroup).values();
    const work = async () => {
      for (const check of waiting) await start(check);
    };
    await Promise.all(Array.from({ length: most }, work));
  }
  return await Promise.all(checks.map(start));
}

function sourceOf({ kind, assumption }: CheckRow): string {
  if (kind === "assumption") return `The contract leaves this open. The mock assumes it (${assumption}).`;
  return kind === "contract" ? "The contract states it." : "It follows from the contract.";
}
