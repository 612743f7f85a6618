import { open, rename, rm } from "node:fs/promises";
import { TimeSlice } from "../schedule/time-slice.ts";

/** The extension of a file that is being written. */
const TEMPORARY = ".json.tmp";

/** The number of characters that are written at a time. */
const CHUNK = 256 * 1024;

/**
 * Replaces a file by these pieces of text. A crash at any moment leaves the old file or the new one. The server handles
 * other requests in between. Throws the error of the file system, such as ENOSPC; the old file then stays.
 */
export async function replaceFile(file: string, pieces: Iterable<string>): Promise<void> {
  const temporary = file.replace(/\.json$/, TEMPORARY);
  try {
    const handle = await open(temporary, "w");
    try {
      for await (const chunk of chunks(pieces)) await handle.writeFile(chunk);
      await handle.sync();
      await rename(temporary, file);
    } finally {
      await handle.close();
    }
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

/** Returns whether a file with this name was being written. */
export function isTemporaryFile(name: string): boolean {
  return name.endsWith(TEMPORARY);
}

/** Returns the name of the file that a temporary file replaces. */
export function targetOf(temporary: string): string {
  return `${temporary.slice(0, -TEMPORARY.length)}.json`;
}

/** Joins pieces into longer texts, in time slices. */
async function* chunks(pieces: Iterable<string>): AsyncGenerator<string> {
  const slice = new TimeSlice();
  let parts: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    parts.push(piece);
    length += piece.length;
    if (length >= CHUNK) {
      yield parts.join("");
      parts = [];
      length = 0;
    }
    if (slice.isOver) await slice.next();
  }
  if (parts.length > 0) yield parts.join("");
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
