import timers from "node:timers/promises";

// Captured at load time, so that fake timers of a test suite do not stop the saving.
const { setTimeout: after } = timers;

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

/**
 * Saves changed projects soon after their first change. A project is never saved twice at the same time. If saving takes
 * longer than the delay, the project rests for as long as the last save took, so that other work gets its share.
 */
export function createSaver({ save, onFailure, onRecovery }: SaverOptions) {
  /** The projects with changes that no save has begun to write. */
  const changed = new Set<string>();
  /** The work on each project, until it has no such changes. */
  const working = new Map<string, Promise<void>>();
  /** The errors of the projects whose last save failed, by key. */
  const failed = new Map<string, Error>();
  const closing = new AbortController();
  const waiting: (() => void)[] = [];
  let writers = 0;

  async function work(key: string): Promise<void> {
    let rest = DELAY_MS;
    while (changed.has(key)) {
      await after(rest, undefined, { signal: closing.signal, ref: !failed.has(key) }).catch(() => {});
      if (writers === WRITERS) await new Promise<void>((next) => waiting.push(next));
      else writers++;
      const started = performance.now();
      await saveNow(key);
      const next = waiting.shift();
      if (next) next();
      else writers--;
      rest = failed.has(key) ? RETRY_MS : Math.max(DELAY_MS, performance.now() - started);
    }
    working.delete(key);
  }

  async function saveNow(key: string): Promise<void> {
    changed.delete(key);
    try {
      await save(key);
      if (failed.delete(key)) onRecovery(key);
    } catch (error) {
      const isFirst = !failed.has(key);
      failed.set(key, error as Error);
      if (isFirst) onFailure(key, error as Error);
      if (!closing.signal.aborted) changed.add(key);
    }
  }

  return {
    failed: failed as ReadonlyMap<string, Error>,
    /** Schedules a save of the project. */
    note(key: string): void {
      if (closing.signal.aborted) return;
      changed.add(key);
      if (!working.has(key)) working.set(key, work(key));
    },
    /** Saves all changed projects now. Then ignores further changes. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.all(working.values());
    },
  };
}
