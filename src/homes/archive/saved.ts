import { Buffer } from "node:buffer";
import { type ErrorDetail, isObject } from "../../contract/index.ts";
import { type ChangeSet, type Exchange, isCut, type KeptChange } from "../../journal/index.ts";
import type { Placed, StoredImage } from "../../state/index.ts";

/*
 * Values that JSON cannot represent, as JSON, and back: bytes in base64.
 */

interface SavedBytes {
  readonly base64: string;
}

/** Returns bytes in base64. Texts stay texts, as coverage and reports distinguish them. */
function inBase64<Other>(body: Uint8Array | Other): SavedBytes | Other {
  if (!(body instanceof Uint8Array)) return body;
  return toSaved(body);
}

function toSaved(bytes: Uint8Array): SavedBytes {
  return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64") };
}

/** Returns the bytes of a body, in a buffer of their own: the shared pool of Node would stay in memory. */
function inBytes<Other extends string | null | undefined>(saved: SavedBytes | Other): Uint8Array | Other {
  return isObject(saved) ? new Uint8Array(Buffer.from(saved.base64 as string, "base64")) : (saved as Other);
}

/** Returns a request with its response as JSON. Members can be `undefined`, which `JSON.stringify` leaves out. */
export function savedExchange(exchange: Exchange) {
  const { requestBody, responseBody, violations, upstream } = exchange;
  return {
    ...exchange,
    violations: shown(violations),
    ...(upstream && { upstream: { ...upstream, violations: shown(upstream.violations) } }),
    requestBody: inBase64(requestBody),
    responseBody: inBase64(responseBody),
  };
}

/** Returns violations with the members that the journal shows. */
function shown(violations: readonly ErrorDetail[]): ErrorDetail[] {
  return violations.map(({ code, message, field }) => ({ code, message, ...(field !== undefined && { field }) }));
}

/** Returns the request of `saved`, which must be valid. */
export function exchangeOf(saved: ReturnType<typeof savedExchange>): Exchange {
  return { ...saved, requestBody: inBytes(saved.requestBody), responseBody: inBytes(saved.responseBody) };
}

/** A set of changes as JSON. */
export type SavedChanges = Omit<ChangeSet, "changes"> & { readonly changes: readonly SavedChange[] };
type SavedChange = Omit<KeptChange, "before" | "after"> & { readonly before?: unknown; readonly after?: unknown };

/** Returns a set of changes as JSON. */
export function savedChanges({ changes, ...facts }: ChangeSet): SavedChanges {
  return { ...facts, changes: withImages(changes, savedImage) };
}

/** Returns the set of changes of `saved`, which must be valid. */
export function changesOf({ changes, ...facts }: SavedChanges): ChangeSet {
  return { ...facts, changes: withImages(changes, imageOf) as KeptChange[] };
}

/** Returns the changes with images of another form. */
function withImages<Image>(changes: readonly SavedChange[], formed: (image: Image) => unknown): SavedChange[] {
  const value = (kept: unknown) => (kept === undefined || isCut(kept) ? kept : formed(kept as Image));
  return changes.map((change) => {
    const { table, before, after } = change;
    return table === "image" ? { ...change, before: value(before), after: value(after) } : change;
  });
}

/** An image with its number in the order of upload. */
export type SavedImage = Placed<Omit<StoredImage, "bytes"> & SavedBytes>;

export function savedImage([number, { bytes, ...image }]: Placed<StoredImage>): SavedImage {
  return [number, { ...image, ...toSaved(bytes) }];
}

export function imageOf([number, { base64, ...image }]: SavedImage): Placed<StoredImage> {
  return [number, { ...image, bytes: inBytes({ base64 }) as Uint8Array }];
}
