import { headerOf } from "../../../contract/index.ts";
import type { RequestEntry } from "../../../control/client/index.ts";

export type Headers = RequestEntry["request"]["headers"];
export type Body = NonNullable<RequestEntry["request"]["body"]>;

/** Returns the media type of a message, in lower case and without parameters. */
export function mediaTypeOf(headers: Headers): string {
  return (headerOf(headers, "Content-Type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/**
 * Returns the scheme of a credential that the journal has redacted: "Bearer", or "" for a credential without a scheme.
 * Returns undefined for any other value.
 */
export function redactedScheme(value: string): string | undefined {
  const [, scheme] = /^(?:([A-Za-z][\w-]*) )?\[redacted\]$/.exec(value) ?? [];
  return value.endsWith("[redacted]") && (scheme !== undefined || value === "[redacted]") ? (scheme ?? "") : undefined;
}

/** Returns the bytes of a body as they were sent. The journal may have formatted JSON, or cut the body. */
export function bytesOf({ json, text, base64 }: Body): Uint8Array<ArrayBuffer> {
  if (base64 !== undefined) return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new TextEncoder().encode(json === undefined ? (text ?? "") : JSON.stringify(json));
}
