import { shellWord } from "../../contract/index.ts";
import { shortHash } from "../../project/index.ts";
import { SWEEP_VARIABLE, sweepFiles } from "../../tools/index.ts";

/** Maximum length of the readable part of a key, so that a key fits into a line of a log. */
const READABLE_LENGTH = 60;

/**
 * Returns the project key of a test. The key is readable, and the same on every machine. The generated ids of a project
 * depend on its key, so they are the same on every machine too.
 *
 * @param file the path of the test file, relative to the root of the tests
 * @param name the full name of the test, with the names of its suites
 */
export function projectKeyOf(file: string, name: string): string {
  const path = file.replaceAll("\\", "/");
  const fileName = path.slice(path.lastIndexOf("/") + 1).replace(/(\.(test|spec))?\.\w+$/, "");
  const words = `${fileName} ${name}`.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const readable = words.join("-").slice(0, READABLE_LENGTH).replace(/-$/, "");
  return `${readable || "test"}-${shortHash(JSON.stringify([path, name]))}`;
}

/** Variables with credentials, which must not appear in a log: those of flags such as `--token` and `--client`. */
const secret = /_(TOKEN|CLIENT)$/;

/** The credentials in an address, such as that of `--upstream`. */
const userInfo = /^(https?:\/\/)[^/?#]*@/i;

/**
 * Returns the command line that repeats a test run, with the variables that configure the mock. Words are quoted for a
 * POSIX shell if necessary.
 */
export function commandLine(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): string {
  // The mock of a sweep stops after the run, and so the test runs against a mock of its own again.
  const omitted = environment[SWEEP_VARIABLE] ? [SWEEP_VARIABLE, "RESOURCE_MOCK_URL"] : [];
  const variables = Object.entries(environment)
    .filter(
      ([name, value]) => name.startsWith("RESOURCE_MOCK_") && value && !secret.test(name) && !omitted.includes(name),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value = ""]) => `${name}=${shellWord(value.replace(userInfo, "$1"))}`);
  return [...variables, ...words.map(shellWord)].join(" ");
}

/** Returns a pattern for the flag `-t` of a test runner. It matches only this test name. */
export function namePattern(name: string): string {
  return `^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
}

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
