import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { count, counted, cut, type FromSchema, object, type Schema, shellWord } from "../../contract/index.ts";
import { type JunitCase, junitXml, markdownTable, markdownText, textTable } from "../../journal/reports/index.ts";
import type { SweepOptions } from "./index.ts";
import { failureNames } from "./transient-failures.ts";

const seconds = { type: "number", minimum: 0 } as const satisfies Schema;

const cell = {
  operation: { type: "string", description: "The operation whose first request got the failure." },
  failure: { type: "string", enum: failureNames, description: "The failure." },
} as const;

export const Run = object(["operation", "failure", "outcome", "seconds", "output"], {
  ...cell,
  outcome: {
    type: "string",
    enum: ["wrote-twice", "survived", "failed", "not-reached", "timed-out"],
    description:
      "wrote-twice: the command succeeded, but the client repeated the request after its effect had taken place, so that it had its effect twice. survived: the command succeeded. failed: it did not. not-reached: no request got the failure. timed-out: the command did not end in time.",
  },
  seconds: { ...seconds, description: "The time that the command took." },
  output: {
    type: ["string", "null"],
    description:
      "The file with the output of the command, relative to the folder of the report; null if the command succeeded.",
  },
});

const summary = {
  command: { type: "array", items: { type: "string" }, description: "The command and its arguments." },
  version: { type: "string", description: "The version of resource-mock." },
  strict: { type: "boolean", description: "Whether runs that wrote twice count as not survived." },
  planned: { ...count, description: "The number of runs that the plan has." },
  wroteTwice: { ...count, description: "The number of runs that succeeded, but wrote twice." },
  survived: { ...count, description: "The number of survived runs. Unless strict, also those that wrote twice." },
  failed: count,
  notReached: count,
  timedOut: count,
  percent: {
    type: ["number", "null"],
    minimum: 0,
    maximum: 100,
    description: "The share of survived runs among the runs that reached their failure; null without such a run.",
  },
  seconds: { ...seconds, description: "The time of all runs together, without the base runs." },
  complete: { type: "boolean", description: "Whether all planned runs ended." },
  notRun: {
    type: "array",
    items: object(["operation", "failure"], cell),
    description: "The planned runs that did not end.",
  },
} as const satisfies Record<string, Schema>;

/** The report of a sweep: the runs that ended, in the order of the contract and of the failures. */
export const SweepReport = object(["runs", "summary"], {
  runs: { type: "array", items: Run },
  summary: object(Object.keys(summary) as (keyof typeof summary)[], summary),
});
export type SweepReport = FromSchema<typeof SweepReport>;
export type SweepRun = SweepReport["runs"][number];
export type Outcome = SweepRun["outcome"];
export type Cell = Pick<SweepRun, "operation" | "failure">;

/** Returns the report of the runs in the order of the plan. Planned cells without a run are listed as not run. */
export function sweepReport(
  plan: readonly Cell[],
  runs: ReadonlyMap<string, SweepRun>,
  { command, version, strict }: Pick<SweepOptions, "command" | "version" | "strict">,
): SweepReport {
  const ended = plan.flatMap((each) => runs.get(nameOf(each)) ?? []);
  const number = (outcome: Outcome) => ended.filter((run) => run.outcome === outcome).length;
  const [wroteTwice, failed, timedOut] = [number("wrote-twice"), number("failed"), number("timed-out")];
  const survived = number("survived") + (strict ? 0 : wroteTwice);
  const reached = number("survived") + wroteTwice + failed + timedOut;
  return {
    runs: ended,
    summary: {
      command: [...command],
      version,
      strict,
      planned: plan.length,
      wroteTwice,
      survived,
      failed,
      notReached: number("not-reached"),
      timedOut,
      percent: reached === 0 ? null : Math.floor((survived / reached) * 1000) / 10,
      seconds: rounded(ended.reduce((sum, run) => sum + run.seconds, 0)),
      complete: ended.length === plan.length,
      notRun: plan.filter((each) => !runs.has(nameOf(each))).map(({ operation, failure }) => ({ operation, failure })),
    },
  };
}

/** Returns the name of a cell, which the name of the file with its output contains. */
export function nameOf({ operation, failure }: Cell): string {
  return `${operation}.${failure}`;
}

export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** The number of lines of the output of a failed run that reports show, and their maximum length. */
const SHOWN_LINES = 10;
const SHOWN_WIDTH = 200;

/**
 * Returns all texts of the report. Reads the outputs of failed runs in the folder `out`.
 *
 * @param ids the ids of all operations, in the order of the rows of the matrix
 */
export async function render(report: SweepReport, ids: readonly string[], out: string) {
  const { runs, summary } = report;
  const outputs = new Map<SweepRun, readonly string[]>();
  for (const run of runs) {
    if (run.output !== null) outputs.set(run, await readFirstLines(join(out, run.output)));
  }
  const linesOf = (run: SweepRun, indent: string) =>
    (outputs.get(run) ?? []).map((line) => `${indent}${line}\n`).join("");
  const problems = runs.filter(({ outcome, output }) => output !== null || /^(wrote|failed|timed)/.test(outcome));

  // A cell is an outcome, `not run`, or `-` for a failure that the operation cannot have or that was not selected.
  const words = new Map<string, string>(summary.notRun.map((cell) => [nameOf(cell), "not run"]));
  for (const run of runs) words.set(nameOf(run), run.outcome);
  const cells: readonly Cell[] = [...runs, ...summary.notRun];
  const failures = failureNames.filter((name) => cells.some(({ failure }) => failure === name));
  const operations = ids.filter((id) => cells.some(({ operation }) => operation === id));
  const columns = ["operation", ...failures].map((title) => ({ title }));
  const rows = operations.map((operation) => [
    operation,
    ...failures.map((failure) => words.get(nameOf({ operation, failure })) ?? "-"),
  ]);

  const text = problems.map((run) => {
    const file = run.output === null ? "" : `, output in ${join(out, run.output)}`;
    return `${titleOf(run)}${file}\n${linesOf(run, "    ")}`;
  });
  const markdown = problems.map((run) => {
    // An indented block shows any output as it is.
    const lines = linesOf(run, "      ");
    return `- ${titleOf(run)}\n${lines && `\n${lines}`}`;
  });

  const caseOf = (cell: Cell): JunitCase => {
    const run = runs.find((each) => nameOf(each) === nameOf(cell));
    const common = { name: cell.failure, classname: cell.operation };
    if (!run) return { ...common, seconds: 0, outcome: "skipped", message: "not run" };
    const { outcome, seconds } = run;
    const isPassed = outcome === "survived" || (outcome === "wrote-twice" && !summary.strict);
    return {
      ...common,
      seconds,
      outcome: isPassed ? "passed" : outcome === "not-reached" ? "skipped" : "failed",
      message: outcome === "survived" ? undefined : titleOf(run),
      output: outputs.get(run)?.join("\n"),
    };
  };
  const suites = operations.map((name) => ({
    name,
    cases: failures
      .flatMap((failure) => cells.filter((cell) => cell.operation === name && cell.failure === failure))
      .map(caseOf),
  }));
  const command = markdownText(cut(summary.command.map(shellWord).join(" "), 500));
  const title = ["## resource-mock sweep\n", `The command: ${command}\n`];
  const end = `${summaryOf(report)}\n`;
  return {
    json: `${JSON.stringify(report, undefined, 2)}\n`,
    text: [`${textTable(columns, rows).join("\n")}\n`, ...text, end].join("\n"),
    markdown: [...title, markdownTable(columns, rows), ...markdown, end].join("\n"),
    junit: junitXml({ name: "resource-mock sweep", suites }),
  };
}

async function readFirstLines(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const lines = stripVTControlCharacters(text)
    .split(/\r?\n/)
    // A carriage return starts a line again, as progress bars do.
    .map((line) => line.replace(/^.*\r/, ""))
    .filter((line) => line.trim() !== "");
  // Other control characters could change the state of a terminal too.
  return lines.slice(0, SHOWN_LINES).map((line) => cut(line.trimEnd(), SHOWN_WIDTH).replaceAll(/[^\P{Cc}\t]/gu, "�"));
}

function titleOf({ operation, failure, outcome, seconds }: SweepRun): string {
  const reason = outcome === "not-reached" ? ": no request got the failure" : "";
  const words = outcome === "wrote-twice" ? "survived, but wrote twice" : outcome;
  return `${operation} ${failure}: ${words} after ${seconds.toFixed(1)} s${reason}`;
}

/** Returns the counts in one line: `survived 12 of 14 (85.7 %), 2 failed`. */
export function summaryOf({ summary }: SweepReport): string {
  const { strict, wroteTwice, survived, failed, notReached, timedOut, percent, notRun } = summary;
  const share = percent === null ? "" : ` (${percent} %)`;
  const others = [
    [wroteTwice, strict ? "wrote twice" : "of them wrote twice"],
    [failed, "failed"],
    [timedOut, "timed out"],
    [notReached, "not reached"],
    [notRun.length, "not run"],
  ] as const;
  const more = others.filter(([number]) => number > 0).map(([number, text]) => `, ${number} ${text}`);
  return `survived ${survived} of ${counted(survived + (strict ? wroteTwice : 0) + failed + timedOut, "run")}${share}${more.join("")}`;
}
