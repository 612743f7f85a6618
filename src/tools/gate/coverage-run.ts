import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkOptionNames, shown } from "../../contract/index.ts";
import { connectionTo, mockClient } from "../../control/client/index.ts";
import type { CoverageParts } from "../../journal/index.ts";
import { failureMatrix } from "../../journal/reports/index.ts";
import { type Collected, FOLDER_VARIABLE } from "../collect/index.ts";
import { filesIn, mergedReport, reportSince, writeReports, writeStepSummary } from "./reports.ts";
import { checkedRequirements, missedRequirements, missedText, type Requirements } from "./requirements.ts";

/** The options of the reporters for Vitest and Jest. */
export interface ReporterOptions {
  /** The least that the coverage of the run must reach. If it does not, the run fails. */
  readonly require?: Requirements;
  /** The folder for the reports: `coverage.json`, `coverage.md` and `coverage.junit.xml`. */
  readonly report?: string;
}

/** How the run has selected its tests. */
export interface Selection {
  /** The reason why the requirements do not apply, such as "only some test files ran"; undefined for a whole run. */
  readonly partial?: string;
  readonly shard?: { readonly index: number; readonly count: number };
  /** Whether further runs follow when files change. */
  readonly isWatching?: boolean;
}

/** The coverage of all mocks in the test runs of a process. */
export type CoverageRun = ReturnType<typeof createCoverageRun>;

/**
 * Prepares the collection of coverage from workers that start later.
 *
 * @param entry the entry of the reporter, for messages
 * @throws Error for unknown and invalid options
 */
export function createCoverageRun(entry: string, value: unknown) {
  const { require: requirements = {}, report: folderOfReports } = checkedOptions(entry, value);
  const folder = mkdtempSync(join(tmpdir(), "resource-mock-coverage-"));
  process.env[FOLDER_VARIABLE] = folder;
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  return {
    /** Prepares a run: forgets the coverage of earlier runs. Call it before the first test. */
    start(): void {
      remove();
      mkdirSync(folder, { mode: 0o700 });
    },
    /**
     * Prints the failure matrix and writes the reports. Returns an Error if the coverage of a whole run misses a requirement.
     *
     * @param print receives text with line ends
     */
    async finish({ partial, shard, isWatching }: Selection, print: (text: string) => void): Promise<Error | undefined> {
      const report = mergedReport(await collected(folder, print));
      remove();
      print(`\nresource-mock: ${failureMatrix(report)}`);
      // The requirements apply to all shards together.
      const applied = partial || shard ? {} : requirements;
      const missed = missedRequirements(report, applied);
      // In watch mode, Jest starts another run for each file that changes, also for a report.
      if (folderOfReports !== undefined && !isWatching) {
        const files = filesIn(folderOfReports);
        const ofShard = shard && { json: join(folderOfReports, `coverage.shard-${shard.index}.json`) };
        await writeReports(report, ofShard ?? files, applied, missed);
      }
      await writeStepSummary(report, missed, process.env);
      const skipped = Object.keys(requirements).length > 0 && (partial ?? (shard && `shard ${shard.index}`));
      if (skipped) print(`The requirements were not checked: ${skipped}.\n`);
      if (missed.length === 0) return undefined;
      print(`\n${missedText(report, missed)}`);
      const names = missed.map(({ requirement }) => requirement).join(", ");
      return new Error(`resource-mock: the coverage misses the required ${names}`);
    },
  };
}

function checkedOptions(entry: string, value: unknown = {}): ReporterOptions {
  checkOptionNames(entry, value, ["require", "report"]);
  const { require: requirements, report } = value as ReporterOptions;
  if (report !== undefined && (typeof report !== "string" || report === ""))
    throw new Error(`${entry}: report: expected the path of a folder, found ${shown(report)}`);
  try {
    if (requirements !== undefined) checkedRequirements(requirements);
  } catch (error) {
    throw new Error(`${entry}: require: ${(error as Error).message}`);
  }
  return { require: requirements, report };
}

async function collected(folder: string, print: (text: string) => void): Promise<CoverageParts[]> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((file) => file.name.endsWith(".json"));
  const all = files.map(({ name }) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Collected);
  const stopped = new Set(all.flatMap((each) => ("report" in each ? [each.url] : [])));
  const reports = all.map(async (each) => {
    if ("report" in each) return [each.report];
    // A mock that a test file started and shared has written its whole coverage.
    if (stopped.has(each.url)) return [];
    try {
      const { url, adminToken, before } = each;
      return [reportSince(await mockClient(connectionTo(url, { adminToken })).coverage(), before)];
    } catch (error) {
      print(`resource-mock: the coverage of ${each.url} is missing: ${(error as Error).message}\n`);
      return [];
    }
  });
  return (await Promise.all(reports)).flat();
}
