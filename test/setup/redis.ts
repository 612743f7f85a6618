import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Redis } from "ioredis";
import { afterAll, beforeAll, inject } from "vitest";
import { writeCertificates } from "./certificates.ts";
import { reservePort } from "./reserve-port.ts";

export interface RedisOptions {
  /** Whether the store keeps all data over a kill, in an append-only file that it writes before each reply. */
  appendOnly?: boolean;
  /** The memory limit, such as `3mb`. The store rejects writes beyond it. */
  maxmemory?: string;
  password?: string;
  /** Whether clients connect with TLS. */
  tls?: boolean;
}

/** A `redis-server` or `valkey-server` in a process of its own. It listens on the same port after a restart. */
export interface RedisServer {
  /** `redis://127.0.0.1:port`, or `rediss://` with TLS. Contains the password. */
  readonly url: string;
  readonly port: number;
  /** The file with the CA of the certificate, with TLS. */
  readonly caFile: string | undefined;
  /** Runs a command on a connection of its own. Returns the reply, one line for each value. */
  call(...command: string[]): Promise<string>;
  /** Sends a signal. SIGSTOP pauses the server, and SIGCONT continues it. */
  signal(signal: NodeJS.Signals): void;
  /** Ends the process with a signal, by default SIGKILL. The data of the append-only file stays. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts the process again after `stop`. Resolves when the server accepts connections. */
  start(): Promise<void>;
  /** Ends the process, and removes its data. */
  remove(): Promise<void>;
}

/** Starts a store for the tests of the surrounding `describe`. It is available in tests and hooks. */
export function useRedis(options: RedisOptions = {}): RedisServer {
  let server: RedisServer | undefined;
  beforeAll(async () => {
    server = await startRedis(options);
  });
  afterAll(() => server?.remove());
  const started = () => {
    if (!server) throw new Error("useRedis: expected a use of the store during a test, found one outside of tests");
    return server;
  };
  return {
    get url() {
      return started().url;
    },
    get port() {
      return started().port;
    },
    get caFile() {
      return started().caFile;
    },
    call: (...command) => started().call(...command),
    signal: (signal) => started().signal(signal),
    stop: (signal) => started().stop(signal),
    start: () => started().start(),
    remove: () => started().remove(),
  };
}

/** Starts a store with its data in a temporary folder. The caller removes it. */
export async function startRedis(options: RedisOptions = {}, program = inject("redis")): Promise<RedisServer> {
  const { appendOnly = false, maxmemory, password, tls = false } = options;
  const folder = mkdtempSync(join(tmpdir(), "resource-mock-redis-"));
  const certificates = tls ? writeCertificates(folder, "redis", ["localhost", "127.0.0.1"]) : undefined;
  const port = await reservePort();
  const parameters = [
    ...(tls ? ["--port", "0", "--tls-port", `${port}`] : ["--port", `${port}`]),
    ...["--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", appendOnly ? "yes" : "no"],
    // By default, the store delays a write while the disk is busy, also after the reply.
    ...(appendOnly ? ["--appendfsync", "always"] : []),
    ...(maxmemory === undefined ? [] : ["--maxmemory", maxmemory, "--maxmemory-policy", "noeviction"]),
    ...(password === undefined ? [] : ["--requirepass", password]),
    ...(certificates ? ["--tls-cert-file", certificates.certFile, "--tls-key-file", certificates.keyFile] : []),
    ...(certificates ? ["--tls-ca-cert-file", certificates.caFile, "--tls-auth-clients", "no"] : []),
  ];
  const credentials = password === undefined ? "" : `:${encodeURIComponent(password)}@`;
  const url = `${tls ? "rediss" : "redis"}://${credentials}127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  async function stop(signal: NodeJS.Signals = "SIGKILL") {
    if (!child) return;
    const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    child.kill(signal);
    await exited;
    child = undefined;
  }

  async function start() {
    child = await startProcess(program, parameters);
  }

  await start();
  return {
    url,
    port,
    caFile: certificates?.caFile,
    async call(name = "", ...parameters) {
      const tlsOptions = certificates ? { tls: { ca: readFileSync(certificates.caFile) } } : {};
      const client = new Redis(url, { ...tlsOptions, retryStrategy: () => null });
      // A failed connection also fails the command.
      client.on("error", () => {});
      try {
        return [await client.call(name, ...parameters)].flat().join("\n");
      } finally {
        client.disconnect();
      }
    },
    signal: (signal) => void child?.kill(signal),
    stop,
    start,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the process, and waits for the line that it prints when it accepts connections. */
async function startProcess(program: string, parameters: readonly string[]): Promise<ChildProcess> {
  const child = spawn(program, parameters, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  for await (const line of createInterface({ input: child.stdout })) {
    output += `${line}\n`;
    if (line.includes("Ready to accept connections")) {
      child.stdout.resume();
      return child;
    }
  }
  throw new Error(`${program}: expected a store that accepts connections, found\n${output}`);
}
