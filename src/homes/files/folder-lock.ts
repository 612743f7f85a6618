import { type FileHandle, lstat, open, readFile, readlink, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import timers from "node:timers/promises";
import { isObject, jsonValue } from "../../contract/index.ts";

/** The name of the lock file in the folder. */
export const LOCK_FILE = "resource-mock.lock";

/** The interval at which a server marks its lock as held, in milliseconds. */
const BEAT_MS = 500;
/** The time without a mark after which a lock of another machine or container is free, in milliseconds. */
const SILENCE_MS = 3000;
/** The interval at which a starting server looks for a mark, in milliseconds. */
const LOOK_MS = 100;

/** The server that holds a lock. */
interface Owner {
  readonly pid: number;
  /** The start of the process in ticks since the boot, where the system reports it. Distinguishes processes with one pid. */
  readonly started?: string;
  /** The machine, its boot and its namespace of process ids. A pid of another home has no meaning here. */
  readonly home: string;
}

export interface Lock {
  release(): Promise<void>;
}

/**
 * Locks a folder for this process. Takes over the lock of a dead process. Throws an Error that names the process if
 * another process uses the folder.
 *
 * A process on this machine is looked up by its pid and start. The processes of other containers and machines cannot be
 * looked up, and only Linux reports the start. So each server marks its lock twice a second: a lock without a mark for
 * `silence` milliseconds is free.
 */
export async function lockFolder(folder: string, silence = SILENCE_MS): Promise<Lock> {
  const file = join(folder, LOCK_FILE);
  const own: Owner = { pid: process.pid, started: await startOf(process.pid), home: await thisHome() };
  for (;;) {
    const handle = await create(file, own);
    if (handle) return held(file, handle);
    const stats = await lstat(file).catch(() => undefined);
    // Reading a pipe would never end, and a link can point nowhere.
    if (stats && !stats.isFile()) throw new Error(`${file}: expected a file, found another kind. Remove it.`);
    const text = await readText(file);
    if (text === undefined) continue;
    if (await isHeld(file, text, own.home, silence)) {
      const pid = ownerIn((await readText(file)) ?? text)?.pid ?? "unknown";
      const problem = `expected a folder that no other process uses, found the process id ${pid}`;
      throw new Error(`${folder}: ${problem}. Stop it, or use another folder.`);
    }
    await removeFree(file, text);
  }
}

/** Creates the lock file with its owner. Returns undefined if it exists. */
async function create(file: string, owner: Owner): Promise<FileHandle | undefined> {
  try {
    const handle = await open(file, "wx");
    await handle.writeFile(JSON.stringify(owner));
    return handle;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return undefined;
    throw new Error(`${file}: expected a file that this process can create, found ${code}`);
  }
}

function held(file: string, handle: FileHandle): Lock {
  const beat = setInterval(() => {
    const now = new Date();
    // A lost mark does no harm: the next one follows.
    handle.utimes(now, now).catch(() => {});
  }, BEAT_MS).unref();
  return {
    async release() {
      clearInterval(beat);
      await handle.close();
      // A lock that stays in a folder that has become read-only is that of a dead process.
      await rm(file, { force: true }).catch(() => {});
    },
  };
}

/** Returns whether a living server holds the lock. Waits for its next mark if nothing else tells. */
async function isHeld(file: string, text: string, home: string, silence: number): Promise<boolean> {
  const owner = ownerIn(text);
  if (owner?.home === home) {
    const isRunning = await isAlive(owner);
    // Without its start, another process can have the pid of the owner. Then the marks tell.
    if (!isRunning || owner.started !== undefined) return isRunning;
  }
  const before = await markOf(file);
  for (let waited = 0; waited < silence; waited += LOOK_MS) {
    await timers.setTimeout(LOOK_MS);
    if ((await markOf(file)) !== before) return true;
  }
  return false;
}

async function isAlive({ pid, started }: Owner): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return started === (await startOf(pid));
}

/** Removes a free lock. Another server can have replaced it meanwhile: then puts it back. */
async function removeFree(file: string, text: string): Promise<void> {
  const aside = `${file}.${process.pid}`;
  try {
    await rename(file, aside);
  } catch {
    return;
  }
  if ((await readText(aside)) === text) await rm(aside, { force: true });
  else await rename(aside, file);
}

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
}

/** Returns the time of the last mark in milliseconds; undefined without a lock. */
async function markOf(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.mtimeMs;
}

/** Returns the owner in the text of a lock; undefined if its server was killed before it wrote the text. */
function ownerIn(text: string): Owner | undefined {
  const value = jsonValue(text);
  return isObject(value) && typeof value.pid === "number" ? (value as unknown as Owner) : undefined;
}

/** Returns the start of a living process. Only Linux reports it. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // The second field is the name of the program in parentheses, and can contain anything.
  const [state, ...fields] = text?.slice(text.lastIndexOf(")") + 2).split(" ") ?? [];
  // A zombie has ended, but its parent process does not know yet.
  return state === "Z" ? "ended" : fields[18];
}

async function thisHome(): Promise<string> {
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  return [hostname(), boot.trim(), namespace].join(" ");
}
