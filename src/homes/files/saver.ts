import timers from "node:timers";

// Captured at load time, so that fake timers of a test suite do not stop the saving.
const { setTimeout: after, clearTimeout: cancel } = timers;

/** The time from a change to its save, in milliseconds. The rest of the promised 100 ms is for writing. */
const DELAY_MS = 25;
/** The time after which a failed save is repeated, in milliseconds. */
const RETRY_MS = 1000;
/** The number of projects that are saved at a time. */
const WRITERS = 8;

interface SaverOptions {
  /** Saves the project with this key as it is now. */
  readonly save: (key: string) => Promise<void>;
  /** Called when the save of a project fails, unless its last save has failed too. */
  readonly onFailure: (key: string, error: Error) => void;
  /** Called when the save of a project succeeds after a failure. */
  readonly onRecovery: (key: string) => void;
}

/** Decides when to save which project. */
export interface Saver {
  /** Schedules a save of the project. */
  note(key: string): void;
  /** The errors of the projects whose last save failed, by key. */
  readonly failed: ReadonlyMap<string, Error>;
  /** Saves all changed projects now. Then ignores further changes. */
  close(): Promise<void>;
}

/**
 * Saves changed projects soon after their first change. A project is never saved twice at the same time. If saving takes
 * longer than the delay, the project rests for as long as the last save took, so that other work gets its share.
 */
export function createSaver({ save, onFailure, onRecovery }: SaverOptions): Saver {
  /** The time of the next save by project key, in milliseconds of `performance.now()`. */
  const due = new Map<string, number>();
  const saving = new Set<string>();
  const failed = new Map<string, Error>();
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Number.POSITIVE_INFINITY;
  let retry: NodeJS.Timeout | undefined;
  let closing: PromiseWithResolvers<void> | undefined;

  /** Starts the saves that are due. */
  function start(): void {
    timerAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [key, time] of due) {
      if (saving.size >= WRITERS) return;
      if (saving.has(key)) continue;
      if (closing || time <= now) void saveNow(key);
      else next = Math.min(next, time);
    }
    startAt(next, now);
    if (closing && saving.size === 0) closing.resolve();
  }

  function startAt(time: number, now: number): void {
    if (time >= timerAt) return;
    cancel(timer);
    timerAt = time;
    timer = after(start, time - now);
  }

  async function saveNow(key: string): Promise<void> {
    const started = performance.now();
    due.delete(key);
    saving.add(key);
    try {
      await save(key);
      if (failed.delete(key)) onRecovery(key);
    } catch (error) {
      const isFirst = !failed.has(key);
      failed.set(key, error as Error);
      if (isFirst) onFailure(key, error as Error);
      due.delete(key);
      if (!closing) retry ??= after(saveFailed, RETRY_MS).unref();
    }
    saving.delete(key);
    const ended = performance.now();
    if (due.has(key)) due.set(key, ended + Math.max(DELAY_MS, ended - started));
    start();
  }

  function saveFailed(): void {
    retry = undefined;
    for (const key of failed.keys()) due.set(key, 0);
    start();
  }

  return {
    failed,
    note(key) {
      if (closing || due.has(key) || (failed.has(key) && !saving.has(key))) return;
      const now = performance.now();
      due.set(key, now + DELAY_MS);
      startAt(now + DELAY_MS, now);
    },
    async close() {
      cancel(retry);
      for (const key of failed.keys()) due.set(key, 0);
      closing ??= Promise.withResolvers();
      start();
      await closing.promise;
      cancel(timer);
    },
  };
}
