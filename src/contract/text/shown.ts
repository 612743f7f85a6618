/** Returns whether a JSON value is an object (not an array, not null). */
export function isObject(value: unknown): value is { [member: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an object with the results of a function for each member, by the names of the members. */
export function mapValues<Value, Result>(
  members: { readonly [name: string]: Value },
  map: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, map(value, name)]));
}

/** Returns the JSON pointer of a member or item of the value at `pointer`. */
export function join(pointer: string, member: string | number): string {
  return `${pointer}/${String(member).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export function segmentsOf(pointer: string): string[] {
  const segments = pointer.split("/").slice(1);
  if (!pointer.includes("~")) return segments;
  return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the value at this path of own members and array indexes; undefined if it does not exist. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const segment of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return undefined;
    if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(segment)) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}

/**
 * Returns whether a path can have the text as a segment: URLs resolve `.` and `..`, and cannot encode half of a surrogate
 * pair.
 */
export function isPathSegment(text: string): boolean {
  return text !== "." && text !== ".." && text.isWellFormed();
}

const SHOWN = 60;

/** Returns a value for an error message: short JSON, so that a message stays small for any value. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${value.length}`;
  if (value !== null && typeof value === "object") return "an object";
  if (typeof value === "function") return "a function";
  // JSON has no NaN, and `JSON.stringify` throws for a bigint.
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return cut(text, SHOWN);
}

/** Returns a number with its noun: `1 item`, `2 items`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Returns the parts of a text before and after its first separator. */
export function splitAt(text: string, separator = "/"): [start: string, rest: string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

export function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** Returns the text, cut after `most` UTF-16 units. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** A request that has arrived and has no response yet. */
interface Pending {
  readonly operation?: string;
  readonly method: string;
  readonly path: string;
  /** In milliseconds. */
  readonly duration: number;
}

/** The number of requests that the text names. */
const NAMED = 3;

/** Returns a text such as `1 request is in progress (getPet, 300 ms)`. */
export function inProgressText(requests: readonly Pending[]): string {
  const names = requests.slice(0, NAMED).map(({ operation, method, path, duration }) => {
    return `${operation ?? `${method} ${cut(path, 100)}`}, ${Math.round(duration)} ms`;
  });
  if (requests.length > NAMED) names.push("…");
  const verb = requests.length === 1 ? "is" : "are";
  return `${counted(requests.length, "request")} ${verb} in progress (${names.join("; ")})`;
}

/** Returns the value of a header; several values have commas between them. The case of the name is ignored. */
export function headerOf(headers: Readonly<Record<string, string | readonly string[] | undefined>>, name: string) {
  const [, value] = Object.entries(headers).find(([each]) => each.toLowerCase() === name.toLowerCase()) ?? [];
  return typeof value === "object" ? value.join(", ") : value;
}

/** Returns each value of the headers with its name, as a Response would join several values of a name with commas. */
export function headerPairs(headers: Readonly<Record<string, string | readonly string[] | undefined>>) {
  return Object.entries(headers).flatMap(([name, value = []]) => {
    return [value].flat().map((each): [name: string, value: string] => [name, each]);
  });
}

/** Returns a word for a POSIX shell, quoted if necessary. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns the text without percent-encodings; unchanged if one is invalid. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns a path, or a part of one, without percent-encodings. Bytes that are not UTF-8 stay percent-encoded. */
export function decodedPath(path: string): string {
  return path.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded.replace(/%[0-7][\da-f]/gi, decodeURIComponent);
    }
  });
}

/** Returns a path with a query. `query` has the decoded values by name, as in the journal. */
export function targetOf(path: string, query: Readonly<Record<string, readonly string[]>>): string {
  const pairs = Object.entries(query).flatMap(([name, values]) => values.map((value) => [name, value]));
  const text = new URLSearchParams(pairs).toString();
  return text === "" ? path : `${path}?${text}`;
}

/** The kinds of `Mock-Source`: the part before the colon, or all of it. */
export const sourceKinds = [
  "state",
  "fixture",
  "example",
  "scenario",
  "rule",
  "function",
  "generated",
  "upstream",
  "error",
  "defect",
] as const;
export type SourceKind = (typeof sourceKinds)[number];
