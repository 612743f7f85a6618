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

/** Returns the text, cut after `most` UTF-16 units. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
