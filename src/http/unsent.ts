import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { MAX_UNSENT_BYTES, TimeSlice } from "../contract/index.ts";
import { afterTurn, clearTimer, isHttp2, setTimer } from "./node-adapter.ts";

type Outgoing = ServerResponse;
type Body = string | Uint8Array | null;

/**
 * The size of the pieces in which larger bodies are sent, each after the client has read the one before. In UTF-16
 * units or bytes.
 */
const PIECE = 256 * 1024;

/**
 * The unread sizes of the counted bodies of all connections, the response with the oldest progress first. If they exceed
 * `MAX_UNSENT_BYTES` together, the connections, or streams of HTTP/2, whose clients have read nothing for the longest time
 * are closed.
 */
const unsent = new Map<Outgoing, number>();
let total = 0;

/** Records the unread size of a body after its client has made progress. */
function setUnsent(outgoing: Outgoing, left: number): void {
  forget(outgoing);
  unsent.set(outgoing, left);
  total += left;
  for (const stalled of unsent.keys()) {
    if (total <= MAX_UNSENT_BYTES) return;
    forget(stalled);
    stalled.destroy();
  }
}

function forget(outgoing: Outgoing): void {
  total -= unsent.get(outgoing) ?? 0;
  unsent.delete(outgoing);
}

/**
 * Returns whether a body is sent in pieces and counted as unread: every large body, and every body over HTTP/2, where a
 * connection has many responses at a time.
 */
function isCounted(outgoing: Outgoing, body: Body): body is string | Uint8Array {
  return body !== null && (body.length > PIECE || isHttp2(outgoing));
}

/** Counts a body as unread until its response is closed. */
export function countUnsent(outgoing: Outgoing, body: Body): void {
  if (!isCounted(outgoing, body)) return;
  setUnsent(outgoing, body.length);
  outgoing.once("close", () => forget(outgoing));
}

export function sendWhole(
  outgoing: Outgoing,
  { status, headers, body }: { readonly status: number; readonly headers: OutgoingHttpHeaders; readonly body: Body },
  isHead = false,
): void {
  if (outgoing.destroyed) return;
  // Without a length, Node would send an empty body as chunks. 204 and 304 must not have one (RFC 9110, 8.6).
  const hasLength = !isHead && status !== 204 && status !== 304;
  const length = hasLength && { "Content-Length": body === null ? 0 : Buffer.byteLength(body) };
  outgoing.writeHead(status, { ...headers, ...length });
  if (isCounted(outgoing, body)) return void sendPieces(outgoing, body);
  if (unended.length === 0) afterTurn(endAll);
  unended.push({ outgoing, body });
}

/**
 * The responses that end together after this turn of the event loop. Writing to a sleeping client wakes it up, and this
 * costs more than all other work on a request. If each response ends alone, throughput is 18 to 24 % lower (decision 0012).
 */
let unended: { readonly outgoing: Outgoing; readonly body: Body }[] = [];

export function endAll(): void {
  const all = unended;
  unended = [];
  for (const { outgoing, body } of all) outgoing.end(body);
}

async function sendPieces(outgoing: Outgoing, body: string | Uint8Array): Promise<void> {
  countUnsent(outgoing, body);
  const slice = new TimeSlice();
  let start = 0;
  while (start < body.length && !outgoing.destroyed) {
    const end = endOfPiece(body, start);
    const piece = typeof body === "string" ? body.slice(start, end) : body.subarray(start, end);
    start = end;
    await sendPiece(outgoing, piece);
    if (slice.isOver) await slice.next();
    if (!outgoing.destroyed) setUnsent(outgoing, body.length - start);
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
