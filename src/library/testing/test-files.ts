import { checkOptionNames, cut, MAX_TEXT, shellWord, shown } from "../../contract/index.ts";
import type { ProjectControl } from "../../control/client/index.ts";
import { mergedPact, type Pact } from "../../control/index.ts";
import { oneLine, runOfSweep } from "./failure-report.ts";

/*
 * The files that tests write: the archive of each failed test, and the pact of a suite. A test runs in the context of its
 * runner, so all file operations are those of Node itself.
 */

type ArchiveFile = NonNullable<ReturnType<typeof archiveFileOf>>;

/** The time in milliseconds. Captured at load time, so that fake timers of a test do not change it. */
const { now } = Date;

/**
 * Returns the path of the file for the archive of a test, and the file and the name of the test. Returns undefined without
 * a folder, and in a sweep, where tests fail on purpose. Throws TypeError for an invalid option.
 *
 * @param option the folder; by default, the variable `RESOURCE_MOCK_ARCHIVE_FAILURES` names it
 * @param name the name of the file without its extension: the project key of the test, which every file system accepts
 */
export function archiveFileOf(
  option: string | undefined,
  { name, test }: { readonly name: string; readonly test: string },
) {
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
export async function writeArchive(
  project: ProjectControl,
  { path, test }: ArchiveFile,
  contract = process.env.RESOURCE_MOCK_CONTRACT,
): Promise<string> {
  try {
    const archive = await project.archive();
    const afterFormat = archive.indexOf("\n") + 1;
    const source = JSON.stringify({
      source: { test: cut(test, MAX_TEXT - 1), savedAt: new Date(now()).toISOString() },
    });
    writeWhole(path, `${archive.slice(0, afterFormat)}${source}\n${archive.slice(afterFormat)}`);
    const { RESOURCE_MOCK_BEHAVIOUR: behaviour } = process.env;
    const flags = Object.entries({ contract, behaviour, open: path }).filter(([, value]) => value);
    const words = flags.map(([flag, value = ""]) => `--${flag} ${shellWord(value)}`);
    return `archive: ${path} (open it with \`npx resource-mock ${words.join(" ")}\`)`;
  } catch (error) {
    return `archive: ${path} was not written: ${oneLine(String((error as Error)?.message ?? error))}`;
  }
}

/** The pact file of a test suite. */
export interface PactFile {
  readonly consumer: string;
  /** `generic-resource-service` by default. */
  readonly provider?: string;
  /** The folder of the file, relative to the working directory. Its name is `<consumer>-<provider>.json`. */
  readonly dir: string;
  /** The project key in paths and provider states; by default the name of the consumer. */
  readonly as?: string;
}

/** The pause between two attempts to lock the file, in milliseconds. */
const RETRY_MS = 5;
/** The age after which a lock belongs to a process that was killed, in milliseconds. */
const STALE_MS = 10_000;

/**
 * Adds the requests of a project to the pact file of the suite. Merges them with the interactions in the file, in any order
 * of the tests and workers. Keeps interactions of earlier runs. Throws an Error for invalid options, and if the file is not a pact of this consumer.
 */
export async function addToPactFile(project: ProjectControl, options: PactFile): Promise<void> {
  checkOptions(options);
  const { consumer, provider, dir, as = nameIn(consumer) } = options;
  const pact = await project.pact({ consumer, provider, as });
  // Without requests, a test adds nothing.
  if (pact.interactions.length === 0 && pact.metadata["resource-mock"].omitted.length === 0) return;
  const { mkdirSync, readFileSync } = fileSystem();
  const file = `${dir.replace(/(?<=.)\/+$/, "")}/${nameIn(consumer)}-${nameIn(pact.provider.name)}.json`;
  mkdirSync(dir, { recursive: true });
  const unlock = lock(`${file}.lock`);
  try {
    const before = textOf(() => readFileSync(file, "utf8"));
    const merged = before === undefined ? pact : mergedPact(readPact(before, file, consumer), pact);
    const text = `${JSON.stringify(merged, undefined, 2)}\n`;
    if (text !== before) writeWhole(file, text);
  } finally {
    unlock();
  }
}

const optionNames = ["consumer", "provider", "dir", "as"];

/** Throws a TypeError for unknown and invalid options. The mock checks the names themselves. */
function checkOptions(options: PactFile): void {
  checkOptionNames("pact", options, optionNames);
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && typeof value !== "string")
      throw new TypeError(`pact: ${name}: expected a string, found ${shown(value)}`);
  }
  if (!options.consumer) throw new TypeError("pact: consumer: expected the name of the consumer, found nothing");
  if (!options.dir) throw new TypeError("pact: dir: expected the path of a folder, found nothing");
}

/** Returns a name of a consumer or provider as part of a file name. */
function nameIn(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_.-]+/gu, "-").replace(/^\.+/, "-");
}

function readPact(text: string, file: string, consumer: string): Pact {
  let pact: Pact | undefined;
  try {
    const value: Pact = JSON.parse(text);
    if (Array.isArray(value.interactions) && value.metadata["resource-mock"]) pact = value;
  } catch {
    // Not JSON, or JSON of another kind.
  }
  if (pact?.consumer?.name === consumer) return pact;
  const found = pact ? `that of ${shown(pact.consumer?.name)}` : "another file";
  const hint = "Delete it, or choose another dir.";
  throw new Error(`${file}: expected a pact of resource-mock for ${shown(consumer)}, found ${found}. ${hint}`);
}

/** Returns the text that the function reads; undefined if the file does not exist. */
function textOf(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Locks the file against other workers, which are processes or threads. Blocks for a few milliseconds at most, as fake
 * timers of a test would stop an asynchronous wait. Returns a function that unlocks it.
 */
function lock(folder: string): () => void {
  const { mkdirSync, rmSync, statSync } = fileSystem();
  const isStale = () => Date.now() - statSync(folder).mtimeMs > STALE_MS;
  for (;;) {
    try {
      mkdirSync(folder);
      return () => rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (textOf(() => String(isStale())) === "true") rmSync(folder, { recursive: true, force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
  }
}

/** Returns the file system of Node. Throws an Error in a browser. */
function fileSystem(): typeof import("node:fs") {
  const { process } = globalThis;
  if (!process?.getBuiltinModule) throw new Error("a browser cannot write files");
  return process.getBuiltinModule("node:fs");
}

/** Writes a file that no reader sees half of, such as the upload of a CI job that was cancelled. Creates its folder. */
function writeWhole(path: string, text: string): void {
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
