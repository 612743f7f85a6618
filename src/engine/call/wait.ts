/** Resolves after `ms` milliseconds, or as soon as one of the signals aborts. */
export type Wait = (ms: number, ...signals: AbortSignal[]) => Promise<void>;

/** Waits with the machine's timers. */
export const wait: Wait = (ms, ...signals) =>
  new Promise((resolve) => {
    if (signals.some(({ aborted }) => aborted)) return resolve();
    const finish = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    for (const signal of signals) signal.addEventListener("abort", finish);
  });
