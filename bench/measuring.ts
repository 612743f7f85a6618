import { once } from "node:events";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import type { Load, LoadResult, Requests } from "./load.ts";
import { type BenchServer, type Command, launch, type Start } from "./servers.ts";

/** Many short rounds, so that other load on the machine affects all values alike. */
const ROUNDS = 31;
/** The length of a round, in milliseconds. */
const ROUND = 250;
/** The longest warm-up, in milliseconds. */
const LONGEST_WARM_UP = 10_000;
/** The number of requests after which the compilers of V8 are done. A duration would be too short on slow machines. */
const WARM_UP = 30_000;

export const CONNECTIONS = 32;

/**
 * Takes each value once per round, so that a slow phase of the machine affects all values alike. Every second round has
 * the reverse order, because each measurement may affect the next one.
 */
export async function inTurn<Name extends string>(
  values: Record<Name, () => Promise<number>>,
  rounds = ROUNDS,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(values) as Name[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) taken[name].push(await values[name]());
  }
  return taken;
}

export async function withServer<Server extends BenchServer, T>(
  start: () => Promise<Server>,
  use: (server: Server) => Promise<T>,
): Promise<T> {
  const server = await start();
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

export type Keep = <Server extends BenchServer>(starting: Promise<Server>) => Promise<Server>;

/** Yields the rows of `measure`. Then stops the servers that it has passed to `keep`, the last one first. */
export async function* withServers<Row>(measure: (keep: Keep) => AsyncGenerator<Row>): AsyncGenerator<Row> {
  const servers: BenchServer[] = [];
  try {
    yield* measure(async (starting) => {
      const server = await starting;
      servers.unshift(server);
      return server;
    });
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** Returns the milliseconds from the spawn of the server to the end of its first response. */
export async function startTime(start: Start, path: string): Promise<number> {
  const started = performance.now();
  return withServer(start, async (server) => {
    const response = await fetch(`${server.url}${path}`);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`first response: expected 2xx, found ${response.status}`);
    return performance.now() - started;
  });
}

/** Runs a process to its end. Returns the milliseconds from spawn to exit, and the output. Throws if the process fails. */
export async function runProcess(command: Command): Promise<{ time: number; output: string }> {
  const started = performance.now();
  const child = launch(command);
  const [output, [code]] = await Promise.all([child.stdout ? text(child.stdout) : "", once(child, "exit")]);
  const time = performance.now() - started;
  if (code !== 0) throw new Error(`${command.args[0]}: expected exit code 0, found ${code}`);
  return { time, output };
}

type Address = Pick<BenchServer, "port">;

/** Warms the server up for a measurement with these requests. */
export async function warmUp({ port }: Address, requests: Requests, connections = CONNECTIONS): Promise<void> {
  await generate({ port, connections, requests, maxResponses: WARM_UP, duration: LONGEST_WARM_UP });
}

/** Returns the number of responses per second. Throws if a response is not 2xx. */
export async function rateOf(server: Address, requests: Requests, connections = CONNECTIONS): Promise<number> {
  return (await load(server, requests, { connections })).requestsPerSecond;
}

/** Sends these requests for a round, or until `maxResponses`. Throws if a response is not 2xx. */
export async function load(
  { port }: Address,
  requests: Requests,
  { connections = CONNECTIONS, duration = ROUND, maxResponses }: Partial<Load> = {},
): Promise<LoadResult> {
  const result = await generate({ port, connections, requests, duration, maxResponses });
  if (result.failures > 0) throw new Error(`expected 2xx responses only, found ${result.failures} others`);
  return result;
}

function generate(workerData: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    new Worker(new URL("./load.ts", import.meta.url), { workerData }).on("message", resolve).on("error", reject);
  });
}
