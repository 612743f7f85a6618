import { access, constants, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ServiceError, shown } from "../../contract/index.ts";
import { type HomeHealth, MemoryHome } from "../../engine/index.ts";
import { FilesError } from "../../state/index.ts";
import { type Archive, readArchive, restoreArchive } from "../index.ts";
import { isTemporaryFile } from "./line-file.ts";
import { fileNameOf, isHashed, isProjectFile, keyOf } from "./names.ts";

/** A project that was restored from its file. */
interface Loaded {
  readonly key: string;
  /** The name of the file. */
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
   * with the project of another file, are unreadable. Throws FilesError if the folder cannot be read.
   */
  protected async restoreFiles(): Promise<Iterable<Loaded>> {
    const { folder } = this;
    const loaded = new Map<string, Loaded>();
    for (const name of (await filesIn(folder)).filter(isProjectFile).sort()) {
      try {
        const project = await read(folder, name);
        const other = loaded.get(project.key);
        if (other) {
          throw new Error(`expected a project of its own, found ${shown(project.key)}, which ${other.name} has too`);
        }
        await restoreArchive(this.engine, project.key, project.archive);
        loaded.set(project.key, project);
      } catch (error) {
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

/** Returns the names of the regular files in a folder: reading a pipe would never end. Throws FilesError. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(({ code }: NodeJS.ErrnoException) => {
    const found = code === "ENOENT" ? "none" : code === "ENOTDIR" ? "a file" : code;
    throw new FilesError([
      { file: folder, pointer: "", message: `expected a folder that this process can read, found ${found}` },
    ]);
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

/** Deletes the unfinished files of a server that was killed. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await filesIn(folder)) if (isTemporaryFile(name)) await rm(join(folder, name), { force: true });
}

/** Creates the folder if it is missing. Throws an Error if this process cannot write files into it. */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`expected a folder that this process can write to, found ${shown(folder)} (${code})`);
  }
}
