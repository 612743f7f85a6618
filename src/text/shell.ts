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
