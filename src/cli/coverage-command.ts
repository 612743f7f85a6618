import { connectionTo, limitedFetch, mockClient } from "../control/client/index.ts";
import type { CoverageParts } from "../journal/index.ts";
import { failureMatrix } from "../journal/reports/index.ts";
import { Misuse } from "../library/index.ts";
import {
  type CommandRequirements,
  mergedReport,
  missedRequirements,
  missedText,
  readReport,
  readReportFile,
  readReports,
  readRequirements,
  writeReports,
  writeStepSummary,
} from "../tools/gate/index.ts";
import { SweepReport, summaryOf } from "../tools/sweep/index.ts";
import type { Options } from "./flags.ts";
import { print } from "./terminal.ts";

/**
 * Prints the failure matrix of a mock, of reports, or of both together, and the share of survived runs in the report of a
 * sweep. Sets the exit code to 1 if a requirement is not met. Throws an Error if a report cannot be read or written, or if
 * the mock cannot be reached.
 */
export async function run(options: Options<"coverage">): Promise<void> {
  const { url, merge = [], sweepReport, report: json, markdown, junit } = options;
  const hasCoverage = url !== undefined || merge.length > 0;
  if (!hasCoverage && sweepReport === undefined)
    throw new Misuse("--url: expected the address of a mock, --merge FILE or --sweep-report FILE, found none");
  const requirements = requirementsOf(options.require);
  for (const name of Object.keys(requirements)) {
    const [isRead, flags] =
      name === "survived" ? [sweepReport !== undefined, "--sweep-report"] : [hasCoverage, "--url or --merge"];
    if (!isRead) throw new Misuse(`--require: ${name}: expected together with ${flags}, found alone`);
  }
  const sweep =
    sweepReport === undefined ? undefined : await readReportFile(sweepReport, SweepReport, "the report of a sweep");
  const files = await readReports(merge);
  const report = mergedReport(url === undefined ? files : [await reportOfMock(url, options), ...files]);
  const missed = missedRequirements(report, requirements, sweep);
  if (sweep) await print(`\nsweep: ${summaryOf(sweep)}\n`);
  if (hasCoverage) await print(`\n${failureMatrix(report)}`);
  await writeReports(report, { json, markdown, junit }, requirements, missed, sweep);
  await writeStepSummary(report, missed, process.env, sweep);
  if (missed.length === 0) return;
  await print(`\n${missedText(report, missed)}`);
  process.exitCode = 1;
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
  const mock = mockClient(connectionTo(url, { adminToken, fetch: limitedFetch() }));
  // Fails for an unknown project, whose coverage would be empty.
  if (project !== undefined) await mock.project(project).summary();
  try {
    return await readReport(await (project === undefined ? mock : mock.project(project)).coverage());
  } catch (error) {
    if ((error as Error).name === "ControlError") throw error;
    throw new Error(`${url}: expected a mock, found another response. ${(error as Error).message}`);
  }
}
