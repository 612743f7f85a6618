import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { errorAnswer } from "../call/answer.ts";
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

/** How long a client may take, in milliseconds; one that takes longer is answered 408 and cut off. */
export interface Timeouts {
  /** For the request line and headers. */
  headers: number;
  /** For the whole request. */
  request: number;
  /** How often the two are looked at. */
  check: number;
}

const defaultTimeouts: Timeouts = { headers: 10_000, request: 60_000, check: 5_000 };

/** Serves the app on a socket. When it cannot listen, rejects with an error that has the `code` of Node's own. */
export async function listen(app: App, { port, host, timeouts }: ListenOptions): Promise<RunningServer> {
  const { headers, request, check } = { ...defaultTimeouts, ...timeouts };
  const server = createServer(
    { headersTimeout: headers, requestTimeout: request, connectionsCheckingInterval: check },
    getRequestListener(app.fetch, {
      // The globals of the process that embeds the mock are not ours to replace.
      overrideGlobalObjects: false,
      // What an HTTP/1.0 request without a Host header is taken to mean.
      hostname: "localhost",
      errorHandler: unreadable,
    }),
  );
  server.on("checkExpectation", refuseExpectation);
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
  const { headers, source } = errorAnswer(error);
  const body = JSON.stringify({ ...errorBody(error), statusCode: 417 });
  outgoing.writeHead(417, { ...headers, "Mock-Source": source, "Mock-Request-Id": "none" }).end(body);
}

/** The answer to a request whose target or Host header is no URL: it never reaches the app. */
function unreadable(error: unknown): Response {
  const { message } = error as Error;
  const { status, headers, body, source } = errorAnswer(
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
