import { Buffer, isUtf8 } from "node:buffer";
import { TimeSlice } from "../schedule.ts";
import { type JsonBounds, type JsonReading, readJsonText, refused } from "./json-reader.ts";

/**
 * Reads JSON (RFC 8259, in UTF-8, with or without a byte order mark). Rejects a text beyond the bounds before it
 * creates any value, as `JSON.parse` needs up to a microsecond for each value.
 */
export function readJson(json: Uint8Array | string, bounds?: JsonBounds): JsonReading {
  const text = typeof json === "string" ? json : utf8(json);
  return text === undefined ? refused("syntax", "expected valid UTF-8") : readJsonText(text, bounds);
}

/**
 * Returns the text of bytes without its byte order mark, or `undefined` if they are invalid UTF-8. With `isCut`, the
 * last character can be incomplete.
 */
export function utf8(bytes: Uint8Array, isCut = false): string | undefined {
  // A character has at most four bytes.
  const shortest = isCut ? Math.max(0, bytes.byteLength - 3) : bytes.byteLength;
  for (let length = bytes.byteLength; length >= shortest; length--) {
    const part = bytes.subarray(0, length);
    if (isUtf8(part))
      return Buffer.from(part.buffer, part.byteOffset, length)
        .toString()
        .replace(/^\ufeff/, "");
  }
  return undefined;
}

/** Returns the decoded bytes (RFC 4648, section 4); `undefined` if the text is not base64 with padding. */
export function fromBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  // Node ignores invalid characters. The text is valid only if encoding the bytes returns the same text.
  return bytes.toString("base64") === text ? bytes : undefined;
}

/** The length from which V8 shares memory. It copies shorter parts of a text. */
const SHORTEST_PART = 13;

/**
 * Returns a copy of a text. In V8, a long part of a text (an id in a URL) keeps the whole text in memory; the copy does
 * not.
 */
export function detached(text: string): string {
  return text.length < SHORTEST_PART ? text : (JSON.parse(JSON.stringify(text)) as string);
}

/*
 * Generators of JSON text in pieces. Together, the pieces equal the result of `JSON.stringify`. Pieces avoid the
 * maximum length of a string. Each result can be iterated once.
 */

export function* objectPieces(members: Readonly<Record<string, Iterable<string>>>): Generator<string> {
  let before = "{";
  for (const [name, pieces] of Object.entries(members)) {
    yield `${before}${JSON.stringify(name)}:`;
    yield* pieces;
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

export function* arrayPieces<Item>(items: Iterable<Item>, piecesOf: (item: Item) => Iterable<string> = valuePieces) {
  let before = "[";
  for (const item of items) {
    yield before;
    yield* piecesOf(item);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

export function* valuePieces(value: unknown): Generator<string> {
  yield JSON.stringify(value);
}

/** The number of bytes in one base64 piece. A multiple of three, so that the pieces need no padding between them. */
const BASE64_PIECE = 3 * 64 * 1024;

/** Yields bytes as a JSON string in base64 (RFC 4648, section 4). */
export function* base64Pieces(bytes: Uint8Array): Generator<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  yield '"';
  for (let at = 0; at < buffer.length; at += BASE64_PIECE) yield buffer.toString("base64", at, at + BASE64_PIECE);
  yield '"';
}

const CHUNK = 64 * 1024;

/** Joins pieces of a text into chunks of bytes, in time slices. */
export async function* chunksOf(pieces: Iterable<string>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const slice = new TimeSlice();
  const encoder = new TextEncoder();
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < CHUNK) continue;
    yield encoder.encode(text);
    text = "";
    // Not for each piece: on a busy machine, a slice would be over after each of them, and a file take seconds.
    if (slice.isOver) await slice.next();
  }
  if (text !== "") yield encoder.encode(text);
}
