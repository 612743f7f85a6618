import timers from "node:timers";
import type { HttpBindings } from "@hono/node-server";
import { MAX_UNSENT_BYTES, TimeSlice } from "../contract/index.ts";
import { isHttp2 } from "./streams.ts";

type Outgoing = HttpBindings["outgoing"];

// Captured at load time, so that fake timers installed later by a test suite do not block responses.
const { setTimeout: setTimer, clearTimeout: clearTimer } = timers;

/**
 * The size of the pieces in which larger bodies are sent, each after the client has read the one before. In UTF-16
 * units or bytes.
 */
const PIECE = 256 * 1024;

/**
 * The counted bodies that clients have not read yet, of all connections. If they exceed `MAX_UNSENT_BYTES` together, the
 * connections, or streams of HTTP/2, whose clients have read nothing for the longest time are closed.
 */
class Unsent {
  /** The unread size by response, the response with the oldest progress first. */
  readonly #left = new Map<Outgoing, number>();
  #total = 0;

  /**
   * Records the unread size of a body after its client has made progress. Beyond the limit, closes the connections with
   * the oldest progress.
   */
  set(outgoing: Outgoing, left: number): void {
    this.delete(outgoing);
    this.#left.set(outgoing, left);
    this.#total += left;
    for (const stalled of this.#left.keys()) {
      if (this.#total <= MAX_UNSENT_BYTES) return;
      this.delete(stalled);
      stalled.destroy();
    }
  }

  delete(outgoing: Outgoing): void {
    this.#total -= this.#left.get(outgoing) ?? 0;
    this.#left.delete(outgoing);
  }
}

const unsent = new Unsent();

/**
 * Returns whether a body is sent in pieces and counted as unread: every large body, and every body over HTTP/2, where a
 * connection has many responses at a time.
 */
export function isCounted(outgoing: Outgoing, body: string | Uint8Array | null): body is string | Uint8Array {
  return body !== null && (body.length > PIECE || isHttp2(outgoing));
}

/** Counts a body as unread until its response is closed. */
export function countUnsent(outgoing: Outgoing, body: string | Uint8Array | null): void {
  if (!isCounted(outgoing, body)) return;
  unsent.set(outgoing, body.length);
  outgoing.once("close", () => unsent.delete(outgoing));
}

/** Sends a body in pieces, as fast as the client reads, and ends the response. */
export async function sendPieces(outgoing: Outgoing, body: string | Uint8Array): Promise<void> {
  countUnsent(outgoing, body);
  const slice = new TimeSlice();
  let start = 0;
  while (start < body.length && !outgoing.destroyed) {
    const end = endOfPiece(body, start);
    const piece = typeof body === "string" ? body.slice(start, end) : body.subarray(start, end);
    start = end;
    await sendPiece(outgoing, piece);
    if (slice.isOver) await slice.next();
    if (!outgoing.destroyed) unsent.set(outgoing, body.length - start);
  }
  outgoing.end();
}

/**
 * Sends a piece of a body. Resolves when the client has read it or has disconnected. Closes the connection, or the stream
 * of HTTP/2, if the client takes longer than `Timeouts.reading`. The socket itself does not time out while the client
 * sends data.
 */
export function sendPiece(outgoing: Outgoing, piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (outgoing.destroyed || !outgoing.socket) return resolve();
    const limit = isHttp2(outgoing) ? outgoing.readingTime : outgoing.socket.timeout;
    const timer = setTimer(() => outgoing.destroy(), limit);
    const finish = () => {
      clearTimer(timer);
      outgoing.off("close", finish);
      resolve();
    };
    outgoing.on("close", finish).write(piece, finish);
  });
}

/** Returns the end of the piece at `start`, without splitting a surrogate pair. */
function endOfPiece(body: string | Uint8Array, start: number): number {
  const end = start + PIECE;
  const isHalf = typeof body === "string" && /[\ud800-\udbff]/.test(body[end - 1] ?? "");
  return isHalf ? end + 1 : end;
}
