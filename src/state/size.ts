import type { StoredImage } from "./image.ts";

/*
 * What V8 needs on a 64-bit machine for a value that was parsed from JSON, and for its JSON text, which is kept beside
 * it: in bytes, by measurement.
 */
const OBJECT = 96;
const ARRAY = 56;
const MEMBER = 40;
const TEXT = 32;
const FRACTION = 28;
const SCALAR = 12;
/** The member `id` with an id that a project gives out. */
const ID = MEMBER + "id".length * 2 + TEXT + "00000000-0000-4000-8000-000000000000".length * 2;
/** What a store needs for each, beside its content. */
const RECORD = 300;
const TOMBSTONE = 100;
const IMAGE = 400;

/** In shorter texts the header counts for more than the width of their characters. */
const LONG_TEXT = 64;

/** Every character of such a text takes one byte in memory. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range begins with the first character
const oneByteText = /^[\u0000-\u00ff]*$/;

/** Returns how much memory a JSON value takes together with its JSON text: an estimate, in bytes. */
export function bytesOfValue(value: unknown): number {
  if (typeof value === "string") return bytesOfText(value);
  if (typeof value === "number") return Number.isInteger(value) ? SCALAR : FRACTION;
  if (typeof value !== "object" || value === null) return SCALAR;
  if (!Array.isArray(value)) return bytesOfMembers(value as Members);
  let bytes = ARRAY;
  for (let index = 0; index < value.length; index++) bytes += bytesOfValue(value[index]);
  return bytes;
}

/** Returns how much memory a text takes together with its JSON text, in bytes. */
export function bytesOfText(text: string): number {
  const width = text.length < LONG_TEXT || oneByteText.test(text) ? 2 : 4;
  return TEXT + text.length * width;
}

interface Members {
  readonly [member: string]: unknown;
}

function bytesOfMembers(value: Members): number {
  let bytes = OBJECT;
  for (const name in value) bytes += bytesOfMember(name, value[name]);
  return bytes;
}

function bytesOfMember(name: string, value: unknown): number {
  return value === undefined ? 0 : MEMBER + name.length * 2 + bytesOfValue(value);
}

/** Returns the bytes of `next`, without another look at what it shares with `before`, which takes `bytes`. */
export function bytesAfterChange(before: Members, bytes: number, next: Members): number {
  for (const name in next) if (next[name] !== before[name]) bytes += bytesOfMember(name, next[name]);
  for (const name in before) if (next[name] !== before[name]) bytes -= bytesOfMember(name, before[name]);
  return bytes;
}

/** Returns how much memory a resource takes, in bytes. One without an id will have one of the project's. */
export function bytesOfRecord(record: Members): number {
  return RECORD + bytesOfMembers(record) + (record.id === undefined ? ID : 0);
}

/** Returns how much memory the id or key of a deleted resource takes, in bytes. */
export function bytesOfTombstone(name: string): number {
  return TOMBSTONE + bytesOfText(name);
}

/** Returns how much memory an image takes, in bytes. One without an id will have one of the project's. */
export function bytesOfImage({ bytes, ...facts }: Omit<StoredImage, "id"> & { readonly id?: string }): number {
  return IMAGE + bytes.byteLength + bytesOfMembers(facts) + (facts.id === undefined ? ID : 0);
}
