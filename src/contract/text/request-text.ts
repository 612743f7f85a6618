/** Returns the value of a header of a journal entry. The case of the name is ignored. */
export function headerOf(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
}

/** Returns a word for a POSIX shell, quoted if necessary. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns a path with a query. `query` has the decoded values by name, as in the journal. */
export function targetOf(path: string, query: Readonly<Record<string, readonly string[]>>): string {
  const text = queryText(query);
  return text === "" ? path : `${path}?${text}`;
}

/** Returns the encoded query string. */
function queryText(query: Readonly<Record<string, readonly string[]>>): string {
  const pairs = Object.entries(query).flatMap(([name, values]) => values.map((value) => [name, value]));
  return new URLSearchParams(pairs).toString();
}

/** The kinds of `Mock-Source`: the part before the colon, or all of it. */
export const sourceKinds = [
  "state",
  "fixture",
  "scenario",
  "rule",
  "function",
  "generated",
  "upstream",
  "error",
  "defect",
] as const;
export type SourceKind = (typeof sourceKinds)[number];
