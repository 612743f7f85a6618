import { readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ServiceError, shown } from "../../contract/index.ts";
import { type HomeHealth, MemoryHome } from "../../engine/index.ts";
import type { Project, ProjectValue } from "../../project/index.ts";
import { ActiveRules } from "../../rules/index.ts";
import { FilesError } from "../../state/index.ts";
import {
  type Archive,
  firstLines,
  type Line,
  type LineOptions,
  linesOf,
  OtherContract,
  readArchive,
  restoreArchive,
  withScenariosOfAll,
} from "../index.ts";
import { type Lock, lockFolder } from "./folder-lock.ts";
import {
  appendLines,
  fileNameOf,
  isHashed,
  isProjectFile,
  isTemporaryFile,
  keyOf,
  replaceFile,
  syncFolder,
  type Written,
} from "./project-file.ts";
import { createSaver } from "./saver.ts";

export { lockFolder };

/*
 * The homes that restore projects from the files in a folder.
 */

/** A project that was restored from the file of this name. */
interface Loaded {
  readonly key: string;
  readonly name: string;
  readonly archive: Archive;
}

/** A home that loads its projects from the files in a folder. `warn` receives a line for each file without a project. */
export abstract class FilesHome extends MemoryHome {
  protected readonly folder: string;
  protected readonly warn: (line: string) => void;
  /** The files that are not restored: the reasons with their paths, by name. */
  protected readonly unreadable = new Map<string, string>();

  constructor(folder: string, warn: (line: string) => void) {
    super();
    this.folder = folder;
    this.warn = warn;
  }

  /** Restores the projects of all files in the engine. Throws an Error if the folder cannot be used. */
  abstract load(): Promise<void>;

  /**
   * Restores the projects of all files in the folder, in the order of their names. Files that are not archives, and those
   * with the project of another file, are unreadable. With `continues`, their requests count for the coverage of the server.
   * Throws FilesError if the folder cannot be read, or has a project of another contract.
   */
  protected async restoreFiles(continues = false): Promise<Iterable<Loaded>> {
    const { folder } = this;
    const loaded = new Map<string, Loaded>();
    for (const name of (await filesIn(folder)).filter(isProjectFile).sort()) {
      try {
        const project = await read(folder, name);
        const other = loaded.get(project.key);
        if (other) {
          throw new Error(`expected a project of its own, found ${shown(project.key)}, which ${other.name} has too`);
        }
        await restoreArchive(this.engine, project.key, project.archive, undefined, continues);
        loaded.set(project.key, project);
      } catch (error) {
        if (error instanceof OtherContract) {
          throw new FilesError([{ file: join(folder, name), pointer: "", message: error.message }]);
        }
        const problem = `${join(folder, name)}: ${messageOf(error as Error)}`;
        this.unreadable.set(name, problem);
        this.warn(`warning: a project is not restored: ${problem}`);
      }
    }
    return loaded.values();
  }

  override get health(): HomeHealth {
    const [problem] = this.unreadable.values();
    return problem === undefined ? {} : { unreadable: { projects: this.unreadable.size, problem } };
  }
}

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
/** The extension of a file that cannot be restored. */
const UNREADABLE = ".unreadable";

/**
 * Keeps each project as a file in this folder: appends the changed lines of changed projects, and deletes the files of
 * closed ones. A file that cannot be restored stays beside them, with the extension `.unreadable`. `warn` receives a line
 * when projects cannot be saved, and when they are saved again.
 */
export class ProjectFiles extends FilesHome {
  readonly #saver: ReturnType<typeof createSaver>;
  readonly #saved = new Map<string, Saved>();
  #lock: Lock | undefined;
  /** Whether the projects are restored. Until then, changes come from the files. */
  #isLoaded = false;

  constructor(folder: string, warn: (line: string) => void) {
    super(folder, warn);
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
    const { folder } = this;
    this.#lock = await lockFolder(folder);
    try {
      const unfinished = (await filesIn(folder)).filter(isTemporaryFile);
      for (const name of unfinished) await rm(join(folder, name), { force: true });
      const loaded = await this.restoreFiles(true);
      for (const name of this.unreadable.keys()) await rename(join(folder, name), join(folder, name + UNREADABLE));
      for (const { key, name } of loaded) {
        if (name !== fileNameOf(key)) await rename(join(folder, name), this.#fileOf(key));
      }
    } catch (error) {
      await this.#lock.release();
      throw error;
    }
    this.#isLoaded = true;
  }

  override onChange({ key }: Project): void {
    if (this.#isLoaded) this.#saver.note(key);
  }

  override get health(): HomeHealth {
    const { failed } = this.#saver;
    const [first] = failed;
    return {
      ...super.health,
      ...(first && { unsaved: { projects: failed.size, problem: this.#problemOf(...first) } }),
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
      await syncFolder(this.folder);
      return;
    }
    const value = withScenariosOfAll(project.share(), project.activeForAll);
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
    const first = firstLines(this.engine.contract, own);
    const written = await replaceFile(file, first, linesOf(value, PUBLIC));
    await syncFolder(this.folder);
    this.#saved.set(key, { project, value, whole: written.size, written });
  }

  #fileOf(key: string): string {
    return join(this.folder, fileNameOf(key));
  }

  #problemOf(key: string, error: Error): string {
    return `${this.#fileOf(key)}: ${error.message}`;
  }
}

/** The scenarios of all projects are lines of each project. */
const PUBLIC: LineOptions = { activeForAll: ActiveRules.none, isPublic: true };

/** Restores projects from the files in this folder, at the start and at each reset. Writes nothing. */
export class InitialProjects extends FilesHome {
  readonly #archives = new Map<string, Archive>();

  async load(): Promise<void> {
    for (const { key, archive } of await this.restoreFiles()) this.#archives.set(key, archive);
  }

  override restoreInitial(key: string): Promise<void> | undefined {
    const archive = this.#archives.get(key);
    return archive && restoreArchive(this.engine, key, archive);
  }

  override async resetAll(): Promise<void> {
    await super.resetAll();
    for (const key of this.#archives.keys()) await this.restoreInitial(key);
  }
}

/** Returns the names of the regular files in a folder: reading a pipe would never end. Throws FilesError. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(({ code }: NodeJS.ErrnoException) => {
    const found = code === "ENOENT" ? "none" : code === "ENOTDIR" ? "a file" : code;
    const message = `expected a folder that this process can read, found ${found}`;
    throw new FilesError([{ file: folder, pointer: "", message }]);
  });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function read(folder: string, name: string): Promise<Loaded> {
  const archive = await readArchive(await readFile(join(folder, name)), { isFile: true });
  if (!isHashed(name)) return { key: keyOf(name), name, archive };
  const { key } = archive;
  if (key !== undefined && fileNameOf(key) === name) return { key, name, archive };
  throw new Error(`/key: expected the project key of this file, found ${shown(key)}`);
}

function messageOf(error: Error): string {
  if (error instanceof ServiceError || !("code" in error)) return error.message;
  return `expected a file that this process can read, found ${error.code}`;
}
