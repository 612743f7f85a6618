import { once } from "node:events";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import type { Load, LoadResult, Requests } from "./load.ts";
import { type BenchServer, type Command, launch, type Start } from "./servers.ts";

/** Many and short, so that what else the machine does hits all alike. */
const ROUNDS = 31;
/** Milliseconds. */
const ROUND = 250;
const LONGEST_WARM_UP = 10_000;
/** Until then, the compilers are at work. A number of requests, as half a second of a slow machine is a few. */
const WARM_UP = 30_000;

export const CONNECTIONS = 32;

/**
 * Takes each value once a round, in turn: what slows the machine for longer than a moment slows all values of a round.
 * Every other round goes backwards, as whatever one leaves to the next is not to hit always the same.
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

/** Milliseconds from the spawn to the end of the first answer. */
export async function startTime(start: Start, path: string): Promise<number> {
  const started = performance.now();
  return withServer(start, async (server) => {
    const response = await fetch(`${server.url}${path}`);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`the first answer was ${response.status}`);
    return performance.now() - started;
  });
}

/** Runs a process to its end: the milliseconds from its spawn to its exit, and its output. Throws if it fails. */
export async function runProcess(command: Command): Promise<{ time: number; output: string }> {
  const started = performance.now();
  const child = launch(command);
  const [output, [code]] = await Promise.all([child.stdout ? text(child.stdout) : "", once(child, "exit")]);
  const time = performance.now() - started;
  if (code !== 0) throw new Error(`${command.args[0]} ended with ${code}`);
  return { time, output };
}

/** Makes the server ready to be measured with requests of this kind. */
export async function warmUp({ port }: BenchServer, requests: Requests, connections = CONNECTIONS): Promise<void> {
  await generate({ port, connections, requests, answers: WARM_UP, duration: LONGEST_WARM_UP });
}

/** How many of these requests the server answers in a second. */
export async function rateOf({ port }: BenchServer, requests: Requests, connections = CONNECTIONS): Promise<number> {
  const { requestsPerSecond, failures } = await generate({ port, connections, requests, duration: ROUND });
  if (failures > 0) throw new Error(`${failures} answers were not 2xx`);
  return requestsPerSecond;
}

function generate(workerData: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    new Worker(new URL("./load.ts", import.meta.url), { workerData }).on("message", resolve).on("error", reject);
  });
}
