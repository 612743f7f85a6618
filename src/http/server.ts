import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { errorResponse } from "../call/response.ts";
import { errorBody, ServiceError } from "../contract/service-error.ts";
import { shown } from "../text/shown.ts";
import type { App } from "./incoming.ts";

export interface RunningServer {
  /** `http://host:port`, with an address that a client on this machine can use. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops taking requests, lets those under way finish for up to `drain` milliseconds, then ends their connections.
   * Calling it again waits for the same end.
   */
  close(drain?: number): Promise<void>;
}

/** How long requests under way may take to finish when the server stops: it is to be gone within a second. */
export const DRAIN_MS = 700;

export interface ListenOptions {
  port: number;
  host: string;
  timeouts?: Partial<Timeouts>;
}

/** How long a client may take, in milliseconds; one that takes longer is cut off, with 408 where it can be answered. */
export interface Timeouts {
  /** For the request line and headers. */
  headers: number;
  /** For the whole request. */
  request: number;
  /** For reading on: how long a client may read nothing of a response that waits for it. */
  reading: number;
  /** How often the first two are checked. */
  check: number;
}

const defaultTimeouts: Timeouts = { headers: 10_000, request: 60_000, reading: 30_000, check: 5_000 };

/** How many requests of one connection may wait for the response to the one before them (HTTP pipelining). */
const MAX_PIPELINED = 1000;

/** Serves the app on a socket. When it cannot listen, rejects with an error that has the `code` of Node's own. */
export async function listen(app: App, { port, host, timeouts }: ListenOptions): Promise<RunningServer> {
  const { headers, request, reading, check } = { ...defaultTimeouts, ...timeouts };
  const listener = getRequestListener(app.fetch, {
    // The globals of the process that embeds the mock are not ours to replace.
    overrideGlobalObjects: false,
    // What an HTTP/1.0 request without a Host header is taken to mean.
    hostname: "localhost",
    errorHandler: unreadable,
  });
  const { inTurn, latest } = turns();
  const server = createServer(
    { headersTimeout: headers, requestTimeout: request, connectionsCheckingInterval: check },
    inTurn(listener),
  );
  server.on("checkExpectation", inTurn(refuseExpectation));
  server.timeout = reading;
  server.on("timeout", (socket) => {
    // A connection may be quiet while its request is handled: responses are delayed, and event streams go on.
    const isHandling = latest.get(socket)?.writableFinished === false;
    if (!isHandling || socket.writableLength > 0) socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      resolve();
    });
  }).catch((error: NodeJS.ErrnoException) => {
    const message = whyNot(error, { port, host });
    throw Object.assign(new Error(message, { cause: error }), { code: error.code });
  });
  const { port: bound } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${reachable(host)}:${bound}`,
    port: bound,
    close(drain = DRAIN_MS) {
      closing ??= stop(server, drain);
      return closing;
    },
  };
}

/**
 * Returns `inTurn`, which handles the requests of a connection one after the other, so that a client that sends many and
 * reads nothing has a single response in memory; and the latest response of each connection.
 */
function turns(): { inTurn: (handle: RequestListener) => RequestListener; latest: WeakMap<Socket, ServerResponse> } {
  const latest = new WeakMap<Socket, ServerResponse>();
  const waiting = new WeakMap<Socket, number>();
  const inTurn = (handle: RequestListener) => (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    latest.set(socket, outgoing as ServerResponse);
    // Node gives a response its socket when those before it have been sent.
    if (outgoing.socket) return handle(incoming, outgoing as never);
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count > MAX_PIPELINED) return socket.destroy();
    outgoing.once("socket", () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      queueMicrotask(() => handle(incoming, outgoing as never));
    });
  };
  return { inTurn, latest };
}

/** In one sentence, why it cannot listen there. */
function whyNot({ code, syscall, message }: NodeJS.ErrnoException, { port, host }: ListenOptions): string {
  const others = "127.0.0.1 is for this machine alone, 0.0.0.0 for others too";
  if (syscall === "getaddrinfo") return `no address is known for the host "${host}"; ${others}`;
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} is in use; port 0 picks a free one`;
    case "EACCES":
      return `port ${port} may not be listened on by this user; choose one above 1023`;
    case "EADDRNOTAVAIL":
      return `this machine has no address ${host} to listen on; ${others}`;
    default:
      return message;
  }
}

/** Answers a request with an expectation other than 100-continue, which never reaches the app. Node's answer is bare. */
function refuseExpectation({ headers: { expect } }: IncomingMessage, outgoing: ServerResponse): void {
  const error = new ServiceError({
    code: "InvalidInput",
    message: `Expect: expected 100-continue, found ${shown(expect)}`,
  });
  const { headers, source } = errorResponse(error);
  const body = JSON.stringify({ ...errorBody(error), statusCode: 417 });
  outgoing.writeHead(417, { ...headers, "Mock-Source": source, "Mock-Request-Id": "none" }).end(body);
}

/** The answer to a request whose target or Host header is no URL: it never reaches the app. */
function unreadable(error: unknown): Response {
  const { message } = error as Error;
  const { status, headers, body, source } = errorResponse(
    new ServiceError({
      code: "InvalidInput",
      message: `The request's target or Host header cannot be read: ${message}`,
    }),
  );
  return new Response(body, { status, headers: { ...headers, "Mock-Source": source, "Mock-Request-Id": "none" } });
}

function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

function stop(server: Server, drain: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), drain);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
