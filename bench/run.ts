import { writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Load, LoadResult, Requests } from "./load.ts";
import { fill, median, resetTo, scaleFigures, someRecords } from "./scale.ts";
import { type BenchServer, type Start, startBare, startMock } from "./servers.ts";

/**
 * `npm run bench`: the figures of resource-mock as ratios, measured in one run on one machine with what it is held
 * against in turn: a bare `node:http` server that sends the same bytes, or the same calls in a project of few resources.
 * Prints a table and writes bench/results.json.
 */
interface Figure {
  what: string;
  /** How the ratio is to be: at least or at most the bar. */
  bar: { atLeast: number } | { atMost: number };
  ratio: number;
  /** The two values behind the ratio. */
  mock: string;
  against: string;
}

const ROUNDS = 5;
const CONNECTIONS = 32;
const DURATION = 2000;

const figures: Figure[] = [];

/** What the mock answers, with its own headers: the bytes that the bare server is to send. */
async function sample(server: BenchServer, path: string, init?: RequestInit) {
  const response = await fetch(`${server.url}${path}`, init);
  const headers: Record<string, string> = {};
  for (const name of ["Content-Type", "Mock-Source", "Mock-Request-Id"])
    headers[name] = response.headers.get(name) ?? "";
  return { headers, body: await response.text() };
}

async function throughput(what: string, atLeast: number, path: string, requests: Requests): Promise<void> {
  const answers = await withServer(startMock, async (server) => ({
    GET: await sample(server, path),
    ...(requests.kind === "update" && { POST: await sample(server, path, updateOf(1)) }),
  }));
  const rates = await inTurn(
    () => withServer(startMock, (server) => load(server, requests)),
    () => withServer(startBare(answers), (server) => load(server, requests)),
  );
  report(what, { atLeast }, [rates.mock, rates.bare], (rate) => `${Math.round(rate)}/s`);
}

function updateOf(version: number): RequestInit {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ version, actions: [{ action: "changeSomeProperty", someProperty: "linen" }] }),
  };
}

async function load(server: BenchServer, requests: Requests): Promise<number> {
  // The first half second is the compilers'.
  await generate({
    port: server.port,
    connections: CONNECTIONS,
    duration: 500,
    requests: { kind: "get", paths: ["/warm-up/resource/a"] },
  });
  const { requestsPerSecond, failures } = await generate({
    port: server.port,
    connections: CONNECTIONS,
    duration: DURATION,
    requests,
  });
  if (failures > 0) throw new Error(`${failures} answers were not 2xx`);
  return requestsPerSecond;
}

function generate(workerData: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    new Worker(new URL("./load.ts", import.meta.url), { workerData }).on("message", resolve).on("error", reject);
  });
}

async function startTime(start: Start, path: string): Promise<number> {
  const started = performance.now();
  const server = await start();
  const response = await fetch(`${server.url}${path}`);
  await response.arrayBuffer();
  const time = performance.now() - started;
  await server.stop();
  if (!response.ok) throw new Error(`the first answer was ${response.status}`);
  return time;
}

async function withServer<T>(start: Start, use: (server: BenchServer) => Promise<T>): Promise<T> {
  const server = await start();
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/** Runs both several times, one after the other, so that a machine whose speed drifts drifts for both. */
async function inTurn(mock: () => Promise<number>, bare: () => Promise<number>, rounds = ROUNDS) {
  const values = { mock: [] as number[], bare: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    values.mock.push(await mock());
    values.bare.push(await bare());
  }
  return { mock: median(values.mock), bare: median(values.bare) };
}

function report(
  what: string,
  bar: Figure["bar"],
  [mock, against]: readonly [number, number],
  show: (value: number) => string,
): void {
  const ratio = mock / against;
  const figure = { what, bar, ratio, mock: show(mock), against: show(against) };
  figures.push(figure);
  const limit = "atLeast" in bar ? `at least ${bar.atLeast}` : `at most ${bar.atMost}`;
  const values = `${figure.mock} against ${figure.against}`;
  console.log(
    `${isHeld(figure) ? "ok  " : "MISS"}  ${what.padEnd(44)} ${ratio.toFixed(2).padStart(6)}  (${limit}; ${values})`,
  );
}

function isHeld({ bar, ratio }: Figure): boolean {
  return "atLeast" in bar ? ratio >= bar.atLeast : ratio <= bar.atMost;
}

/** What is to go at the same rate in a project of 100,000 resources as in one of few. */
const readsAndWrites: Record<string, (server: BenchServer, project: string) => Promise<Requests>> = {
  "read by id": async (server, project) => {
    const records = await someRecords(server, project, 50);
    return { kind: "get", paths: records.map(({ id }) => `/${project}/resource/${id}`) };
  },
  "read by key": async (server, project) => {
    const records = await someRecords(server, project, 50);
    return {
      kind: "get",
      paths: records.map(({ key }) => `/${project}/resource/key=${encodeURIComponent(key ?? "")}`),
    };
  },
  // Resources that no round before has written: the load counts their versions from 1.
  update: async (server, project) => {
    await resetTo(server, project);
    const records = await someRecords(server, project, CONNECTIONS);
    return { kind: "update", project, ids: records.map(({ id }) => id) };
  },
};

const first = await withServer(startMock, (server) => sample(server, "/bench/resource"));
const bare = startBare({ GET: first });

const starts = await inTurn(
  () => startTime(startMock, "/bench/resource"),
  () => startTime(bare, "/bench/resource"),
  15,
);
report("start: spawn to first answer", { atMost: 1.6 }, [starts.mock, starts.bare], (time) => `${time.toFixed(0)} ms`);

await throughput("throughput: GET collection", 0.6, "/bench/resource", { kind: "get", paths: ["/bench/resource"] });
await throughput("throughput: GET by id", 0.6, "/bench/resource/some-id", {
  kind: "get",
  paths: ["/bench/resource/some-id"],
});
const updates: Requests = {
  kind: "update",
  project: "bench",
  ids: Array.from({ length: CONNECTIONS }, (_, index) => `id-${index}`),
};
await throughput("throughput: POST update", 0.35, "/bench/resource/some-id", updates);

const idle = async (start: Start) =>
  withServer(start, async (server) => {
    await sample(server, "/bench/resource");
    return server.residentBytes();
  });
const memory = await inTurn(
  () => idle(startMock),
  () => idle(bare),
);
report("memory, idle", { atMost: 1.5 }, [memory.mock, memory.bare], (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`);

await withServer(startMock, async (server) => {
  await fill(server);
  for (const [what, requests] of Object.entries(readsAndWrites)) {
    const rates = { small: [] as number[], large: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const project of ["small", "large"] as const)
        rates[project].push(await load(server, await requests(server, project)));
    }
    report(
      `${what}, 100,000 resources`,
      { atLeast: 0.9 },
      [median(rates.large), median(rates.small)],
      (rate) => `${Math.round(rate)}/s`,
    );
  }
  for (const { what, small, large } of await scaleFigures(server)) {
    report(what, { atMost: 3 }, [large, small], (time) => `${time.toFixed(2)} ms`);
  }
});

writeFileSync(
  new URL("results.json", import.meta.url),
  `${JSON.stringify({ node: process.version, figures }, undefined, 2)}\n`,
);
if (!figures.every(isHeld)) process.exitCode = 1;
