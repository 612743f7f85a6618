import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Home, type HomeHealth, MemoryHome } from "../../engine/index.ts";
import type { Project, ProjectValue } from "../../project/index.ts";
import { ActiveRules } from "../../rules/index.ts";
import {
  ARCHIVE_FORMAT,
  type Archive,
  type Line,
  type LineOptions,
  linesOf,
  restoreArchive,
  withScenariosOfAll,
} from "../index.ts";
import { completeSaves, restoreAll, type Unreadable } from "./load.ts";
import { type Lock, lockFolder } from "./lock.ts";
import { fileNameOf, isHashed } from "./names.ts";
import { createSaver, type Saver } from "./saver.ts";
import { prepareFolder } from "./writable-folder.ts";
import { appendLines, replaceFile, syncFolder, type Written } from "./write.ts";

/** The state of a file: the value in it, the size of the whole project when it was last written, and the file. */
interface Saved {
  /** A reset replaces the project, and starts the numbers of its requests and changes again. */
  readonly project: Project;
  readonly value: ProjectValue;
  readonly whole: number;
  readonly written: Written;
}

/** The appended bytes beyond which a file is written again as a whole, unless the project itself is larger. */
const MOST_APPENDED = 1024 * 1024;

/** A home that loads its projects from files. */
export interface FilesHome extends Home {
  /** Restores the projects of all files in the engine. Throws an Error if the folder cannot be used. */
  load(): Promise<void>;
}

/**
 * Keeps each project as a file in this folder: appends the changed lines of changed projects, and deletes the files of
 * closed ones. A file that cannot be restored stays beside them, with the extension `.unreadable`. `warn` receives a line
 * when projects cannot be saved, and when they are saved again.
 */
export class ProjectFiles extends MemoryHome implements FilesHome {
  readonly #folder: string;
  readonly #warn: (line: string) => void;
  readonly #saver: Saver;
  readonly #saved = new Map<string, Saved>();
  #unreadable: readonly Unreadable[] = [];
  #lock: Lock | undefined;
  /** Whether the projects are restored. Until then, changes come from the files. */
  #isLoaded = false;

  constructor(folder: string, warn: (line: string) => void) {
    super();
    this.#folder = folder;
    this.#warn = warn;
    this.#saver = createSaver({
      save: (key) => this.#save(key),
      onFailure: (key, error) => {
        const problem = this.#problemOf(key, error);
        // A full disk fails the saves of all projects. One line is enough.
        if (this.#saver.failed.size === 1) warn(`warning: changes of projects are not saved: ${problem}`);
        this.engine.feed.publish("storage", key, { change: "failed", problem });
      },
      onRecovery: (key) => {
        if (this.#saver.failed.size === 0) warn("all changes of projects are saved again");
        this.engine.feed.publish("storage", key, { change: "recovered" });
      },
    });
  }

  async load(): Promise<void> {
    const folder = this.#folder;
    await prepareFolder(folder);
    this.#lock = await lockFolder(folder);
    try {
      await completeSaves(folder);
      const { loaded, unreadable } = await restoreAll(folder, this.engine);
      for (const { name } of unreadable) await rename(join(folder, name), join(folder, name + UNREADABLE));
      for (const { key, name } of loaded) {
        if (name !== fileNameOf(key)) await rename(join(folder, name), this.#fileOf(key));
      }
      this.#unreadable = unreadable;
    } catch (error) {
      await this.#lock.release();
      throw error;
    }
    warnOf(this.#unreadable, this.#warn);
    this.#isLoaded = true;
  }

  override onChange({ key }: Project): void {
    if (this.#isLoaded) this.#saver.note(key);
  }

  override get health(): HomeHealth {
    const { failed } = this.#saver;
    const [first] = failed;
    const unreadable = problemsOf(this.#unreadable);
    return {
      ...(first && { unsaved: { projects: failed.size, problem: this.#problemOf(...first) } }),
      ...(unreadable && { unreadable }),
    };
  }

  override async close(): Promise<void> {
    await this.#saver.close();
    await this.#lock?.release();
    await super.close();
  }

  async #save(key: string): Promise<void> {
    const project = this.engine.projects.find(key);
    const file = this.#fileOf(key);
    if (!project) {
      this.#saved.delete(key);
      await rm(file, { force: true });
      await syncFolder(this.#folder);
      return;
    }
    const value = withScenariosOfAll(project.value, project.activeForAll);
    const saved = this.#saved.get(key);
    // A failed write can leave a part of a line behind, so the next one replaces the file.
    this.#saved.delete(key);
    if (saved?.project === project && saved.written.size - saved.whole < Math.max(saved.whole, MOST_APPENDED)) {
      const written = await appendLines(file, saved.written, linesOf(value, PUBLIC, saved.value));
      if (written) {
        this.#saved.set(key, { ...saved, value, written });
        return;
      }
    }
    const own: Line[] = isHashed(fileNameOf(key)) ? [["key", key]] : [];
    const first: Line[] = [["format", ARCHIVE_FORMAT], ...own];
    const written = await replaceFile(file, first, linesOf(value, PUBLIC));
    await syncFolder(this.#folder);
    this.#saved.set(key, { project, value, whole: written.size, written });
  }

  #fileOf(key: string): string {
    return join(this.#folder, fileNameOf(key));
  }

  #problemOf(key: string, error: Error): string {
    return `${this.#fileOf(key)}: ${reasonOf(error)}`;
  }
}

/** The scenarios of all projects are lines of each project. */
const PUBLIC: LineOptions = { activeForAll: ActiveRules.none, isPublic: true };

/** Restores projects from the files in this folder, at the start and at each reset. Writes nothing. */
export class InitialProjects extends MemoryHome implements FilesHome {
  readonly #folder: string;
  readonly #warn: (line: string) => void;
  readonly #archives = new Map<string, Archive>();
  #unreadable: readonly Unreadable[] = [];

  constructor(folder: string, warn: (line: string) => void) {
    super();
    this.#folder = folder;
    this.#warn = warn;
  }

  async load(): Promise<void> {
    const { loaded, unreadable } = await restoreAll(this.#folder, this.engine);
    for (const { key, archive } of loaded) this.#archives.set(key, archive);
    this.#unreadable = unreadable;
    warnOf(unreadable, this.#warn);
  }

  override restoreInitial(key: string): Promise<void> | undefined {
    const archive = this.#archives.get(key);
    return archive && restoreArchive(this.engine, key, archive);
  }

  override async resetAll(): Promise<void> {
    await super.resetAll();
    for (const key of this.#archives.keys()) await this.restoreInitial(key);
  }

  override get health(): HomeHealth {
    const unreadable = problemsOf(this.#unreadable);
    return unreadable ? { unreadable } : {};
  }
}

/** The extension of a file that cannot be restored. */
const UNREADABLE = ".unreadable";

function warnOf(unreadable: readonly Unreadable[], warn: (line: string) => void): void {
  for (const { problem } of unreadable) warn(`warning: a project is not restored: ${problem}`);
}

function problemsOf([first, ...others]: readonly Unreadable[]): HomeHealth["unreadable"] {
  return first && { projects: others.length + 1, problem: first.problem };
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
