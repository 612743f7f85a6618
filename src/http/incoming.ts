import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import type { Context } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { Hono } from "hono/tiny";
import { MAX_RECEIVED_BYTES, ServiceError } from "../contract/index.ts";
import { contentTooLarge, type ServiceRequest } from "../engine/index.ts";
import { type NodeBindings, requestBody } from "./node-adapter.ts";

/** Hono's `env` has Node's request and response if the request came over a socket. In process it is empty. */
interface HttpEnv {
  Bindings: Partial<NodeBindings>;
}
export type App = Hono<HttpEnv>;
export type HttpContext = Context<HttpEnv>;

/**
 * Returns an app without routes. Hono's default router would first try RegExpRouter, which does not support our routes;
 * that of `hono/tiny` allows a slash at the end of a path.
 */
export function emptyApp(): App {
  const app: App = new Hono();
  app.router = new TrieRouter();
  return app;
}

/** Returns the request in Hono's context in the form that the service and the control API use. */
export function incomingRequest(context: HttpContext): ServiceRequest {
  const { raw } = context.req;
  const { incoming, outgoing } = context.env ?? {};
  const [origin, path, query] = partsOf(raw.url);
  // happy-dom returns names as they were written.
  const named = incoming ? [] : Array.from(raw.headers, ([name, value]) => [name.toLowerCase(), value] as const);
  return {
    method: methodOf(context),
    origin,
    path,
    query,
    // Node has already parsed the headers. Creating a Headers object copies each of them.
    headers: incoming ? receivedHeaders(incoming) : Object.fromEntries(named),
    async readBody(limit, setting = "The body") {
      const length = Number(incoming?.headers["content-length"]);
      if (length > limit) throw contentTooLarge(setting, limit, length);
      const { bytes, rest } = await this.readStart(limit);
      if (!rest) return bytes;
      await rest.return?.();
      throw contentTooLarge(setting, limit, "more");
    },
    readStart(limit) {
      const received = receivedBy(outgoing);
      requestBody(outgoing);
      // An early end must not close the connection.
      if (incoming) return startOf(incoming, limit, received, { destroyOnReturn: false });
      const { Readable: stream } = process.getBuiltinModule("node:stream");
      const web = raw.body as NodeReadableStream<Uint8Array> | null;
      const body = web ? stream.fromWeb(web, { highWaterMark: 0 }) : stream.from([]);
      return startOf(body, limit, received).finally(received.release);
    },
    signal: () => raw.signal,
  };
}

/** Returns the method of a request. Hono's own request has GET for HEAD if it came over a socket. */
export function methodOf({ env, req }: HttpContext): string {
  return env?.incoming?.method ?? req.raw.method;
}

/**
 * Returns the headers of a request, with the lines of repeated headers that Node has joined by commas. HTTP/2 sends the host,
 * and the parts of the request line, as pseudo-headers.
 */
function receivedHeaders({
  headers: joined,
  rawHeaders,
  httpVersionMajor,
}: IncomingMessage): IncomingMessage["headers"] {
  const isRepeated = rawHeaders.length > 2 * Object.keys(joined).length;
  const headers = isRepeated ? withLines(joined, rawHeaders) : joined;
  if (httpVersionMajor < 2) {
    // Node loses a header with this name.
    const index = rawHeaders.indexOf("__proto__");
    return index % 2 === 0 ? { ...headers, ["__proto__"]: rawHeaders[index + 1] } : headers;
  }
  const received = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(":")));
  const host = headers[":authority"];
  return host === undefined ? received : { ...received, host: String(host) };
}

function withLines(joined: IncomingMessage["headers"], rawHeaders: readonly string[]): IncomingMessage["headers"] {
  const lines: Record<string, string[]> = Object.create(null);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    lines[name] ??= [];
    lines[name].push(rawHeaders[index + 1] ?? "");
  }
  const repeated = Object.entries(lines).filter(([name, all]) => all.length > 1 && joined[name] === all.join(", "));
  return { ...joined, ...Object.fromEntries(repeated) };
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

/** The received bytes of the bodies of all requests in progress. */
let total = 0;

/**
 * Returns the count of the received bytes of the body of one request. It ends with the response or the connection. In
 * process, the caller ends it.
 */
function receivedBy(outgoing: ServerResponse | undefined) {
  let own = 0;
  const release = () => {
    total -= own;
    own = 0;
  };
  return {
    /** Counts more bytes. Returns an error if the bodies of all requests exceed the limit. */
    add(bytes: number): ServiceError | undefined {
      if (own === 0) outgoing?.once("close", release);
      own += bytes;
      total += bytes;
      if (total <= MAX_RECEIVED_BYTES) return undefined;
      const message = `The bodies of all requests in progress: expected at most ${MAX_RECEIVED_BYTES} bytes, found more. Retry later`;
      return new ServiceError({ code: "ServiceUnavailable", message }, { "Retry-After": "1" });
    },
    release,
  };
}

/** Returns the error for a request whose client has disconnected. The client never receives it; the journal keeps it. */
function clientGone(): ServiceError {
  const message = "The client closed the connection before it had sent the whole body";
  return new ServiceError({ code: "InvalidInput", message });
}

/** Reads a body up to `limit` bytes, and the chunk that exceeds it. An iterator or a web stream would take longer. */
function startOf(
  body: Readable,
  limit: number,
  received: ReturnType<typeof receivedBy>,
  options?: Parameters<Readable["iterator"]>[0],
): ReturnType<ServiceRequest["readStart"]> {
  return new Promise((resolve, reject) => {
    if (body.destroyed) return reject(clientGone());
    const chunks: Uint8Array[] = [];
    let size = 0;
    const onData = (chunk: Uint8Array) => {
      size += chunk.length;
      chunks.push(chunk);
      const problem = received.add(chunk.length);
      if (problem) finish(() => reject(problem));
      else if (size > limit) finish(() => end(body.iterator(options)));
    };
    const end = (rest?: AsyncIterator<Uint8Array>) =>
      resolve({ bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks), rest });
    const onEnd = () => finish(end);
    const onGone = () => finish(() => reject(clientGone()));
    const finish = (settle: () => void) => {
      body.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone).pause();
      settle();
    };
    body.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}
