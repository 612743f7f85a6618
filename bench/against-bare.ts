import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figure, mebibytes, milliseconds, perSecond, ratio } from "./figures.ts";
import type { Requests } from "./load.ts";
import { CONNECTIONS, inTurn, type Keep, rateOf, startTime, warmUp, withServer, withServers } from "./measuring.ts";
import { startAndRequest } from "./peers/start.ts";
import {
  type BareResponses,
  type BenchServer,
  type Command,
  dist,
  mockCommand,
  repository,
  type Start,
  startBare,
  startMock,
  startMockFrom,
} from "./servers.ts";

// Compares the mock with a bare `node:http` server that sends the same bytes.

export const collection = "/bench/resource";

export async function* start(): AsyncGenerator<Figure> {
  const bare = await bareCollection();
  const starts = await inTurn(
    { mock: () => startTime(startMock, collection), bare: () => startTime(bare, collection) },
    15,
  );
  yield ratio("start: spawn to first response", { atMost: 1.4 }, [starts.mock, starts.bare], milliseconds);
  const least = (port: number): Command => {
    return { args: [`${repository}bench/least.cjs`], environment: { BARE_PORT: `${port}` } };
  };
  const polled = await inTurn({ mock: () => polledTime(mockCommand), least: () => polledTime(least) }, 15);
  const what = "start: against the least server (CommonJS, no output)";
  yield ratio(what, { atMost: 2.4 }, [polled.mock, polled.least], milliseconds);
}

/** Returns the milliseconds from the spawn of a server, which may print nothing, to its first response. */
async function polledTime(commandFor: (port: number) => Command): Promise<number> {
  const started = performance.now();
  return withServer(
    () => startAndRequest(commandFor, collection),
    async () => performance.now() - started,
  );
}

interface Throughput {
  what: string;
  atLeast: number;
  /** Returns the requests of one round. Each round uses a new project, because updates start at version 1. */
  requestsIn(project: string): Requests;
}

export const throughputs: readonly Throughput[] = [
  { what: "GET collection", atLeast: 0.6, requestsIn: (project) => get(`/${project}/resource`) },
  { what: "GET by id", atLeast: 0.6, requestsIn: (project) => get(`/${project}/resource/some-id`) },
  { what: "POST update", atLeast: 0.35, requestsIn: updates },
];

export async function* throughput(): AsyncGenerator<Figure> {
  for (const each of throughputs) yield throughputFigure(each);
  yield* withServers(throughputOfDocument);
}

const item = {
  type: "object",
  required: ["id", "name"],
  properties: {
    id: { type: "integer", readOnly: true },
    name: { type: "string" },
    tags: { type: "array", items: { type: "string" } },
  },
};
const content = { "application/json": { schema: item } };

/** A small document of a service whose items clients create and read. */
const pets = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  paths: {
    "/pets": { post: { requestBody: { content }, responses: { 201: { description: "The pet.", content } } } },
    "/pets/{petId}": {
      parameters: [{ in: "path", name: "petId", required: true, schema: { type: "integer" } }],
      get: { responses: { 200: { description: "The pet.", content } } },
    },
  },
};

/** Starts a build with the document of pets. Returns the server, and GETs of a created pet. */
export async function startPets(build: string): Promise<{ readonly server: BenchServer; readonly requests: Requests }> {
  const folder = mkdtempSync(join(tmpdir(), "resource-mock-bench-"));
  const file = join(folder, "pets.json");
  writeFileSync(file, JSON.stringify(pets));
  const server = await startMockFrom(build, "--contract", file)();
  rmSync(folder, { recursive: true });
  const body = JSON.stringify({ name: "Rex", tags: ["dog"] });
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
  const { id } = (await (await fetch(`${server.url}/bench/pets`, init)).json()) as { id: number };
  return { server, requests: get(`/bench/pets/${id}`) };
}

/** Compares the GET of a created item of a document with a bare server, and with the GET of the built-in contract. */
async function* throughputOfDocument(keep: Keep): AsyncGenerator<Figure> {
  const { server, requests } = await startPets(dist);
  const mock = await keep(Promise.resolve(server));
  const bare = await keep(startBare(await responsesOf(mock, requests))());
  const builtIn = await keep(startMock());
  const byId = get("/bench/resource/some-id");
  const rates = {
    mock: () => rateOf(mock, requests),
    bare: () => rateOf(bare, requests),
    builtIn: () => rateOf(builtIn, byId),
  };
  for (const each of [mock, bare]) await warmUp(each, requests);
  await warmUp(builtIn, byId);
  const taken = await inTurn(rates);
  const what = "throughput: GET of a document's item";
  yield ratio(what, { atLeast: 0.55 }, [taken.mock, taken.bare], perSecond);
  yield ratio(`${what}, to the built-in GET`, { atLeast: 0.9 }, [taken.mock, taken.builtIn], perSecond);
}

export async function* memory(): AsyncGenerator<Figure> {
  const bare = await bareCollection();
  const bytes = await inTurn({
    mock: () => idleBytes(startMock, collection),
    bare: () => idleBytes(bare, collection),
  });
  // Resident memory is known on Linux only.
  if (!bytes.mock.includes(Number.NaN))
    yield ratio("memory, idle", { atMost: 1.5 }, [bytes.mock, bytes.bare], mebibytes);
}

/** Returns the start of a bare server that sends the mock's response for the collection. */
async function bareCollection(): Promise<Start> {
  return startBare({ GET: await withServer(startMock, (server) => sample(server, collection)) });
}

function get(path: string): Requests {
  return { kind: "get", paths: [path] };
}

/** Updates of one resource per connection. */
function updates(project: string): Requests {
  const paths = Array.from({ length: CONNECTIONS }, (_, index) => `/${project}/resource/id-${index}`);
  return { kind: "update", paths };
}

function throughputFigure({ what, atLeast, requestsIn }: Throughput): Promise<Figure> {
  return withServer(startMock, async (mock) => {
    const responses = await responsesOf(mock, requestsIn("sample"));
    return withServer(startBare(responses), async (bare) => {
      let rounds = 0;
      const rate = (server: BenchServer) => () => rateOf(server, requestsIn(`round-${rounds++}`));
      for (const server of [mock, bare]) await warmUp(server, requestsIn("warm-up"));
      const rates = await inTurn({ mock: rate(mock), bare: rate(bare) });
      return ratio(`throughput: ${what}`, { atLeast }, [rates.mock, rates.bare], perSecond);
    });
  });
}

async function responsesOf(server: BenchServer, requests: Requests): Promise<BareResponses> {
  const [path = ""] = requests.paths;
  if (requests.kind === "get") return { GET: await sample(server, path) };
  const body = JSON.stringify({ version: 1, actions: [{ action: "changeSomeProperty", someProperty: "linen" }] });
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
  return { POST: await sample(server, path, init) };
}

/** Returns the response of a server with the headers that the mock adds, for the bare server to send. */
export async function sample(server: BenchServer, path: string, init?: RequestInit) {
  const response = await fetch(`${server.url}${path}`, init);
  const headers: Record<string, string> = {};
  for (const name of ["Content-Type", "Mock-Source", "Mock-Request-Id"])
    headers[name] = response.headers.get(name) ?? "";
  return { headers, body: await response.text() };
}

function idleBytes(start: Start, path: string): Promise<number> {
  return withServer(start, async (server) => {
    await sample(server, path);
    return server.residentBytes();
  });
}
