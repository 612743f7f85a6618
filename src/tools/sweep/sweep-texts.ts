import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { counted, cut, shellWord } from "../../contract/index.ts";
import { type JunitCase, junitXml, markdownTable, markdownText, textTable } from "../../journal/reports/index.ts";
import { nameOf, type SweepReport, type SweepRun } from "./sweep-report.ts";
import { failureNames } from "./transient-failures.ts";

/** The number of lines of the output of a failed run that reports show, and their maximum length. */
const SHOWN_LINES = 10;
const SHOWN_WIDTH = 200;

type Cell = Pick<SweepRun, "operation" | "failure">;

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
