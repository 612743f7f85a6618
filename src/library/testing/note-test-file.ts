import { SWEEP_VARIABLE, sweepFiles } from "../../tools/index.ts";

/** Returns the folder of the run, if the tests run in a sweep. */
export function runOfSweep(): string | undefined {
  // A browser has no `process`, and takes no part in a sweep.
  return globalThis.process?.env?.[SWEEP_VARIABLE] || undefined;
}

/**
 * Notes the test file of a project, if the tests run in a sweep. The sweep can then run only the test files that call an
 * operation.
 */
export function noteTestFile(projectKey: string, file: string): void {
  const folder = runOfSweep();
  if (folder === undefined) return;
  const { appendFileSync } = process.getBuiltinModule("node:fs");
  const { join } = process.getBuiltinModule("node:path");
  appendFileSync(join(folder, sweepFiles.tests), `${JSON.stringify([projectKey, file])}\n`);
}
