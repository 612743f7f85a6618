import { promisify } from "node:util";
import zlib from "node:zlib";

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const gunzip: Decode = promisify(zlib.gunzip);

/** The codings of bodies (RFC 9110, section 8.4.1). `deflate` often lacks its zlib header. */
const decoders: Readonly<Record<string, Decode>> = {
  gzip: gunzip,
  "x-gzip": gunzip,
  br: promisify(zlib.brotliDecompress),
  zstd: promisify(zlib.zstdDecompress),
  async deflate(bytes, options) {
    // The first byte of a zlib header names the method 8.
    const hasHeader = ((bytes[0] ?? 0) & 0x0f) === 8;
    return promisify<Uint8Array, typeof options, Uint8Array>(hasHeader ? zlib.inflate : zlib.inflateRaw)(
      bytes,
      options,
    );
  },
};

/** The decodings, one after the other: in parallel, a thousand small bodies could fill the memory when decoded. */
let last: Promise<unknown> = Promise.resolve();

/** The limit of codings in one header. Each of them costs time. */
const MAX_CODINGS = 3;

/** A decoded body, or why it cannot be decoded. */
type Decoding = { readonly bytes: Uint8Array; readonly problem?: undefined } | { readonly problem: string };

/**
 * Returns the body without the codings of `Content-Encoding`, or why it cannot be decoded. A body that is larger than
 * `limit` bytes when decoded is not decoded, as a small body can contain a very large one.
 */
export async function decodeBody(bytes: Uint8Array, contentEncoding: string, limit: number): Promise<Decoding> {
  const codings = contentEncoding
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length === 0) return { bytes };
  if (codings.length > MAX_CODINGS) {
    return { problem: `Content-Encoding: expected at most ${MAX_CODINGS} codings, found ${codings.length}` };
  }
  const decoding = last.then(() => decodeAll(bytes, codings, limit));
  last = decoding;
  return decoding;
}

/** Removes the codings, the last one first. Never rejects. */
async function decodeAll(bytes: Uint8Array, codings: readonly string[], limit: number): Promise<Decoding> {
  let decoded = bytes;
  for (const coding of codings.toReversed()) {
    const decode = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
    if (!decode) return { problem: `Content-Encoding: expected gzip, br, deflate or zstd, found ${coding}` };
    try {
      decoded = await decode(decoded, { maxOutputLength: Math.max(1, limit) });
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
      return {
        problem: isTooLarge
          ? `The decoded body: expected at most ${limit} bytes, found more`
          : `The body: expected ${coding}, found other bytes`,
      };
    }
  }
  return { bytes: decoded };
}
