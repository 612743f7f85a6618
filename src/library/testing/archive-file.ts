import { cut, MAX_TEXT, shellWord, shown } from "../../contract/index.ts";
import type { ProjectControl } from "../../control/client/index.ts";
import { oneLine } from "./failure-report.ts";
import { runOfSweep } from "./test-run.ts";

/** The file for the archive of a test. */
export interface ArchiveFile {
  /** The path of the file, relative to the working directory. */
  readonly path: string;
  /** The file and the name of the test. */
  readonly test: string;
}

/** The time in milliseconds. Captured at load time, so that fake timers of a test do not change it. */
const { now } = Date;

/**
 * Returns the file for the archive of a test. Returns undefined without a folder, and in a sweep, where tests fail on
 * purpose. Throws TypeError for an invalid option.
 *
 * @param option the folder; by default, the variable `RESOURCE_MOCK_ARCHIVE_FAILURES` names it
 * @param name the name of the file without its extension: the project key of the test, which every file system accepts
 */
export function archiveFileOf(
  option: string | undefined,
  { name, test }: { readonly name: string; readonly test: string },
): ArchiveFile | undefined {
  if (option !== undefined && (typeof option !== "string" || option === "")) {
    throw new TypeError(`archiveFailures: expected the path of a folder, found ${shown(option)}`);
  }
  const folder = option ?? globalThis.process?.env?.RESOURCE_MOCK_ARCHIVE_FAILURES;
  if (!folder || runOfSweep() !== undefined) return undefined;
  return { path: `${folder.replace(/(?<=.)\/+$/, "")}/${name}.ndjson`, test };
}

/** Deletes the archive of an earlier run or attempt, so that only failed tests have one. */
export function removeArchive({ path }: ArchiveFile): void {
  try {
    fileSystem().rmSync(path, { force: true });
  } catch {
    // If the test fails, its report says that the file cannot be written.
  }
}

/**
 * Writes the archive of the project of a failed test. Returns a line for the report of the test: how to open the file, or
 * why it was not written. Never throws, as the test has a result already.
 */
export async function writeArchive(project: ProjectControl, { path, test }: ArchiveFile): Promise<string> {
  try {
    const archive = await project.archive();
    const afterFormat = archive.indexOf("\n") + 1;
    const source = JSON.stringify({
      source: { test: cut(test, MAX_TEXT - 1), savedAt: new Date(now()).toISOString() },
    });
    writeWhole(path, `${archive.slice(0, afterFormat)}${source}\n${archive.slice(afterFormat)}`);
    return `archive: ${path} (open it with \`npx resource-mock --open ${shellWord(path)}\`)`;
  } catch (error) {
    return `archive: ${path} was not written: ${oneLine(String((error as Error)?.message ?? error))}`;
  }
}

/** Returns the file system of Node. Throws an Error in a browser. */
export function fileSystem(): typeof import("node:fs") {
  const { process } = globalThis;
  if (!process?.getBuiltinModule) throw new Error("a browser cannot write files");
  return process.getBuiltinModule("node:fs");
}

/** Writes a file that no reader sees half of, such as the upload of a CI job that was cancelled. Creates its folder. */
export function writeWhole(path: string, text: string): void {
  const { mkdirSync, renameSync, rmSync, writeFileSync } = fileSystem();
  mkdirSync(path.slice(0, path.lastIndexOf("/") + 1) || ".", { recursive: true });
  const unfinished = `${path}.tmp`;
  try {
    writeFileSync(unfinished, text);
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
