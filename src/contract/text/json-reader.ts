import { MAX_JSON_DEPTH, MAX_SEARCHED_TEXT } from "../limits.ts";
import { cut, join } from "./shown.ts";

export interface JsonBounds {
  /** The maximum number of members, items, objects and arrays; by default, any number. */
  readonly values?: number;
  /** The maximum number of members of one object; by default, any number. */
  readonly members?: number;
  /** The maximum nesting depth; by default, `MAX_JSON_DEPTH`. */
  readonly depth?: number;
}

/** The value of a text, or the reason why the text is rejected. */
export type JsonReading = { readonly value: unknown } | { readonly refusal: JsonRefusal };

/** The reason why a text is rejected. `number`: a 64-bit floating-point value cannot hold a number of the text. */
export interface JsonRefusal {
  readonly kind: "syntax" | "depth" | "size" | "number";
  /** The JSON pointer of the location, or "" for the whole text. */
  readonly pointer: string;
  readonly message: string;
}

/** Does the same as `readJson` for a text. This file also runs in browsers. */
export function readJsonText(
  json: string,
  { values = Infinity, members = Infinity, depth = MAX_JSON_DEPTH }: JsonBounds = {},
): JsonReading {
  const text = json.replace(/^\ufeff/, "");
  const scanned = scan(text, { values, members, depth });
  if ("refusal" in scanned) return scanned;
  try {
    const value: unknown = JSON.parse(text);
    const changed = scanned.mayChange ? changedNumber(text) : undefined;
    return changed ? { refusal: changed } : { value };
  } catch (error) {
    return refused("syntax", located(text, (error as SyntaxError).message));
  }
}

/** Returns the value of a JSON text, or `undefined` if it is rejected. */
export function jsonValue(text: string): unknown {
  const reading = readJsonText(text);
  return "value" in reading ? reading.value : undefined;
}

export function refused(kind: JsonRefusal["kind"], message: string): { readonly refusal: JsonRefusal } {
  return { refusal: { kind, pointer: "", message } };
}

const [QUOTE, BACKSLASH, COMMA, ZERO, NINE] = [0x22, 0x5c, 0x2c, 0x30, 0x39] as const;
const [PLUS, MINUS, DOT, LOWER_E] = [0x2b, 0x2d, 0x2e, 0x65] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/**
 * Scans a JSON text, which can be invalid. Returns whether parsing may change a number, or the reason why the text is
 * rejected.
 */
function scan(
  text: string,
  { values, members, depth }: Required<JsonBounds>,
): { readonly mayChange: boolean } | { readonly refusal: JsonRefusal } {
  let count = 1;
  let mayChange = false;
  /** The members of each open object so far; an array has none. */
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) {
      count++;
      const found = (open.pop() ?? 0) + 1;
      if (found > members) return tooMany(members, "members in an object");
      open.push(found);
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      count++;
      if (open.push(code === OPEN_ARRAY ? -Infinity : 1) > depth) return tooMany(depth, "levels of nesting", "depth");
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) open.pop();
    else if (code >= ZERO && code <= NINE) {
      const end = endOfNumber(text, at);
      // The shortest number that overflows is 2e308.
      mayChange ||= end - at >= 5 && !isLossless(text.slice(at, end));
      at = end - 1;
    }
    if (count > values) return tooMany(values, "JSON values");
  }
  return { mayChange };
}

function tooMany(limit: number, what: string, kind: "depth" | "size" = "size"): { readonly refusal: JsonRefusal } {
  return refused(kind, `expected at most ${limit} ${what}, found more`);
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) at++;
  }
  return at;
}

function endOfNumber(text: string, from: number): number {
  let at = from + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isPart = (code >= ZERO && code <= NINE) || code === DOT || code === PLUS || code === MINUS;
    if (!isPart && (code | 0x20) !== LOWER_E) break;
  }
  return at;
}

/** Returns the error for the first number that parsing changes; undefined if there is no such number. */
function changedNumber(text: string): JsonRefusal | undefined {
  let found: string | undefined;
  let path: string[] = [];
  let holder: unknown;
  // Called for each value after its members and items, so the names of the objects around the number follow.
  JSON.parse(text, function (this: unknown, name: string, value: unknown, { source }: { source?: string } = {}) {
    if (found === undefined && source !== undefined && typeof value === "number" && !isLossless(source)) {
      found = source;
      path = [name];
      holder = this;
    } else if (found !== undefined && value === holder) {
      path.unshift(name);
      holder = this;
    }
    return value;
  });
  if (found === undefined) return undefined;
  return { kind: "number", pointer: path.slice(1).reduce(join, ""), message: changedNumberText(found) };
}

/** Returns the message for a number that is not lossless. */
export function changedNumberText(text: string): string {
  const expected = "expected a number that a 64-bit floating-point value can hold";
  return `${expected}, found ${cut(text, 60)}. Send the number as a string`;
}

/**
 * Returns whether a 64-bit floating-point value can hold a decimal number: it does not overflow, an integer keeps all its
 * digits, and a fraction stays one. Fractions can be rounded. JSON itself sets no limits (RFC 8259, section 6).
 */
export function isLossless(text: string): boolean {
  if (text.length <= 15 && !/e/i.test(text)) return true;
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  return !Number.isInteger(value) || decimalOf(String(value)) === decimalOf(text);
}

/** Returns a number in a form that is the same for all spellings: `12e-1` for `1.20`, `0.12e1` and `1.2`. */
function decimalOf(text: string): string {
  const [, whole = "", fraction = "", exponent = 0] = /^[+-]?(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return end === 0 ? "0" : `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/** Returns the error of `JSON.parse` for a text, with the line and column in place of an excerpt of the text. */
function located(text: string, message: string): string {
  const [known, start = "", line, column] =
    /^(.*?)(?: in JSON)? at position \d+ \(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  if (known !== undefined) return `${start} (line ${line}, column ${column})`;
  const isToken = message.endsWith(" is not valid JSON");
  if (isToken && text.length > MAX_SEARCHED_TEXT) return message.replace(/,? ?(?:\.\.\.)?".*$/s, "");
  const at = isToken ? unexpectedToken(text) : text.length;
  const lines = text.slice(0, at).split(/\r\n|\r|\n/);
  const what = isToken ? `Unexpected token '${String.fromCodePoint(text.codePointAt(at) ?? 0)}'` : message;
  return `${what} (line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1})`;
}

/** Returns the position of the first unexpected token: the shortest start of the text with this error ends with it. */
function unexpectedToken(text: string): number {
  let [low, high] = [0, text.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (errorOf(text.slice(0, middle + 1)).endsWith(" is not valid JSON")) high = middle;
    else low = middle + 1;
  }
  return low;
}

function errorOf(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return (error as SyntaxError).message;
  }
}
