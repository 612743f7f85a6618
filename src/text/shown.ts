const SHOWN = 60;

/** A value as an error message shows it: JSON, cut short, so that a message stays small whatever was sent. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${value.length}`;
  if (value !== null && typeof value === "object") return "an object";
  if (typeof value === "function") return "a function";
  // Not as JSON, which has no NaN and throws at a bigint.
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return cut(text, SHOWN);
}

/** `1 item`, `2 items`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Returns the text, or its beginning if it has more than `most` UTF-16 units. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
