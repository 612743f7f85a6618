import { wait } from "../call/wait.ts";
import type { Journal } from "../journal/journal.ts";
import type { Effort } from "../matching/effort.ts";
import { View } from "../matching/matchable.ts";

/** Which requests a wait is for: what a matcher says about them. */
export interface Awaited {
  /** The size of the patterns that it tests, in RE2 instructions. */
  readonly size: number;
  fits(view: View, effort: Effort): Promise<boolean>;
}

/** When a wait ends. */
export interface WaitUntil {
  readonly count: number;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signals: readonly AbortSignal[];
}

/**
 * Waits until `count` exchanges that fit have arrived, past ones included; at most `timeout` milliseconds, and until one
 * of the signals aborts. Returns the numbers of those that fit, newest first, and whether they are enough. Holds no
 * exchange: the journal may drop some of them before the end. `effort` is for the past ones.
 */
export async function waitFor(
  journal: Journal,
  { size, fits }: Awaited,
  { count, timeout, signals }: WaitUntil,
  effort: Effort,
): Promise<{ numbers: readonly number[]; complete: boolean }> {
  const numbers: number[] = [];
  const end = new AbortController();
  const isEnough = () => numbers.length >= count;
  // Watches before it looks at the past: requests that arrive meanwhile count too.
  const first = journal.next;
  const unwatch = journal.watch({
    size,
    async look(view, number, effort) {
      if (end.signal.aborted || !(await fits(view, effort))) return;
      numbers.push(number);
      if (isEnough()) end.abort();
    },
  });
  end.signal.addEventListener("abort", unwatch);
  try {
    for (let number = first - journal.length; number < first; number++) {
      if (effort.isDue) await effort.pause();
      const exchange = journal.at(number);
      if (exchange && (await fits(new View(exchange), effort))) numbers.push(number);
    }
    if (isEnough()) end.abort();
    await wait(timeout, end.signal, ...signals);
  } finally {
    unwatch();
  }
  return { numbers: numbers.sort((a, b) => b - a), complete: isEnough() };
}
