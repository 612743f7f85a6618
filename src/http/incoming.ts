import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import type { ServiceRequest } from "../call/request.ts";
import { ServiceError } from "../contract/service-error.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import { counted } from "../text/shown.ts";

/** On a socket, Hono's `env` holds Node's own request and response; in process there is none. */
interface HttpEnv {
  Bindings: Partial<HttpBindings>;
}
export type App = Hono<HttpEnv>;
export type HttpContext = Context<HttpEnv>;

const EMPTY = new Uint8Array(0);

/** The request in Hono's context, as the rules see it. */
export function incomingRequest(context: HttpContext): ServiceRequest {
  const { raw } = context.req;
  const incoming = context.env?.incoming;
  const [origin, path, query] = partsOf(raw.url);
  return {
    method: raw.method,
    origin,
    path,
    query,
    // Node has parsed them already; a Headers object would be made of them one by one.
    headers: incoming ? incoming.headers : headersOf(raw),
    readBody(limit, setting = "The body") {
      const tooLarge = (found: number | "more") => contentTooLarge(setting, limit, found);
      return incoming ? readIncoming(incoming, limit, tooLarge) : readStream(raw.body, limit, tooLarge);
    },
    signal: () => raw.signal,
  };
}

/** Names are lower-cased here, because happy-dom iterates them as they were written. */
function headersOf({ headers }: Request): Record<string, string> {
  return Object.fromEntries(Array.from(headers, ([name, value]) => [name.toLowerCase(), value]));
}

function partsOf(url: string): [origin: string, path: string, query: string] {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const fragment = url.indexOf("#", start);
  const end = fragment === -1 ? url.length : fragment;
  const question = url.indexOf("?", start);
  const origin = url.slice(0, start);
  if (question === -1 || question > end) return [origin, url.slice(start, end), ""];
  return [origin, url.slice(start, question), url.slice(question + 1, end)];
}

/**
 * The rest of the body is let go by, within the bounds of the server adapter: a connection closed on a client that is
 * still sending would often take the answer with it.
 */
function contentTooLarge(setting: string, limit: number, found: number | "more"): ServiceError {
  const message = `${setting}: expected at most ${counted(limit, "byte")}, found ${found}`;
  return new ServiceError({ code: "ContentTooLarge", message, maxBytes: limit });
}

/** The error of a body of so many bytes; of one that does not say, there are more than were read. */
type TooLarge = (found: number | "more") => ServiceError;

/** Reads Node's own stream: reading it as a web stream costs several times as much. */
function readIncoming(incoming: HttpBindings["incoming"], limit: number, tooLarge: TooLarge): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const length = Number(incoming.headers["content-length"]);
    if (length > limit) return reject(tooLarge(length));
    const chunks: Uint8Array[] = [];
    let size = 0;
    const onData = (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else finish(() => reject(tooLarge("more")));
    };
    const onEnd = () => finish(() => resolve(joined(chunks, size)));
    const onGone = () => finish(() => reject(clientGone()));
    const finish = (settle: () => void) => {
      incoming.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
      settle();
    };
    incoming.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}

/** Nobody sees this answer; it ends the call, and the journal keeps what arrived. */
function clientGone(): ServiceError {
  return new ServiceError({ code: "InvalidInput", message: "The client went away before the whole body had arrived" });
}

async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  limit: number,
  tooLarge: TooLarge,
): Promise<Uint8Array> {
  if (!stream) return EMPTY;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > limit) throw tooLarge("more");
      chunks.push(chunk);
    }
  } catch (error) {
    // What breaks the stream off is the caller's, as a client that goes away is.
    throw error instanceof ServiceError ? error : clientGone();
  }
  return joined(chunks, size);
}

/** The chunks as one. A hundred megabytes take a while to copy, so other requests are answered in between. */
async function joined(chunks: readonly Uint8Array[], size: number): Promise<Uint8Array> {
  if (chunks.length === 1 && chunks[0]) return chunks[0];
  const slice = new TimeSlice();
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
    if (slice.isOver) await slice.next();
  }
  return bytes;
}
