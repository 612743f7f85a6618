import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { cut, findProblems, jsonValue, object, type Schema } from "../../contract/index.ts";
import { writeWhole } from "../../journal/reports/index.ts";
import { Run, type SweepRun } from "./sweep-report.ts";
import type { Calls } from "./trial.ts";

/** The base run: what the command calls without failures, and how long it takes. */
export interface Base {
  readonly seconds: number;
  readonly calls: Calls;
  /** The requests that a project has written more than once, and how often. */
  readonly repeated: readonly (readonly [request: string, times: number])[];
}

/** What a sweep knows so far. `--resume` continues from it. */
export interface State {
  readonly version: string;
  readonly command: readonly string[];
  base?: Base;
  /** The ended runs, in the order in which they ended. */
  readonly runs: SweepRun[];
}

const text = { type: "string" } as const satisfies Schema;

const pairs = { type: "array", items: { type: "array", minItems: 2, maxItems: 2 } } as const satisfies Schema;

const StateSchema = object(["version", "command", "runs"], {
  version: text,
  command: { type: "array", items: text },
  base: object(["seconds", "calls", "repeated"], {
    seconds: { type: "number", minimum: 0 },
    calls: object(["operations", "tests"], { operations: pairs, tests: pairs }),
    repeated: pairs,
  }),
  runs: { type: "array", items: Run },
});

const STATE = "state.json";
const RUNS = "runs";
const ownOutput = /^(base-[12]|.+\.[a-z0-9]+-once)\.txt$/;

export const reportFiles = { json: "sweep.json", markdown: "sweep.md", junit: "sweep.junit.xml" } as const;

/** The folder with the reports, the state and the output of failed runs. */
export type Folder = Awaited<ReturnType<typeof openFolder>>;

/**
 * Opens the folder, which no other process may use. With `resume`, continues with its state, if it has one. Throws an error for a state of another command
 * or version.
 */
export async function openFolder(
  path: string,
  { version, command }: Pick<State, "version" | "command">,
  resume: boolean,
) {
  const stateFile = join(path, STATE);
  const kept = resume ? await readState(stateFile, { version, command }) : undefined;
  const state: State = kept ?? { version, command, runs: [] };
  let saving = Promise.resolve();
  return {
    state,
    /** Deletes the files of an earlier sweep that this one does not continue. */
    async prepare(): Promise<void> {
      if (resume) return;
      const outputs = (await readdir(join(path, RUNS)).catch(() => [])).filter((name) => ownOutput.test(name));
      const files = [STATE, ...Object.values(reportFiles), ...outputs.map((name) => join(RUNS, name))];
      await Promise.all(files.map((file) => rm(join(path, file), { force: true })));
    },
    save(): Promise<void> {
      // One after the other, as parallel runs can end at the same time.
      saving = saving.then(() => writeWhole(stateFile, `${JSON.stringify(state)}\n`));
      return saving;
    },
    /** Writes the output of a run. Returns the path of the file, relative to the folder. */
    async writeOutput(name: string, text: string): Promise<string> {
      // The id of an operation can be any text.
      const file = `${RUNS}/${encodeURIComponent(name)}.txt`;
      await writeWhole(join(path, file), text);
      return file;
    },
  };
}

/** Returns the state in a file of the same version and command; undefined without the file. Throws an error for others. */
async function readState(file: string, wanted: Pick<State, "version" | "command">): Promise<State | undefined> {
  if (!existsSync(file)) return undefined;
  const state = jsonValue(await readFile(file, "utf8")) as State;
  if ((await findProblems(StateSchema, state)).length > 0)
    throw new Error(`--resume: expected the state of a sweep in ${file}. Run without --resume.`);
  for (const name of ["version", "command"] as const) {
    const [found, expected] = [state[name], wanted[name]].map((value) => cut(JSON.stringify(value), 200));
    if (found === expected) continue;
    throw new Error(`--resume: expected the ${name} ${expected} in ${file}, found ${found}. Run without --resume.`);
  }
  return state;
}
