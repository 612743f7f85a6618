import { join } from "node:path";
import { type Contract, serviceContract } from "../contract/index.ts";
import { createEngine, type Engine, type Home, type Upstream } from "../engine/index.ts";
import type { FilesHome } from "../homes/files/index.ts";
import type { UpstreamOptions } from "../http/upstream/index.ts";
import { loadScenarios, type ScenarioSet } from "../rules/index.ts";
import { builtFiles, FilesError, type FixtureSet, type Layer, loadFixtures } from "../state/index.ts";
import { SWEEP_VARIABLE } from "../tools/index.ts";
import type { CreateOptions } from "./options/options.ts";

/** Folders of the user. Their files override the bundled ones. */
export type Folders = Pick<CreateOptions, "fixtures" | "scenarios">;

/** The contract, and the files that are valid against it. */
export interface Files {
  readonly contract: Contract;
  readonly fixtures: FixtureSet;
  readonly scenarios: ScenarioSet;
}

/** Returns the layers of files by kind: the bundled files first, then the folder of the user, which overrides them. */
export function layersOf(folders: Folders): Record<keyof Folders, Layer[]> {
  // The folder of the package. `URL` is another one in DOM environments.
  const bundled = join(import.meta.dirname, typeof IS_BUILT === "undefined" ? "../../" : "../");
  const built = builtFiles();
  const layers = (kind: keyof Folders): Layer[] => {
    const own = folders[kind];
    const lowest = { directory: bundled + kind, label: kind, checked: built?.[kind] };
    return own === undefined
      ? [lowest]
      : [lowest, { directory: own, label: own.replace(/\/+$/, ""), bundled: built?.[kind] }];
  };
  return { fixtures: layers("fixtures"), scenarios: layers("scenarios") };
}

/** Loads and validates all files. Throws FilesError, which lists every problem of fixtures and of scenarios. */
export async function readFiles(folders: Folders = {}): Promise<Files> {
  const layers = layersOf(folders);
  const { fixtures, problems } = await loadFixtures(serviceContract, layers.fixtures);
  const { scenarios, problems: more } = await loadScenarios(layers.scenarios, { contract: serviceContract, fixtures });
  const all = [...problems, ...more];
  if (!scenarios || all.length > 0) throw new FilesError(all);
  return { contract: serviceContract, fixtures, scenarios };
}

/**
 * Returns an engine with these options, and loads its files and projects. `home` keeps its projects, unless it is the
 * folder in the options. Throws FilesError, which lists every problem, and an Error if another server uses the folder of the projects.
 * Call `close()` of the engine at the end.
 */
export async function loadEngine(options: CreateOptions, home?: Home): Promise<Engine> {
  const { fixtures, scenarios, settings = {} } = options;
  const { upstream: url, upstreamCa: ca, upstreamTimeout: timeout, recordTo, projects, projectsReadOnly } = options;
  // An undefined setting must not override the default.
  const set = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  // First, as it creates the folder for recorded fixtures, which can also be the folder of fixtures.
  const upstream = url === undefined ? undefined : await openUpstream({ url, ca, timeout, recordTo });
  const files = await readFiles({ fixtures, scenarios });
  const folder = process.env[SWEEP_VARIABLE];
  const sweep = folder ? await (await import("../tools/sweep-run/index.ts")).openSweepRun(folder, files) : undefined;
  const folderHome = projects === undefined ? undefined : await openProjects(projects, projectsReadOnly);
  const engine = createEngine({ ...options, settings: set, ...files, upstream, sweep, home: folderHome ?? home });
  await folderHome?.load();
  return engine;
}

async function openProjects(folder: string, readOnly = false): Promise<FilesHome> {
  const { InitialProjects, ProjectFiles } = await import("../homes/files/index.ts");
  const warn = (line: string) => void process.stderr.write(`resource-mock: ${line}\n`);
  return new (readOnly ? InitialProjects : ProjectFiles)(folder, warn);
}

async function openUpstream(options: UpstreamOptions): Promise<Upstream> {
  const { createUpstream } = await import("../http/upstream/index.ts");
  return createUpstream(options);
}
