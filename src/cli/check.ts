import { counted } from "../contract/index.ts";
import { readFiles } from "../library/index.ts";
import { FilesError, problemLine } from "../state/index.ts";
import type { Options } from "./flags.ts";
import { print } from "./terminal.ts";

/** Validates all files and lists every problem. Sets the exit code to 2 if there are problems. */
export async function run(folders: Options<"check">): Promise<void> {
  try {
    const { fixtures, scenarios } = await readFiles(folders);
    const counts = `${[...fixtures.all()].length} fixtures, ${fixtures.seed.length} seeded resources`;
    await print(`${counts} and ${scenarios.size} scenarios are valid\n`);
  } catch (error) {
    if (!(error instanceof FilesError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${problemLine(problem)}\n`);
    process.stderr.write(`${counted(error.problems.length, "problem")}\n`);
    process.exitCode = 2;
  }
}
