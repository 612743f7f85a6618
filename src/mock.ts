import type { Contract } from "./contract/contract.ts";
import { serviceContract } from "./contract/service-contract.ts";
import { createEngine, type Engine, type EngineOptions } from "./engine/engine.ts";
import { type FileProblem, FilesError } from "./fixtures/file-problem.ts";
import type { FixtureSet } from "./fixtures/fixture-set.ts";
import { type Layer, loadFixtures } from "./fixtures/load.ts";
import { builtFiles } from "./fixtures/shipped.ts";
import { packageFolder } from "./package-files.ts";
import type { ScenarioSet } from "./scenarios/compile.ts";
import { loadScenarios } from "./scenarios/load.ts";

/** A user's own folders, each laid over the shipped one, file by file. */
export interface Folders {
  fixtures?: string;
  scenarios?: string;
}

export interface MockOptions
  extends Pick<EngineOptions, "scenario" | "settings" | "seed" | "maxStateBytes" | "maxProjects" | "clients" | "now">,
    Folders {}

/** The contract, and the files that have been validated against it. */
export interface Files {
  readonly contract: Contract;
  readonly fixtures: FixtureSet;
  readonly scenarios: ScenarioSet;
}

/** The layers of files by kind: the shipped ones, and a user's own folder over them. */
export function layersOf(folders: Folders): Record<keyof Folders, Layer[]> {
  const shipped = packageFolder();
  const built = builtFiles();
  const layers = (kind: keyof Folders): Layer[] => {
    const own = folders[kind];
    const lowest = { directory: shipped + kind, label: kind, checked: built?.[kind] };
    return own === undefined
      ? [lowest]
      : [lowest, { directory: own, label: own.replace(/\/+$/, ""), shipped: built?.[kind] }];
  };
  return { fixtures: layers("fixtures"), scenarios: layers("scenarios") };
}

/**
 * Loads and checks all files; with any problem there are none. Scenarios are checked beside broken fixtures too, as far
 * as they name them.
 */
export async function loadFiles(
  folders: Folders,
): Promise<{ files: Files; problems: [] } | { files: undefined; problems: FileProblem[] }> {
  const layers = layersOf(folders);
  const { fixtures, problems } = await loadFixtures(serviceContract, layers.fixtures);
  const { scenarios, problems: more } = await loadScenarios(layers.scenarios, { contract: serviceContract, fixtures });
  const all = [...problems, ...more];
  return scenarios && all.length === 0
    ? { files: { contract: serviceContract, fixtures, scenarios }, problems: [] }
    : { files: undefined, problems: all };
}

/** Loads and checks all files. Throws FilesError, which lists every problem. */
export async function readFiles(folders: Folders = {}): Promise<Files> {
  const { files, problems } = await loadFiles(folders);
  if (!files) throw new FilesError(problems);
  return files;
}

/** Loads and checks fixtures. Throws FilesError, which lists every problem. */
export async function readFixtures(directory: string | undefined): Promise<FixtureSet> {
  const { fixtures, problems } = await loadFixtures(serviceContract, layersOf({ fixtures: directory }).fixtures);
  if (problems.length > 0) throw new FilesError(problems);
  return fixtures;
}

/** The engine that these options ask for, its files read and checked. */
export async function loadEngine({ fixtures, scenarios, settings = {}, ...options }: MockOptions): Promise<Engine> {
  // One that is undefined is not set: it leaves the default as it is.
  const set = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return createEngine({
    ...options,
    settings: set,
    ...(await readFiles({ fixtures, scenarios })),
  });
}
