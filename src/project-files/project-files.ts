import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { archivePieces, restoreArchive } from "../archive/archive.ts";
import type { Engine } from "../engine/engine.ts";
import type { ChangeLog } from "../projects/change-log.ts";
import type { Project } from "../projects/project.ts";
import { prepareFolder } from "../writable-folder.ts";
import { withKey } from "./key-member.ts";
import { completeSaves, restoreAll } from "./load.ts";
import { lockFolder } from "./lock.ts";
import { fileNameOf, isHashed } from "./names.ts";
import { createSaver } from "./saver.ts";
import { replaceFile, syncFolder } from "./write.ts";

/** The files of the projects of an engine. */
export interface ProjectFiles {
  /** Returns the change log of a project. Absent if the files are read-only. */
  readonly changeLog?: (projectKey: string) => ChangeLog;
  /**
   * Restores the projects of all files in the engine, and becomes its storage. Throws FilesError for an invalid file, and
   * Error if the folder cannot be used.
   */
  load(engine: Engine): Promise<void>;
}

/**
 * Keeps each project as a file in this folder: saves changed projects, and deletes the files of closed ones. `warn`
 * receives a line when projects cannot be saved, and when they are saved again.
 */
export function createProjectFiles(folder: string, warn: (line: string) => void): ProjectFiles {
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
        for (const { key, name } of await restoreAll(folder, loaded)) {
          if (name !== fileNameOf(key)) await rename(join(folder, name), fileOf(key));
        }
      } catch (error) {
        await lock.release();
        throw error;
      }
      engine = loaded;
      engine.storage = {
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
export function createInitialProjects(folder: string): ProjectFiles {
  return {
    async load(engine) {
      const files = await restoreAll(folder, engine);
      const archives = new Map(files.map(({ key, archive }) => [key, archive]));
      engine.storage = {
        initialKeys: [...archives.keys()],
        restoreInitial(key) {
          const archive = archives.get(key);
          return archive && restoreArchive(engine, key, archive);
        },
      };
    },
  };
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
