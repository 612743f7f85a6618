import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PlannedFailure, SWEEP_VARIABLE, sweepFiles } from "../index.ts";
import { type Ended, runCommand } from "./run-command.ts";
import { startServer } from "./sweep-server.ts";

/** What all runs of a sweep share. */
export interface TrialContext {
  /** The arguments of Node that run `resource-mock`. */
  readonly bin: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** Whether the tests start their mocks, so that the runs need no server. */
  readonly inProcess: boolean;
  /** Aborts when the sweep ends early. */
  readonly signal: AbortSignal;
}

/** The calls of a run. */
export interface Calls {
  /** The operation, and the project that received the call; null if it is not known. */
  readonly operations: readonly (readonly [operation: string, project: string | null])[];
  /** The test files of projects, as the library for Vitest notes them. */
  readonly tests: readonly (readonly [project: string, file: string])[];
}

/** The writes of a run: requests that changed the state. */
export type Writes = readonly (readonly [project: string, request: string, isFailed: boolean])[];

export interface Trial extends Ended {
  /** Whether a request got the failure of the run. */
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
