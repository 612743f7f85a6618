import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { type BenchServer, dist, freePort, launch, repository, serverOf, startMockFrom } from "./servers.ts";

/** A Redis or Valkey server without persistence, in its own process. */
export interface Store extends BenchServer {
  /** Returns the memory that the data use, in bytes. */
  usedBytes(): Promise<number>;
}

/** Returns the first of these programs that is installed, or undefined. */
function installed(...programs: readonly string[]): string | undefined {
  return programs.find((program) => spawnSync(program, ["-v"], { stdio: "ignore" }).status === 0);
}

export const storeProgram = installed("redis-server", "valkey-server");
export const haproxyProgram = installed("haproxy");

/** Starts a store, and waits until it accepts connections. */
export async function startStore(): Promise<Store> {
  const port = await freePort();
  const args = ["--bind", "127.0.0.1", "--port", `${port}`, "--save", "", "--appendonly", "no"];
  const child = launch({ program: storeProgram, args, folder: tmpdir() });
  if (!child.stdout) throw new Error("stdout of the store: expected a pipe, found none");
  for await (const line of createInterface({ input: child.stdout })) if (line.includes("Ready to accept")) break;
  return {
    ...serverOf(child, port),
    async usedBytes() {
      const socket = connect(port, "127.0.0.1");
      socket.write("INFO memory\r\nQUIT\r\n");
      const [, bytes] = /used_memory:(\d+)/.exec(await text(socket)) ?? [];
      return Number(bytes);
    },
  };
}

/** Starts a replica that shares its projects in this store, under keys with this prefix. */
export function startReplica({ port }: Store, prefix = "bench"): Promise<BenchServer> {
  return startMockFrom(dist, "--share", `redis://127.0.0.1:${port}`, "--share-prefix", prefix)();
}

/** Milliseconds between two requests to a balancer that does not respond yet. */
const INTERVAL = 10;
/** The longest wait for a balancer, in milliseconds. */
const TIMEOUT = 10_000;

const example = "examples/replicas/haproxy.cfg";
const hashed = /balance hash .*\n\s*hash-type .*/;
const resolved = / init-addr .*/;
const resolvers = /\n# [^\n]*\nresolvers [\s\S]*/;

/**
 * Starts HAProxy in front of these replicas, with the configuration of the example for replicas. The balancer picks a
 * replica by the project key, or a random one for each request.
 */
export async function startBalancer(
  replicas: readonly BenchServer[],
  picks: "hashed" | "random",
): Promise<BenchServer> {
  const port = await freePort();
  const addresses = replicas.map(
    (replica, index) => [`replica-${index + 1}:8080`, `127.0.0.1:${replica.port}`] as const,
  );
  let configuration = readFileSync(repository + example, "utf8");
  const replace = (found: string | RegExp, by: string) => {
    const changed = configuration.replace(found, by);
    if (changed === configuration) throw new Error(`${example}: expected ${found}, found none`);
    configuration = changed;
  };
  replace("bind :8080", `bind 127.0.0.1:${port}`);
  for (const [name, address] of addresses) replace(name, address);
  replace(resolved, "");
  replace(resolvers, "");
  if (picks === "random") replace(hashed, "balance random");

  const folder = mkdtempSync(join(tmpdir(), "resource-mock-bench-"));
  const path = join(folder, "haproxy.cfg");
  writeFileSync(path, configuration);
  const child = launch({ program: haproxyProgram, args: ["-f", path] }, ["ignore", "ignore", "inherit"]);
  const server = serverOf(child, port);
  try {
    await responds(`${server.url}/__admin/health`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return server;
}

async function responds(url: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT;
  while (performance.now() < deadline) {
    const isHealthy = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (isHealthy) return;
    await wait(INTERVAL);
  }
  throw new Error(`${url}: expected 200 within ${TIMEOUT / 1000} s, found none`);
}
