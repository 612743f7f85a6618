import { shellWord } from "../text/shell.ts";

/** What would be told to everyone who reads the log. */
const secrets = ["RESOURCE_MOCK_ADMIN_TOKEN", "RESOURCE_MOCK_CLIENT"];

/**
 * The command line that runs a test again as it ran: with the variables that shape the mock, and every word quoted for
 * a POSIX shell where it needs to be.
 */
export function commandLine(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const variables = Object.entries(environment)
    .filter(([name, value]) => name.startsWith("RESOURCE_MOCK_") && value && !secrets.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value = ""]) => `${name}=${shellWord(value)}`);
  return [...variables, ...words.map(shellWord)].join(" ");
}

/** A pattern that matches this test name and no other, for a runner's `-t`. */
export function namePattern(name: string): string {
  return `^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
}
