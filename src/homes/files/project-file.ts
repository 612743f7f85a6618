import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { chunksOf } from "../../contract/index.ts";
import { projectKeyProblem } from "../../project/index.ts";
import { type Line, linePieces } from "../index.ts";

/*
 * The file of a project: its name, which tells the project key, and the writing of its lines.
 */

/** The extension of the file of a project: JSON lines. */
export const EXTENSION = ".ndjson";
/** The longest encoded key. File systems allow 255 bytes for a name, and temporary files have a longer extension. */
const ENCODED_LENGTH = 200;
/** The first characters of a name that is a hash. No encoded key starts with them. */
const HASHED = "%-";
/** Names of devices, which Windows reserves with any extension. */
const device = /^(aux|con|nul|prn|com\d|lpt\d)$/;

/**
 * Returns the name of the file for a project key. All bytes of the key in UTF-8 are percent-encoded, except lower-case
 * letters, digits, `-`, `_` and `~`, because some file systems ignore case. Instead of a long key, the name has its hash.
 */
export function fileNameOf(key: string): string {
  const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  const encoded = Buffer.from(key)
    .toString("latin1")
    .replace(/[^a-z0-9_~-]/g, escaped)
    .replace(device, ([first = "", ...rest]) => escaped(first) + rest.join(""));
  if (encoded.length <= ENCODED_LENGTH && key.isWellFormed()) return encoded + EXTENSION;
  return HASHED + createHash("sha256").update(JSON.stringify(key)).digest("hex") + EXTENSION;
}

/** Returns whether the name has the hash of the key, not the key. */
export function isHashed(name: string): boolean {
  return name.startsWith(HASHED);
}

/** Returns the project key of a file name that is not hashed. Throws an Error if the name is invalid. */
export function keyOf(name: string): string {
  let key: string;
  try {
    key = decodeURIComponent(name.slice(0, -EXTENSION.length));
  } catch {
    // The text has a % without a byte in hexadecimal, or bytes that are not UTF-8.
    throw new Error("expected the name to be a project key, in which %20 is a space");
  }
  const problem = projectKeyProblem(key);
  if (problem) throw problem;
  return key;
}

export function isProjectFile(name: string): boolean {
  return name.endsWith(EXTENSION);
}

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
    const written = await withFile(temporary, "w", async (handle) => {
      for await (const chunk of chunksOf(linePieces(...lines))) await handle.writeFile(chunk);
      await handle.sync();
      return handle.stat();
    });
    await rename(temporary, file);
    return written;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

async function withFile<T>(file: string, flags: string | number, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file, flags);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

/**
 * Appends lines to a file that this process has left so. A crash leaves some of the lines, which readers ignore, as their
 * end is missing. Returns undefined, and writes nothing, if somebody else has replaced, changed or deleted the file.
 */
export async function appendLines(file: string, before: Written, lines: Iterable<Line>): Promise<Written | undefined> {
  const append = async (handle: FileHandle) => {
    const { ino, size } = await handle.stat();
    if (ino !== before.ino || size !== before.size) return undefined;
    let appended = 0;
    for await (const chunk of chunksOf(linePieces(lines))) {
      await handle.writeFile(chunk);
      appended += chunk.byteLength;
    }
    await handle.datasync();
    return { ino, size: size + appended };
  };
  return withFile(file, constants.O_WRONLY | constants.O_APPEND, append).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
}

export function isTemporaryFile(name: string): boolean {
  return name.endsWith(EXTENSION + TEMPORARY);
}

/** Makes the names of new, renamed and deleted files survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and needs no such call.
  if (process.platform === "win32") return;
  await withFile(folder, "r", (handle) => handle.sync());
}
