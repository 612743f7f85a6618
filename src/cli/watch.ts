import { existsSync, type FSWatcher, type Stats, unwatchFile, watch, watchFile } from "node:fs";
import { dirname, join } from "node:path";
import type { Engine } from "../engine/index.ts";
import { layersOf, readFiles, type Sources } from "../library/index.ts";
import type { Service } from "../services/index.ts";
import { FilesError, firstProblem, problemLine } from "../state/index.ts";

/** Time without changes before files are reloaded, in milliseconds. Editors write a file in several steps. */
const QUIET_MS = 50;
/** Time between checks whether a folder was created again, in milliseconds. */
const FOLDER_CHECK_MS = 500;

/**
 * Reloads the contract, fixtures and scenarios when their files change. If a file is invalid, the engine keeps the last
 * valid files. Writes the result of each reload to `log`.
 *
 * @param service the service of the engine, with the files of its contract
 */
export function watchFiles(
  engine: Engine,
  sources: Sources,
  service: Service,
  log: (line: string) => void,
): { close(): void } {
  const loaded = sources.contract === undefined ? "fixtures and scenarios" : "contract, fixtures and scenarios";
  let timer: NodeJS.Timeout | undefined;
  let loading = Promise.resolve();

  async function reload(): Promise<void> {
    try {
      const { contract, fixtures, scenarios, ignored, sources: files = [] } = await readFiles(sources);
      documents = new Set(files);
      if (ignored.length > 0) log(`resource-mock: warning: ${firstProblem(ignored)}`);
      engine.useFixtures(fixtures, contract);
      engine.useScenarios(scenarios);
      log(`resource-mock: ${loaded} reloaded`);
    } catch (error) {
      if (!(error instanceof FilesError)) throw error;
      for (const problem of error.problems) log(`resource-mock: ${problemLine(problem)}`);
      log(`resource-mock: kept the last valid ${loaded}`);
    }
  }

  const { fixtures, scenarios } = layersOf(sources, service);
  // Files that are part of the build do not change.
  const directories = [...fixtures, ...scenarios].filter(({ checked }) => !checked).map(({ directory }) => directory);
  let documents = new Set(service.sources);
  let watchers: FSWatcher[] = [];

  function open(): void {
    for (const watcher of watchers) watcher.close();
    const ofDocuments = [...new Set([...documents].map((file) => dirname(file)))];
    watchers = [...directories, ...ofDocuments].flatMap((directory) => {
      // Other files may lie beside a document.
      const isDocument = (name: string | null) => name !== null && documents.has(join(directory, name));
      const isFolder = directories.includes(directory);
      const lose = () => log(`resource-mock: ${directory} can no longer be watched`);
      try {
        return watch(directory, { recursive: isFolder, persistent: false }, (_event, name) => {
          if (isFolder || isDocument(name)) changed();
        }).on("error", lose);
      } catch {
        // The reload reports a deleted folder, and watchFile sees when it is created again.
        if (existsSync(directory)) lose();
        return [];
      }
    });
  }

  function changed(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // On Linux, Node still watches the old file after a new one has replaced it, as editors and git do: watch again.
      open();
      loading = loading.then(reload).catch((error: Error) => {
        log(`resource-mock: ${loaded} cannot be loaded: ${error.message}`);
      });
    }, QUIET_MS);
  }

  function onStats(now: Stats, before: Stats): void {
    if (now.ino !== 0 && (now.ino !== before.ino || now.birthtimeMs !== before.birthtimeMs)) changed();
  }

  open();
  for (const directory of directories) {
    watchFile(directory, { interval: FOLDER_CHECK_MS, persistent: false }, onStats);
  }
  return {
    close() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      for (const directory of directories) unwatchFile(directory, onStats);
    },
  };
}
