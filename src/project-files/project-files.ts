import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { archivePieces, restoreArchive } from "../archive/archive.ts";
import type { Engine, ProjectStorage } from "../engine/engine.ts";
import type { ChangeLog } from "../projects/change-log.ts";
import type { Project } from "../projects/project.ts";
import { prepareFolder } from "../writable-folder.ts";
import { withKey } from "./key-member.ts";
import { completeSaves, restoreAll, type Unreadable } from "./load.ts";
import { lockFolder } from "./lock.ts";
import { fileNameOf, isHashed } from "./names.ts";
import { createSaver } from "./saver.ts";
import { replaceFile, syncFolder } from "./write.ts";

/** The files of the projects of an engine. */
export interface ProjectFiles {
  /** Returns the change log of a project. Absent if the files are read-only. */
  readonly changeLog?: (projectKey: string) => ChangeLog;
  /**
   * Restores the projects of all files in the engine, and becomes its storage. A file that cannot be restored stays beside
   * them, with the extension `.unreadable`. Throws an Error if the folder cannot be used.
   */
  load(engine: Engine): Promise<void>;
}

/**
 * Keeps each project as a file in this folder: saves changed projects, and deletes the files of closed ones. `warn`
 * receives a line when projects cannot be saved, and when they are saved again.
 */
export function createProjectFiles(folder: string, warn: (line: string) => void): ProjectFiles {
  let unreadable: readonly Unreadable[] = [];
  /** Undefined until the projects are restored. Until then, changes come from the files. */
  let engine: Engine | undefined;
  const fileOf = (key: string) => join(folder, fileNameOf(key));
  const problemOf = (key: string, error: Error) => `${fileOf(key)}: ${reasonOf(error)}`;

  const saver = createSaver({
    async save(key) {
      const project = engine?.projects.find(key);
      if (project) await replaceFile(fileOf(key), await piecesOf(project));
      else await rm(fileOf(key), { force: true });
      await syncFolder(folder);
    },
    onFailure(key, error) {
      const problem = problemOf(key, error);
      // A full disk fails the saves of all projects. One line is enough.
      if (saver.failed.size === 1) warn(`warning: changes of projects are not saved: ${problem}`);
      engine?.feed.publish("storage", key, { change: "failed", problem });
    },
    onRecovery(key) {
      if (saver.failed.size === 0) warn("all changes of projects are saved again");
      engine?.feed.publish("storage", key, { change: "recovered" });
    },
  });
  const note = (key: string) => {
    if (engine) saver.note(key);
  };

  return {
    changeLog(key) {
      // A reset creates a project too. Its state differs from the file.
      note(key);
      return {
        note: () => note(key),
        record(_exchange, add) {
          add();
          note(key);
        },
      };
    },
    async load(loaded) {
      await prepareFolder(folder);
      const lock = await lockFolder(folder);
      try {
        await completeSaves(folder);
        const files = await restoreAll(folder, loaded);
        unreadable = files.unreadable;
        for (const { name } of unreadable) await rename(join(folder, name), join(folder, name + UNREADABLE));
        for (const { key, name } of files.loaded) {
          if (name !== fileNameOf(key)) await rename(join(folder, name), fileOf(key));
        }
      } catch (error) {
        await lock.release();
        throw error;
      }
      warnOf(unreadable, warn);
      engine = loaded;
      engine.storage = {
        unreadable: problemsOf(unreadable),
        get unsaved() {
          const [first] = saver.failed;
          return first && { projects: saver.failed.size, problem: problemOf(...first) };
        },
        async close() {
          await saver.close();
          await lock.release();
        },
      };
    },
  };
}

/** Restores projects from the files in this folder, at the start and at each reset. Writes nothing. */
export function createInitialProjects(folder: string, warn: (line: string) => void): ProjectFiles {
  return {
    async load(engine) {
      const { loaded, unreadable } = await restoreAll(folder, engine);
      const archives = new Map(loaded.map(({ key, archive }) => [key, archive]));
      warnOf(unreadable, warn);
      engine.storage = {
        unreadable: problemsOf(unreadable),
        initialKeys: [...archives.keys()],
        restoreInitial(key) {
          const archive = archives.get(key);
          return archive && restoreArchive(engine, key, archive);
        },
      };
    },
  };
}

/** The extension of a file that cannot be restored. */
const UNREADABLE = ".unreadable";

function warnOf(unreadable: readonly Unreadable[], warn: (line: string) => void): void {
  for (const { problem } of unreadable) warn(`warning: a project is not restored: ${problem}`);
}

function problemsOf([first, ...others]: readonly Unreadable[]): ProjectStorage["unreadable"] {
  return first && { projects: others.length + 1, problem: first.problem };
}

/** Returns the text of the file of a project. */
async function piecesOf(project: Project): Promise<Iterable<string>> {
  const pieces = await archivePieces(project);
  return isHashed(fileNameOf(project.key)) ? withKey(project.key, pieces) : pieces;
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file is larger than this process may write",
  EROFS: "the file system is read-only",
};

/** Returns why a file cannot be written, with the code of the error. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  const reason = code === undefined ? undefined : reasons[code];
  return reason === undefined ? message : `${reason} (${code})`;
}
