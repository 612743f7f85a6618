import { Buffer } from "node:buffer";
import { TimeSlice } from "./time-slice.ts";

/** The number of base64 characters that are decoded at a time. */
const BASE64_PIECE = 1024 * 1024;

/**
 * Returns the decoded bytes (RFC 4648, section 4); `undefined` if the text is not base64 with padding. Decodes in time
 * slices.
 */
export async function fromBase64(text: string): Promise<Uint8Array | undefined> {
  const slice = new TimeSlice();
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array(Math.max(0, Math.floor((text.length / 4) * 3) - padding));
  let size = 0;
  for (let at = 0; at < text.length; at += BASE64_PIECE) {
    const piece = text.slice(at, at + BASE64_PIECE);
    const part = Buffer.from(piece, "base64");
    // Node ignores invalid characters. The text is valid only if encoding the bytes returns the same text.
    if (part.toString("base64") !== piece || size + part.length > bytes.length) return undefined;
    bytes.set(part, size);
    size += part.length;
    if (slice.isOver) await slice.next();
  }
  return size === bytes.length ? bytes : undefined;
}
