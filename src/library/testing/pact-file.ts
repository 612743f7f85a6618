import { shown, unknownName } from "../../contract/index.ts";
import type { ProjectControl } from "../../control/client/index.ts";
import { mergedPact, type Pact } from "../../control/index.ts";
import { fileSystem, writeWhole } from "./archive-file.ts";

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
  for (const [name, value] of Object.entries(options)) {
    if (!optionNames.includes(name)) throw new TypeError(`pact: ${name}: ${unknownName("option", name, optionNames)}`);
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
