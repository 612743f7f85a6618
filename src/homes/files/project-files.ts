import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { HomeHealth } from "../../engine/index.ts";
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
import { FilesHome, prepareFolder, removeUnfinished } from "./files-home.ts";
import { type Lock, lockFolder } from "./folder-lock.ts";
import { appendLines, replaceFile, syncFolder, type Written } from "./line-file.ts";
import { fileNameOf, isHashed } from "./names.ts";
import { createSaver, type Saver } from "./saver.ts";

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

/**
 * Keeps each project as a file in this folder: appends the changed lines of changed projects, and deletes the files of
 * closed ones. A file that cannot be restored stays beside them, with the extension `.unreadable`. `warn` receives a line
 * when projects cannot be saved, and when they are saved again.
 */
export class ProjectFiles extends FilesHome {
  readonly #saver: Saver;
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
    await prepareFolder(folder);
    this.#lock = await lockFolder(folder);
    try {
      await removeUnfinished(folder);
      const loaded = await this.restoreFiles();
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

/** The extension of a file that cannot be restored. */
const UNREADABLE = ".unreadable";
