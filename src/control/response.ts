import { ServiceError } from "../contract/service-error.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import { arrayPieces, objectPieces, valuePieces } from "../text/json-pieces.ts";

/** An answer, before it is put on a wire: a JSON value, or its text in pieces, or content of another type, or nothing. */
export interface ControlResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** To be gone through once. */
  readonly pieces?: Iterable<string>;
  readonly content?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

export function ok(json: unknown): ControlResponse {
  return { status: 200, json };
}

export function created(json: unknown, headers?: Record<string, string>): ControlResponse {
  return { status: 201, json, headers };
}

/** The answer of a successful call that returns nothing. */
export const done: ControlResponse = Object.freeze({ status: 204 });

/** A list under its plural name, with how many items there are in all (see `listOf`). */
export function listed(name: string, items: readonly unknown[], total = items.length): object {
  return { [name]: items, total };
}

/** The pieces of `listed`, for items that may be large. */
export function listPieces(name: string, items: readonly unknown[], total = items.length): Iterable<string> {
  return objectPieces({ [name]: arrayPieces(items), total: valuePieces(total) });
}

/** How much text is sent at a time, in UTF-16 units. A piece is sent as a whole. */
const SENT = 64 * 1024;

/** The text as a stream of bytes. Pieces are made as the client takes them, and other requests are answered in between. */
export function streamOf(pieces: Iterable<string>): ReadableStream<Uint8Array> {
  const slice = new TimeSlice();
  const encoder = new TextEncoder();
  const iterator = pieces[Symbol.iterator]();
  return new ReadableStream({
    async pull(controller) {
      if (slice.isOver) await slice.next();
      let text = "";
      let isDone = false;
      while (text.length < SENT && !isDone) {
        const next = iterator.next();
        isDone = next.done === true;
        if (!next.done) text += next.value;
      }
      controller.enqueue(encoder.encode(text));
      if (isDone) controller.close();
    },
    cancel() {
      iterator.return?.();
    },
  });
}

/** The longest list, in characters of the texts in it that clients chose. */
const MAX_LIST = 16 * 1024 * 1024;

/** Throws InsufficientStorage when the texts in a list have too many characters. */
export function requireShort(characters: number): void {
  if (characters <= MAX_LIST) return;
  throw new ServiceError({
    code: "InsufficientStorage",
    message: `The list: expected at most ${MAX_LIST} characters of names, found more. Ask for fewer items with limit and offset.`,
  });
}

/** The items that the `limit` and `offset` of a query select (see `paging`). */
export function selected<Item>(
  items: readonly Item[],
  { limit, offset = 0 }: { readonly limit?: number; readonly offset?: number },
  sizes: { readonly default: number },
): Item[] {
  return items.slice(offset, offset + (limit ?? sizes.default));
}
