import { readFile } from "node:fs/promises";
import { jsonValue, loadCheck, RESPONSE_TIMEOUT_MS } from "../contract/index.ts";
import { connectionTo, mockClient } from "../control/client/index.ts";
import type { CoverageParts } from "../journal/index.ts";
import { failureMatrix } from "../journal/reports/index.ts";
import { Misuse } from "../library/index.ts";
import {
  type CommandRequirements,
  mergedReport,
  missedRequirements,
  missedText,
  readReport,
  readReports,
  readRequirements,
  writeReports,
  writeStepSummary,
} from "../tools/gate/index.ts";
import { SweepReport, summaryOf } from "../tools/sweep/index.ts";
import type { Options } from "./flags.ts";
import { print } from "./print.ts";

/**
 * Prints the failure matrix of a mock, of reports, or of both together, and the result of a sweep. Sets the exit code to 1
 * if a requirement is not met. Throws an Error if a report cannot be read or written, or if the mock cannot be reached.
 */
export async function coverageCommand(options: Options<"coverage">): Promise<void> {
  const { url, project, merge = [], sweepReport, report: json, markdown, junit } = options;
  const hasCoverage = url !== undefined || merge.length > 0;
  if (!hasCoverage && sweepReport === undefined)
    throw new Misuse("--url: expected the address of a mock, --merge FILE or --sweep-report FILE, found none");
  if (url === undefined && project !== undefined)
    throw new Misuse("--project: expected together with --url, found alone");
  const requirements = requirementsOf(options.require);
  const { survived, ...ofCoverage } = requirements;
  if (survived !== undefined && sweepReport === undefined)
    throw new Misuse("--require: survived: expected together with --sweep-report, found alone");
  if (!hasCoverage && Object.keys(ofCoverage).length > 0)
    throw new Misuse(`--require: ${Object.keys(ofCoverage)[0]}: expected together with --url or --merge, found alone`);
  const sweep = sweepReport === undefined ? undefined : await readSweep(sweepReport);
  const files = await readReports(merge);
  const report = mergedReport(url === undefined ? files : [await reportOfMock(url, options), ...files]);
  if (sweep) await print(`\nsweep: ${summaryOf(sweep)}\n`);
  if (hasCoverage) await print(`\n${failureMatrix(report)}`);
  await writeReports(report, { json, markdown, junit }, requirements, sweep);
  await writeStepSummary(report, requirements, process.env, sweep);
  const missed = missedRequirements(report, requirements, sweep);
  if (missed.length === 0) return;
  await print(`\n${missedText(report, missed)}`);
  process.exitCode = 1;
}

/** Reads the report of a sweep. Throws an Error with its path for another file. */
async function readSweep(path: string): Promise<SweepReport> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path}: expected the report of a sweep, found ${error.code}`);
  });
  const value = jsonValue(text);
  const [problem] = (await loadCheck(SweepReport, "first"))(value);
  if (problem)
    throw new Error(`${path}: expected the report of a sweep, found ${problem.pointer || "/"}: ${problem.message}`);
  return value as SweepReport;
}

function requirementsOf(text: string | undefined): CommandRequirements {
  if (text === undefined) return {};
  try {
    return readRequirements(text);
  } catch (error) {
    throw new Misuse(`--require: ${(error as Error).message}`);
  }
}

async function reportOfMock(
  url: string,
  { project, adminToken }: Pick<Options<"coverage">, "project" | "adminToken">,
): Promise<CoverageParts> {
  const limited = (address: string, init?: RequestInit) =>
    fetch(address, { ...init, signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
  const mock = mockClient(connectionTo(url, { adminToken, fetch: limited }));
  // Fails for an unknown project, whose coverage would be empty.
  if (project !== undefined) await mock.project(project).summary();
  try {
    return await readReport(await (project === undefined ? mock : mock.project(project)).coverage());
  } catch (error) {
    if ((error as Error).name === "ControlError") throw error;
    throw new Error(`${url}: expected a mock, found another response. ${(error as Error).message}`);
  }
}
