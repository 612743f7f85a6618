import { Buffer, isUtf8 } from "node:buffer";
import { JsonBuilder } from "./json-builder.ts";
import { isLossless } from "./json-number.ts";

/** The maximum nesting depth of JSON. The interface needs less, and deeper values could exhaust the stack. */
export const MAX_JSON_DEPTH = 200;

/** The limits of one unit of JSON: the whole text, or an item of one of its lists. */
export interface JsonBounds {
  /** Maximum number of members of objects and items of arrays. */
  readonly values: number;
  /** Maximum number of members of objects. They need the most time. */
  readonly members: number;
  /** Maximum size in bytes. */
  readonly bytes: number;
}

/** The lists whose items are separate units. */
export interface JsonLists {
  /**
   * The maximum size of an item in bytes, by the JSON pointer of the list. A `*` is any item of an array. No list is
   * inside another one.
   */
  readonly itemBytes: Readonly<Record<string, number>>;
  /** Maximum number of values in the whole text. */
  readonly values: number;
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

export const noBounds: JsonBounds = { values: Infinity, members: Infinity, bytes: Infinity };
/** The maximum number of objects and arrays around a list. */
const MAX_LIST_DEPTH = 5;
/** The additional nesting depth of a text with lists: its values can be as deep as those of a text of their own. */
const LIST_LEVELS = 10;

const noLists: JsonLists = { itemBytes: {}, values: Infinity };

/** Reads a whole JSON text at once. */
export function readJson(json: Uint8Array | string): JsonReading {
  const reader = new JsonReader(typeof json === "string" ? Buffer.from(json) : json);
  while (!reader.readStep());
  return reader.reading;
}

/** Returns the value of a JSON text, or `undefined` if it is rejected. */
export function jsonValue(text: string): unknown {
  const reading = readJson(text);
  return "value" in reading ? reading.value : undefined;
}

/** The number of bytes read in one step. A step needs a few milliseconds at most. */
const STEP = 16 * 1024;

/** The message for each expected token. The texts are those of V8. */
const expected = {
  value: "Unexpected end of JSON input",
  valueOrEnd: "Unexpected end of JSON input",
  nameOrEnd: "Expected property name or '}'",
  name: "Expected double-quoted property name",
  colon: "Expected ':' after property name",
  commaInArray: "Expected ',' or ']' after array element",
  commaInObject: "Expected ',' or '}' after property value",
  nothing: "Unexpected non-whitespace character after JSON",
} as const;

const [TAB, LF, CR, SPACE, QUOTE, BACKSLASH] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x5c] as const;
const [PLUS, COMMA, MINUS, DOT, ZERO, NINE, COLON] = [0x2b, 0x2c, 0x2d, 0x2e, 0x30, 0x39, 0x3a] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
const [UPPER_E, LOWER_E, LOWER_U] = [0x45, 0x65, 0x75] as const;

const literals: Readonly<Record<number, Buffer>> = {
  102: Buffer.from("false"),
  110: Buffer.from("null"),
  116: Buffer.from("true"),
};
const escapes = new Set(Buffer.from('"\\/bfnrt'));

/** Thrown inside the reader to stop at the first error. */
class InvalidJson extends Error {
  readonly refusal: JsonRefusal;
  constructor(refusal: JsonRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/**
 * Reads JSON (RFC 8259, in UTF-8, with or without a byte order mark) in steps, so that other work can run between them.
 * Call `readStep` until it returns true. The value equals that of `JSON.parse`. The time is linear in the size of the
 * text.
 */
export class JsonReader {
  readonly #bytes: Uint8Array;
  readonly #bounds: JsonBounds;
  readonly #lists: JsonLists;
  readonly #builder: JsonBuilder;
  #at = 0;
  #expects: keyof typeof expected = "value";
  /** The start of a string whose end has not been read yet, or -1. */
  #string = -1;
  #stringIsEscaped = false;
  #line = 1;
  #lineStart = 0;
  /** The number of bytes minus the number of UTF-16 units in the current line. */
  #wide = 0;
  #total = 0;
  #values = 0;
  #members = 0;
  /** The number of values and members outside of the current item, and the size of the items before it. */
  #outside = { values: 0, members: 0, itemBytes: 0 };
  #item = -1;
  #itemDepth = 0;
  #lossyNumber: JsonRefusal | undefined;
  #refusal: JsonRefusal | undefined;

  constructor(bytes: Uint8Array, bounds = noBounds, lists = noLists) {
    this.#bytes = bytes;
    this.#bounds = bounds;
    this.#lists = lists;
    this.#builder = new JsonBuilder(bytes);
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#at = this.#lineStart = 3;
    if (!isUtf8(bytes)) this.#refusal = { kind: "syntax", pointer: "", message: "expected valid UTF-8" };
  }

  /** The result, after `readStep` has returned true. */
  get reading(): JsonReading {
    return this.#refusal ? { refusal: this.#refusal } : { value: this.#builder.root };
  }

  /** Reads the next step. Returns whether it was the last step. */
  readStep(): boolean {
    if (this.#refusal) return true;
    try {
      return this.#step();
    } catch (error) {
      if (!(error instanceof InvalidJson)) throw error;
      this.#refusal = error.refusal;
      return true;
    }
  }

  #step(): boolean {
    const { length } = this.#bytes;
    const until = Math.min(this.#at + STEP, length);
    while (this.#at < until) {
      if (this.#string >= 0) this.#readString(until);
      else this.#readToken(this.#bytes[this.#at] as number);
    }
    this.#checkSize();
    if (this.#at < length) return false;
    if (this.#string >= 0) this.#fail(length, "Unterminated string");
    if (this.#expects !== "nothing") this.#fail(length, expected[this.#expects]);
    // Reported last, as syntax errors have precedence.
    if (this.#lossyNumber) throw new InvalidJson(this.#lossyNumber);
    return true;
  }

  #readToken(byte: number): void {
    if (byte === SPACE || byte === TAB) {
      this.#at++;
      return;
    }
    if (byte === LF || byte === CR) {
      if (byte === CR || this.#bytes[this.#at - 1] !== CR) this.#line++;
      this.#lineStart = ++this.#at;
      this.#wide = 0;
      return;
    }
    const expects = this.#expects;
    if (expects === "value" || (expects === "valueOrEnd" && byte !== CLOSE_ARRAY)) this.#readValue(byte);
    else if (byte === CLOSE_ARRAY && (expects === "valueOrEnd" || expects === "commaInArray")) this.#close();
    else if (byte === CLOSE_OBJECT && (expects === "nameOrEnd" || expects === "commaInObject")) this.#close();
    else if (byte === QUOTE && (expects === "name" || expects === "nameOrEnd")) this.#openString();
    else if (byte === COLON && expects === "colon") this.#skip("value");
    else if (byte === COMMA && expects === "commaInArray") this.#skip("value");
    else if (byte === COMMA && expects === "commaInObject") this.#skip("name");
    else this.#fail(this.#at, expected[expects]);
  }

  /** Skips a comma or colon. */
  #skip(expects: "value" | "name"): void {
    this.#at++;
    this.#expects = expects;
  }

  #readValue(byte: number): void {
    const isNumber = byte === MINUS || (byte >= ZERO && byte <= NINE);
    const literal = literals[byte];
    if (!isNumber && !literal && byte !== QUOTE && byte !== OPEN_ARRAY && byte !== OPEN_OBJECT) this.#unexpected();
    this.#beginValue();
    if (isNumber) this.#readNumber(byte);
    else if (literal) this.#readLiteral(literal);
    else if (byte === QUOTE) this.#openString();
    else this.#open(byte === OPEN_OBJECT);
  }

  #beginValue(): void {
    const { top, depth } = this.#builder;
    this.#builder.begin(this.#at);
    if (top?.itemBytes) {
      this.#outside.values = this.#values;
      this.#outside.members = this.#members;
      this.#values = this.#members = 0;
      this.#item = this.#at;
      this.#itemDepth = depth;
    }
    if (++this.#total > this.#lists.values) this.#failSize("", this.#lists.values, "JSON values");
    if (++this.#values > this.#bounds.values) this.#failSize(this.#unit, this.#bounds.values, "JSON values");
    if (top?.isObject && ++this.#members > this.#bounds.members) {
      this.#failSize(this.#unit, this.#bounds.members, "members");
    }
  }

  /** Records the end of the value that starts at `from`. `built` is the value, if it is already known. */
  #endValue(from: number, built?: { readonly value: unknown }): void {
    if (this.#item === from && this.#builder.depth === this.#itemDepth) {
      this.#checkSize();
      this.#outside.itemBytes += this.#at - from;
      this.#values = this.#outside.values;
      this.#members = this.#outside.members;
      this.#item = -1;
    }
    this.#builder.end(from, this.#at, built);
    const { top } = this.#builder;
    this.#expects = !top ? "nothing" : top.isObject ? "commaInObject" : "commaInArray";
  }

  #open(isObject: boolean): void {
    const most = this.#lists === noLists ? MAX_JSON_DEPTH : MAX_JSON_DEPTH + LIST_LEVELS;
    if (this.#builder.depth === most) {
      const message = `expected at most ${most} levels of nesting, found more`;
      throw new InvalidJson({ kind: "depth", pointer: "", message });
    }
    this.#builder.open(this.#at++, isObject, isObject ? 0 : this.#itemBytes());
    this.#expects = isObject ? "nameOrEnd" : "valueOrEnd";
  }

  /** Returns the maximum item size of the array that starts here, if it is one of the lists; otherwise 0. */
  #itemBytes(): number {
    if (this.#lists === noLists) return 0;
    const { top, depth } = this.#builder;
    const mayBeList = this.#item < 0 && depth <= MAX_LIST_DEPTH && top?.isObject !== false;
    return mayBeList ? (this.#lists.itemBytes[this.#builder.pointer(depth, "*")] ?? 0) : 0;
  }

  #close(): void {
    this.#at++;
    const { from, built } = this.#builder.close();
    this.#endValue(from, built);
  }

  #openString(): void {
    this.#string = this.#at++;
    this.#stringIsEscaped = false;
  }

  #readString(until: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (; at < until; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.#at = at + 1;
        this.#closeString();
        return;
      }
      if (byte === BACKSLASH) {
        this.#stringIsEscaped = true;
        at = this.#endOfEscape(at + 1);
      } else if (byte < SPACE) this.#fail(at, "Bad control character in string literal");
      // A character of four bytes has two UTF-16 units; a shorter one has one.
      else if (byte >= 0x80) this.#wide += byte < 0xc0 ? 1 : byte >= 0xf0 ? -1 : 0;
    }
    this.#at = at;
  }

  #endOfEscape(at: number): number {
    const bytes = this.#bytes;
    if (at === bytes.length) this.#fail(at, "Unterminated string");
    if (bytes[at] !== LOWER_U) {
      if (!escapes.has(bytes[at] as number)) this.#fail(at, "Bad escaped character");
      return at;
    }
    for (const end = at + 4; at < end; ) {
      const digit = bytes[++at] ?? 0;
      const isHex = (digit >= ZERO && digit <= NINE) || ((digit | 0x20) >= 0x61 && (digit | 0x20) <= 0x66);
      if (!isHex) this.#fail(at, "Bad Unicode escape");
    }
    return at;
  }

  #closeString(): void {
    const from = this.#string;
    this.#string = -1;
    if (this.#expects === "name" || this.#expects === "nameOrEnd") {
      this.#builder.name(from, this.#at);
      this.#expects = "colon";
    } else {
      this.#endValue(from, this.#stringIsEscaped ? undefined : this.#builder.longString(from, this.#at));
    }
  }

  #readNumber(first: number): void {
    const from = this.#at;
    const bytes = this.#bytes;
    const start = first === MINUS ? from + 1 : from;
    let at = this.#endOfDigits(start, "No number after minus sign");
    if (bytes[start] === ZERO && at > start + 1) this.#fail(start + 1, "Unexpected number");
    const isInteger = bytes[at] !== DOT;
    if (!isInteger) at = this.#endOfDigits(at + 1, "Unterminated fractional number");
    const isScaled = bytes[at] === LOWER_E || bytes[at] === UPPER_E;
    if (isScaled) {
      const isSigned = bytes[at + 1] === PLUS || bytes[at + 1] === MINUS;
      at = this.#endOfDigits(isSigned ? at + 2 : at + 1, "Exponent part is missing a number");
    }
    this.#at = at;
    // Shorter numbers never overflow and never lose digits.
    if (isScaled || at - from > (isInteger ? 15 : 308)) this.#checkNumber(this.#builder.text(from, at));
    this.#endValue(from);
  }

  #endOfDigits(from: number, problem: string): number {
    const bytes = this.#bytes;
    let at = from;
    while ((bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at++;
    if (at === from) this.#fail(at, problem);
    return at;
  }

  #checkNumber(text: string): void {
    if (this.#lossyNumber || isLossless(text)) return;
    const found = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    const message = `expected a number that a 64-bit floating-point value can hold, found ${found}. Send the number as a string`;
    this.#lossyNumber = { kind: "number", pointer: this.#builder.pointer(), message };
  }

  #readLiteral(literal: Buffer): void {
    const from = this.#at;
    for (const byte of literal) {
      if (this.#bytes[this.#at] !== byte) this.#unexpected();
      this.#at++;
    }
    this.#endValue(from);
  }

  /** The pointer of the current item, or "". */
  get #unit(): string {
    return this.#item < 0 ? "" : this.#builder.pointer(this.#itemDepth);
  }

  #checkSize(): void {
    const isItem = this.#item >= 0;
    const size = isItem ? this.#at - this.#item : this.#at - this.#outside.itemBytes;
    const most = isItem ? (this.#builder.frameAt(this.#itemDepth)?.itemBytes ?? 0) : this.#bounds.bytes;
    if (size > most) this.#failSize(this.#unit, most, "bytes");
  }

  #failSize(pointer: string, most: number, what: string): never {
    throw new InvalidJson({ kind: "size", pointer, message: `expected at most ${most} ${what}, found more` });
  }

  #unexpected(): never {
    if (this.#at === this.#bytes.length) this.#fail(this.#at, expected.value);
    const text = this.#builder.text(this.#at, this.#at + 4);
    this.#fail(this.#at, `Unexpected token '${String.fromCodePoint(text.codePointAt(0) ?? 0)}'`);
  }

  #fail(at: number, problem: string): never {
    const column = at - this.#lineStart - this.#wide + 1;
    const message = `${problem} (line ${this.#line}, column ${column})`;
    throw new InvalidJson({ kind: "syntax", pointer: "", message });
  }
}
