import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** A server in a process of its own. */
export interface BenchServer {
  readonly url: string;
  readonly port: number;
  /** The memory that the process holds now, bytes. */
  residentBytes(): number;
  stop(): Promise<void>;
}

export type Start = () => Promise<BenchServer>;

const folder = new URL("../", import.meta.url).pathname;

/** The built command with its defaults; a line of log a request would measure the terminal. */
export const startMock: Start = () =>
  start([`${folder}dist/bin.mjs`, "--port", "0", "--host", "127.0.0.1", "--log", "off"]);

/** The bare server that sends these answers, by method. */
export function startBare(answers: Record<string, { headers: object; body: string }>): Start {
  return () => start([`${folder}bench/bare.mjs`], { BARE_ANSWERS: JSON.stringify(answers) });
}

async function start(args: string[], environment: Record<string, string> = {}): Promise<BenchServer> {
  const child: ChildProcess = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  });
  const { stdout } = child;
  if (!stdout) throw new Error("the server has no output");
  const [line] = (await once(createInterface({ input: stdout }), "line")) as [string];
  const url = /http:\/\/\S+/.exec(line)?.[0];
  if (!url) throw new Error(`the server did not start: ${line}`);
  return {
    url,
    port: Number(new URL(url).port),
    residentBytes: () => residentBytes(child.pid ?? 0),
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Linux tells it in /proc; elsewhere this figure is left out. */
function residentBytes(pid: number): number {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kibibytes) * 1024;
  } catch {
    return Number.NaN;
  }
}
