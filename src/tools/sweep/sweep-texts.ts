import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { counted, cut, shellWord } from "../../contract/index.ts";
import { type Column, junitXml, markdownTable, markdownText, textTable } from "../../journal/reports/index.ts";
import { nameOf, type Outcome, type SweepReport, type SweepRun } from "./sweep-report.ts";
import { failureNames } from "./transient-failures.ts";

/** The number of lines of the output of a failed run that reports show, and their maximum length. */
const SHOWN_LINES = 10;
const SHOWN_WIDTH = 200;

/** The texts of a report, by the name of their file. */
export interface RenderedReport {
  readonly json: string;
  readonly text: string;
  readonly markdown: string;
  readonly junit: string;
}

/**
 * Returns all texts of the report. Reads the outputs of failed runs in the folder `out`.
 *
 * @param ids the ids of all operations, in the order of the rows of the matrix
 */
export async function render(report: SweepReport, ids: readonly string[], out: string): Promise<RenderedReport> {
  const firstLines = new Map<string, string[]>();
  for (const run of report.runs) {
    if (run.output !== null) firstLines.set(nameOf(run), await readFirstLines(join(out, run.output)));
  }
  return {
    json: `${JSON.stringify(report, undefined, 2)}\n`,
    text: textOf(report, ids, out, firstLines),
    markdown: markdownOf(report, ids, firstLines),
    junit: junitOf(report, ids, firstLines),
  };
}

type FirstLines = ReadonlyMap<string, readonly string[]>;

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

/**
 * Returns the matrix: a row for each operation, a column for each failure. A cell is an outcome, `not run`, or `-` for a
 * failure that the operation cannot have or that was not selected.
 *
 * @param ids the ids of all operations, in the order of the rows
 */
function matrixOf({ runs, summary }: SweepReport, ids: readonly string[]): { columns: Column[]; rows: string[][] } {
  const cells = new Map([
    ...summary.notRun.map((cell) => [nameOf(cell), "not run"] as const),
    ...runs.map((run) => [nameOf(run), run.outcome] as const),
  ]);
  const all = [...runs, ...summary.notRun];
  const failures = failureNames.filter((name) => all.some(({ failure }) => failure === name));
  const operations = ids.filter((id) => all.some(({ operation }) => operation === id));
  return {
    columns: ["operation", ...failures].map((title) => ({ title })),
    rows: operations.map((operation) => [
      operation,
      ...failures.map((failure) => cells.get(nameOf({ operation, failure })) ?? "-"),
    ]),
  };
}

function textOf(report: SweepReport, ids: readonly string[], out: string, firstLines: FirstLines): string {
  const { columns, rows } = matrixOf(report, ids);
  const problems = report.runs.filter(isProblem).map((run) => {
    const shown = (firstLines.get(nameOf(run)) ?? []).map((line) => `    ${line}\n`).join("");
    const file = run.output === null ? "" : `, output in ${join(out, run.output)}`;
    return `${titleOf(run)}${file}\n${shown}`;
  });
  return [`${textTable(columns, rows).join("\n")}\n`, ...problems, `${summaryOf(report)}\n`].join("\n");
}

function markdownOf(report: SweepReport, ids: readonly string[], firstLines: FirstLines): string {
  const command = report.summary.command.map(shellWord).join(" ");
  const { columns, rows } = matrixOf(report, ids);
  const problems = report.runs.filter(isProblem).map((run) => {
    const shown = (firstLines.get(nameOf(run)) ?? []).map((line) => `    ${line}`).join("\n");
    // An indented block shows any output as it is.
    return `- ${titleOf(run)}\n${shown === "" ? "" : `\n${shown.replaceAll(/^/gm, "  ")}\n`}`;
  });
  return [
    "## resource-mock sweep\n",
    `The command: ${markdownText(cut(command, 500))}\n`,
    markdownTable(columns, rows),
    ...problems,
    `${summaryOf(report)}\n`,
  ].join("\n");
}

function junitOf({ runs, summary }: SweepReport, ids: readonly string[], firstLines: FirstLines): string {
  const cases = [
    ...runs.map((run) => ({
      ...run,
      outcome: junitOutcome(run.outcome, summary.strict),
      message: run.outcome === "survived" ? undefined : titleOf(run),
      output: firstLines.get(nameOf(run))?.join("\n"),
    })),
    ...summary.notRun.map((cell) => ({ ...cell, seconds: 0, outcome: "skipped", message: "not run" }) as const),
  ];
  const suites = ids.map((id) => ({
    name: id,
    cases: failureNames
      .flatMap((name) => cases.find(({ operation, failure }) => operation === id && failure === name) ?? [])
      .map((each) => ({ ...each, name: each.failure, classname: id })),
  }));
  return junitXml({ name: "resource-mock sweep", suites: suites.filter((suite) => suite.cases.length > 0) });
}

function junitOutcome(outcome: Outcome, strict: boolean): "passed" | "failed" | "skipped" {
  if (outcome === "survived" || (outcome === "wrote-twice" && !strict)) return "passed";
  return outcome === "not-reached" ? "skipped" : "failed";
}

/** Returns whether reports name the run, with its output if the command did not succeed. */
function isProblem({ outcome, output }: SweepRun): boolean {
  return ["wrote-twice", "failed", "timed-out"].includes(outcome) || output !== null;
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
