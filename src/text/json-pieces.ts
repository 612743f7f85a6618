import { Buffer } from "node:buffer";

/*
 * The text that `JSON.stringify` returns, in pieces that are made when they are needed: a whole text may be longer than
 * a string can be. Each function returns the pieces of one value, to be gone through once.
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

/** A value whose text is one piece. */
export function* valuePieces(value: unknown): Generator<string> {
  yield JSON.stringify(value);
}

/** How much of a base64 text is made at a time, in bytes: a multiple of three, so that the pieces join. */
const BASE64_PIECE = 3 * 64 * 1024;

/** Bytes as a string in base64 (RFC 4648, section 4). */
export function* base64Pieces(bytes: Uint8Array): Generator<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  yield '"';
  for (let at = 0; at < buffer.length; at += BASE64_PIECE) yield buffer.toString("base64", at, at + BASE64_PIECE);
  yield '"';
}
