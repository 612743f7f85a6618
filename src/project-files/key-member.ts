import { Buffer } from "node:buffer";

/*
 * The member `projectKey` at the start of an archive: in files whose names have only the hash of the key.
 */

/** The first characters of such a file. A key of 256 characters is shorter, also with escapes. */
const START = 4096;
const member = /^\{"projectKey":("(?:[^"\\]|\\.)*"),/;

/** Returns the pieces of an archive with the project key as its first member. */
export function* withKey(key: string, pieces: Iterable<string>): Generator<string> {
  let start = `{"projectKey":${JSON.stringify(key)},`;
  for (const piece of pieces) {
    yield start === "" ? piece : start + piece.slice("{".length);
    start = "";
  }
}

/** Returns the project key and the archive in the text that `withKey` has written; undefined for another text. */
export function keyIn(bytes: Buffer): { readonly key: string; readonly archive: Buffer } | undefined {
  const [start, json = ""] = member.exec(bytes.toString("utf8", 0, START)) ?? [];
  if (start === undefined) return undefined;
  const rest = bytes.subarray(Buffer.byteLength(start));
  return { key: JSON.parse(json), archive: Buffer.concat([Buffer.from("{"), rest]) };
}
