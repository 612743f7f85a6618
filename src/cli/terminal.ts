import type { WriteStream } from "node:tty";
import { cut } from "../contract/index.ts";

/**
 * Writes to the standard output. Ignores a reader that stops early, such as `head`. Rejects with the error of Node for
 * other failures, such as a full disk.
 */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
      if (error && error.code !== "EPIPE") reject(error);
      else resolve();
    });
  });
}

/**
 * The signals that end a command. Their exit codes are 128 and the number of the signal. After SIGHUP, the terminal was
 * closed: the processes and resources of a run have no terminal, so only its command can end them.
 */
const signals: Readonly<Record<string, readonly [message: string, code: number]>> = {
  SIGHUP: ["hung up", 129],
  SIGINT: ["interrupted", 130],
  SIGTERM: ["terminated", 143],
};

/** Calls a function at each signal, instead of ending the process. Returns a function that removes the handlers. */
export function onSignals(onSignal: (message: string, code: number) => void): () => void {
  const handlers = Object.entries(signals).map(([name, how]) => [name, () => onSignal(...how)] as const);
  for (const [name, handler] of handlers) process.on(name, handler);
  return () => {
    for (const [name, handler] of handlers) process.off(name, handler);
  };
}

/** Returns to the first column and erases the line (ECMA-48). */
const ERASE = "\r\u001b[2K";

/**
 * Creates the progress of a command with `total` steps, as one line on a terminal. Writes nothing if the output is no
 * terminal.
 *
 * @param now returns milliseconds; the time left is an estimate from the average of the finished steps
 */
export function createProgress(
  total: number,
  terminal: Partial<Pick<WriteStream, "isTTY" | "columns">> & { write(text: string): unknown } = process.stderr,
  now: () => number = () => performance.now(),
) {
  const start = now();
  return {
    /** Shows the number of finished steps, and optionally the current step. */
    update(done: number, step?: string): void {
      if (!terminal.isTTY) return;
      const left = done === 0 ? undefined : ((now() - start) / done) * (total - done);
      const parts = [
        `${done}/${total}`,
        ...(left === undefined ? [] : [`${duration(left)} left`]),
        ...(step ? [step] : []),
      ];
      // A longer line would wrap, and only its last row would be erased. A terminal without a size reports 0 columns.
      terminal.write(ERASE + cut(parts.join(" · "), Math.max(1, (terminal.columns || 80) - 2)));
    },
    /** Removes the line, so that the command can write other lines. The next update shows it again. */
    clear(): void {
      if (terminal.isTTY) terminal.write(ERASE);
    },
  };
}

/** Returns milliseconds as text: `12 s`, `3 min 5 s`. */
function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
