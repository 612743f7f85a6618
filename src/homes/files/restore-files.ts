import { access, constants, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ServiceError, shown } from "../../contract/index.ts";
import type { Engine } from "../../engine/index.ts";
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

/** A file that is not restored, and the reason with its path. */
export interface Unreadable {
  readonly name: string;
  readonly problem: string;
}

/** The result of the restore. */
export interface Restored {
  readonly loaded: readonly Loaded[];
  readonly unreadable: readonly Unreadable[];
}

/**
 * Restores the projects of all files in the folder, in the order of their names. Returns the files that are not archives,
 * and those with the project of another file, in `unreadable`. Throws FilesError if the folder cannot be read.
 */
export async function restoreAll(folder: string, engine: Engine): Promise<Restored> {
  const loaded = new Map<string, Loaded>();
  const unreadable: Unreadable[] = [];
  for (const name of (await filesIn(folder)).filter(isProjectFile).sort()) {
    try {
      const project = await read(folder, name);
      const other = loaded.get(project.key);
      if (other)
        throw new Error(`expected a project of its own, found ${shown(project.key)}, which ${other.name} has too`);
      await restoreArchive(engine, project.key, project.archive);
      loaded.set(project.key, project);
    } catch (error) {
      unreadable.push({ name, problem: `${join(folder, name)}: ${messageOf(error as Error)}` });
    }
  }
  return { loaded: [...loaded.values()], unreadable };
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
