import type { ErrorDetail } from "../contract/errors.ts";
import type { OperationId } from "../contract/operations.ts";

/** One request and its answer, as facts: everything that is told about them is derived when somebody asks. */
export interface Exchange {
  /** Unique within the engine: eight digits of the project, and the request's number in it. */
  readonly id: string;
  /** Milliseconds, by the project's clock. */
  readonly receivedAt: number;
  /** Milliseconds from arrival to answer. */
  readonly duration: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly requestBody: Uint8Array | undefined;
  /** The operation that the path and method name; none for an unknown path or a wrong method. */
  readonly operationId: OperationId | undefined;
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string | null;
  readonly source: string;
  readonly decisions: readonly string[];
  readonly violations: readonly ErrorDetail[];
  /** Query parameters that the interface does not name. */
  readonly unnamed: readonly string[];
}

/** What a project keeps of its requests: the last ones, in the order of their answers. */
export interface Journal {
  add(exchange: Exchange): void;
  /** Newest first. */
  list(): Exchange[];
  clear(): void;
  /** How many to keep; the oldest go first. */
  resize(size: number): void;
}

/** A journal that keeps the last `size` exchanges in a ring. */
export function createJournal(size: number): Journal {
  let ring: Exchange[] = [];
  /** Where the next exchange goes once the ring is full. */
  let next = 0;

  function list(): Exchange[] {
    return [...ring.slice(next), ...ring.slice(0, next)].reverse();
  }

  return {
    add(exchange) {
      if (ring.length < size) {
        ring.push(exchange);
      } else if (size > 0) {
        ring[next] = exchange;
        next = (next + 1) % size;
      }
    },
    list,
    clear() {
      ring = [];
      next = 0;
    },
    resize(newSize) {
      ring = list().slice(0, newSize).reverse();
      next = 0;
      size = newSize;
    },
  };
}
