import { createHash } from "node:crypto";
import { projectKeyProblem } from "../../project/index.ts";

/** The extension of the file of a project: JSON lines. */
export const EXTENSION = ".ndjson";
/** The longest encoded key. File systems allow 255 bytes for a name, and temporary files have a longer extension. */
const ENCODED_LENGTH = 200;
/** The first characters of a name that is a hash. No encoded key starts with them. */
const HASHED = "%-";
/** Names of devices, which Windows reserves with any extension. */
const device = /^(aux|con|nul|prn|com\d|lpt\d)$/;

/**
 * Returns the name of the file for a project key. All bytes of the key in UTF-8 are percent-encoded, except lower-case
 * letters, digits, `-`, `_` and `~`, because some file systems ignore case. Instead of a long key, the name has its hash.
 */
export function fileNameOf(key: string): string {
  const encoded = encode(key);
  return (encoded.length <= ENCODED_LENGTH && key.isWellFormed() ? encoded : hashed(key)) + EXTENSION;
}

/** Returns whether the name has the hash of the key, not the key. */
export function isHashed(name: string): boolean {
  return name.startsWith(HASHED);
}

/** Returns the project key of a file name that is not hashed. Throws an Error if the name is invalid. */
export function keyOf(name: string): string {
  const encoded = name.slice(0, -EXTENSION.length);
  let key: string | undefined;
  try {
    key = decodeURIComponent(encoded);
  } catch {
    // The text has a % without a byte in hexadecimal, or bytes that are not UTF-8.
  }
  if (key === undefined) throw new Error("expected the name to be a project key, in which %20 is a space");
  const problem = projectKeyProblem(key);
  if (problem) throw problem;
  return key;
}

/** Returns whether a file with this name belongs to a project. */
export function isProjectFile(name: string): boolean {
  return name.endsWith(EXTENSION);
}

function encode(key: string): string {
  const text = [...Buffer.from(key)].map(encodeByte).join("");
  return device.test(text) ? escaped(text.charCodeAt(0)) + text.slice(1) : text;
}

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[a-z0-9_~-]/.test(character) ? character : escaped(byte);
}

function escaped(byte: number): string {
  return `%${byte.toString(16).padStart(2, "0")}`;
}

function hashed(key: string): string {
  return HASHED + createHash("sha256").update(JSON.stringify(key)).digest("hex");
}
