import type { Socket } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { BrokenDelivery, DribbledDelivery } from "../call/response.ts";
import type { Fault } from "../scenarios/scenario.ts";
import { countUnsent, readOn } from "./unsent.ts";

/** An answer's head and body, as they would be sent whole. */
export interface Parts {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

/** Breaks the connection on the socket itself, so that the client sees the very bytes that a broken server sends. */
export function breakConnection({ incoming, outgoing }: HttpBindings, parts: Parts, { fault, noise }: BrokenDelivery) {
  const { socket } = incoming;
  if (socket.destroyed) return;
  const { status, headers } = parts;
  switch (fault) {
    case "CONNECTION_RESET_BY_PEER":
      (socket as Socket).resetAndDestroy();
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
      const bytes = Buffer.from(parts.body ?? "");
      outgoing.writeHead(status, { ...headers, "Content-Length": bytes.length }).flushHeaders();
      countUnsent(outgoing, bytes);
      outgoing.write(firstHalf(bytes));
    }
  }
  // Ends our side once all that was written has gone out.
  socket.destroySoon();
}

/** Sends the body in pieces, for as long as the client stays. */
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
    if (!outgoing.write(piece)) await readOn(outgoing);
  }
  outgoing.end();
}

/** What `fetch` rejects with when the connection breaks: the same type, message and cause as Node's own. */
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

/** The same without a socket. Throws FetchFailure where no head would have come; else reading the body rejects. */
export function brokenResponse({ status, headers, body }: Parts, { fault }: BrokenDelivery): Response {
  if (status === 0) throw failure("fetch failed", fault);
  const bytes = new TextEncoder().encode(body ?? "");
  const length: Record<string, string> = fault === "TRUNCATED_BODY" ? { "Content-Length": String(bytes.length) } : {};
  const beginning = fault === "TRUNCATED_BODY" ? [firstHalf(bytes)] : [];
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = beginning.shift();
      if (piece && piece.length > 0) controller.enqueue(piece);
      else controller.error(failure("terminated", fault));
    },
  });
  return new Response(stream, { status, headers: { ...headers, ...length } });
}

/** `dribble` without a socket; reading the body rejects as soon as the request's signal aborts. */
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
      // Node's signals of requests work only as long as something, here this function, refers to the request.
      if (!gone.signal.aborted && !request.signal.aborted) controller.enqueue(value);
    },
    cancel: () => gone.abort(),
  });
  return new Response(stream, { status, headers });
}

/** The body in `count` pieces of about one size; fewer when it has fewer bytes. */
function* pieces(body: string | null, count: number): Generator<Uint8Array, undefined> {
  const bytes = Buffer.from(body ?? "");
  let start = 0;
  for (let piece = 1; piece <= count; piece++) {
    const end = Math.round((bytes.length * piece) / count);
    if (end > start) yield bytes.subarray(start, end);
    start = end;
  }
}

function firstHalf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}
