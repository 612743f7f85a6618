import { join } from "node:path";
import { createEngine, type Engine, type Home } from "../engine/index.ts";
import { corsOf, createApp, listen } from "../http/index.ts";
import { reportOfCoverage } from "../journal/index.ts";
import type { DocumentProblem } from "../openapi/index.ts";
import { pages } from "../page/index.ts";
import { loadScenarios, type ScenarioSet, unknownScenario } from "../rules/index.ts";
import { defaultService, type Service } from "../services/index.ts";
import { builtFiles, type FileProblem, FilesError, type FixtureSet, type Layer, loadFixtures } from "../state/index.ts";
import { collectReport, isCollected } from "../tools/collect/index.ts";
import { SWEEP_VARIABLE } from "../tools/index.ts";
import type { CreateOptions, HttpsOptions, StartOptions } from "./options/options.ts";
import { version } from "./version.ts";

/** Folders of the user. Their files override the bundled ones. */
type Folders = Pick<CreateOptions, "fixtures" | "scenarios">;

/** The files of the user: the contract, and folders. */
export type Sources = Folders & Pick<CreateOptions, "contract" | "behaviour" | "noCache">;

/** Returns the service of a contract, which is the built-in one by default. Throws FilesError for an unreadable document. */
export async function loadService({ contract, ...options }: Sources): Promise<Service> {
  if (contract === undefined) return defaultService;
  const { DocumentError, loadContract } = await import("../openapi/index.ts");
  const problemOf = ({ file, line, column, message }: DocumentProblem, pointer = ""): FileProblem => {
    return { file: [file, line, column].filter((part) => part !== undefined).join(":"), pointer, message };
  };
  try {
    const { warnings, files, ...service } = await loadContract(contract, options);
    return { ...service, warnings: warnings.map((each) => problemOf(each)), sources: files };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw new FilesError(error.problems.map((each) => problemOf(each, each.pointer)));
  }
}

/** The service, and the files that are valid against its contract. */
export interface Files extends Service {
  readonly fixtures: FixtureSet;
  readonly scenarios: ScenarioSet;
  /** The files of the user that have no effect, because of their names. */
  readonly ignored: readonly FileProblem[];
  /** The numbers of items in the folders of the user, or else of the bundled ones. */
  readonly own: { readonly fixtures: number; readonly resources: number; readonly scenarios: number };
}

/** Returns the layers of files by kind: the bundled files first, then the folder of the user, which overrides them. */
export function layersOf(folders: Folders, { isBuiltIn, ownScenarios }: Service): Record<keyof Folders, Layer[]> {
  // The folder of the package. `URL` is another one in DOM environments.
  const bundled = join(import.meta.dirname, typeof IS_BUILT === "undefined" ? "../../" : "../");
  // The build has validated these files against the contract of the built-in service.
  const built = isBuiltIn ? builtFiles() : undefined;
  const layers = (kind: keyof Folders): Layer[] => {
    const own = folders[kind];
    const lowest = { directory: bundled + kind, label: kind, checked: built?.[kind], isOptional: !isBuiltIn };
    const ofService = { directory: "", label: kind, checked: ownScenarios, isOptional: true };
    return [
      ...(isBuiltIn || kind === "scenarios" ? [lowest] : []),
      ...(ownScenarios && kind === "scenarios" ? [ofService] : []),
      ...(own === undefined ? [] : [{ directory: own, label: own.replace(/\/+$/, ""), bundled: built?.[kind] }]),
    ];
  };
  return { fixtures: layers("fixtures"), scenarios: layers("scenarios") };
}

/** Loads and validates all files. Throws FilesError, which lists every problem of fixtures and of scenarios. */
export async function readFiles(sources: Sources = {}, given?: Service): Promise<Files> {
  const service = given ?? (await loadService(sources));
  const { contract } = service;
  const layers = layersOf(sources, service);
  const { fixtures, ...found } = await loadFixtures(contract, layers.fixtures);
  const { scenarios, ...more } = await loadScenarios(layers.scenarios, { contract, fixtures });
  const problems = [...found.problems, ...more.problems];
  if (!scenarios || problems.length > 0) throw new FilesError(problems);
  const ignored = [...found.ignored, ...more.ignored];
  return { ...service, fixtures, scenarios, ignored, own: { ...found.own, scenarios: more.own } };
}

/**
 * Returns an engine with these options and its files, and loads its projects. `home` keeps its projects, unless it is the
 * folder in the options. Throws FilesError, which lists every problem, and an Error if another server uses the folder of the
 * projects. Call `close()` of the engine at the end.
 */
async function loadEngine(
  options: CreateOptions,
  labels: Labels,
  service: Service | undefined,
  home?: Home,
): Promise<{ engine: Engine; files: Files }> {
  const { settings = {}, upstream: url, upstreamCa: ca, upstreamTimeout: timeout, recordTo, projects } = options;
  // An undefined setting must not override the default.
  const set = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const upstream =
    url === undefined
      ? undefined
      : await (await import("../http/upstream/index.ts")).createUpstream({ url, ca, timeout, recordTo });
  const files = await readFiles(options, service);
  const unknown = options.scenario?.find((name) => !files.scenarios.has(name));
  if (unknown !== undefined) throw new Error(`${labels.scenario}: ${unknownScenario(unknown, files.scenarios)}`);
  const folder = process.env[SWEEP_VARIABLE];
  const sweep = folder ? await (await import("../tools/sweep-run/index.ts")).openSweepRun(folder, files) : undefined;
  const folderHome = projects === undefined ? undefined : await openProjects(projects, options.projectsReadOnly);
  const engine = createEngine({ ...options, settings: set, ...files, upstream, sweep, home: folderHome ?? home });
  await folderHome?.load();
  return { engine, files };
}

async function openProjects(folder: string, readOnly = false) {
  const { InitialProjects, ProjectFiles } = await import("../homes/files/index.ts");
  const warn = (line: string) => void process.stderr.write(`resource-mock: ${line}\n`);
  return new (readOnly ? InitialProjects : ProjectFiles)(folder, warn);
}

/** The `url` of a mock without a socket. */
export const NOWHERE = "http://resource-mock";

/** A mock that has loaded its files and projects, and listens unless it has no socket. */
export type RunningMock = Awaited<ReturnType<typeof runMock>>;

/** Options as users write them, for errors. */
const optionNames = { projects: "projects", recordTo: "recordTo", report: "report", scenario: "scenario" };
type Labels = Readonly<typeof optionNames>;

interface Surroundings {
  /** Whether the mock listens; true by default. */
  readonly hasSocket?: boolean;
  /** Opens the home of the projects, if it is neither the memory nor the folder in the options. */
  openHome?(): Promise<Home>;
  /** Called before the mock listens. */
  prepare?(engine: Engine, files: Files): Promise<void>;
  readonly labels?: Labels;
  /** The built-in service by default. */
  readonly service?: Service;
}

/** Creates the folders that the mock writes to. Throws an Error for a folder that cannot be written. */
async function prepareFolders(options: StartOptions, labels: Labels): Promise<void> {
  const { projects, projectsReadOnly, recordTo, report } = options;
  const folders = Object.entries({ projects: projectsReadOnly ? undefined : projects, recordTo, report });
  for (const [option, folder] of folders) {
    if (folder === undefined) continue;
    const { prepareFolder } = await import("../journal/reports/index.ts");
    await prepareFolder(labels[option as keyof Labels], folder);
  }
}

/**
 * Runs a mock, for the command and the libraries. Throws FilesError for invalid files, and an Error if a report cannot be
 * written or the port is in use.
 */
export async function runMock(
  options: StartOptions,
  { hasSocket = true, openHome, prepare, labels = optionNames, service }: Surroundings = {},
) {
  const { port = 0, host = "127.0.0.1", adminToken, allowedHosts, report, https: secure, cors = "*" } = options;
  const https = secure ? await httpsOptions(secure === true ? {} : secure, host) : undefined;
  await prepareFolders(options, labels);
  const home = await openHome?.();
  const { engine, files } = await loadEngine(options, labels, service, home).catch(async (error: unknown) => {
    await home?.close();
    throw error;
  });
  const { caCertificate } = https ?? {};
  // In jsdom and happy-dom, a client under test runs in a page of another origin. So by default, all pages may call the
  // service, and only pages of this machine the control API (decision 0013).
  const origins = cors === false ? undefined : corsOf(cors, options.cors === undefined ? undefined : adminToken);
  const { controls } = files;
  const app = createApp(engine, { version, controls, adminToken, allowedHosts, cors: origins, caCertificate, pages });
  try {
    await prepare?.(engine, files);
    const server = hasSocket ? await listen(app, { port, host, https, contract: engine.contract }) : undefined;
    const url = server?.url ?? NOWHERE;
    let closing: Promise<void> | undefined;
    const close = async () => {
      engine.drain();
      await server?.close();
      // Set by a reporter in this process.
      if (isCollected(process)) {
        collectReport(process, url, reportOfCoverage(engine.projects.coverageSinceStart(), engine.contract));
      }
      try {
        if (report === undefined) return;
        await engine.home.withAll(() => writeReportAtStop(engine, report));
      } catch (error) {
        throw new Error(`${labels.report}: ${(error as Error).message}`, { cause: error });
      } finally {
        await engine.close();
      }
    };
    return {
      engine,
      app,
      url,
      /** The port of `url`; 0 without a socket. */
      port: server?.port ?? 0,
      httpsUrl: server?.httpsUrl,
      caCertificate,
      /** Completes the requests in progress, writes the reports, and keeps or deletes the projects. */
      close(): Promise<void> {
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
  await writeReports(reportOfCoverage(engine.projects.coverageSinceStart(), engine.contract), filesIn(folder));
  const { harPieces } = await import("../journal/har/index.ts");
  const requests = [...engine.projects.all()].flatMap(({ key, journal }) =>
    journal.list().map((exchange) => ({ exchange, project: key })),
  );
  requests.sort((a, b) => a.exchange.arrival - b.exchange.arrival);
  const { writeWhole } = await import("../journal/reports/index.ts");
  await writeWhole(join(folder, "journal.har"), harPieces(requests, { version }));
}

async function httpsOptions({ port = 0, ...options }: HttpsOptions, host: string) {
  const { loadIdentity } = await import("../http/tls/index.ts");
  return { ...(await loadIdentity(options, host)), port };
}
