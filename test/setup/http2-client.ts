import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";

/** A client with one HTTP/2 session. */
export interface Http2Client {
  readonly session: ClientHttp2Session;
  /** Works as the global `fetch`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Opens a session. The own limit of the client is high, as Node counts bodies that wait to be sent. */
export function openHttp2(url: string | undefined, ca: string | undefined): Http2Client {
  const session = connect(url ?? "https://missing.invalid", { ca, maxSessionMemory: 1000 });
  session.on("error", () => {});
  return {
    session,
    fetch(path, init) {
      const request = new Request(`${url}${path}`, { ...init, ...{ duplex: "half" } });
      return send(session, request, lengthOf(init?.body));
    },
    close: () => new Promise((resolve) => session.close(resolve)),
  };
}

function lengthOf(body: RequestInit["body"]): OutgoingHttpHeaders {
  if (typeof body === "string") return { "content-length": Buffer.byteLength(body) };
  return body instanceof Uint8Array ? { "content-length": body.byteLength } : {};
}

async function send(session: ClientHttp2Session, request: Request, length: OutgoingHttpHeaders): Promise<Response> {
  request.signal.throwIfAborted();
  const { pathname, search, host } = new URL(request.url);
  const stream = session.request(
    {
      ":method": request.method,
      ":path": pathname + search,
      ":authority": host,
      ...length,
      ...Object.fromEntries(request.headers),
    },
    { endStream: request.body === null },
  );
  request.signal.addEventListener("abort", () => stream.close(constants.NGHTTP2_CANCEL));
  const head = headOf(stream);
  // The server may respond before it has received the body.
  if (request.body) pipeline(Readable.fromWeb(request.body as NodeReadableStream), stream).catch(() => {});
  const { ":status": status, ...headers } = await head.catch((cause: unknown) => {
    throw request.signal.aborted ? request.signal.reason : new TypeError("fetch failed", { cause });
  });
  const hasBody = request.method !== "HEAD" && ![204, 205, 304].includes(Number(status));
  if (!hasBody) stream.resume();
  const body = hasBody ? (Readable.toWeb(stream) as ReadableStream<Uint8Array>) : null;
  return new Response(body, { status: Number(status), headers: headersOf(headers) });
}

function headOf(stream: ClientHttp2Stream): Promise<OutgoingHttpHeaders> {
  return new Promise((resolve, reject) => {
    stream.once("response", resolve);
    stream.once("error", reject);
    stream.once("close", () => reject(new Error(`closed with code ${stream.rstCode}`)));
  });
}

function headersOf(headers: OutgoingHttpHeaders): Headers {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => [name, String(each)]),
  );
  return new Headers(pairs as [string, string][]);
}
