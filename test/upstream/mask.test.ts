import { expect, test } from "vitest";
import { maskedPieces } from "../../src/http/upstream/arriving-body.ts";

const secrets = ["abcabd", "s3cret-wörd"];

test.each([
  ["one secret", "x abcabd y", "x ****** y"],
  ["a start that occurs twice", "abcabcabd", "abc******"],
  ["two secrets", "abcabds3cret-wörd", "******************"],
  ["no secret", "abc s3cret", "abc s3cret"],
])("replaces %s in a body, wherever its pieces end", async (_what, text, expected) => {
  const bytes = Buffer.from(text);
  for (let size = 1; size <= bytes.length + 1; size++) {
    const pieces: Uint8Array[] = [];
    for await (const piece of maskedPieces(inPieces(bytes, size), secrets)) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(expected);
  }
});

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
