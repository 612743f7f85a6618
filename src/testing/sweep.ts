import { SWEEP_VARIABLE, sweepFiles } from "../sweep-files.ts";

/**
 * Notes the test file of a project, if the tests run in a sweep. The sweep can then run only the test files that call an
 * operation.
 */
export function noteTestFile(projectKey: string, file: string): void {
  // A browser has no `process`, and takes no part in a sweep.
  const { process } = globalThis;
  const folder = process?.env?.[SWEEP_VARIABLE];
  if (!folder) return;
  const { appendFileSync } = process.getBuiltinModule("node:fs");
  const { join } = process.getBuiltinModule("node:path");
  appendFileSync(join(folder, sweepFiles.tests), `${JSON.stringify([projectKey, file])}\n`);
}
