/** The sweep: runs a command once for each transient failure, and reports which failures it survives. */

import { type Contract, didYouMean, MAX_SHOWN_BODY, shown } from "../../contract/index.ts";
import type { PlannedFailure } from "../index.ts";
import { type Base, type Folder, openFolder } from "./sweep-folder.ts";
import {
  type Cell,
  nameOf,
  type Outcome,
  rounded,
  type SweepReport,
  type SweepRun,
  sweepReport,
} from "./sweep-report.ts";
import { canHappen, type FailureName, failureNamed, failureNames, transientFailures } from "./transient-failures.ts";
import { runTrial, type Trial, type TrialContext, takesFiles, testFilesOf, type Writes, withFiles } from "./trial.ts";

export { reportFiles } from "./sweep-folder.ts";
export { render, SweepReport, summaryOf } from "./sweep-report.ts";
export { type FailureName, failureNamed, failureNames } from "./transient-failures.ts";

export interface SweepOptions extends Omit<TrialContext, "signal"> {
  /** The program and its arguments. The word `{files}` becomes the test files to run, if they are known. */
  readonly command: readonly string[];
  readonly version: string;
  readonly contract: Contract;
  readonly failures: readonly FailureName[];
  /** Operations and failures; a run needs both to be selected. If none of a kind is listed, all are selected. */
  readonly only: readonly string[];
  readonly jobs: number;
  /** The time limit of a run in milliseconds; by default three times the base run and 10 s. */
  readonly timeout: number | undefined;
  /** A folder that exists, and that no other process uses. */
  readonly out: string;
  readonly resume: boolean;
  /** Whether runs that wrote twice count as not survived. */
  readonly strict: boolean;
  readonly dryRun: boolean;
  /** Ends the sweep early. Its report then has the runs that ended before. */
  readonly signal: AbortSignal;
  /** Returns a display for the progress of a number of runs. */
  readonly createProgress: (total: number) => { update(done: number, step: string): void; clear(): void };
}

/**
 * Runs the command twice without failures, then once for each called operation and each failure that it can get. Returns
 * the report, which the folder `out` contains too. Throws an error if the base runs fail, differ or call no operation.
 */
export async function sweep(options: SweepOptions): Promise<SweepReport> {
  const { command, version, out, resume, contract, failures, dryRun } = options;
  const only = selectionOf(options);
  const folder = await openFolder(out, { command, version }, resume);
  const { state } = folder;
  if (!dryRun) await folder.prepare();
  const base = state.base ?? (await baseRuns(folder, options));
  state.base = base;
  if (!dryRun) await folder.save();
  const called = new Set(base.calls.operations.map(([operation]) => operation));
  const plan = contract.operations
    .filter(({ id }) => called.has(id) && only.operations.has(id))
    .flatMap((operation) =>
      failures
        .filter((failure) => only.failures.has(failure) && canHappen(failure, operation, contract))
        .map((failure): Cell => ({ operation: operation.id, failure })),
    );
  if (plan.length === 0) {
    throw new Error(
      `--only and --failures: expected operations of ${contract.info.title} that the command calls (${[...called].join(", ")}), with failures that they can have, found none. Select others, or pass the document of the mocks with --contract.`,
    );
  }
  const runs = new Map(state.runs.map((run) => [nameOf(run), run]));
  if (!dryRun) await runAll(plan, runs, base, folder, options);
  return sweepReport(plan, runs, options);
}

/** Returns the operations and failures that `only` selects. Throws an error for an unknown name. */
function selectionOf({ only, contract }: SweepOptions): Record<"operations" | "failures", ReadonlySet<string>> {
  const { ids } = contract;
  const names = only.map((text) => {
    const name = [...ids, ...failureNames].find((each) => each === text) ?? failureNamed(text);
    if (name) return name;
    const hint = didYouMean(text, [...ids, ...failureNames]) || ` Known failures: ${failureNames.join(", ")}.`;
    throw new Error(`--only: expected operations and failures, found ${shown(text)}.${hint}`);
  });
  const selected = (all: readonly string[]) => {
    const listed = names.filter((name) => all.includes(name));
    return new Set(listed.length > 0 ? listed : all);
  };
  return { operations: selected(ids), failures: selected(failureNames) };
}

/** Runs the command twice. Two runs show whether its result is stable. */
async function baseRuns(folder: Folder, options: SweepOptions): Promise<Base> {
  const { command, timeout, createProgress } = options;
  const progress = createProgress(2);
  const trials: Trial[] = [];
  for (const number of [1, 2]) {
    progress.update(number - 1, `base run ${number}`);
    const trial = await runTrial(withFiles(command), null, timeout, options).finally(progress.clear);
    if (trial.code !== 0) await folder.writeOutput(`base-${number}`, trial.output);
    trials.push(trial);
  }
  const [first, second] = trials as [Trial, Trial];
  const results = trials.map(resultOf);
  const failed = trials.find(({ code }) => code !== 0);
  if (results[0] !== results[1]) {
    throw new Error(
      `flaky base run: expected two runs with the same result, found ${results.join(" and ")}. Without failures, the result of the command must always be the same.${failed ? outputOf(failed) : ""}`,
    );
  }
  if (failed) {
    throw new Error(
      `base run: expected exit code 0, found ${results[0]}. Without failures, the command must succeed.${outputOf(failed)}`,
    );
  }
  const [operations, again] = [operationsOf(first), operationsOf(second)];
  if (operations.length === 0) {
    throw new Error(
      options.inProcess
        ? "base run: expected requests to mocks that the tests start, found none."
        : "base run: expected requests to the mock at RESOURCE_MOCK_URL, found none. Let the tests read this variable.",
    );
  }
  const unstable = new Set(operations).symmetricDifference(new Set(again));
  if (unstable.size > 0) {
    throw new Error(
      `flaky base run: expected two runs that call the same operations, found a difference: ${[...unstable].join(", ")}. Without failures, the result of the command must always be the same.`,
    );
  }
  const repeated = new Map<string, number>();
  for (const { 0: write, length } of Map.groupBy(first.writes, keyOf).values()) {
    if (write && length > (repeated.get(write[1]) ?? 1)) repeated.set(write[1], length);
  }
  return {
    seconds: rounded(Math.max(first.seconds, second.seconds)),
    calls: first.calls,
    repeated: [...repeated],
  };
}

function keyOf([project, request]: Writes[number]): string {
  return JSON.stringify([project, request]);
}

function operationsOf({ calls }: Trial): string[] {
  return [...new Set(calls.operations.map(([operation]) => operation))].sort();
}

function resultOf({ code, isTimedOut }: Trial): string {
  if (isTimedOut) return "a timeout";
  return code === null ? "an end by a signal" : `exit code ${code}`;
}

function outputOf({ output }: Trial): string {
  const text = output.trimEnd();
  const shownPart = text.length > MAX_SHOWN_BODY ? `…${text.slice(-MAX_SHOWN_BODY)}` : text;
  return ` Its output:\n${shownPart}`;
}

/** Runs all cells of the plan that have not run, `jobs` at a time, and saves each result. Ends early with the signal. */
async function runAll(
  plan: readonly Cell[],
  runs: Map<string, SweepRun>,
  base: Base,
  folder: Folder,
  options: SweepOptions,
): Promise<void> {
  const waiting = plan.filter((cell) => !runs.has(nameOf(cell)));
  const progress = options.createProgress(waiting.length);
  const broken = new AbortController();
  const signal = AbortSignal.any([options.signal, broken.signal]);
  const runOne = cellRunner(base, folder, { ...options, signal });
  let done = 0;
  const work = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell && !signal.aborted; cell = waiting.shift()) {
      progress.update(done, nameOf(cell));
      try {
        const run = await runOne(cell);
        runs.set(nameOf(cell), run);
        folder.state.runs.push(run);
        await folder.save();
        done++;
      } catch (error) {
        if (options.signal.aborted) return;
        // A defect of one run, such as a full disk, also ends the parallel ones.
        broken.abort(error);
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, work)).finally(progress.clear);
}

/** Returns a function that runs the command with the failure of a cell. */
function cellRunner(base: Base, folder: Folder, options: SweepOptions): (cell: Cell) => Promise<SweepRun> {
  const { command, timeout = base.seconds * 3000 + 10_000 } = options;
  const all = withFiles(command);
  /** Whether these test files alone succeed without a failure, by the command that runs them. */
  const aloneSucceed = new Map<string, Promise<boolean>>();

  function succeedsAlone(some: readonly string[]): Promise<boolean> {
    const key = JSON.stringify(some);
    const known = aloneSucceed.get(key) ?? runTrial(some, null, timeout, options).then(({ code }) => code === 0);
    aloneSucceed.set(key, known);
    return known;
  }

  /** Runs only the test files that call the operation. Returns undefined if they are not known, or need the others. */
  async function runSome(operation: string, failure: PlannedFailure): Promise<Trial | undefined> {
    const files = takesFiles(command) ? testFilesOf(operation, base.calls) : undefined;
    if (!files) return undefined;
    const some = withFiles(command, files);
    const trial = await runTrial(some, failure, timeout, options);
    if (!trial.isApplied) return undefined;
    return trial.code === 0 || (await succeedsAlone(some)) ? trial : undefined;
  }

  return async ({ operation, failure }) => {
    const planned: PlannedFailure = { name: failure, rule: { operation, ...transientFailures[failure].effects } };
    const trial = (await runSome(operation, planned)) ?? (await runTrial(all, planned, timeout, options));
    const name = nameOf({ operation, failure });
    return {
      operation,
      failure,
      outcome: outcomeOf(trial, base),
      seconds: rounded(trial.seconds),
      output: trial.code === 0 ? null : await folder.writeOutput(name, trial.output),
    };
  };
}

function outcomeOf({ isApplied, isTimedOut, code, writes }: Trial, base: Base): Outcome {
  if (!isApplied) return "not-reached";
  if (isTimedOut) return "timed-out";
  if (code !== 0) return "failed";
  return hasWrittenTwice(writes, base) ? "wrote-twice" : "survived";
}

/** Returns whether the request with the failure and its repetition both took effect. Tests can repeat requests too. */
function hasWrittenTwice(writes: Writes, { repeated }: Base): boolean {
  const failed = writes.find(([, , isFailed]) => isFailed);
  if (!failed) return false;
  const { length } = writes.filter((write) => keyOf(write) === keyOf(failed));
  return length > (new Map(repeated).get(failed[1]) ?? 1);
}
