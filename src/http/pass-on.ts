import type { HttpBindings } from "@hono/node-server";
import { type BodyStream, pairsOf } from "../engine/index.ts";
import { FetchFailure, type Parts } from "./faults.ts";
import { isHttp2 } from "./streams.ts";
import { sendPiece } from "./unsent.ts";

const INTERNAL_ERROR = 0x2;

/** The bytes of a body that arrive before the client reads it, for requests without a socket. */
const READ_AHEAD = 256 * 1024;

/** Sends a response whose body arrives from the upstream. If the body breaks off, so does the connection of the client. */
export async function passOn({ incoming, outgoing }: HttpBindings, parts: Parts, stream: BodyStream): Promise<void> {
  outgoing.once("close", () => stream.cancel());
  if (outgoing.destroyed) return stream.cancel();
  outgoing.writeHead(parts.status, withLength(parts, stream)).flushHeaders();
  try {
    for await (const piece of stream.pieces()) await sendPiece(outgoing, piece);
    outgoing.end();
  } catch {
    if (isHttp2(outgoing)) outgoing.stream.close(INTERNAL_ERROR);
    // Closes the socket after all written bytes are sent.
    else incoming.socket.destroySoon();
  }
}

/** Does the same for requests without a socket: reading the body rejects if it breaks off. */
export function passedResponse(parts: Parts, stream: BodyStream, request: Request): Response {
  const pieces = stream.pieces()[Symbol.asyncIterator]();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start(controller) {
      request.signal.addEventListener("abort", () => {
        stream.cancel();
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
    cancel: () => stream.cancel(),
  };
  // A socket has buffers too: the body also arrives if the client reads only the head.
  const body = new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD }));
  return new Response(body, { status: parts.status, headers: pairsOf(withLength(parts, stream)) });
}

function withLength({ headers }: Parts, { length }: BodyStream): Parts["headers"] {
  return length === undefined ? headers : { ...headers, "Content-Length": String(length) };
}
