import { type FSWatcher, watch } from "node:fs";
import type { Engine } from "../engine/engine.ts";
import { problemLine } from "../fixtures/file-problem.ts";
import { type Folders, layersOf, loadFiles } from "../mock.ts";

/** Editors write a file in several steps: a change is read once the folder has been quiet this long (milliseconds). */
const QUIET_MS = 50;

/**
 * Loads fixtures and scenarios anew whenever a file of theirs changes. A broken set is not taken: the last good one goes
 * on answering, and `say` tells what is wrong.
 */
export function watchFiles(engine: Engine, folders: Folders, say: (line: string) => void): { close(): void } {
  let timer: NodeJS.Timeout | undefined;
  let loading = Promise.resolve();

  async function reload(): Promise<void> {
    const { files, problems } = await loadFiles(folders);
    if (files) {
      engine.useFixtures(files.fixtures);
      engine.useScenarios(files.scenarios);
      say("resource-mock: fixtures and scenarios reloaded");
    } else {
      for (const problem of problems) say(`resource-mock: ${problemLine(problem)}`);
      say("resource-mock: kept the last good fixtures and scenarios");
    }
  }

  const { fixtures, scenarios } = layersOf(folders);
  // What is built in does not change.
  const watched = [...fixtures, ...scenarios].filter(({ checked }) => !checked);
  const watchers: FSWatcher[] = watched.map(({ directory }) =>
    watch(directory, { recursive: true, persistent: false }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        loading = loading.then(reload).catch((error: Error) => {
          say(`resource-mock: fixtures and scenarios cannot be loaded: ${error.message}`);
        });
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
