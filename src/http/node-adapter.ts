import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import timers from "node:timers";
import type { TLSSocket } from "node:tls";
import { MAX_IGNORED_BYTES, shown } from "../contract/index.ts";
import type { App } from "./incoming.ts";

/** Node's request and response, in Hono's `env`. */
export interface NodeBindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/**
 * Node's module for HTTP. An `import` of it reads all its exports, and one of them loads Node's `fetch`: a third of the
 * time of a start (decision 0025).
 */
export const http = process.getBuiltinModule("node:http");

// Captured at load time, so that fake timers installed later by a test suite do not block responses.
export const { setImmediate: afterTurn, setTimeout: setTimer, clearTimeout: clearTimer } = timers;

/**
 * What a handler returns to Hono after it has written to Node's response. A Response would load Node's `fetch`.
 */
export const SENT = Object.freeze({}) as Response;

/** Headers of HTTP/1.1 connections. HTTP/2 does not allow them (RFC 9113, section 8.2.2). */
export const connectionHeaders: ReadonlySet<string> = new Set(
  "connection http2-settings keep-alive proxy-connection te transfer-encoding upgrade".split(" "),
);

/** The members of a response over HTTP/2 that a response over HTTP/1.1 does not have. */
export interface Http2Response {
  readonly stream: ServerHttp2Stream;
  /** `Timeouts.reading`, in milliseconds. */
  readingTime: number;
}

export function isHttp2(outgoing: ServerResponse): outgoing is ServerResponse & Http2Response {
  return "readingTime" in outgoing;
}

/** A TLS socket with the TCP socket below it. */
export type SecureSocket = TLSSocket & { carrier?: Socket };

/** Resets the TCP connection of a socket. Node can reset a TLS socket only through the TCP socket below it. */
export function resetConnection(socket: Socket | SecureSocket): void {
  const { carrier = socket } = socket as SecureSocket;
  carrier.resetAndDestroy();
}

/** Sends an error to a request that does not reach the app. The status is 400 by default. */
export type Refuse = (incoming: IncomingMessage, outgoing: ServerResponse, message: string, status?: number) => void;

/**
 * Returns the handler of Node's requests for an app whose handlers write to Node's response. `refuse` handles a request
 * whose target or Host header is not part of a valid URL, and one with an `Expect` header other than 100-continue.
 */
export function nodeListener(app: App, refuse: Refuse): RequestListener {
  return (incoming, outgoing) => {
    const { headers, httpVersionMajor } = incoming;
    const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
    if (hasBody && httpVersionMajor < 2) {
      // Before the listener of Node, which drops the rest without a limit if nobody has begun to read it.
      outgoing.prependOnceListener("finish", () => {
        ignoreRest(incoming, () => incoming.socket.destroy());
        incoming.read(0);
      });
    }
    const { expect } = headers;
    if (expect !== undefined && incoming.httpVersion !== "1.0") {
      const message = `Expect: expected 100-continue, found ${shown(expect)}`;
      if (!/\b100-continue\b/i.test(expect)) return refuse(incoming, outgoing, message, 417);
      awaited.add(outgoing);
    }
    let url: string;
    try {
      url = urlOf(incoming);
    } catch (error) {
      const problem = `The request target or the Host header is invalid: ${(error as Error).message}`;
      return refuse(incoming, outgoing, problem);
    }
    const request = new NodeRequest(incoming, outgoing, url) as unknown as Request;
    Promise.resolve(app.fetch(request, { incoming, outgoing })).catch((error) => outgoing.destroy(error));
  };
}

/** The members of a Request that Hono and the mock read of a request over a socket. */
class NodeRequest {
  readonly url: string;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  #gone: AbortController | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, url: string) {
    this.url = url;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }

  /** The method for Hono, which would create a Response for HEAD. The handlers read the real method. */
  get method(): string {
    return this.#incoming.method === "HEAD" ? "GET" : (this.#incoming.method ?? "GET");
  }

  /** Aborts when the client has gone before the whole response is sent. */
  get signal(): AbortSignal {
    const outgoing = this.#outgoing;
    if (!this.#gone) {
      const gone = new AbortController();
      const abortUnsent = () => {
        // Over HTTP/2, an aborted response counts as finished.
        if (!outgoing.writableFinished || this.#incoming.aborted) gone.abort();
      };
      if (outgoing.destroyed) abortUnsent();
      else outgoing.once("close", abortUnsent);
      this.#gone = gone;
    }
    return this.#gone.signal;
  }
}

/** Node's events for requests with the header `Expect`, in place of `request`. Node leaves their responses to the handler. */
export const expectations = ["checkContinue", "checkExpectation"];

/** The responses to requests whose clients wait for 100 before they send the body (RFC 9110, section 10.1.1). */
const awaited = new WeakSet<ServerResponse>();

/** Sends 100 if the client waits for it. Called before the server reads the body: never if the head is enough. */
export function requestBody(outgoing: ServerResponse | undefined): void {
  if (outgoing && awaited.delete(outgoing)) outgoing.writeContinue();
}

/** Reads and ignores the rest of a body, because clients that still send would often lose the response. */
export function ignoreRest(incoming: IncomingMessage | (Readable & { complete: boolean }), stop: () => void): void {
  if (incoming.complete) return;
  let ignored = 0;
  incoming
    .on("data", (chunk: Uint8Array) => {
      ignored += chunk.length;
      if (ignored > MAX_IGNORED_BYTES) stop();
    })
    .resume();
}

/** A path and a query that stay as they are in a URL: no character that a URL encodes. */
const plainTarget = /^\/[!#-;=?-[\]_a-z~]*$/i;
const dotSegment = /^[^?#]*\/(\.|%2e){1,2}([/?#]|$)/i;
const plainHost = /^[a-z\d._-]+(:[1-5]?\d{4})?$/;
/** Without characters such as `/` and `@`, which would become another part of the URL. */
const validHost = /^([\w.~!$&'()*+,;=-]+|\[[\da-f:.]+\])(:\d*)?$/i;

/**
 * Returns the URL of a request (RFC 9112, section 3.2, and RFC 9113, section 8.3.1). Throws if the target or the host is
 * not part of a valid URL.
 */
function urlOf(incoming: IncomingMessage): string {
  const { url: target = "", httpVersionMajor } = incoming;
  const host = hostOf(incoming);
  const isPlain = plainHost.test(host);
  if (!isPlain && !(validHost.test(host) && URL.canParse(`http://${host}`))) throw new Error("Invalid host header");
  const isUrl = /^https?:\/\//.test(target);
  if (isUrl && httpVersionMajor >= 2) throw new Error("The path of HTTP/2 must not be a URL");
  if (!isUrl && !target.startsWith("/")) throw new Error("Invalid URL");
  const url = isUrl ? target : `${(incoming.socket as TLSSocket).encrypted ? "https" : "http"}://${host}${target}`;
  // A URL would resolve it, so that a call for the project `..` would become one for all projects.
  if (dotSegment.test(target)) throw new Error("Dot segment in request path");
  if (!isUrl && isPlain && plainTarget.test(target)) return url;
  // A URL would turn it into a slash.
  if (url.split("?", 1)[0]?.includes("\\")) throw new Error("Backslash in request path");
  return new URL(url).href;
}

/**
 * Returns the host that the client called. Throws if the request has several hosts, or none in HTTP/1.1. In HTTP/2, the
 * Host header may repeat the authority.
 */
function hostOf({ headers, rawHeaders, httpVersion, httpVersionMajor }: IncomingMessage): string {
  const host = (httpVersionMajor >= 2 && headers[":authority"]) || headers.host;
  if (host === undefined && httpVersion === "1.1") throw new Error("No Host header");
  const isHost = (name: string, index: number) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === "host";
  const isSame = headers.host === host || headers.host?.toLowerCase() === String(host).toLowerCase();
  if ((headers.host !== undefined && !isSame) || rawHeaders.filter(isHost).length > 1)
    throw new Error("More than one host");
  return String(host || "localhost");
}
