import { Buffer } from "node:buffer";

/** Returns the decoded bytes (RFC 4648, section 4); `undefined` if the text is not base64 with padding. */
export function fromBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  // Node ignores invalid characters. The text is valid only if encoding the bytes returns the same text.
  return bytes.toString("base64") === text ? bytes : undefined;
}
