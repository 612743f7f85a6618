import { constants } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { chunksOf } from "../../contract/index.ts";
import { type Line, linePieces } from "../index.ts";
import { EXTENSION } from "./names.ts";

/** The extension of a file that is being written. */
const TEMPORARY = ".tmp";

/** A file as this process has left it. */
export interface Written {
  readonly ino: number;
  /** In bytes. */
  readonly size: number;
}

/**
 * Replaces a file by these lines. A crash at any moment leaves the old file or the new one. The server handles other
 * requests in between. Throws the error of the file system, such as ENOSPC; the old file then stays.
 */
export async function replaceFile(file: string, ...lines: readonly Iterable<Line>[]): Promise<Written> {
  const temporary = `${file}${TEMPORARY}`;
  try {
    const written = await writeLines(temporary, lines);
    await rename(temporary, file);
    return written;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

async function writeLines(file: string, lines: readonly Iterable<Line>[]): Promise<Written> {
  const handle = await open(file, "w");
  try {
    for await (const chunk of chunksOf(linePieces(...lines))) await handle.writeFile(chunk);
    await handle.sync();
    return await handle.stat();
  } finally {
    await handle.close();
  }
}

/**
 * Appends lines to a file that this process has left so. A crash leaves some of the lines, which readers ignore, as their
 * end is missing. Returns undefined, and writes nothing, if somebody else has replaced, changed or deleted the file.
 */
export async function appendLines(file: string, before: Written, lines: Iterable<Line>): Promise<Written | undefined> {
  const handle = await open(file, constants.O_WRONLY | constants.O_APPEND).catch(ignoreMissing);
  if (!handle) return undefined;
  try {
    const { ino, size } = await handle.stat();
    if (ino !== before.ino || size !== before.size) return undefined;
    let appended = 0;
    for await (const chunk of chunksOf(linePieces(lines))) {
      await handle.writeFile(chunk);
      appended += chunk.byteLength;
    }
    await handle.datasync();
    return { ino, size: size + appended };
  } finally {
    await handle.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/** Returns whether a file with this name was being written. */
export function isTemporaryFile(name: string): boolean {
  return name.endsWith(EXTENSION + TEMPORARY);
}

/** Makes the names of new, renamed and deleted files survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and needs no such call.
  if (process.platform === "win32") return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
