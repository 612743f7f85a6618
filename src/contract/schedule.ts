import { performance } from "node:perf_hooks";
import timers from "node:timers";

/** A value, or its promise if the work has to wait: an `await` costs time even if nothing waits. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Returns a function that loads a value at its first call and caches it. If the load fails, for example because too
 * many files are open, the next call retries it.
 */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

// Captured at load time, so that fake timers installed later by a test suite do not block responses. For the same reason,
// `performance` is imported: fake timers replace the global.
const { setImmediate: afterInput } = timers;

/** The time that work can use the event loop before other requests continue. In milliseconds. */
const SLICE = 10;

/** Slices of work that its caller can cancel. */
export type Slice = Pick<TimeSlice, "isOver" | "next">;

/** The callers that wait for their next slice, in order. */
const waiting: (() => void)[] = [];

/**
 * Splits long work into slices, so that the server responds to other requests in between:
 *
 *     const slice = new TimeSlice();
 *     for (const item of items) {
 *       work(item);
 *       if (slice.isOver) await slice.next();
 *     }
 *
 * Short work never waits.
 */
export class TimeSlice {
  #started = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#started >= SLICE;
  }

  /**
   * Resolves when the event loop has handled its pending input. Only one caller continues in each turn of the loop, so
   * other requests wait for at most one slice, even if many long requests are in progress.
   */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) afterInput(continueOldest);
    });
    this.#started = performance.now();
  }
}

function continueOldest(): void {
  const oldest = waiting.shift();
  if (waiting.length > 0) afterInput(continueOldest);
  oldest?.();
}
