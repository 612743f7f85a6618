import { wait } from "../call/wait.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { Journal } from "../journal/journal.ts";

/**
 * Waits until `count` exchanges that fit have arrived, past ones included; at most `timeout` milliseconds, and until one
 * of the signals aborts. Returns those that fit, newest first, and whether they are enough. While nothing arrives, a
 * wait costs nothing.
 */
export async function waitFor(
  journal: Journal,
  fits: (exchange: Exchange) => boolean,
  { count, timeout, signals }: { count: number; timeout: number; signals: readonly AbortSignal[] },
): Promise<{ exchanges: readonly Exchange[]; complete: boolean }> {
  const exchanges = journal.list().filter(fits);
  if (exchanges.length < count) {
    const enough = new AbortController();
    const unwatch = journal.watch((exchange) => {
      if (fits(exchange) && exchanges.unshift(exchange) >= count) {
        unwatch();
        enough.abort();
      }
    });
    await wait(timeout, enough.signal, ...signals);
    unwatch();
  }
  return { exchanges, complete: exchanges.length >= count };
}
