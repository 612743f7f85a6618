import timers from "node:timers";
import type { HttpBindings } from "@hono/node-server";

import { TimeSlice } from "../schedule/time-slice.ts";

type Outgoing = HttpBindings["outgoing"];

// Captured at load time, so that fake timers installed later by a test suite do not block responses.
const { setTimeout: setTimer, clearTimeout: clearTimer } = timers;

/** What bodies that clients have not read yet may take together, in bytes. */
const MAX_UNSENT = 256 * 1024 * 1024;

/** A larger body is sent in pieces of this size, the next when the client has read one. In UTF-16 units or bytes. */
const PIECE = 256 * 1024;

/**
 * The large bodies that wait for their clients, of all connections. When they take too much memory, the connections whose
 * clients have read nothing for the longest time are closed.
 */
class Unsent {
  /** By response, in the order of the last progress. */
  readonly #left = new Map<Outgoing, number>();
  #total = 0;

  /** Records how much of a body is left, which its client has just begun or gone on to read. */
  set(outgoing: Outgoing, left: number): void {
    this.delete(outgoing);
    this.#left.set(outgoing, left);
    this.#total += left;
    for (const stalled of this.#left.keys()) {
      if (this.#total <= MAX_UNSENT) return;
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

/** Whether a body is large enough to wait for its client. */
export function isLarge(body: string | Uint8Array | null): body is string | Uint8Array {
  return body !== null && body.length > PIECE;
}

/** Counts a body until its response is closed. */
export function countUnsent(outgoing: Outgoing, body: string | Uint8Array | null): void {
  if (!isLarge(body)) return;
  unsent.set(outgoing, body.length);
  outgoing.once("close", () => unsent.delete(outgoing));
}

/** Sends a large body, as fast as its client reads it, and ends the response. */
export async function sendLarge(outgoing: Outgoing, body: string | Uint8Array): Promise<void> {
  countUnsent(outgoing, body);
  const slice = new TimeSlice();
  let start = 0;
  while (start < body.length && !outgoing.destroyed) {
    const end = endOfPiece(body, start);
    const piece = typeof body === "string" ? body.slice(start, end) : body.subarray(start, end);
    start = end;
    if (!outgoing.write(piece)) await readOn(outgoing);
    if (slice.isOver) await slice.next();
    if (!outgoing.destroyed) unsent.set(outgoing, body.length - start);
  }
  outgoing.end();
}

/**
 * Resolves when the client has read what was written, or is gone. Closes the connection of a client that takes longer than
 * the socket's timeout, which does not notice it as long as the client goes on to send.
 */
export function readOn(outgoing: Outgoing): Promise<void> {
  return new Promise((resolve) => {
    if (outgoing.destroyed || !outgoing.socket) return resolve();
    const timer = setTimer(() => outgoing.destroy(), outgoing.socket.timeout);
    const finish = () => {
      clearTimer(timer);
      outgoing.off("drain", finish).off("close", finish);
      resolve();
    };
    outgoing.on("drain", finish).on("close", finish);
  });
}

/** A piece does not end between the two halves of a character. */
function endOfPiece(body: string | Uint8Array, start: number): number {
  const end = start + PIECE;
  const isHalf = typeof body === "string" && /[\ud800-\udbff]/.test(body[end - 1] ?? "");
  return isHalf ? end + 1 : end;
}
