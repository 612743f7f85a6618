import type { HttpBindings } from "@hono/node-server";
import { type BrokenDelivery, type DribbledDelivery, pairsOf, type ResponseHeaders } from "../engine/index.ts";
import type { Fault } from "../rules/index.ts";
import { type Http2Response, isHttp2, resetConnection, streamCodes } from "./streams.ts";
import { countUnsent, sendPiece } from "./unsent.ts";

/** The head and the body of a complete response. */
export interface Parts {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

/**
 * Breaks the connection on the socket, so that the client receives the same bytes as from a broken server. Over HTTP/2,
 * resets the stream of the request, and the other requests of the connection continue.
 */
export function breakConnection({ incoming, outgoing }: HttpBindings, parts: Parts, { fault, noise }: BrokenDelivery) {
  if (isHttp2(outgoing)) return breakStream(outgoing, parts, fault);
  const { socket } = incoming;
  if (socket.destroyed) return;
  const { status, headers } = parts;
  switch (fault) {
    case "CONNECTION_RESET_BY_PEER":
      resetConnection(socket);
      return;
    case "EMPTY_RESPONSE":
      break;
    case "RANDOM_DATA_THEN_CLOSE":
      socket.write(noise);
      break;
    case "MALFORMED_RESPONSE_CHUNK":
      outgoing.writeHead(status, { ...headers, "Transfer-Encoding": "chunked" }).flushHeaders();
      socket.write(noise);
      break;
    case "TRUNCATED_BODY": {
      const bytes = startTruncated(outgoing, parts);
      outgoing.write(firstHalf(bytes));
    }
  }
  // Closes the socket after all written bytes are sent.
  socket.destroySoon();
}

/** Resets the stream of a request over HTTP/2, after the part of the response that the client receives. */
function breakStream(outgoing: HttpBindings["outgoing"] & Http2Response, parts: Parts, fault: Fault): void {
  const reset = () => outgoing.stream.close(streamCodes[fault]);
  if (fault === "TRUNCATED_BODY") {
    const bytes = startTruncated(outgoing, parts);
    void sendPiece(outgoing, firstHalf(bytes)).then(reset);
    return;
  }
  if (fault === "MALFORMED_RESPONSE_CHUNK") outgoing.writeHead(parts.status, parts.headers);
  reset();
}

/** Sends the head of a response with the length of the whole body. Returns the whole body. */
function startTruncated(outgoing: HttpBindings["outgoing"], { status, headers, body }: Parts): Uint8Array {
  const bytes = bytesOf(body);
  outgoing.writeHead(status, { ...headers, "Content-Length": bytes.length }).flushHeaders();
  countUnsent(outgoing, bytes);
  return bytes;
}

/** Sends the body in delayed pieces. Stops if the client closes the connection. */
export async function dribble(
  { outgoing }: HttpBindings,
  { status, headers, body }: Parts,
  { chunks, pause }: DribbledDelivery,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  outgoing.writeHead(status, headers).flushHeaders();
  countUnsent(outgoing, body);
  for (const piece of pieces(body, chunks)) {
    await pause(gone.signal);
    if (outgoing.destroyed) return;
    await sendPiece(outgoing, piece);
  }
  outgoing.end();
}

/** The error of a broken connection in process, with the type, message and cause of Node's `fetch`. */
export class FetchFailure extends TypeError {}

interface Cause {
  readonly code: string;
  readonly message: string;
}

const closed: Cause = { code: "UND_ERR_SOCKET", message: "other side closed" };
const causes: Readonly<Record<Fault, Cause>> = {
  CONNECTION_RESET_BY_PEER: { code: "ECONNRESET", message: "read ECONNRESET" },
  EMPTY_RESPONSE: closed,
  RANDOM_DATA_THEN_CLOSE: { code: "HPE_INVALID_CONSTANT", message: "Expected HTTP/" },
  MALFORMED_RESPONSE_CHUNK: { code: "HPE_INVALID_CHUNK_SIZE", message: "Invalid character in chunk size" },
  TRUNCATED_BODY: closed,
};

function failure(message: string, fault: Fault): FetchFailure {
  const { code, message: why } = causes[fault];
  return new FetchFailure(message, { cause: Object.assign(new Error(why), { code }) });
}

/**
 * Returns the response to a request over a broken connection, for requests without a socket. Reading its body rejects.
 * Throws FetchFailure if the fault sends no response head.
 */
export function brokenResponse({ status, headers, body }: Parts, { fault }: BrokenDelivery): Response {
  if (status === 0) throw failure("fetch failed", fault);
  const bytes = bytesOf(body);
  const length: Record<string, string> = fault === "TRUNCATED_BODY" ? { "Content-Length": String(bytes.length) } : {};
  const remaining = fault === "TRUNCATED_BODY" ? [firstHalf(bytes)] : [];
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = remaining.shift();
      if (piece && piece.length > 0) controller.enqueue(piece);
      else controller.error(failure("terminated", fault));
    },
  });
  return new Response(stream, { status, headers: pairsOf({ ...headers, ...length }) });
}

/**
 * Does the same as `dribble` for requests without a socket. Reading the body rejects when the request's signal aborts.
 */
export function dribbledResponse(
  { status, headers, body }: Parts,
  { chunks, pause }: DribbledDelivery,
  request: Request,
): Response {
  const gone = new AbortController();
  const rest = pieces(body, chunks);
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      request.signal.addEventListener("abort", () => {
        gone.abort();
        controller.error(request.signal.reason);
      });
    },
    async pull(controller) {
      const { value, done } = rest.next();
      if (done) return controller.close();
      await pause(gone.signal);
      // The reference to the request keeps its signal alive: Node's garbage collection would disconnect the signal.
      if (!gone.signal.aborted && !request.signal.aborted) controller.enqueue(value);
    },
    cancel: () => gone.abort(),
  });
  return new Response(stream, { status, headers: pairsOf(headers) });
}

/** Yields the body in `count` pieces of about the same size; fewer if the body has fewer bytes. */
function* pieces(body: Parts["body"], count: number): Generator<Uint8Array, undefined> {
  const bytes = bytesOf(body);
  let start = 0;
  for (let piece = 1; piece <= count; piece++) {
    const end = Math.round((bytes.length * piece) / count);
    if (end > start) yield bytes.subarray(start, end);
    start = end;
  }
}

function bytesOf(body: Parts["body"]): Uint8Array<ArrayBuffer> {
  return typeof body === "string" ? Buffer.from(body) : (body ?? new Uint8Array(0));
}

function firstHalf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}
