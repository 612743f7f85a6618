import type { Server as HttpServer, IncomingMessage, OutgoingHttpHeaders, RequestListener } from "node:http";
import {
  constants,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { MAX_HEAD_BYTES, MAX_READ_HEAD_BYTES, MAX_SESSION_MB, MAX_STREAMS } from "../contract/index.ts";
import { type Address, bind, stop, type Timeouts } from "./listening.ts";
import {
  clearTimer,
  connectionHeaders,
  expectations,
  type Http2Response,
  ignoreRest,
  type SecureSocket,
  setTimer,
} from "./node-adapter.ts";
import type { Pair } from "./pem.ts";

/** The certificate and the private key of the server. */
export interface HttpsIdentity extends Pair {
  /** The CA of client certificates, as PEM. With it, the server requires them. */
  readonly clientCa?: string;
}

interface Http2Options {
  readonly handle: RequestListener;
  readonly timeouts: Timeouts;
}

export interface HttpsOptions extends Address, HttpsIdentity, Http2Options {
  /** The server of plain HTTP. It also handles the connections of HTTP/1.1 over TLS, with the same limits. */
  readonly http1: HttpServer;
}

export type HttpsServer = Awaited<ReturnType<typeof listenSecurely>>;

/** Listens for TLS. A client chooses HTTP/2 or HTTP/1.1 by ALPN; a client without ALPN speaks HTTP/1.1. */
export async function listenSecurely(options: HttpsOptions) {
  const { cert, key, clientCa, http1, timeouts, port, host } = options;
  const http2 = createHttp2(options);
  const server = createServer({
    cert,
    key,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: timeouts.headers,
    noDelay: true,
    ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  });
  /** The TCP sockets by the address of the client. */
  const carriers = new Map<string, Socket>();
  server.on("connection", (carrier) => {
    const client = addressOf(carrier);
    carriers.set(client, carrier);
    carrier.once("close", () => carriers.delete(client));
  });
  server.on("secureConnection", (socket: SecureSocket) => {
    socket.carrier = carriers.get(addressOf(socket));
    const inner = socket.alpnProtocol === "h2" ? http2.server : http1;
    inner.emit("connection", socket);
  });
  // A failed handshake, such as that of a client that does not trust the certificate.
  server.on("tlsClientError", (_error, socket: TLSSocket) => socket.destroy());
  return {
    port: await bind(server, { port, host }),
    /** Resolves when all connections have ended. Closes those that last longer than `drain` milliseconds. */
    close(drain: number): Promise<void> {
      const stopped = stop(server, drain, () => {
        for (const carrier of carriers.values()) carrier.destroy();
      });
      http2.drain();
      return stopped;
    },
  };
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** The bytes that HTTP/2 adds to the size of each header (RFC 9113, section 10.5.1). */
const FIELD_BYTES = 32;

/**
 * Creates a server for HTTP/2 over sockets that another server has accepted. Each request and response looks to the app
 * like one of HTTP/1.1.
 */
export function createHttp2({ handle, timeouts }: Http2Options) {
  const sessions = new Set<ServerHttp2Session>();
  const server = createHttp2Server({
    settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_READ_HEAD_BYTES },
    maxHeaderListPairs: MAX_HEAD_BYTES / FIELD_BYTES,
    // Node counts the bytes that wait to be sent: at most one piece of a body for each stream.
    maxSessionMemory: MAX_SESSION_MB,
  });
  const handleAdapted = (incoming: Http2ServerRequest, outgoing: Http2ServerResponse): void => {
    limitReceiving(incoming, outgoing, timeouts);
    const response = adapt(incoming, outgoing, timeouts.reading);
    const { rawHeaders } = incoming;
    const bytes = rawHeaders.reduce((sum, text) => sum + text.length, (FIELD_BYTES * rawHeaders.length) / 2);
    if (bytes > MAX_HEAD_BYTES) return void response.writeHead(431).end();
    // The types of Node have no common type for both versions of HTTP.
    handle(incoming as unknown as IncomingMessage, response as unknown as Parameters<RequestListener>[1]);
  };
  for (const event of ["request", ...expectations]) server.on(event, handleAdapted);
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    limitQuietTime(session, timeouts.reading);
  });
  return {
    server,
    /** Ends each session after its requests in progress. */
    drain() {
      for (const session of sessions) session.close();
    },
  };
}

/** Adds the members of HTTP/1.1 responses that the mock uses, and drops headers that HTTP/2 does not allow. */
function adapt(incoming: Http2ServerRequest, outgoing: Http2ServerResponse, readingTime: number) {
  const { stream } = outgoing;
  const [writeHead, destroy] = [outgoing.writeHead.bind(outgoing), outgoing.destroy.bind(outgoing)];
  return Object.defineProperties(outgoing as Http2ServerResponse & Http2Response, {
    // Tests shorten it for a single response.
    readingTime: { value: readingTime, writable: true },
    destroyed: { get: () => stream.destroyed || stream.closed },
    destroy: {
      value(error?: Error) {
        // Without a code, the client would see the end of a complete response.
        if (error) destroy(error);
        else stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      },
    },
    writeHead: {
      value(status: number, headers: OutgoingHttpHeaders = {}) {
        if (!isReceived(incoming)) ignoreRest(incoming, () => stopSending(incoming));
        const allowed = Object.entries(headers).filter(([name]) => !connectionHeaders.has(name.toLowerCase()));
        const joined = allowed.map(([name, value]) => {
          // Node throws for several values of a header such as `Location`. Cookies cannot be joined (RFC 9110, 5.3).
          const isList = Array.isArray(value) && name.toLowerCase() !== "set-cookie";
          return [name, isList ? value.join(", ") : value];
        });
        return writeHead(status, Object.fromEntries(joined));
      },
    },
  });
}

function isReceived({ stream }: Http2ServerRequest): boolean {
  return stream.endAfterHeaders || stream.closed || stream.state.remoteClose === 1;
}

/** Ends a stream whose client does not send the whole request in time, or becomes silent, with 408 if possible. */
function limitReceiving(incoming: Http2ServerRequest, outgoing: Http2ServerResponse, timeouts: Timeouts): void {
  if (isReceived(incoming)) return;
  const refuse = () => {
    if (isReceived(incoming)) return;
    if (!outgoing.headersSent) outgoing.writeHead(408).end();
    stopSending(incoming);
  };
  const timer = setTimer(refuse, timeouts.request);
  incoming.stream.once("close", () => clearTimer(timer));
  incoming.stream.setTimeout(timeouts.reading, () => {
    if (incoming.readableLength === 0) refuse();
  });
}

/** Tells the client to stop sending its request (RFC 9113, section 8.1). */
function stopSending({ stream }: Http2ServerRequest): void {
  stream.close(constants.NGHTTP2_NO_ERROR);
}

/** Closes a session without streams, or whose client reads nothing, after this time in milliseconds. */
function limitQuietTime(session: ServerHttp2Session, limit: number): void {
  let open = 0;
  const closeIdle = () => {
    session.close();
    session.destroy();
  };
  let idle = setTimer(closeIdle, limit);
  session.on("stream", (stream) => {
    open++;
    clearTimer(idle);
    stream.once("close", () => {
      open--;
      if (open === 0 && !session.destroyed) idle = setTimer(closeIdle, limit);
    });
  });
  session.setTimeout(limit, () => {
    // A session may be quiet while its requests are in progress, such as a delayed response or an event stream.
    if ((session.state.outboundQueueSize ?? 0) > 0 || session.socket.writableLength > 0) session.destroy();
  });
  session.once("close", () => clearTimer(idle));
}
