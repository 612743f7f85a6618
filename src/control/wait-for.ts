import { wait } from "../engine/index.ts";
import type { Journal, Watcher } from "../journal/index.ts";
import type { Project } from "../project/index.ts";
import { type Effort, View } from "../rules/index.ts";

/** A filter for the requests of a wait. */
export interface Awaited {
  /** The size of the patterns in the filter, in RE2 instructions. */
  readonly size: number;
  fits(view: View, effort?: Effort): boolean;
}

/** The conditions that end a wait. */
export interface WaitUntil {
  /** The number of matching requests. */
  readonly count: number;
  /** The longest wait, in milliseconds. */
  readonly timeout: number;
  readonly signals: readonly AbortSignal[];
}

/**
 * Waits for `count` matching exchanges, including past ones. The wait ends after `timeout` milliseconds, or when one of
 * the signals aborts. Returns the numbers of the matching exchanges, newest first, and whether `count` was reached. Keeps
 * no exchange in memory: the journal may drop some before the wait ends. `effort` limits the search in past exchanges.
 */
export async function waitFor(
  project: Project,
  { size, fits }: Awaited,
  { count, timeout, signals }: WaitUntil,
  effort: Effort,
): Promise<{ numbers: readonly number[]; complete: boolean }> {
  const numbers: number[] = [];
  const end = new AbortController();
  const isEnough = () => numbers.length >= count;
  // Starts to watch before the search in past exchanges, so that requests that arrive during the search count too.
  const receive: Watcher["receive"] = (view, number) => {
    if (end.signal.aborted || !fits(view)) return;
    numbers.push(number);
    if (isEnough()) end.abort();
  };
  const unwatch = project.watchers.add({ size, receive }, project.journal.last);
  end.signal.addEventListener("abort", unwatch);
  try {
    numbers.push(...(await findPast(project.journal, fits, effort)));
    if (isEnough()) end.abort();
    await wait(timeout, end.signal, ...signals);
  } finally {
    unwatch();
  }
  return { numbers: numbers.sort((a, b) => b - a), complete: isEnough() };
}

/** Returns the numbers of the matching exchanges. The wait itself must not keep the journal in memory. */
async function findPast(journal: Journal, fits: Awaited["fits"], effort: Effort): Promise<number[]> {
  const numbers: number[] = [];
  for (const number of journal.numbers()) {
    if (effort.isOver) await effort.next();
    const exchange = journal.at(number);
    if (exchange && fits(new View(exchange), effort)) numbers.push(number);
  }
  return numbers;
}
