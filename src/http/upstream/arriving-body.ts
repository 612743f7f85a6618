import type { IncomingMessage } from "node:http";
import { counted, MAX_CHECKED_BODIES, MAX_KEPT_BODY } from "../../contract/index.ts";
import { ClientGone } from "../../engine/index.ts";
import type { BodyEnd, BodyStream } from "../../rules/index.ts";
import { setTimer } from "../node-adapter.ts";
import { createDeadline, reasonOf } from "./sender.ts";

const large = new Set<object>();

interface ArrivingBody {
  readonly incoming: IncomingMessage;
  /** The size of the body in bytes, if the upstream sent it. */
  readonly length: number | undefined;
  /** The limit of the bytes that are kept for the check; `MAX_KEPT_BODY` bytes are always kept, for the journal. */
  readonly limit: number;
  /** Texts that the client must not see. */
  readonly secrets: readonly string[];
  /** The longest time without a byte, in milliseconds. */
  readonly timeout: number;
  /** Aborts when the client disconnects, or when the project ends. */
  readonly signal: AbortSignal;
  /**
   * Called once after the last byte, or with the error of a body that breaks off. `bytes` is the body, or its start if not
   * all of it was kept; `size` is the number of all bytes.
   */
  readonly finish: (kept: { readonly bytes: Uint8Array; readonly size: number }, error?: Error) => Promise<BodyEnd>;
}

/** A body of which the mock may still check and record the last bytes. */
interface ArrivingStream extends BodyStream {
  /** Whether all bytes have arrived. */
  readonly hasArrived: boolean;
}

export function streamOf(arriving: ArrivingBody): ArrivingStream {
  const { incoming, length, limit, secrets, timeout, signal, finish } = arriving;
  const kept: Uint8Array[] = [];
  let room = Math.max(limit, MAX_KEPT_BODY);
  let size = 0;
  let hasEnded = false;
  let hasArrived = false;
  const ended = Promise.withResolvers<BodyEnd>();
  const stalled = () => new Error(`the upstream sent nothing for ${counted(timeout, "millisecond")}`);
  const deadline = createDeadline(timeout, () => incoming.destroy(stalled()));
  // The deadline runs only while the mock waits for the upstream, not while the client reads.
  deadline.pause();

  const end = async (error?: Error) => {
    if (hasEnded) return;
    hasEnded = true;
    deadline.end();
    signal.removeEventListener("abort", cancel);
    ended.resolve(await finish({ bytes: Buffer.concat(kept), size }, error).finally(() => large.delete(kept)));
  };
  const cancel = () => {
    if (hasEnded) return;
    incoming.destroy(new ClientGone());
    void end(new ClientGone());
  };
  const keep = (piece: Uint8Array) => {
    if (size <= MAX_KEPT_BODY && size + piece.length > MAX_KEPT_BODY) {
      const isUnchecked = large.size >= MAX_CHECKED_BODIES || (length !== undefined && length > limit);
      if (isUnchecked) room = MAX_KEPT_BODY - size;
      else large.add(kept);
    }
    size += piece.length;
    if (room > 0) kept.push(piece.subarray(0, room));
    room -= piece.length;
  };

  signal.addEventListener("abort", cancel);
  return {
    length,
    get hasArrived() {
      return hasArrived || size === length;
    },
    ended: ended.promise,
    cancel,
    async *pieces() {
      let last: Uint8Array | undefined;
      try {
        deadline.restart();
        for await (const piece of secrets.length === 0 ? incoming : maskedPieces(incoming, secrets)) {
          deadline.pause();
          keep(piece);
          // With these bytes, the client has the whole response: the journal must have it before.
          if (size === length) last = piece;
          else yield piece;
          deadline.restart();
        }
        hasArrived = true;
        await end();
      } catch (error) {
        await end(error as Error);
        throw error;
      }
      if (last) yield last;
    },
  };
}

/** A body that has arrived as a whole, or the stream of a longer body from its start. */
type Ahead =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly end: BodyEnd; readonly rest?: undefined }
  | { readonly rest: BodyStream; readonly why: string };

/**
 * Reads a body until its end, but at most `bytes` bytes, and at most for `time` milliseconds. If the body fails
 * before its end, reading `rest` fails too.
 */
export async function readAhead(
  stream: ArrivingStream,
  { bytes: most, time }: { bytes: number; time?: number },
): Promise<Ahead> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const iterator = stream.pieces()[Symbol.asyncIterator]();
  const restFrom = (next: Promise<IteratorResult<Uint8Array>>, why: string): Ahead => {
    // The reader of the stream handles a failure.
    next.catch(() => {});
    const continued = async function* () {
      yield* pieces.splice(0);
      for (let result = await next; !result.done; result = await iterator.next()) yield result.value;
    };
    return { why, rest: { ...stream, pieces: continued } };
  };
  const late = time === undefined ? [] : [after(time)];
  for (;;) {
    const next = iterator.next();
    const safe = next.catch((): typeof BROKEN => BROKEN);
    let outcome = await Promise.race([safe, ...late]);
    // The mock checks and records the last bytes: the upstream is not late.
    if (outcome === undefined && stream.hasArrived) outcome = await safe;
    if (outcome === BROKEN) return restFrom(next, "it broke off");
    if (outcome === undefined) return restFrom(next, "it takes too long");
    if (outcome.done) return { bytes: new Uint8Array(Buffer.concat(pieces)), end: await stream.ended };
    pieces.push(outcome.value);
    size += outcome.value.length;
    if (size > most) return restFrom(iterator.next(), `it has more than ${most} bytes`);
  }
}

const BROKEN = "broken";

function after(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimer(resolve, ms, undefined).unref();
  });
}

export function brokenReason(error: Error): string {
  if (error instanceof ClientGone) return "the client disconnected before it had the whole response";
  const { code } = error as NodeJS.ErrnoException;
  return code === "ECONNRESET" ? "the upstream closed the connection in the middle of its response" : reasonOf(error);
}

/** Returns the bytes with each secret replaced by asterisks. The size stays, as its header can have been sent before. */
export function masked(bytes: Uint8Array, secrets: readonly string[]): Uint8Array {
  if (secrets.length === 0) return bytes;
  const safe = Buffer.from(bytes);
  for (const secret of secrets) {
    const size = Buffer.byteLength(secret);
    for (let at = safe.indexOf(secret); at >= 0; at = safe.indexOf(secret, at + size)) safe.fill("*", at, at + size);
  }
  return safe;
}

/** Does the same for a body that arrives in pieces. The last bytes of a piece can begin a secret, and wait for the next. */
export async function* maskedPieces(
  pieces: AsyncIterable<Uint8Array>,
  secrets: readonly string[],
): AsyncGenerator<Uint8Array> {
  const longest = Math.max(...secrets.map((secret) => Buffer.byteLength(secret)));
  let held: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes = masked(Buffer.concat([held, piece]), secrets);
    const end = Math.max(0, bytes.length - longest + 1);
    held = bytes.subarray(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (held.length > 0) yield held;
}
