import { pairsOf } from "../engine/index.ts";
import type { BodyStream, BrokenDelivery, DribbledDelivery, Fault, ResponseHeaders } from "../rules/index.ts";
import { afterTurn, isHttp2, type NodeBindings, resetConnection } from "./node-adapter.ts";
import { sendPiece } from "./unsent.ts";

/** The head and the body of a complete response. */
export interface Parts {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

/** A body that arrives in pieces. */
type Pieces = Pick<BodyStream, "length" | "pieces" | "cancel">;

/** Sends a response whose body arrives in pieces. If the body breaks off, so does the connection of the client. */
export async function passOn({ incoming, outgoing }: NodeBindings, parts: Parts, body: Pieces): Promise<void> {
  outgoing.once("close", () => body.cancel());
  if (outgoing.destroyed) return body.cancel();
  outgoing.writeHead(parts.status, withLength(parts, body)).flushHeaders();
  try {
    for await (const piece of body.pieces()) await sendPiece(outgoing, piece);
    outgoing.end();
  } catch {
    if (isHttp2(outgoing)) outgoing.stream.close(INTERNAL_ERROR);
    // Closes the socket after all written bytes are sent.
    else incoming.socket.destroySoon();
  }
}

/**
 * Does the same for requests without a socket: reading the body rejects if it breaks off. `ahead` bytes arrive before the
 * client reads them.
 */
export function passedResponse(parts: Parts, body: Pieces, request: Request, ahead = 1): Response {
  const pieces = body.pieces()[Symbol.asyncIterator]();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start(controller) {
      request.signal.addEventListener("abort", () => {
        body.cancel();
        controller.error(request.signal.reason);
      });
    },
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        // The reference to the request keeps its signal alive: Node's garbage collection would disconnect the signal.
        if (request.signal.aborted) return;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (!request.signal.aborted) controller.error(new FetchFailure("terminated", { cause: error }));
      }
    },
    cancel: () => body.cancel(),
  };
  const stream = new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: ahead }));
  return new Response(stream, { status: parts.status, headers: pairsOf(withLength(parts, body)) });
}

function withLength({ headers }: Parts, { length }: Pieces): ResponseHeaders {
  return length === undefined ? headers : { ...headers, "Content-Length": String(length) };
}

/** Returns the body in delayed pieces of about the same size; in fewer pieces if it has fewer bytes. */
export function dribbled({ body }: Parts, { chunks, pause }: DribbledDelivery): Pieces {
  const gone = new AbortController();
  return {
    length: undefined,
    cancel: () => gone.abort(),
    async *pieces() {
      const bytes = bytesOf(body);
      for (let piece = 1, start = 0; piece <= chunks; piece++) {
        const end = Math.round((bytes.length * piece) / chunks);
        if (end === start) continue;
        await pause(gone.signal);
        if (gone.signal.aborted) return;
        yield bytes.subarray(start, end);
        start = end;
      }
    },
  };
}

const PROTOCOL_ERROR = 0x1;
const INTERNAL_ERROR = 0x2;

interface Break {
  /** The error of a client in process, with the code and the message of Node's `fetch`. */
  readonly error: { readonly code: string; readonly message: string };
  /**
   * The code that resets a stream of HTTP/2 (RFC 9113, section 7). Clients would retry after REFUSED_STREAM, and Node's
   * client reports no error after CANCEL.
   */
  readonly streamCode: number;
}

const closed = { error: { code: "UND_ERR_SOCKET", message: "other side closed" }, streamCode: INTERNAL_ERROR };
const breaks: Readonly<Record<Fault, Break>> = {
  CONNECTION_RESET_BY_PEER: { ...closed, error: { code: "ECONNRESET", message: "read ECONNRESET" } },
  EMPTY_RESPONSE: closed,
  RANDOM_DATA_THEN_CLOSE: {
    error: { code: "HPE_INVALID_CONSTANT", message: "Expected HTTP/" },
    streamCode: PROTOCOL_ERROR,
  },
  MALFORMED_RESPONSE_CHUNK: {
    error: { code: "HPE_INVALID_CHUNK_SIZE", message: "Invalid character in chunk size" },
    streamCode: PROTOCOL_ERROR,
  },
  TRUNCATED_BODY: closed,
};

/** The error of a broken connection in process, with the type, message and cause of Node's `fetch`. */
export class FetchFailure extends TypeError {}

function causeOf(fault: Fault): Error {
  const { message, code } = breaks[fault].error;
  return Object.assign(new Error(message), { code });
}

/** Returns the body that a fault breaks off: half of it, or nothing. */
function brokenOff({ body }: Parts, fault: Fault): Pieces {
  const isTruncated = fault === "TRUNCATED_BODY";
  const bytes = bytesOf(body);
  return {
    length: isTruncated ? bytes.length : undefined,
    cancel() {},
    async *pieces() {
      if (isTruncated && bytes.length > 1) yield bytes.subarray(0, Math.floor(bytes.length / 2));
      throw causeOf(fault);
    },
  };
}

/**
 * Breaks the connection on the socket, so that the client receives the same bytes as from a broken server. Over HTTP/2,
 * resets the stream of the request, and the other requests of the connection continue.
 */
export function breakConnection({ incoming, outgoing }: NodeBindings, parts: Parts, { fault, noise }: BrokenDelivery) {
  // A response to HEAD is complete after its head, so the client could send its next request on this connection.
  if (incoming.method === "HEAD" && !isHttp2(outgoing)) outgoing.shouldKeepAlive = false;
  if (fault === "TRUNCATED_BODY") return void passOn({ incoming, outgoing }, parts, brokenOff(parts, fault));
  const { status, headers } = parts;
  const hasHead = fault === "MALFORMED_RESPONSE_CHUNK";
  if (isHttp2(outgoing)) {
    const close = () => outgoing.stream.close(breaks[fault].streamCode);
    if (!hasHead) return close();
    outgoing.writeHead(status, headers).flushHeaders();
    // In the turn that received the request body, Node would end the response body instead.
    return void afterTurn(close);
  }
  const { socket } = incoming;
  if (socket.destroyed) return;
  if (fault === "CONNECTION_RESET_BY_PEER") return resetConnection(socket);
  if (hasHead) outgoing.writeHead(status, { ...headers, "Transfer-Encoding": "chunked" }).flushHeaders();
  if (noise.length > 0) socket.write(noise);
  // Closes the socket after all written bytes are sent.
  socket.destroySoon();
}

/**
 * Returns the response to a request over a broken connection, for requests without a socket. Reading its body rejects.
 * Throws FetchFailure if the fault sends no response head.
 */
export function brokenResponse(parts: Parts, { fault }: BrokenDelivery, request: Request): Response {
  if (parts.status === 0) throw new FetchFailure("fetch failed", { cause: causeOf(fault) });
  return passedResponse(parts, brokenOff(parts, fault), request);
}

function bytesOf(body: Parts["body"]): Uint8Array<ArrayBuffer> {
  return typeof body === "string" ? Buffer.from(body) : (body ?? new Uint8Array(0));
}
