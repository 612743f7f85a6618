import { appendFile } from "node:fs/promises";
import { counted, MAX_SHOWN_ITEMS, shown } from "../../contract/index.ts";
import type { CoverageReport } from "../index.ts";
import { type Column, markdownTable, type Row, textTable } from "./text-table.ts";

export { type JunitCase, junitXml } from "./junit.ts";
export { createFolder, prepareFolder, writeWhole } from "./output-files.ts";
export { type Column, markdownTable, markdownText, textTable } from "./text-table.ts";

/** The maximum width of the matrix and the lists below it, in characters. */
const WIDTH = 100;

/** The marks of a possible failure. An impossible one has an empty cell. */
const TRIED = "✓";
const MISSING = "·";

/**
 * Returns a coverage report as text for a terminal or a log: the failure matrix, the responses by status, update actions,
 * error codes and contract violations.
 */
export function coverageText(report: CoverageReport): string {
  const { totals, operations, unmatched, violations, otherViolations } = report;
  const statuses = namesOf(operations.map((operation) => operation.statuses));
  const columns = ["requests", ...statuses, "off-contract"].map((title): Column => ({ title, align: "right" }));
  const rows = operations.map((operation) => [
    operation.operation,
    count(operation.requests),
    ...statuses.map((status) => count(operation.statuses[status])),
    count(operation.offContract),
  ]);
  const shares = [
    `statuses ${shareText(totals.statuses)}`,
    ...(totals.actions.declared > 0 ? [`update actions ${shareText(totals.actions)}`] : []),
    `error codes ${shareText(totals.errorCodes)}`,
  ];
  const actions = operations.flatMap((operation) => Object.entries(operation.actions ?? {}));
  const lines = [
    failureMatrix(report),
    shares.join(", "),
    "",
    ...textTable([{ title: "operation" }, ...columns], rows),
    "",
    ...(actions.length > 0 ? [`update actions: ${listed(actions)}`] : []),
    `error codes: ${listed(Object.entries(report.errorCodes)) || "none"}`,
  ];
  if (unmatched > 0) lines.push(`requests that match no operation: ${unmatched}`);
  lines.push("", violations.length === 0 ? "no violations of the contract" : "violations of the contract:");
  for (const { count, operation, code, message } of violations) {
    lines.push(`  ${count} × ${operation} ${code}: ${message.replaceAll("\n", " ")}`);
  }
  if (otherViolations > 0) lines.push(`  ${otherViolations} more at other locations`);
  return `${lines.join("\n")}\n`;
}

/** Returns the failure matrix as text, at most 100 columns wide: the operations with requests, and the failures of each. */
export function failureMatrix(report: CoverageReport): string {
  const { unused } = report;
  const { columns, rows } = matrixOf(report);
  const legend = `${TRIED} tried on the client   ${MISSING} not tried   blank: not possible`;
  const hint = "Whether the client survives a tried failure: resource-mock sweep";
  const lines = [summaryText(report)];
  if (rows.length > 0) lines.push("", ...textTable(columns, rows), "", legend, hint);
  if (unused.length > 0) lines.push(...wrapped(`no requests: ${shortList(unused)}`));
  return `${lines.join("\n")}\n`;
}

/** Returns the coverage as GitHub Flavored Markdown: the summary, the failure matrix and the contract violations. */
export function coverageMarkdown(report: CoverageReport): string {
  const { columns, rows } = matrixOf(report);
  const { unused, violations, otherViolations } = report;
  const parts = ["## Tried failures\n", `${summaryText(report)}\n`];
  if (rows.length > 0) {
    parts.push(
      markdownTable(columns, rows),
      `${TRIED} tried on the client, ${MISSING} not tried, blank: not possible. Whether the client survives: \`resource-mock sweep\`\n`,
    );
  }
  if (unused.length > 0) parts.push(`No requests: ${shortList(unused.map((name) => `\`${name}\``))}\n`);
  if (violations.length > 0) {
    const columns: Column[] = [{ title: "Violations", align: "right" }, { title: "Operation" }, { title: "Problem" }];
    const list = violations.map(({ count, operation, message }) => [String(count), operation, message]);
    if (otherViolations > 0) list.push([String(otherViolations), "", "at other locations"]);
    parts.push(markdownTable(columns, list));
  }
  return parts.join("\n");
}

function summaryText({ requests, summary, totals }: CoverageReport): string {
  return [
    counted(requests, "request"),
    `${shareText(totals.operations)} operations (${summary.operations} %)`,
    `${shareText(totals.failures)} failures tried (${summary.failures} %)`,
    counted(summary.violations, "contract violation"),
  ].join(", ");
}

/** Returns all names. Above MAX_SHOWN_ITEMS names, returns their total number and the first three. */
function shortList(names: readonly string[]): string {
  if (names.length <= MAX_SHOWN_ITEMS) return names.join(", ");
  return `${counted(names.length, "operation")}, such as ${names.slice(0, 3).join(", ")}`;
}

function matrixOf({ operations }: CoverageReport): { columns: Column[]; rows: Row[] } {
  const used = operations.filter((operation) => operation.used);
  const failures = namesOf(used.map((operation) => operation.failures));
  return {
    columns: [{ title: "operation" }, ...failures.map((title): Column => ({ title, align: "center" }))],
    rows: used.map((operation) => [operation.operation, ...failures.map((name) => mark(operation.failures[name]))]),
  };
}

function namesOf(rows: readonly object[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))].sort();
}

function mark(isTried: boolean | undefined): string {
  if (isTried === undefined) return "";
  return isTried ? TRIED : MISSING;
}

function shareText({ exercised, declared }: { exercised: number; declared: number }): string {
  return `${exercised} of ${declared}`;
}

/** Returns the count of a declared part: a dot for 0, nothing for a part that is not declared. */
function count(times: number | undefined): string {
  if (times === undefined) return "";
  return times === 0 ? "." : String(times);
}

function listed(entries: readonly (readonly [name: string, times: number])[]): string {
  return entries.map(([name, times]) => `${name} ${count(times)}`).join(", ");
}

/** Returns the text as lines that end between words. Further lines are indented. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(word);
    else if (last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
}

/**
 * Appends Markdown to the summary of the job in GitHub Actions. Does nothing outside of GitHub Actions. Logs a warning if
 * the summary cannot be written, so that the result of the command stays the same.
 *
 * @param environment has the path of the summary in `GITHUB_STEP_SUMMARY`
 */
export async function appendStepSummary(markdown: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const { GITHUB_STEP_SUMMARY: path } = environment;
  if (!path) return;
  try {
    await appendFile(path, `${markdown}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    process.stderr.write(
      `resource-mock: GITHUB_STEP_SUMMARY: expected a file that can be written, found ${shown(path)} (${code}). The job has no summary.\n`,
    );
  }
}
