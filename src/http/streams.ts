import type { ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";

/** The members of a response over HTTP/2 that a response over HTTP/1.1 does not have. */
export interface Http2Response {
  readonly stream: ServerHttp2Stream;
  /** `Timeouts.reading`, in milliseconds. */
  readingTime: number;
}

/** Returns whether the response goes out over HTTP/2. */
export function isHttp2(outgoing: ServerResponse): outgoing is ServerResponse & Http2Response {
  return "readingTime" in outgoing;
}

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
