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
   * Stops accepting requests and waits up to `drain` milliseconds for requests in progress. Then closes all
   * connections. A second call returns the promise of the first.
   */
  close(drain?: number): Promise<void>;
}

/**
 * The default time for requests in progress when the server stops, in milliseconds. The server must end within a
 * second.
 */
export const DRAIN_MS = 700;

export interface ListenOptions {
  port: number;
  host: string;
  timeouts?: Partial<Timeouts>;
}

/**
 * Time limits for clients, in milliseconds. The server closes the connection of a slower client, with 408 if possible.
 */
export interface Timeouts {
  /** For sending the request line and the headers. */
  headers: number;
  /** For sending the whole request. */
  request: number;
  /** For a client that reads nothing while a response waits for it. */
  reading: number;
  /** The interval at which the server checks `headers` and `request`. */
  check: number;
}

const defaultTimeouts: Timeouts = { headers: 10_000, request: 60_000, reading: 30_000, check: 5_000 };

/** The limit of requests on one connection that wait for earlier responses (HTTP pipelining). */
const MAX_PIPELINED = 1000;

/** Serves the app on a port. If the server cannot listen, rejects with an error that has the `code` of Node's error. */
export async function listen(app: App, { port, host, timeouts }: ListenOptions): Promise<RunningServer> {
  const { headers, request, reading, check } = { ...defaultTimeouts, ...timeouts };
  const listener = getRequestListener(app.fetch, {
    // The mock may run inside a test process, whose globals must stay as they are.
    overrideGlobalObjects: false,
    // The host of HTTP/1.0 requests without a Host header.
    hostname: "localhost",
    errorHandler: unreadableRequest,
  });
  const { inTurn, latest } = turns();
  const server = createServer(
    { headersTimeout: headers, requestTimeout: request, connectionsCheckingInterval: check },
    inTurn(listener),
  );
  server.on("checkExpectation", inTurn(refuseExpectation));
  server.timeout = reading;
  server.on("timeout", (socket) => {
    // A connection may be quiet while its request is in progress, such as a delayed response or an event stream.
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
    const message = listenErrorMessage(error, { port, host });
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
 * Returns `inTurn` and `latest`. `inTurn` handles the requests of a connection one after the other, so that a client
 * that sends many requests and reads no response has a single response in memory. `latest` has the latest response of
 * each connection.
 */
function turns(): { inTurn: (handle: RequestListener) => RequestListener; latest: WeakMap<Socket, ServerResponse> } {
  const latest = new WeakMap<Socket, ServerResponse>();
  const waiting = new WeakMap<Socket, number>();
  const inTurn = (handle: RequestListener) => (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    latest.set(socket, outgoing as ServerResponse);
    // Node assigns the socket to a response when the earlier responses have been sent.
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

/** Returns in one sentence why the server cannot listen, with a hint. */
function listenErrorMessage({ code, syscall, message }: NodeJS.ErrnoException, { port, host }: ListenOptions): string {
  const hint = "use 127.0.0.1 for this machine only, or 0.0.0.0 for all networks";
  if (syscall === "getaddrinfo") return `the host "${host}" has no known address; ${hint}`;
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} is in use; use port 0 to pick a free port`;
    case "EACCES":
      return `this user may not listen on port ${port}; use a port above 1023`;
    case "EADDRNOTAVAIL":
      return `this machine does not have the address ${host}; ${hint}`;
    default:
      return message;
  }
}

/**
 * Returns 417 for an `Expect` header other than 100-continue. Node handles such requests before the app, with an empty
 * body.
 */
function refuseExpectation({ headers: { expect } }: IncomingMessage, outgoing: ServerResponse): void {
  const error = new ServiceError({
    code: "InvalidInput",
    message: `Expect: expected 100-continue, found ${shown(expect)}`,
  });
  const { headers, source } = errorResponse(error);
  const body = JSON.stringify({ ...errorBody(error), statusCode: 417 });
  outgoing.writeHead(417, { ...headers, "Mock-Source": source, "Mock-Request-Id": "none" }).end(body);
}

/**
 * Returns 400 for a request whose target or Host header is not part of a valid URL. Such a request does not reach the
 * app.
 */
function unreadableRequest(error: unknown): Response {
  const { message } = error as Error;
  const { status, headers, body, source } = errorResponse(
    new ServiceError({
      code: "InvalidInput",
      message: `The request target or the Host header is invalid: ${message}`,
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
