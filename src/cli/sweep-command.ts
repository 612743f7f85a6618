import { join, resolve } from "node:path";
import { counted, didYouMean, shown } from "../contract/index.ts";
import { lockFolder } from "../homes/files/index.ts";
import { appendStepSummary, prepareFolder, writeWhole } from "../journal/reports/index.ts";
import { loadService, Misuse, version } from "../library/index.ts";
import {
  type FailureName,
  failureNamed,
  failureNames,
  render,
  reportFiles,
  type SweepReport,
  summaryOf,
  sweep,
} from "../tools/sweep/index.ts";
import type { Options } from "./flags.ts";
import { createProgress, onSignals, print } from "./terminal.ts";

/** A signal, or the end of --max-time. */
class EndedEarly extends Error {
  /** The exit code if the sweep has no report yet; for a signal, in any case. */
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

const TIME_OVER = 2;

/**
 * Runs a sweep, prints its report and writes it into the folder of `--out`. Sets exit code 1 if the share of survived runs
 * is below `--require`, or with `--strict` if a run wrote twice. Throws an error for a wrong command line and for base runs that fail or differ.
 */
export async function run(options: Options<"sweep">, command: readonly string[]): Promise<void> {
  if (command.length === 0) {
    throw new Misuse("sweep: expected a command after --, found none, such as resource-mock sweep -- npm test");
  }
  const { out, only = [], maxTime, dryRun } = options;
  const failures = selected(options.failures);
  const { contract } = await loadService(options);
  // Tests can run in another folder.
  const absolute = (file?: unknown) => (file === undefined ? undefined : resolve(String(file)));
  const [RESOURCE_MOCK_CONTRACT, RESOURCE_MOCK_BEHAVIOUR] = [options.contract, options.behaviour].map(absolute);
  const ending = new AbortController();
  const release = endWith(ending, maxTime);
  let lock: { release(): Promise<void> } | undefined;
  try {
    if (!dryRun) {
      await prepareFolder("--out", out);
      lock = await lockFolder(out);
    }
    const report = await sweep({
      ...options,
      command,
      version,
      failures,
      only,
      contract,
      bin: [...process.execArgv, process.argv[1] ?? ""],
      environment: { ...process.env, RESOURCE_MOCK_CONTRACT, RESOURCE_MOCK_BEHAVIOUR },
      signal: ending.signal,
      createProgress,
    });
    if (dryRun) await printPlan(report);
    else await publish(report, contract.ids, out);
    finish(report, options, ending.signal.reason);
  } catch (error) {
    if (!(error instanceof EndedEarly)) throw error;
    process.stderr.write(`resource-mock: ${error.message} before the base runs ended\n`);
    process.exitCode = error.code;
  } finally {
    release();
    await lock?.release();
  }
}

/** Returns the failures by name, in the order of the report. Throws Misuse for an unknown name. */
function selected(names: readonly string[] = failureNames): FailureName[] {
  const found = names.map((text) => {
    const name = failureNamed(text);
    if (name) return name;
    const hint = didYouMean(text, failureNames);
    throw new Misuse(`--failures: expected some of ${failureNames.join(", ")}, found ${shown(text)}.${hint}`);
  });
  return failureNames.filter((name) => found.includes(name));
}

/** Ends the sweep on a signal, and after `maxTime` milliseconds. Returns a function that removes the handlers. */
function endWith(ending: AbortController, maxTime: number | undefined): () => void {
  const end = (message: string, code: number) => ending.abort(new EndedEarly(message, code));
  const release = onSignals(end);
  const timer = maxTime === undefined ? undefined : setTimeout(end, maxTime, "--max-time is over", TIME_OVER);
  return () => {
    clearTimeout(timer);
    release();
  };
}

async function printPlan({ summary }: SweepReport): Promise<void> {
  const lines = summary.notRun.map(({ operation, failure }) => `${operation} ${failure}\n`);
  await print(`${lines.join("")}${counted(summary.planned, "run")} planned\n`);
}

async function publish(report: SweepReport, ids: readonly string[], out: string): Promise<void> {
  const { json, text, markdown, junit } = await render(report, ids, out);
  // First, so that a full disk does not hide the result.
  await print(text);
  await writeWhole(join(out, reportFiles.json), json);
  await writeWhole(join(out, reportFiles.markdown), markdown);
  await writeWhole(join(out, reportFiles.junit), junit);
  await appendStepSummary(markdown, process.env);
}

/** Sets the exit code, and writes the reason for another code than 0 to the standard error. */
function finish(report: SweepReport, { require, strict, dryRun }: Options<"sweep">, reason: unknown): void {
  if (dryRun) return;
  const { percent, complete, notRun, wroteTwice } = report.summary;
  if (reason instanceof EndedEarly && !complete) {
    const hint = "Run the same command with --resume to continue.";
    process.stderr.write(`resource-mock: ${reason.message}: ${counted(notRun.length, "run")} did not end. ${hint}\n`);
    if (reason.code !== TIME_OVER) process.exitCode = reason.code;
  }
  if (strict && wroteTwice > 0) {
    process.stderr.write(`resource-mock: --strict: expected no run that wrote twice, found ${wroteTwice}\n`);
    process.exitCode ||= 1;
  }
  if (require === undefined || (complete && percent !== null && percent >= require)) return;
  process.stderr.write(
    `resource-mock: --require: expected at least ${require} % survived, found ${summaryOf(report)}\n`,
  );
  process.exitCode ||= 1;
}
