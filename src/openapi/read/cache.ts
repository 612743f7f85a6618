import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { isObject, MAX_DOCUMENT_BYTES } from "../../contract/index.ts";
import type { ReadDocument } from "./index.ts";
import { shortPath, sizeOf } from "./sources.ts";

/*
 * Documents that were read before, in the cache folder of the user. With GitHub's document of 13 MB, a start takes 0.6 s of the
 * processor instead of 0.95 s, and 50 MB of memory less.
 */

/** Reading a smaller document takes no longer than reading the file in the cache. */
const MIN_CACHED_BYTES = 200_000;

/** How many documents the cache keeps. */
const CACHED = 8;

/** The names of its files, also of unfinished ones. */
const OWN_NAME = /^[\da-f]{64}-[\da-f]{16}\.json/;

/** A file, its bytes, and their hash. */
export interface HashedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly hash: string;
}

/** Returns a file; undefined if it cannot be read, or is too large for a document. */
export function hashedFile(given: string): HashedFile | undefined {
  const path = resolve(given);
  try {
    if ((sizeOf(path) ?? Infinity) > MAX_DOCUMENT_BYTES) return undefined;
    const bytes = readFileSync(path);
    return { path, bytes, hash: createHash("sha256").update(bytes).digest("hex") };
  } catch {
    return undefined;
  }
}

/**
 * Returns the document in a file as the same build has read it before; else calls `read`, and keeps the result. Keeps no
 * documents that refer to other files, and none of Swagger 2.0, because JSON cannot say which of their parts are the same.
 */
export async function cached(given: HashedFile, read: () => Promise<ReadDocument>): Promise<ReadDocument> {
  const folder = given.bytes.length < MIN_CACHED_BYTES ? undefined : ownFolder();
  // Without a build, nothing tells that the code has changed.
  if (typeof BUILD_ID === "undefined" || folder === undefined) return read();
  const file = join(folder, `${given.hash}-${BUILD_ID}.json`);
  const kept = readKept(file);
  if (kept) {
    const warnings = kept.warnings.map((warning) => ({ ...warning, file: shortPath(given.path) }));
    return { ...kept, warnings, files: [given.path], isSelfContained: true };
  }
  const result = await read();
  const { isSelfContained, isUpgraded, characters = 0 } = result;
  if (isSelfContained && !isUpgraded && characters < MAX_DOCUMENT_BYTES) keep(file, result);
  return result;
}

/** Returns the folder of the cache, which is created; undefined if there can be none. */
function ownFolder(): string | undefined {
  const { XDG_CACHE_HOME = "", LOCALAPPDATA = "" } = process.env;
  try {
    // Folders for data that programs can make again: XDG Base Directory Specification, and as other systems name them.
    const usual = join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
    const folder = join([XDG_CACHE_HOME, LOCALAPPDATA].find(isAbsolute) ?? usual, "resource-mock");
    if (!isAbsolute(folder)) return undefined;
    // Without `recursive`, with which Node never returns for a folder below /proc.
    for (const each of [dirname(folder), folder]) attempt(() => mkdirSync(each, { mode: 0o700 }));
    // Another user could write documents for this one into a folder of theirs.
    return statSync(folder).uid === (process.getuid?.() ?? 0) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the content of a file in the cache; undefined if it is another one. */
function readKept(file: string): Pick<ReadDocument, "document" | "warnings"> | undefined {
  try {
    if (sizeOf(file) === undefined) return undefined;
    const { document, warnings } = JSON.parse(readFileSync(file, "utf8")) as ReadDocument;
    const isWhole = isObject(document.info) && isObject(document.paths);
    if (!isWhole || !warnings.every(({ message }) => typeof message === "string")) return undefined;
    attempt(() => utimesSync(file, new Date(), new Date()));
    return { document, warnings };
  } catch {
    return undefined;
  }
}

/** Writes a file as a whole, and removes those that were not used for longest. Does nothing if the folder is not writable. */
function keep(file: string, { document, warnings }: ReadDocument): void {
  const folder = dirname(file);
  // Another process may write the same file.
  const unfinished = join(folder, `${basename(file)}.${randomUUID()}`);
  attempt(() => {
    writeFileSync(unfinished, JSON.stringify({ document, warnings }), { mode: 0o600 });
    renameSync(unfinished, file);
  });
  attempt(() => rmSync(unfinished, { force: true }));
  attempt(() => {
    const own = readdirSync(folder).filter((name) => OWN_NAME.test(name));
    const files = own.map((name) => ({ path: join(folder, name), used: statSync(join(folder, name)).mtimeMs }));
    for (const { path } of files.sort((a, b) => b.used - a.used).slice(CACHED)) attempt(() => rmSync(path));
  });
}

/** The cache is never needed: what fails is left out. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // Such as a full disk, or a file that another process has removed.
  }
}
