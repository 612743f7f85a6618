import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { MAX_OUTPUT_PART, shown } from "../../contract/index.ts";
import { type PlannedFailure, SWEEP_VARIABLE, sweepFiles } from "../index.ts";

export interface TrialContext {
  /** The arguments of Node that run `resource-mock`. */
  readonly bin: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Whether the tests start their mocks, so that the runs need no server. */
  readonly inProcess: boolean;
  /** Aborts when the sweep ends early. */
  readonly signal: AbortSignal;
}

export interface Calls {
  /** The operation, and the project that received the call; null if it is not known. */
  readonly operations: readonly (readonly [operation: string, project: string | null])[];
  /** The test files of projects, as the library for Vitest notes them. */
  readonly tests: readonly (readonly [project: string, file: string])[];
}

/** The requests of a run that changed the state, without PUT and DELETE, which a client can repeat safely. */
export type Writes = readonly (readonly [project: string, request: string, isFailed: boolean])[];

export interface Trial extends Awaited<ReturnType<typeof runCommand>> {
  readonly isApplied: boolean;
  readonly calls: Calls;
  readonly writes: Writes;
}

/**
 * Runs the command, by default against a server of its own, with the failure for one request. Rejects with an Error for
 * an unknown program, and with the reason of the signal.
 *
 * @param timeout the time limit of the command in milliseconds; no limit by default
 */
export async function runTrial(
  command: readonly string[],
  failure: PlannedFailure | null,
  timeout: number | undefined,
  { bin, environment, inProcess, signal }: TrialContext,
): Promise<Trial> {
  const folder = await mkdtemp(join(tmpdir(), "resource-mock-sweep-"));
  const path = (name: keyof typeof sweepFiles) => join(folder, sweepFiles[name]);
  try {
    await writeFile(path("failure"), JSON.stringify(failure));
    const withFolder = { ...environment, [SWEEP_VARIABLE]: folder };
    const ofServer = {
      ...withFolder,
      // The folder of the run, as runs must not add to the recorded fixtures of the user.
      ...(environment.RESOURCE_MOCK_RECORD_TO && { RESOURCE_MOCK_RECORD_TO: join(folder, "recorded") }),
    };
    const server = inProcess ? undefined : await startServer(bin, ofServer);
    try {
      const ofCommand = {
        ...withFolder,
        RESOURCE_MOCK_URL: server?.url,
        // The summary of the job has the report of the sweep, and not that of each run.
        ...(environment.GITHUB_STEP_SUMMARY && { GITHUB_STEP_SUMMARY: join(folder, "step-summary.md") }),
      };
      const ended = await runCommand(command, { environment: ofCommand, timeout, signal });
      const isApplied = existsSync(path("applied"));
      return {
        ...ended,
        isApplied,
        calls: { operations: await readLines(path("calls")), tests: await readLines(path("tests")) },
        writes: await readLines(path("writes")),
      };
    } finally {
      await server?.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the pairs in a file with a line of JSON for each; none if the file does not exist. */
async function readLines<Pair>(file: string): Promise<Pair[]> {
  const text = existsSync(file) ? await readFile(file, "utf8") : "";
  return text
    .split("\n")
    .filter(Boolean)
    .map((line): Pair => JSON.parse(line));
}

/** Variables of `resource-mock serve` that the servers of a sweep must not share: addresses, certificates and files. */
const ofOneServer = /^RESOURCE_MOCK_(URL|PORT|HOST|HTTPS_PORT|TLS_\w+|WATCH|LOG|REPORT|OPEN|PROJECTS\w*|SHARE\w*)$/;

/**
 * Starts `resource-mock serve` on a free port of this machine, in a process of its own. The `RESOURCE_MOCK_…` variables of
 * the environment configure it. Rejects with its output if it does not start.
 *
 * @param bin the arguments of Node that run `resource-mock`
 */
async function startServer(bin: readonly string[], environment: NodeJS.ProcessEnv) {
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !ofOneServer.test(name)));
  const flags = ["serve", "--port", "0", "--host", "127.0.0.1", "--log", "off"];
  // Detached, so that a Ctrl-C in the terminal does not reach it: the sweep stops it after the command.
  // The channel `ipc` ends with the sweep, even after SIGKILL. The server stops then.
  const child = spawn(process.execPath, [...bin, ...flags], {
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
    windowsHide: true,
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  let output = "";
  child.stderr.on("data", (chunk) => {
    output = (output + chunk).slice(0, 10_000);
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stdout.resume();
    return { url, stop };
  }
  await exited;
  throw new Error(`the mock did not start. ${output.trim()}`);
}

/**
 * Returns the test files that call the operation. Returns undefined if a call came from a project without a known test
 * file: then any test can have sent it.
 */
export function testFilesOf(operation: string, { operations, tests }: Calls): string[] | undefined {
  // With a fixed project key, several test files use one project.
  const byProject = Map.groupBy(tests, ([project]) => project);
  const filesOf = (project: string) => byProject.get(project)?.map(([, file]) => file);
  const files = operations
    .filter(([called]) => called === operation)
    // A sandbox has the key of its project, a tilde and its name.
    .flatMap(([, project]) => (project === null ? undefined : filesOf(project.replace(/~.*$/, ""))));
  return files.includes(undefined) ? undefined : [...new Set(files as string[])].sort();
}

/** The word of a command that the sweep replaces by the test files to run. */
const FILES = "{files}";

export function takesFiles(command: readonly string[]): boolean {
  return command.includes(FILES);
}

/** Returns the command for these test files, or without files for all. */
export function withFiles(command: readonly string[], files: readonly string[] = []): string[] {
  return command.flatMap((word) => (word === FILES ? files : [word]));
}

/** Windows has no groups of processes, and starts scripts such as npx only through its shell. */
const isWindows = process.platform === "win32";

/** How long processes may take to end after SIGTERM, in milliseconds. SIGKILL follows. */
const GRACE_MS = 2000;

/**
 * Runs a command until it ends, in a process group of its own. Then, after `timeout` milliseconds, or when the signal
 * aborts, ends all processes of the group. Rejects with an Error for an unknown program, or with the reason of the signal.
 */
export async function runCommand(
  command: readonly string[],
  { environment, timeout, signal }: { environment: NodeJS.ProcessEnv; timeout?: number; signal: AbortSignal },
) {
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
    return {
      /** The exit code; null if a signal ended the process, or the time was over. */
      code: isTimedOut ? null : code,
      seconds,
      /** The standard output and standard error in the order of their arrival, bounded. */
      output: output.text,
      isTimedOut,
    };
  } catch (error) {
    if (child.pid !== undefined) throw error;
    const hint = /\s/.test(program) ? " Pass each word of the command on its own. For shell syntax, use sh -c." : "";
    throw new Error(`expected a program that can be started, found ${shown(program)}: ${reason(error)}.${hint}`);
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
