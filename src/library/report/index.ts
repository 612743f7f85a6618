import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Engine } from "../../engine/index.ts";
import { harPieces } from "../../journal/har/index.ts";
import { reportOfCoverage } from "../../journal/index.ts";
import { filesIn, writeReports } from "../../tools/gate/index.ts";

/**
 * Writes the coverage of all projects as JSON, Markdown and JUnit, and the requests in the journals as an HTTP archive.
 * The coverage has the requests since the start, also those before a reset. The archive has those in the journals of open
 * projects. Call it when no more requests arrive, before the projects close. The journals and so the archive are bounded.
 */
export async function writeReportAtStop(engine: Engine, folder: string, version: string): Promise<void> {
  const report = reportOfCoverage(engine.coverageSinceStart(), engine.contract);
  await writeReports(report, filesIn(folder));
  const requests = [...engine.projects.all()].flatMap(({ key, journal }) =>
    journal.list().map((exchange) => ({ exchange, project: key })),
  );
  requests.sort((a, b) => a.exchange.arrival - b.exchange.arrival);
  await pipeline(Readable.from(harPieces(requests, { version })), createWriteStream(join(folder, "journal.har")));
}
