import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { MAX_OUTPUT_PART, shown } from "../../contract/index.ts";

/** Windows has no groups of processes, and starts scripts such as npx only through its shell. */
const isWindows = process.platform === "win32";

/** How long processes may take to end after SIGTERM, in milliseconds. SIGKILL follows. */
const GRACE_MS = 2000;

export interface Ended {
  /** The exit code; null if a signal ended the process, or the time was over. */
  readonly code: number | null;
  readonly seconds: number;
  /** The standard output and standard error in the order of their arrival, bounded. */
  readonly output: string;
  readonly isTimedOut: boolean;
}

/** A program that cannot be started, such as an unknown one. */
export class NotStarted extends Error {}

/**
 * Runs a command until it ends, in a process group of its own. Then, after `timeout` milliseconds, or when the signal
 * aborts, ends all processes of the group. Rejects with NotStarted, or with the reason of the signal.
 */
export async function runCommand(
  command: readonly string[],
  { environment, timeout, signal }: { environment: NodeJS.ProcessEnv; timeout?: number; signal: AbortSignal },
): Promise<Ended> {
  signal.throwIfAborted();
  const started = performance.now();
  const output = new Output();
  const [program = "", ...parameters] = isWindows ? [command.map(windowsWord).join(" ")] : command;
  const child = spawn(program, parameters, {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    // Creates the group. A Ctrl-C in the terminal then reaches only the sweep, which ends the group.
    detached: !isWindows,
    shell: isWindows,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => output.add(chunk));
  }
  const closed = once(child, "close");
  closed.catch(() => {});
  let isTimedOut = false;
  let killer: NodeJS.Timeout | undefined;
  const end = () => {
    killer ??= setTimeout(() => {
      signalGroup(child, "SIGKILL");
      // A process that left the group can keep the output open.
      child.stdout.destroy();
      child.stderr.destroy();
    }, GRACE_MS);
    signalGroup(child, "SIGTERM");
  };
  const onTimeout = () => {
    isTimedOut = true;
    end();
  };
  const timer = timeout === undefined ? undefined : setTimeout(onTimeout, timeout);
  signal.addEventListener("abort", end);
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    clearTimeout(timer);
    const seconds = (performance.now() - started) / 1000;
    // Background processes of the command would keep the output open, and disturb the next run.
    end();
    await closed;
    signal.throwIfAborted();
    return { code: isTimedOut ? null : code, seconds, output: output.text, isTimedOut };
  } catch (error) {
    if (child.pid !== undefined) throw error;
    const hint = /\s/.test(program) ? " Pass each word of the command on its own. For shell syntax, use sh -c." : "";
    throw new NotStarted(`expected a program that can be started, found ${shown(program)}: ${reason(error)}.${hint}`);
  } finally {
    clearTimeout(timer);
    clearTimeout(killer);
    signal.removeEventListener("abort", end);
    signalGroup(child, "SIGKILL");
  }
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "not found";
  return code === "EACCES" ? "not executable" : message;
}

/** Quotes a word for the shell of Windows if necessary. */
function windowsWord(word: string): string {
  return /^[\w.:@/\\-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;
}

/** Sends a signal to all processes of the group of the child. Ended groups are ignored. */
function signalGroup({ pid, exitCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  if (isWindows) {
    // Ends the child with its children. Windows does not know the children of a process that has ended.
    if (exitCode === null) spawnSync("taskkill", ["/pid", `${pid}`, "/t", "/f"], { stdio: "ignore" });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // macOS reports EPERM for a group whose processes have all ended.
    if (!["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Collects the output of a process. If it is long, keeps its start and its end. */
export class Output {
  #head = "";
  #tail = "";
  #dropped = 0;

  add(chunk: string): void {
    const rest = chunk.slice(Math.max(0, MAX_OUTPUT_PART - this.#head.length));
    this.#head += chunk.slice(0, chunk.length - rest.length);
    const all = this.#tail + rest;
    this.#tail = all.slice(-MAX_OUTPUT_PART);
    this.#dropped += all.length - this.#tail.length;
  }

  get text(): string {
    const omitted = this.#dropped === 0 ? "" : `\n… ${this.#dropped} characters omitted …\n`;
    return this.#head + omitted + this.#tail;
  }
}
