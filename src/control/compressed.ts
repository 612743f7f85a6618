import { createHash } from "node:crypto";
import { Duplex } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gzip, gzipSync } from "node:zlib";
import { acceptsGzip, type ControlResponse } from "./control-response.ts";

/** A stream with these options takes 40 KB instead of 260 KB, for as long as its client reads. */
const SMALL = { windowBits: 12, memLevel: 5 };

const gzipAside = promisify(gzip);

/** Returns JSON compressed: a text with its length, or a stream that is compressed as the client reads it. */
export async function gzipped(
  response: ControlResponse & { content: string | ReadableStream<Uint8Array> },
): Promise<ControlResponse> {
  const { content } = response;
  const compressed =
    typeof content === "string"
      ? new Uint8Array(await gzipAside(content))
      : content.pipeThrough<Uint8Array>(Duplex.toWeb(createGzip(SMALL)) as ReadableWritablePair);
  return { ...response, headers: { ...response.headers, "Content-Encoding": "gzip" }, content: compressed };
}

interface Compressed {
  readonly text: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly tag: string;
}

/** The last text of each name. Pages and documents do not change while the server runs. */
const last = new Map<string, Compressed>();

/**
 * Returns a page or a document: compressed if the client accepts that, and without its content if the client has it.
 * Clients keep it, and check its tag each time.
 */
export function compressedResponse(
  name: "dashboard" | "contract" | "control API",
  text: string,
  headers: Readonly<Record<string, string>>,
  header: (name: string) => string | undefined,
): ControlResponse {
  const { bytes, tag } = compressed(name, text);
  const all = { ...headers, "Cache-Control": "no-cache", ETag: tag, Vary: "Accept-Encoding" };
  if (header("if-none-match") === tag) return { status: 304, headers: all };
  if (!acceptsGzip(header)) return { status: 200, content: text, headers: all };
  return { status: 200, content: bytes, headers: { ...all, "Content-Encoding": "gzip" } };
}

function compressed(name: string, text: string): Compressed {
  const known = last.get(name);
  if (known?.text === text) return known;
  const tag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 24)}"`;
  const made = { text, bytes: new Uint8Array(gzipSync(text)), tag };
  last.set(name, made);
  return made;
}
