import { createEngine, type Engine, type EngineOptions } from "./engine/engine.ts";
import { FilesError } from "./fixtures/file-problem.ts";
import type { FixtureSet } from "./fixtures/fixture-set.ts";
import { type Layer, loadFixtures } from "./fixtures/load.ts";
import { packageFolder } from "./package-files.ts";

export interface MockOptions extends Omit<EngineOptions, "fixtures"> {
  /** A folder of fixtures that lies over the shipped ones, file by file. */
  fixtures?: string;
}

/** The layers of fixtures: the shipped ones, and a user's own folder over them. */
export function fixtureLayers(directory: string | undefined): Layer[] {
  const shipped = { directory: `${packageFolder()}fixtures`, label: "fixtures" };
  return directory === undefined ? [shipped] : [shipped, { directory, label: directory.replace(/\/+$/, "") }];
}

/** Loads and checks fixtures. Throws FilesError, which lists every problem. */
export async function readFixtures(directory: string | undefined): Promise<FixtureSet> {
  const { fixtures, problems } = await loadFixtures(fixtureLayers(directory));
  if (!fixtures) throw new FilesError(problems);
  return fixtures;
}

/** The engine that these options ask for, its files read and checked. */
export async function loadEngine({ fixtures, ...options }: MockOptions): Promise<Engine> {
  return createEngine({ ...options, fixtures: await readFixtures(fixtures) });
}
