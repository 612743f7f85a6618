import { access, constants, lstat, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { shown } from "../../contract/index.ts";

/** Creates a folder and its missing parents. Node's `recursive` never ends in a parent that allows no folders, as /proc. */
export async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (await isFolder(folder)) return;
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || (await isFolder(parent))) throw error;
    await createFolder(parent);
    await createFolder(folder);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** Creates the folder if it is missing. Throws an Error with the label if this process cannot write files into it. */
export async function prepareFolder(label: string, folder: string): Promise<void> {
  try {
    await createFolder(folder);
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${label}: expected a folder that this process can write to, found ${shown(folder)} (${code})`);
  }
}

/**
 * Writes a file, and creates its folder. Readers see the old file or the new one, never a part. Writes into an existing
 * pipe, device or link. Throws an Error with the path.
 */
export async function writeWhole(file: string, content: string | Iterable<string>): Promise<void> {
  const isReplaced = (await lstat(file).catch(() => undefined))?.isFile() ?? true;
  const written = isReplaced ? `${file}.${process.pid}.tmp` : file;
  try {
    await createFolder(dirname(file));
    await writeFile(written, content);
    if (isReplaced) await rename(written, file);
  } catch (error) {
    if (isReplaced) await rm(written, { force: true }).catch(() => {});
    throw new Error(`${file}: expected a file that can be written, found ${(error as NodeJS.ErrnoException).code}`);
  }
}
