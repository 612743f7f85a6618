import { shellWord } from "../../contract/index.ts";
import { SWEEP_VARIABLE } from "../../tools/index.ts";

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
