import { Buffer } from "node:buffer";

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

/** Yields the text of a value as one piece. */
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
