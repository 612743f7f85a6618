import { Buffer } from "node:buffer";
import { type ErrorDetail, textOf } from "../../contract/index.ts";
import { type ChangeSet, type Exchange, isCut, type KeptChange } from "../../journal/index.ts";
import type { Placed, StoredImage } from "../../state/index.ts";

/*
 * Values that JSON cannot represent, as JSON, and back: bytes in base64.
 */

/** A body: text, or bytes that are not UTF-8. */
type SavedBody = string | { readonly base64: string };

/** A request with its response as JSON. */
export interface SavedExchange extends Omit<Exchange, "requestBody" | "responseBody"> {
  readonly requestBody?: SavedBody;
  readonly responseBody: SavedBody | null;
}

/** Returns a request with its response as JSON. Members can be `undefined`, which `JSON.stringify` leaves out. */
export function savedExchange(exchange: Exchange): SavedExchange {
  const { requestBody, responseBody, violations, upstream, ...facts } = exchange;
  return {
    ...facts,
    violations: shown(violations),
    ...(upstream && { upstream: { ...upstream, violations: shown(upstream.violations) } }),
    ...(requestBody && { requestBody: savedBody(requestBody) }),
    // A text stays a text, and bytes stay bytes, as coverage and reports distinguish them.
    responseBody: typeof responseBody === "string" || responseBody === null ? responseBody : inBase64(responseBody),
  };
}

/** Returns violations with the members that the journal shows. */
function shown(violations: readonly ErrorDetail[]): ErrorDetail[] {
  return violations.map(({ code, message, field }) => ({ code, message, ...(field !== undefined && { field }) }));
}

/** Returns the request of `saved`, which must be valid. */
export function exchangeOf({ requestBody, responseBody, ...facts }: SavedExchange): Exchange {
  return {
    ...facts,
    requestBody: typeof requestBody === "object" ? bytesOf(requestBody) : requestBody,
    responseBody: responseBody === null || typeof responseBody === "string" ? responseBody : bytesOf(responseBody),
  };
}

function savedBody(body: string | Uint8Array): SavedBody {
  if (typeof body === "string") return body;
  return textOf(body) ?? inBase64(body);
}

function inBase64(bytes: Uint8Array): SavedBody {
  return { base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64") };
}

/** Returns the bytes of a body, in a buffer of their own: the shared pool of Node would stay in memory. */
function bytesOf({ base64 }: Exclude<SavedBody, string>): Uint8Array {
  return new Uint8Array(Buffer.from(base64, "base64"));
}

/** A set of changes as JSON. The bytes of images are in base64. */
export type SavedChanges = Omit<ChangeSet, "changes"> & { readonly changes: readonly SavedChange[] };
type SavedChange = Omit<KeptChange, "before" | "after"> & { readonly before?: unknown; readonly after?: unknown };

/** Returns a set of changes as JSON. */
export function savedChanges({ changes, ...facts }: ChangeSet): SavedChanges {
  return {
    ...facts,
    changes: changes.map((change) => (change.table === "image" ? withValues(change, inText) : change)),
  };
}

/** Returns the set of changes of `saved`, which must be valid. */
export function changesOf({ changes, ...facts }: SavedChanges): ChangeSet {
  const restored = changes.map((change) => (change.table === "image" ? withValues(change, inBytes) : change));
  return { ...facts, changes: restored as KeptChange[] };
}

function withValues({ table, id, before, after }: SavedChange, change: (value: unknown) => unknown): SavedChange {
  return {
    table,
    id,
    ...(before !== undefined && { before: change(before) }),
    ...(after !== undefined && { after: change(after) }),
  };
}

function inText(value: unknown): unknown {
  return isCut(value) ? value : savedImage(value as Placed<StoredImage>);
}

function inBytes(value: unknown): unknown {
  return isCut(value) ? value : imageOf(value as SavedImage);
}

/** An image with its number in the order of upload. */
export type SavedImage = Placed<Omit<StoredImage, "bytes"> & { readonly base64: string }>;

export function savedImage([number, { bytes, ...image }]: Placed<StoredImage>): SavedImage {
  return [number, { ...image, base64: Buffer.from(bytes).toString("base64") }];
}

export function imageOf([number, { base64, ...image }]: SavedImage): Placed<StoredImage> {
  return [number, { ...image, bytes: bytesOf({ base64 }) }];
}
