import { counted } from "../contract/index.ts";
import { loadFiles } from "../library/index.ts";
import { problemLine } from "../state/index.ts";
import type { Options } from "./flags.ts";
import { print } from "./print.ts";

/** Validates all files and lists every problem. Sets the exit code to 2 if there are problems. */
export async function checkCommand({ fixtures, scenarios }: Options<"check">): Promise<void> {
  const { files, problems } = await loadFiles({ fixtures, scenarios });
  for (const problem of problems) process.stderr.write(`${problemLine(problem)}\n`);
  if (files) {
    const counts = [
      `${[...files.fixtures.all()].length} fixtures`,
      `${files.fixtures.seed.length} seeded resources`,
      `${files.scenarios.size} scenarios`,
    ];
    await print(`${counts.slice(0, -1).join(", ")} and ${counts.at(-1)} are valid\n`);
  } else {
    process.stderr.write(`${counted(problems.length, "problem")}\n`);
    process.exitCode = 2;
  }
}
