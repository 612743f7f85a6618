import type { Engine } from "../engine/index.ts";
import { corsOf, createAccessLog, createApp, listen } from "../http/index.ts";
import { loadEngine, Misuse, mockOptions, type Options, version } from "../library/index.ts";
import { pages } from "../page/index.ts";
import { httpsOptions } from "./https.ts";
import { openShare } from "./share.ts";

/**
 * Starts the server and prints one line when it is ready. The server stops at SIGTERM or SIGINT. If the parent process is
 * Node and has opened a channel for messages, the server also stops when the parent ends.
 */
export async function serveCommand(options: Options<"serve">): Promise<void> {
  const { port, host, fixtures, scenarios, adminToken, cors, watch, log, report, open } = options;
  const https = await httpsOptions(options);
  if (report !== undefined) await prepare(report);
  if (open !== undefined) requireMemory(options);
  const share = await openShare(options);
  const engine = await loadEngine(mockOptions(options), share).catch(async (error: unknown) => {
    await share?.close();
    throw error;
  });
  const { problem } = engine.home.health;
  if (problem !== undefined) process.stderr.write(`resource-mock: warning: ${problem}\n`);
  const opened = open && (await (await import("./open-archives.ts")).openArchives(engine, open));
  if (log !== "off") engine.onExchange = createAccessLog(log, (text) => process.stdout.write(text));

  // Start watching before listening: if a folder cannot be watched, the command ends and leaves no server running.
  const watcher = watch
    ? (await import("./watch.ts")).watchFiles(engine, { fixtures, scenarios }, (line) =>
        process.stdout.write(`${line}\n`),
      )
    : undefined;

  const app = createApp(engine, {
    version,
    adminToken,
    cors: cors === undefined ? undefined : corsOf(cors, adminToken),
    caCertificate: https?.caCertificate,
    pages,
  });
  const server = await listen(app, { port, host, https }).catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  const stop = async () => {
    watcher?.close();
    engine.drain();
    await server.close();
    if (report !== undefined) await write(engine, report);
    await engine.close();
    // The changes that are not in the files are lost.
    if (engine.home.health.unsaved) process.exitCode = 1;
  };
  process.once("SIGTERM", stop).once("SIGINT", stop).once("disconnect", stop);
  const urls = [server.url, ...(server.httpsUrl === undefined ? [] : [server.httpsUrl])];
  process.stdout.write(`resource-mock listening on ${urls.join(" and ")}\n`);
  for (const line of opened?.(server.url) ?? []) process.stdout.write(`${line}\n`);
}

/** Throws Misuse if the projects outlive the server: each start would open the archives again. */
function requireMemory({ share, projects }: Options<"serve">): void {
  const other = share !== undefined ? "--share" : projects !== undefined ? "--projects" : undefined;
  if (other === undefined) return;
  const hint = "To restore an archive in a running server, send it to PUT /__admin/projects/{projectKey}/archive.";
  throw new Misuse(`--open: expected without ${other}, found both. ${hint}`);
}

async function prepare(folder: string): Promise<void> {
  const { prepareFolder } = await import("../homes/files/index.ts");
  await prepareFolder(folder).catch((error: Error) => {
    throw new Misuse(`--report: ${error.message}`);
  });
}

/** Writes the reports. If that fails, prints one line and sets exit code 1, so that a missing report is noticed. */
async function write(engine: Engine, folder: string): Promise<void> {
  try {
    const { writeReportAtStop } = await import("../library/report/index.ts");
    await engine.home.withAll(() => writeReportAtStop(engine, folder, version));
  } catch (error) {
    process.stderr.write(`resource-mock: --report: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
