import { readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ServiceError, shown } from "../../contract/index.ts";
import type { Engine } from "../../engine/index.ts";
import { FilesError } from "../../state/index.ts";
import { type Archive, readArchive, restoreArchive } from "../index.ts";
import { isTemporaryFile, targetOf } from "./line-file.ts";
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

/** Reads a file, which has or will have this name. */
async function read(folder: string, file: string, name = file): Promise<Loaded> {
  const archive = await readArchive(await readFile(join(folder, file)), { isFile: true });
  if (!isHashed(name)) return { key: keyOf(name), name, archive };
  const { key } = archive;
  if (key !== undefined && fileNameOf(key) === name) return { key, name, archive };
  throw new Error(`/key: expected the project key of this file, found ${shown(key)}`);
}

function messageOf(error: Error): string {
  if (error instanceof ServiceError || !("code" in error)) return error.message;
  return `expected a file that this process can read, found ${error.code}`;
}

/**
 * Completes the saves of a server that was killed. A file that was written completely replaces the older one: the server
 * was killed while the disk stored it. Other unfinished files are deleted.
 */
export async function completeSaves(folder: string): Promise<void> {
  for (const name of (await filesIn(folder)).filter(isTemporaryFile)) {
    const target = targetOf(name);
    const isComplete = await read(folder, name, target).then(
      () => true,
      () => false,
    );
    if (isComplete) await rename(join(folder, name), join(folder, target));
    else await rm(join(folder, name), { force: true });
  }
}
