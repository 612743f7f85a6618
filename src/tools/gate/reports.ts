import { existsSync } from "node:fs";
// `glob` without its name: Node 20 lacks it, and would fail at the import, before the error about the version.
import promises, { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FromSchema, findProblems, isObject, jsonValue, type Schema, shown } from "../../contract/index.ts";
import { type CoverageParts, CoverageReport, combined, reportOf } from "../../journal/index.ts";
import {
  appendStepSummary,
  coverageMarkdown,
  junitXml,
  markdownText,
  writeWhole,
} from "../../journal/reports/index.ts";
import type { SweepReport } from "../sweep/index.ts";
import { type CommandRequirements, junitCases, type Missed, survivalText } from "./requirements.ts";

/** Returns the paths of the reports in a folder. */
export function filesIn(folder: string) {
  return {
    json: join(folder, "coverage.json"),
    markdown: join(folder, "coverage.md"),
    junit: join(folder, "coverage.junit.xml"),
  };
}

/** Writes the reports. Creates missing folders. Throws an Error with the path if a file cannot be written. */
export async function writeReports(
  report: CoverageReport,
  { json, markdown, junit }: Partial<ReturnType<typeof filesIn>>,
  requirements: CommandRequirements = {},
  missed: readonly Missed[] = [],
  sweep?: SweepReport,
): Promise<void> {
  const suites = [{ name: "tried failures", cases: junitCases(report, requirements, missed) }];
  const texts: [path: string | undefined, text: () => string][] = [
    [json, () => `${JSON.stringify(report, undefined, 2)}\n`],
    [markdown, () => markdownOf(report, missed, sweep)],
    [junit, () => junitXml({ name: "resource-mock coverage", suites })],
  ];
  for (const [path, text] of texts) {
    if (path !== undefined) await writeWhole(path, text());
  }
}

/**
 * Appends the coverage to the summary of the job in GitHub Actions. Does nothing outside of GitHub Actions.
 *
 * @param environment has the path of the summary in `GITHUB_STEP_SUMMARY`
 */
export async function writeStepSummary(
  report: CoverageReport,
  missed: readonly Missed[],
  environment: NodeJS.ProcessEnv,
  sweep?: SweepReport,
): Promise<void> {
  await appendStepSummary(markdownOf(report, missed, sweep), environment);
}

function markdownOf(report: CoverageReport, missed: readonly Missed[], sweep?: SweepReport): string {
  const list = missed.map(({ requirement, message }) => {
    const [first = "", ...parts] = message.split("\n");
    const items = parts.map((part) => `  - ${markdownText(part.trim())}\n`).join("");
    return `- **${requirement}**: ${markdownText(first)}\n${items}`;
  });
  const sections = sweep ? [`## Survived failures\n\n${survivalText(sweep)}\n`] : [];
  // The command may read only the report of a sweep.
  if (!sweep || report.operations.length > 0) sections.push(coverageMarkdown(report));
  if (list.length > 0) sections.push(list.join(""));
  return sections.join("\n");
}

/**
 * Reads the reports of other mocks or processes. Patterns such as `reports/*.json` select files where the shell does not
 * expand them. Throws an Error with the path for a file that is not a report.
 */
export async function readReports(patterns: readonly string[]): Promise<CoverageParts[]> {
  const paths = await Promise.all(patterns.map(filesOf));
  return Promise.all(paths.flat().map((path) => readReportFile(path, CoverageReport, "a coverage report")));
}

/** Returns the files of a pattern in the order of their names. A path of a file is no pattern. */
async function filesOf(pattern: string): Promise<string[]> {
  if (existsSync(pattern) || !/[*?[{]/.test(pattern)) return [pattern];
  const files = await Array.fromAsync(promises.glob(pattern));
  if (files.length === 0) throw new Error(`${pattern}: expected coverage reports, found no file`);
  return files.sort();
}

/** Reads the report in a file. Throws an Error with the path for another file. */
export async function readReportFile<Declared extends Schema>(
  path: string,
  schema: Declared,
  name: string,
): Promise<FromSchema<Declared>> {
  try {
    const value = jsonValue(await readFile(path, "utf8"));
    if (value === undefined) throw new Error(`expected ${name}, found invalid JSON`);
    return await checkedReport(value, schema, name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${path}: ${code ? `expected ${name}, found ${code}` : message}`);
  }
}

/** Returns a coverage report. Throws an Error with the first problem if the value is not such a report. */
export function readReport(value: unknown): Promise<CoverageReport> {
  return checkedReport(value, CoverageReport, "a coverage report");
}

async function checkedReport<Declared extends Schema>(value: unknown, schema: Declared, name: string) {
  if (!isObject(value)) throw new Error(`expected ${name}, found ${shown(value)}`);
  const [problem] = await findProblems(schema, value);
  if (problem) throw new Error(`expected ${name}, found ${problem.pointer || "/"}: ${problem.message}`);
  return value as FromSchema<Declared>;
}

/** Returns the report of several mocks or processes together: everything that one of them received. */
export function mergedReport(reports: readonly CoverageParts[]): CoverageReport {
  return reportOf(reports.reduce((sum, report) => combined(sum, report, (a, b) => a + b, derived), nothing));
}

/** Returns the report of the requests since `before`. If the mock was reset meanwhile, no count is below 0. */
export function reportSince(report: CoverageParts, before: CoverageParts): CoverageReport {
  const left = combined(report, before, (a, b) => Math.max(0, a - b), derived);
  return reportOf({ ...left, violations: left.violations.filter(({ count }) => count > 0) });
}

/** The members of reports that `reportOf` derives from others. */
const derived = ["used", "failures"];

const nothing: CoverageParts = { operations: [], errorCodes: {}, unmatched: 0, violations: [], otherViolations: 0 };
