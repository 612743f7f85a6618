import type { StoredImage } from "./image.ts";

/*
 * Measured sizes in bytes: the memory that V8 needs on a 64-bit machine for a value from JSON, including its JSON text,
 * which is kept too.
 */
const OBJECT = 96;
const ARRAY = 56;
const MEMBER = 40;
const TEXT = 32;
const FRACTION = 28;
const SCALAR = 12;
/** The member `id` with a generated id. */
const ID = MEMBER + "id".length * 2 + TEXT + "00000000-0000-4000-8000-000000000000".length * 2;
/** The overhead of a store for each record, tombstone and image. */
const RECORD = 300;
const TOMBSTONE = 100;
const IMAGE = 400;

/** In shorter texts, the header takes more memory than wide characters. */
const LONG_TEXT = 64;

/** Matches texts whose characters take one byte each in memory. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range starts with the first character
const oneByteText = /^[\u0000-\u00ff]*$/;

/** Returns the estimated memory of a JSON value and its JSON text, in bytes. */
export function bytesOfValue(value: unknown): number {
  if (typeof value === "string") return bytesOfText(value);
  if (typeof value === "number") return Number.isInteger(value) ? SCALAR : FRACTION;
  if (typeof value !== "object" || value === null) return SCALAR;
  if (!Array.isArray(value)) return bytesOfMembers(value as Members);
  let bytes = ARRAY;
  for (let index = 0; index < value.length; index++) bytes += bytesOfValue(value[index]);
  return bytes;
}

/** Returns the estimated memory of a text and its JSON text, in bytes. */
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

/** Returns the bytes of `next`, from the `bytes` of `before`. Measures only the members that differ. */
export function bytesAfterChange(before: Members, bytes: number, next: Members): number {
  for (const name in next) if (next[name] !== before[name]) bytes += bytesOfMember(name, next[name]);
  for (const name in before) if (next[name] !== before[name]) bytes -= bytesOfMember(name, before[name]);
  return bytes;
}

/** Returns the memory of a resource in bytes. Without an id, it counts the id that the project will generate. */
export function bytesOfRecord(record: Members): number {
  return RECORD + bytesOfMembers(record) + (record.id === undefined ? ID : 0);
}

/** Returns the memory of the tombstone of an id or key, in bytes. */
export function bytesOfTombstone(name: string): number {
  return TOMBSTONE + bytesOfText(name);
}

/** Returns the memory of an image in bytes. Without an id, it counts the id that the project will generate. */
export function bytesOfImage({ bytes, ...facts }: Omit<StoredImage, "id"> & { readonly id?: string }): number {
  return IMAGE + bytes.byteLength + bytesOfMembers(facts) + (facts.id === undefined ? ID : 0);
}
