import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bin } from "./run.ts";

/** The command as a server in a separate process. */
export interface Serving {
  readonly process: ChildProcess;
  readonly url: string;
  /** The address for HTTPS, with `--https-port`. */
  readonly httpsUrl: string | undefined;
  /** Returns its standard output and standard error so far. */
  readonly output: () => string;
  /** Resolves with the first line of the output that matches. Rejects if the process ends without one. */
  line(pattern: RegExp): Promise<string>;
  /** Sends a signal. Resolves with the exit code, or with the name of the signal that killed the process. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

export interface ServeOptions {
  args?: readonly string[];
  environment?: Record<string, string>;
  /** A shell command that runs before the server in the same process, such as `ulimit -n 64`. */
  before?: string;
  /** The file of the command; the sources by default. */
  file?: string;
}

/** Starts `resource-mock` on a free port, and waits until it listens. */
export async function serving({ args = [], environment, before, file = bin }: ServeOptions = {}): Promise<Serving> {
  const command = [process.execPath, file, "--port", "0", "--host", "127.0.0.1", ...args];
  const child = before
    ? spawn("bash", ["-c", `${before}; exec "$@"`, "bash", ...command], { env: { ...process.env, ...environment } })
    : spawn(command[0] ?? "", command.slice(1), { env: { ...process.env, ...environment } });
  let output = "";
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of waiting) check();
  };
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      output += `${line}\n`;
      lines.push(line);
      wake();
    });
  }
  const exited = once(child, "exit").then(([code, signal]) => {
    wake();
    return (code ?? signal) as number | NodeJS.Signals;
  });

  function line(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = lines.find((text) => pattern.test(text));
        if (found === undefined && child.exitCode === null) return;
        waiting.delete(check);
        if (found !== undefined) resolve(found);
        else reject(new Error(`output of resource-mock: expected a line ${pattern}, found\n${output}`));
      };
      waiting.add(check);
      check();
    });
  }

  const ready = await line(/^resource-mock listening on /);
  return {
    process: child,
    url: /http:\S+/.exec(ready)?.[0] ?? "",
    httpsUrl: /https:\S+/.exec(ready)?.[0],
    output: () => output,
    line,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return await exited;
    },
  };
}
