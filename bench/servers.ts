import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A server in a process of its own. */
export interface BenchServer {
  readonly url: string;
  readonly port: number;
  /** The memory that the process holds now, bytes. */
  residentBytes(): number;
  stop(): Promise<void>;
}

export type Start = () => Promise<BenchServer>;

/** What Node is started with: its own arguments, a script, the script's. */
export interface Command {
  args: readonly string[];
  environment?: Record<string, string>;
  folder?: string;
}

/** Answers by method. */
export type BareResponses = Record<string, { headers: object; body: string }>;

export const repository = fileURLToPath(new URL("../", import.meta.url));

/** The folder that `npm run build` writes. */
export const dist = `${repository}dist`;

/** The arguments of a built command with its defaults, without a log, which would measure the terminal. */
function mockArgs(folder: string): string[] {
  return [`${folder}/bin.mjs`, "--port", "0", "--host", "127.0.0.1", "--log", "off"];
}

/** Starts the command that was built into this folder. */
export function startMockFrom(folder: string): Start {
  return () => ready(launch({ args: mockArgs(folder) }));
}

export const startMock = startMockFrom(dist);

/** The mock, and beside it a script that tells what its heap holds after a collection: none of that is in the product. */
export async function startMockWithHeap(): Promise<BenchServer & { heapBytes(): Promise<number> }> {
  const args = ["--expose-gc", "--import", `${repository}bench/heap.mjs`, ...mockArgs(dist)];
  const child = launch({ args }, ["ignore", "pipe", "inherit", "ipc"]);
  return {
    ...(await ready(child)),
    async heapBytes() {
      child.send("collect");
      const [bytes] = (await once(child, "message")) as [number];
      return bytes;
    },
  };
}

/** The server that sends these answers and does nothing else. */
export function bareCommand(responses: BareResponses, port = 0): Command {
  const environment = { BARE_ANSWERS: JSON.stringify(responses), BARE_PORT: `${port}` };
  return { args: [`${repository}bench/bare.mjs`], environment };
}

export function startBare(responses: BareResponses): Start {
  return () => ready(launch(bareCommand(responses)));
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** A process that does not outlive this one. */
export function launch({ args, environment, folder }: Command, stdio: StdioOptions = ["ignore", "pipe", "inherit"]) {
  const child = spawn(process.execPath, args, { stdio, cwd: folder, env: { ...process.env, ...environment } });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** The server, once it has printed its address. */
async function ready(child: ChildProcess): Promise<BenchServer> {
  if (!child.stdout) throw new Error("the server has no output");
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const url = /http:\/\/\S+/.exec(line)?.[0];
  if (!url) throw new Error(`the server did not start: ${line}`);
  return serverOf(child, Number(new URL(url).port));
}

export function serverOf(child: ChildProcess, port: number): BenchServer {
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    residentBytes: () => residentBytes(child.pid ?? 0),
    async stop() {
      if (!running.has(child)) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      // Not every server stops when it is told to.
      const patience = setTimeout(() => child.kill("SIGKILL"), 5000);
      await exited;
      clearTimeout(patience);
    },
  };
}

/** Returns this port if it is free, or without one any free port. Throws if it is not free. */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Linux tells it in /proc; elsewhere it is not known. */
function residentBytes(pid: number): number {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kibibytes) * 1024;
  } catch {
    return Number.NaN;
  }
}
