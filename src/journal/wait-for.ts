import type { Exchange } from "./exchange.ts";
import type { Journal } from "./journal.ts";

export interface Arrivals {
  /** Those that fit, newest first. */
  readonly exchanges: readonly Exchange[];
  /** Whether there are as many as were waited for. */
  readonly complete: boolean;
}

/**
 * Waits until the journal holds, or has been given, `count` exchanges that fit; past ones count. Resolves at once when
 * there are enough, else as soon as there are, after `timeout` milliseconds, or when one of the signals aborts.
 * A wait costs nothing while nothing arrives.
 */
export function waitFor(
  journal: Journal,
  fits: (exchange: Exchange) => boolean,
  { count, timeout, signals }: { count: number; timeout: number; signals: readonly AbortSignal[] },
): Promise<Arrivals> {
  const found = journal.list().filter(fits);
  return new Promise((resolve) => {
    if (found.length >= count || signals.some(({ aborted }) => aborted)) {
      return resolve({ exchanges: found, complete: found.length >= count });
    }
    const unwatch = journal.watch((exchange) => {
      if (!fits(exchange)) return;
      found.unshift(exchange);
      if (found.length >= count) finish();
    });
    const finish = () => {
      unwatch();
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", finish);
      resolve({ exchanges: found, complete: found.length >= count });
    };
    const timer = setTimeout(finish, timeout);
    for (const signal of signals) signal.addEventListener("abort", finish);
  });
}
