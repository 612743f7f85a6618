import zlib from "node:zlib";
import { shown } from "../../contract/index.ts";

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

/** The codings of bodies (RFC 9110, section 8.4.1). `deflate` often lacks its zlib header, which names the method 8. */
const decoders: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ["identity", (bytes) => bytes],
  ["gzip", zlib.gunzipSync],
  ["x-gzip", zlib.gunzipSync],
  ["br", zlib.brotliDecompressSync],
  ["zstd", zlib.zstdDecompressSync],
  [
    "deflate",
    (bytes, options) => (((bytes[0] ?? 0) & 15) === 8 ? zlib.inflateSync : zlib.inflateRawSync)(bytes, options),
  ],
]);

/** A decoded body, or why it cannot be decoded. */
type Decoding = { readonly bytes: Uint8Array; readonly problem?: undefined } | { readonly problem: string };

/**
 * Returns the body without the coding of `Content-Encoding`, or why it cannot be decoded. A body that is larger than
 * `limit` bytes when decoded is not decoded, as a small body can contain a very large one.
 */
export function decodeBody(bytes: Uint8Array, contentEncoding: string, limit: number): Decoding {
  const coding = contentEncoding.trim().toLowerCase() || "identity";
  const decode = decoders.get(coding);
  if (!decode) return { problem: `Content-Encoding: expected gzip, br, deflate or zstd, found ${shown(coding)}` };
  try {
    return { bytes: decode(bytes, { maxOutputLength: Math.max(1, limit) }) };
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return {
      problem: isTooLarge
        ? `The decoded body: expected at most ${limit} bytes, found more`
        : `The body: expected ${coding}, found other bytes`,
    };
  }
}
