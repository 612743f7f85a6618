import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { type PlannedFailure, SWEEP_VARIABLE, sweepFiles } from "../index.ts";
import { type Ended, runCommand } from "./run-command.ts";

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

/** The writes of a run: requests that changed the state. */
export type Writes = readonly (readonly [project: string, request: string, isFailed: boolean])[];

export interface Trial extends Ended {
  readonly isApplied: boolean;
  readonly calls: Calls;
  readonly writes: Writes;
}

/**
 * Runs the command, by default against a server of its own, with the failure for one request. Rejects with NotStarted for an unknown
 * program, and with the reason of the signal.
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
    const server = inProcess ? undefined : await startServer(bin, withFolder);
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

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** Variables of `resource-mock serve` that the servers of a sweep must not share: addresses, certificates and files. */
const ofOneServer =
  /^RESOURCE_MOCK_(URL|PORT|HOST|HTTPS_PORT|TLS_\w+|WATCH|LOG|REPORT|OPEN|PROJECTS|SHARE\w*|RECORD_TO)$/;

/**
 * Starts `resource-mock serve` on a free port of this machine, in a process of its own. The `RESOURCE_MOCK_…` variables of
 * the environment configure it. Rejects with its output if it does not start.
 *
 * @param bin the arguments of Node that run `resource-mock`
 */
async function startServer(bin: readonly string[], environment: NodeJS.ProcessEnv): Promise<Server> {
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
