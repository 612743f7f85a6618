import { RESPONSE_TIMEOUT_MS } from "../contract/index.ts";
import { connectionTo, mockClient } from "../control/client/index.ts";
import type { CoverageParts } from "../journal/index.ts";
import { failureMatrix } from "../journal/reports/index.ts";
import { Misuse } from "../library/index.ts";
import {
  mergedReport,
  missedRequirements,
  missedText,
  type Requirements,
  readReport,
  readReports,
  readRequirements,
  writeReports,
  writeStepSummary,
} from "../tools/gate/index.ts";
import type { Options } from "./flags.ts";
import { print } from "./terminal.ts";

/**
 * Prints the failure matrix of a mock, of reports, or of both together. Sets the exit code to 1 if a requirement is not
 * met. Throws an Error if a report cannot be read or written, or if the mock cannot be reached.
 */
export async function run(options: Options<"coverage">): Promise<void> {
  const { url, project, merge = [], report: json, markdown, junit } = options;
  if (url === undefined && merge.length === 0)
    throw new Misuse("--url: expected the address of a mock, or --merge FILE, found none");
  if (url === undefined && project !== undefined)
    throw new Misuse("--project: expected together with --url, found alone");
  const requirements = requirementsOf(options.require);
  const files = await readReports(merge);
  const report = mergedReport(url === undefined ? files : [await reportOfMock(url, options), ...files]);
  await print(`\n${failureMatrix(report)}`);
  await writeReports(report, { json, markdown, junit }, requirements);
  await writeStepSummary(report, requirements, process.env);
  const missed = missedRequirements(report, requirements);
  if (missed.length === 0) return;
  await print(`\n${missedText(report, missed)}`);
  process.exitCode = 1;
}

function requirementsOf(text: string | undefined): Requirements {
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
