import { createWriteStream } from "node:fs";
import { join } from "node:path";
import type { Engine, Home } from "../engine/index.ts";
import { corsOf, createApp, listen } from "../http/index.ts";
import { reportOfCoverage } from "../journal/index.ts";
import { pages } from "../page/index.ts";
import { collectReport, isCollected } from "../tools/collect/index.ts";
import { loadEngine } from "./mock.ts";
import type { HttpsOptions, StartOptions } from "./options/options.ts";
import { version } from "./version.ts";

/** The `url` of a mock without a socket. */
export const NOWHERE = "http://resource-mock";

/** A mock that has loaded its files and projects, and listens unless it has no socket. */
export interface RunningMock {
  readonly engine: Engine;
  readonly app: ReturnType<typeof createApp>;
  readonly url: string;
  /** The port of `url`; 0 without a socket. */
  readonly port: number;
  readonly httpsUrl?: string;
  readonly caCertificate?: string;
  /** Completes the requests in progress, writes the reports, and keeps or deletes the projects. */
  close(): Promise<void>;
}

interface Surroundings {
  /** Whether the mock listens; true by default. */
  readonly hasSocket?: boolean;
  /** Opens the home of the projects, if it is neither the memory nor the folder in the options. */
  openHome?(): Promise<Home>;
  /** Called before the mock listens. */
  prepare?(engine: Engine): Promise<void>;
  /** The option `report` as users write it, for errors. */
  readonly reportLabel?: string;
}

/**
 * Runs a mock, for the command and the libraries. Throws FilesError for invalid files, and an Error if a report cannot be
 * written or the port is in use.
 */
export async function runMock(
  options: StartOptions,
  { hasSocket = true, openHome, prepare, reportLabel = "report" }: Surroundings = {},
): Promise<RunningMock> {
  const { port = 0, host = "127.0.0.1", adminToken, report, https: secure, cors = "*" } = options;
  const fail = (error: Error) => Promise.reject(new Error(`${reportLabel}: ${error.message}`, { cause: error }));
  const https = secure ? await httpsOptions(secure === true ? {} : secure, host) : undefined;
  if (report !== undefined) await (await import("../homes/files/index.ts")).prepareFolder(report).catch(fail);
  const home = await openHome?.();
  const engine = await loadEngine(options, home).catch(async (error: unknown) => {
    await home?.close();
    throw error;
  });
  const { caCertificate } = https ?? {};
  // In jsdom and happy-dom, a client under test runs in a page of another origin. So by default, all pages may call the
  // service, and only pages of this machine the control API (decision 0013).
  const origins = cors === false ? undefined : corsOf(cors, options.cors === undefined ? undefined : adminToken);
  const app = createApp(engine, { version, adminToken, cors: origins, caCertificate, pages });
  try {
    await prepare?.(engine);
    const server = hasSocket ? await listen(app, { port, host, https }) : undefined;
    const url = server?.url ?? NOWHERE;
    let closing: Promise<void> | undefined;
    const close = async () => {
      engine.drain();
      await server?.close();
      // Set by a reporter in this process.
      if (isCollected(process)) {
        collectReport(process, url, reportOfCoverage(engine.coverageSinceStart(), engine.contract));
      }
      try {
        if (report === undefined) return;
        await (async () => engine.home.withAll(() => writeReportAtStop(engine, report)))().catch(fail);
      } finally {
        await engine.close();
      }
    };
    return {
      engine,
      app,
      url,
      port: server?.port ?? 0,
      httpsUrl: server?.httpsUrl,
      caCertificate,
      close() {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/**
 * Writes the coverage of all projects as JSON, Markdown and JUnit, and the requests in the journals as an HTTP archive.
 * The coverage has the requests since the start, also those before a reset. The archive has those in the journals of open
 * projects. Call it when no more requests arrive, before the projects close. The journals and so the archive are bounded.
 */
async function writeReportAtStop(engine: Engine, folder: string): Promise<void> {
  const { filesIn, writeReports } = await import("../tools/gate/index.ts");
  await writeReports(reportOfCoverage(engine.coverageSinceStart(), engine.contract), filesIn(folder));
  const { harPieces } = await import("../journal/har/index.ts");
  const { pipeline } = await import("node:stream/promises");
  const requests = [...engine.projects.all()].flatMap(({ key, journal }) =>
    journal.list().map((exchange) => ({ exchange, project: key })),
  );
  requests.sort((a, b) => a.exchange.arrival - b.exchange.arrival);
  await pipeline(harPieces(requests, { version }), createWriteStream(join(folder, "journal.har")));
}

async function httpsOptions({ port = 0, ...options }: HttpsOptions, host: string) {
  const { loadIdentity } = await import("../http/tls/index.ts");
  return { ...(await loadIdentity(options, host)), port };
}
