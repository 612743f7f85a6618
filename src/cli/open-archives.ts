import { createReadStream } from "node:fs";
import { MAX_ARCHIVE_BYTES, MAX_ID, ServiceError, shown } from "../contract/index.ts";
import type { Engine } from "../engine/index.ts";
import { readArchive, restoreArchive } from "../homes/index.ts";
import { dashboardAddress } from "../journal/index.ts";
import { projectKeyProblem } from "../project/index.ts";
import { FilesError } from "../state/index.ts";

/**
 * Restores the project of each archive under its own key. If a project with this key exists, the key gets the end `-2`,
 * `-3` and so on. Throws FilesError for the first file that is not an archive or cannot be restored.
 *
 * @returns a function that returns a line for each file, with its link to the dashboard of the server at a URL
 */
export async function openArchives(engine: Engine, files: readonly string[]): Promise<(url: string) => string[]> {
  const opened: { readonly file: string; readonly key: string }[] = [];
  for (const file of files) {
    try {
      opened.push({ file, key: await openArchive(engine, file) });
    } catch (error) {
      throw new FilesError([{ file: file || '""', pointer: "", message: messageOf(error as Error) }]);
    }
  }
  return (url) =>
    opened.map(({ file, key }) => {
      const link = dashboardAddress(url, { project: key });
      return `resource-mock opened ${file} as the project ${shown(key)}: ${link}`;
    });
}

async function openArchive(engine: Engine, file: string): Promise<string> {
  const archive = await readArchive(await bytesOf(file));
  const own = archive.originKey;
  const problem = projectKeyProblem(own);
  if (problem) throw new Error(`/core/origin/${problem.message}`);
  const key = freeKey(engine, own);
  await restoreArchive(engine, key, archive, { file, restoredAt: engine.now() });
  return key;
}

function freeKey({ projects }: Engine, own: string): string {
  let key = own;
  for (let copy = 2; projects.find(key); copy++) {
    const end = `-${copy}`;
    key = own.slice(0, MAX_ID - end.length) + end;
  }
  return key;
}

/** Returns the bytes of a file, which can be a pipe. Throws an Error for more bytes than the control API accepts. */
async function bytesOf(file: string): Promise<Buffer> {
  // Reads one byte more, to see whether the file has more.
  const bytes = Buffer.concat(await Array.fromAsync(createReadStream(file, { end: MAX_ARCHIVE_BYTES })));
  if (bytes.length <= MAX_ARCHIVE_BYTES) return bytes;
  throw new Error(`expected at most ${MAX_ARCHIVE_BYTES} bytes, found more`);
}

function messageOf(error: Error): string {
  if (error instanceof ServiceError || !("code" in error)) return error.message;
  if (error.code === "ENOENT") return "not found";
  if (error.code === "EISDIR") return "expected a file, found a folder. Pass the files in it.";
  return `expected a file that this process can read, found ${error.code}`;
}
