import type { ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { Fault } from "../rules/index.ts";

type Outgoing = HttpBindings["outgoing"];

/** The members of a response over HTTP/2 that a response over HTTP/1.1 does not have. */
export interface Http2Response {
  readonly stream: ServerHttp2Stream;
  /** `Timeouts.reading`, in milliseconds. */
  readingTime: number;
}

/** Returns whether the response goes out over HTTP/2. */
export function isHttp2(outgoing: Outgoing): outgoing is Outgoing & Http2Response {
  return "readingTime" in outgoing;
}

const PROTOCOL_ERROR = 0x1;
const INTERNAL_ERROR = 0x2;

/**
 * The error code with which a fault resets a stream (RFC 9113, section 7). Clients would retry after REFUSED_STREAM, and
 * Node's client reports no error after CANCEL.
 */
export const streamCodes: Readonly<Record<Fault, number>> = {
  CONNECTION_RESET_BY_PEER: INTERNAL_ERROR,
  EMPTY_RESPONSE: INTERNAL_ERROR,
  RANDOM_DATA_THEN_CLOSE: PROTOCOL_ERROR,
  MALFORMED_RESPONSE_CHUNK: PROTOCOL_ERROR,
  TRUNCATED_BODY: INTERNAL_ERROR,
};

/** The TCP sockets below TLS sockets. */
const carriers = new WeakMap<Socket, Socket>();

/** Remembers the TCP socket below a TLS socket. */
export function setCarrier(secure: Socket, carrier: Socket): void {
  carriers.set(secure, carrier);
}

/** Resets the TCP connection of a socket. Node can reset a TLS socket only through the TCP socket below it. */
export function resetConnection(socket: Socket): void {
  (carriers.get(socket) ?? socket).resetAndDestroy();
}
