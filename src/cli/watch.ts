import { type FSWatcher, watch } from "node:fs";
import type { Engine } from "../engine/engine.ts";
import { problemLine } from "../fixtures/file-problem.ts";
import { type Layer, loadFixtures } from "../fixtures/load.ts";

/** Editors write a file in several steps: a change is read once the folder has been quiet this long (milliseconds). */
const QUIET_MS = 50;

/**
 * Loads the fixtures anew whenever a file of a layer changes. A broken set is not taken: the last good one goes on
 * answering, and `say` tells what is wrong.
 */
export function watchFixtures(
  engine: Engine,
  layers: readonly Layer[],
  say: (line: string) => void,
): { close(): void } {
  let timer: NodeJS.Timeout | undefined;
  let loading = Promise.resolve();

  async function reload(): Promise<void> {
    const { fixtures, problems } = await loadFixtures(layers);
    if (fixtures) {
      engine.useFixtures(fixtures);
      say("resource-mock: fixtures reloaded");
    } else {
      for (const problem of problems) say(`resource-mock: ${problemLine(problem)}`);
      say("resource-mock: kept the last good fixtures");
    }
  }

  const watchers: FSWatcher[] = layers.map(({ directory }) =>
    watch(directory, { recursive: true, persistent: false }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        loading = loading.then(reload);
      }, QUIET_MS);
    }).on("error", () => say(`resource-mock: ${directory} can no longer be watched`)),
  );
  return {
    close() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
