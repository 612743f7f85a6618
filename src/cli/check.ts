import { problemLine } from "../fixtures/file-problem.ts";
import { loadFixtures } from "../fixtures/load.ts";
import { fixtureLayers } from "../mock.ts";
import type { ServeOptions } from "./flags.ts";

/** Holds all files against the contract and lists every problem; exit code 2 when there is any. */
export async function checkCommand({ fixtures: directory }: ServeOptions): Promise<void> {
  const { fixtures, problems } = await loadFixtures(fixtureLayers(directory));
  for (const problem of problems) process.stderr.write(`${problemLine(problem)}\n`);
  if (fixtures) {
    process.stdout.write(
      `${[...fixtures.all()].length} fixtures and ${fixtures.seed.length} seeded resources fit the contract\n`,
    );
  } else {
    process.stderr.write(`${problems.length} ${problems.length === 1 ? "problem" : "problems"}\n`);
    process.exitCode = 2;
  }
}
