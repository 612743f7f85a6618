import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A server in its own process. */
export interface BenchServer {
  readonly url: string;
  readonly port: number;
  /** Returns the resident memory of the process in bytes, or NaN if the system does not report it. */
  residentBytes(): number;
  /** Returns the time that the process has used the processor, in seconds, or NaN if the system does not report it. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

export type Start = () => Promise<BenchServer>;

/** A process. */
export interface Command {
  /** The program; by default Node. */
  program?: string;
  /** For Node: its flags, the script and the arguments of the script. */
  args: readonly string[];
  environment?: Record<string, string>;
  folder?: string;
}

/** Responses by method. */
export type BareResponses = Record<string, { headers: object; body: string }>;

export const repository = fileURLToPath(new URL("../", import.meta.url));

/** The folder that `npm run build` writes. */
export const dist = `${repository}dist`;

/** Returns the arguments of a built command. The log is off, because its cost would depend on the terminal. */
function mockArgs(folder: string, port = 0): string[] {
  return [`${folder}/bin.mjs`, "--port", `${port}`, "--host", "127.0.0.1", "--log", "off"];
}

/** Returns the command of the mock at a port, with further flags. */
export function mockCommand(port: number, ...flags: readonly string[]): Command {
  return { args: [...mockArgs(dist, port), ...flags] };
}

/** Returns the start of the command in this `dist` folder, with further flags. */
export function startMockFrom(folder: string, ...flags: readonly string[]): Start {
  return () => ready(launch({ args: [...mockArgs(folder), ...flags] }));
}

export const startMock = startMockFrom(dist);

/** Starts the mock with a bench script in its process that reports the heap bytes after a garbage collection. */
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

/** Returns the command of the bare server with these responses. */
export function bareCommand(responses: BareResponses, port = 0): Command {
  const environment = { BARE_RESPONSES: JSON.stringify(responses), BARE_PORT: `${port}` };
  return { args: [`${repository}bench/bare.mjs`], environment };
}

export function startBare(responses: BareResponses): Start {
  return () => ready(launch(bareCommand(responses)));
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a process that ends with this one. */
export function launch(command: Command, stdio: StdioOptions = ["ignore", "pipe", "inherit"]) {
  const { program = process.execPath, args, environment, folder } = command;
  const child = spawn(program, args, { stdio, cwd: folder, env: { ...process.env, ...environment } });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** Waits until the server has printed its address. Throws if the first line has none. */
async function ready(child: ChildProcess): Promise<BenchServer> {
  if (!child.stdout) throw new Error("stdout of the server: expected a pipe, found none");
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const url = /http:\/\/\S+/.exec(line)?.[0];
  if (!url) throw new Error(`first line of the server: expected its address, found ${JSON.stringify(line)}`);
  return serverOf(child, Number(new URL(url).port));
}

export function serverOf(child: ChildProcess, port: number): BenchServer {
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    residentBytes: () => residentBytes(child.pid ?? 0),
    cpuSeconds: () => cpuSeconds(child.pid ?? 0),
    async stop() {
      if (!running.has(child)) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      // Some servers ignore SIGTERM.
      const killTimer = setTimeout(() => child.kill("SIGKILL"), 5000);
      await exited;
      clearTimeout(killTimer);
    },
  };
}

/** Returns `wanted` if this port is free, or any free port by default. Throws if `wanted` is in use. */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Reads the resident memory from /proc, which exists on Linux only. */
function residentBytes(pid: number): number {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kibibytes) * 1024;
  } catch {
    return Number.NaN;
  }
}

/** The unit of times in /proc, per second. */
const TICKS = 100;

/** Reads the time in the process and in the system from /proc (proc(5)). */
function cpuSeconds(pid: number): number {
  try {
    const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    const [user, system] = fields.split(" ").slice(11, 13).map(Number);
    return ((user ?? Number.NaN) + (system ?? Number.NaN)) / TICKS;
  } catch {
    return Number.NaN;
  }
}
