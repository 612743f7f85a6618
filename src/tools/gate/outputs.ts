import { existsSync } from "node:fs";
// `glob` without its name: Node 20 lacks it, and would fail at the import, before the error about the version.
import promises, { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { jsonValue } from "../../contract/index.ts";
import type { CoverageParts, CoverageReport } from "../../journal/index.ts";
import { appendStepSummary, coverageMarkdown, junitXml, markdownText } from "../../journal/reports/index.ts";
import { readReport } from "./merge.ts";
import type { CommandRequirements } from "./requirements.ts";
import { junitCases, missedRequirements, type Survival } from "./verdict.ts";

/** The files of a report, each optional. */
export interface ReportFiles {
  readonly json?: string;
  readonly markdown?: string;
  readonly junit?: string;
}

/** Returns the paths of the reports in a folder. */
export function filesIn(folder: string): Required<ReportFiles> {
  return {
    json: join(folder, "coverage.json"),
    markdown: join(folder, "coverage.md"),
    junit: join(folder, "coverage.junit.xml"),
  };
}

/** Writes the reports. Creates missing folders. Throws an Error with the path if a file cannot be written. */
export async function writeReports(
  report: CoverageReport,
  { json, markdown, junit }: ReportFiles,
  requirements: CommandRequirements = {},
  sweep?: Survival,
): Promise<void> {
  const suites = [{ name: "tried failures", cases: junitCases(report, requirements, sweep) }];
  const texts: [path: string | undefined, text: () => string][] = [
    [json, () => `${JSON.stringify(report, undefined, 2)}\n`],
    [markdown, () => markdownOf(report, requirements, sweep)],
    [junit, () => junitXml({ name: "resource-mock coverage", suites })],
  ];
  for (const [path, text] of texts) {
    if (path === undefined) continue;
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text());
    } catch (error) {
      throw new Error(`${path}: expected a file that can be written, found ${(error as NodeJS.ErrnoException).code}`);
    }
  }
}

/**
 * Appends the coverage to the summary of the job in GitHub Actions. Does nothing outside of GitHub Actions.
 *
 * @param environment has the path of the summary in `GITHUB_STEP_SUMMARY`
 */
export async function writeStepSummary(
  report: CoverageReport,
  requirements: CommandRequirements,
  environment: NodeJS.ProcessEnv,
  sweep?: Survival,
): Promise<void> {
  await appendStepSummary(markdownOf(report, requirements, sweep), environment);
}

/** Returns the coverage as Markdown, with the missed requirements. */
function markdownOf(report: CoverageReport, requirements: CommandRequirements, sweep?: Survival): string {
  const missed = missedRequirements(report, requirements, sweep).map(({ requirement, message }) => {
    const [first = "", ...parts] = message.split("\n");
    const list = parts.map((part) => `  - ${markdownText(part.trim())}\n`).join("");
    return `- **${requirement}**: ${markdownText(first)}\n${list}`;
  });
  return missed.length === 0 ? coverageMarkdown(report) : `${coverageMarkdown(report)}\n${missed.join("")}`;
}

/**
 * Reads the reports of other mocks or processes. Patterns such as `reports/*.json` select files where the shell does not
 * expand them. Throws an Error with the path for a file that is not a report.
 */
export async function readReports(patterns: readonly string[]): Promise<CoverageParts[]> {
  const paths = await Promise.all(patterns.map(filesOf));
  return Promise.all(paths.flat().map(readFrom));
}

/** Returns the files of a pattern in the order of their names. A path of a file is no pattern. */
async function filesOf(pattern: string): Promise<string[]> {
  if (existsSync(pattern) || !/[*?[{]/.test(pattern)) return [pattern];
  const files = await Array.fromAsync(promises.glob(pattern));
  if (files.length === 0) throw new Error(`${pattern}: expected coverage reports, found no file`);
  return files.sort();
}

async function readFrom(path: string): Promise<CoverageParts> {
  try {
    const value = jsonValue(await readFile(path, "utf8"));
    if (value === undefined) throw new Error("expected a coverage report, found invalid JSON");
    return await readReport(value);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${path}: ${code ? `expected a coverage report, found ${code}` : message}`);
  }
}
