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
