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

/** A word as a POSIX shell takes it: quoted where it needs to be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A path with the query as the journal has it: decoded, each name with all its values. */
export function targetOf(path: string, query: Readonly<Record<string, readonly string[]>>): string {
  const text = queryText(query);
  return text === "" ? path : `${path}?${text}`;
}

/** The query alone, encoded again. */
export function queryText(query: Readonly<Record<string, readonly string[]>>): string {
  const pairs = Object.entries(query).flatMap(([name, values]) => values.map((value) => [name, value]));
  return new URLSearchParams(pairs).toString();
}
