import { median, milliseconds, type Row } from "./figures.ts";
import { load, withServers } from "./measuring.ts";
import type { BenchServer } from "./servers.ts";
import { startReplica, startStore, storeProgram } from "./store.ts";

const PROJECTS = 10_000;
/** The JSON of the resources of each project, in bytes. */
const PROJECT_BYTES = 100_000;
/** The number of projects that are created at a time. */
const LANES = 8;
/** The number of projects that a replica loads one after the other. */
const LOADED = 101;
/** So many requests that the journals of these projects drop none. */
const JOURNALED = { projects: 20, requests: 10_000 };

/** Measures a store with 10,000 projects of 100 kB, and replicas that use it. */
export function shareGrowth(): AsyncGenerator<Row> {
  return withServers(async function* (keep): AsyncGenerator<Row> {
    if (!storeProgram) {
      yield { what: "10,000 shared projects", reason: "no redis-server and no valkey-server" };
      return;
    }
    const store = await keep(startStore());
    const writer = await keep(startReplica(store));
    const state = await stateOf(writer, PROJECT_BYTES);
    const [{ id } = { id: "" }] = (JSON.parse(state) as { resources: { id: string }[] }).resources;
    const pathOf = (index: number) => `/p-${index}/resource/${id}`;

    const before = await store.usedBytes();
    const created = await timeOf(() => inLanes((index) => call(writer, `/__admin/projects/p-${index}/state`, state)));
    const used = ((await store.usedBytes()) - before) / PROJECTS;
    yield {
      what: "10,000 shared projects: created in",
      value: created / 1000,
      unit: "s",
      from: `PUT of ${kilobytes(state.length)} each, ${LANES} at a time`,
    };
    yield {
      what: "10,000 shared projects: store, each",
      value: used / 1000,
      unit: "kB",
      from: `${kilobytes(state.length)} of JSON, no journal`,
    };
    yield {
      what: "10,000 shared projects: replica",
      value: writer.residentBytes() / 2 ** 20,
      unit: "MiB",
      from: "resident; --max-state-bytes is 1 GiB",
    };

    const reader = await keep(startReplica(store));
    await call(reader, pathOf(0));
    const times: number[] = [];
    for (let index = 1; index <= LOADED; index++) times.push(await timeOf(() => call(reader, pathOf(index))));
    yield {
      what: "10,000 shared projects: GET that loads one",
      value: median(times),
      unit: "ms",
      from: `${LOADED} projects; then ${milliseconds(await timeOf(() => call(reader, pathOf(1))))}`,
    };
    let listed = "";
    const listTime = await timeOf(async () => {
      listed = await call(reader, "/__admin/projects");
    });
    yield {
      what: "10,000 shared projects: list",
      value: listTime / 1000,
      unit: "s",
      from: `by a replica that had loaded ${LOADED}; found ${(JSON.parse(listed) as { total: number }).total}`,
    };

    const empty = await store.usedBytes();
    const paths = Array.from({ length: JOURNALED.projects }, (_, index) => pathOf(index));
    const limits = { maxResponses: JOURNALED.requests, duration: 60_000 };
    const { responses } = await load(writer, { kind: "get", paths }, limits);
    yield {
      what: "request in a shared journal: store, each",
      value: ((await store.usedBytes()) - empty) / responses / 1000,
      unit: "kB",
      from: `${responses} GETs in ${JOURNALED.projects} projects`,
    };
  });
}

/** Returns a state of about this many bytes, as JSON. */
async function stateOf(server: BenchServer, bytes: number): Promise<string> {
  const generated = async (project: string, generate: number) => {
    await call(server, `/__admin/projects/${project}/resources`, JSON.stringify({ generate, seed: 1 }), "POST");
    return call(server, `/__admin/projects/${project}/state`);
  };
  const sample = await generated("sample", 100);
  return generated("whole", Math.round((100 * bytes) / sample.length));
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
}

/** Returns the milliseconds that the function takes. */
async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

async function inLanes(run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < PROJECTS) await run(next++);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function call(server: BenchServer, path: string, body?: string, method = body ? "PUT" : "GET"): Promise<string> {
  const response = await fetch(server.url + path, { method, body, headers: { "Content-Type": "application/json" } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return text;
}
