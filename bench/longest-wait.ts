import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type Figure, milliseconds } from "./figures.ts";
import { withServer } from "./measuring.ts";
import { type BenchServer, startMock } from "./servers.ts";

/** The longest time that one request within the limits may delay other requests, in milliseconds. */
const BAR = 250;

/** An expensive request, and the calls that prepare the server for it. */
interface Expensive {
  readonly what: string;
  prepare?(server: BenchServer): Promise<unknown>;
  request(server: BenchServer): Promise<string>;
}

const project = "/__admin/projects/p";
const resource = "/p/resource";

const long = (character: string, length: number) => character.repeat(length);
const range = (length: number) => Array.from({ length }, (_, index) => index);

/** Sends requests with bodies that the journal keeps in full. */
async function keepBodies(server: BenchServer): Promise<void> {
  const body = JSON.stringify({ objectTypeProperty: {}, list: range(9000) });
  for (const _ of range(1000)) await send(server, "POST", resource, body);
}

async function keepLongPaths(server: BenchServer): Promise<void> {
  for (const index of range(1000)) await send(server, "GET", `/p/${long("ab", 2000)}${index}`);
}

async function fill(server: BenchServer, thousands = 100): Promise<void> {
  for (const seed of range(thousands / 5)) {
    // A project starts with five resources.
    const generate = seed === 0 ? 4995 : 5000;
    await send(server, "POST", `${project}/resources`, JSON.stringify({ generate, seed }));
  }
}

const predicate = (text: string) => `${resource}/sorted-query-parameters?where=${encodeURIComponent(text)}`;

const expensive: readonly Expensive[] = [
  {
    what: "verify a pattern against 1,000 paths",
    prepare: keepLongPaths,
    request: (server) => verify(server, { path: { matches: "a[ab]{280}[cd]" } }),
  },
  {
    what: "verify a body of 20,000 items",
    prepare: keepBodies,
    request: (server) => verify(server, { body: { list: range(20_000) } }),
  },
  {
    what: "verify a body pattern",
    prepare: keepBodies,
    request: (server) => verify(server, { body: { list: { matches: "(1|2|3|4|5){90},9" } } }),
  },
  {
    what: "verify with 7,400 invalid members",
    request: (server) => verify(server, Object.fromEntries(range(7400).map((index) => [`m${index}`, 1]))),
  },
  {
    what: "list 1,000 requests",
    prepare: keepBodies,
    request: (server) => send(server, "GET", `${project}/requests?limit=1000`),
  },
  {
    what: "update with 5,000 actions",
    async prepare(server) {
      const members = Object.fromEntries(range(5000).map((index) => [`m${index}`, index]));
      const draft = { id: "x", objectTypeProperty: {}, ...members };
      await send(server, "PUT", `${project}/resources/x`, JSON.stringify(draft));
    },
    request(server) {
      const actions = range(5000).map((index) => ({ action: "changeSomeProperty", someProperty: `${index}` }));
      return send(server, "POST", `${resource}/x`, JSON.stringify({ version: 1, actions }));
    },
  },
  {
    what: "sort 50,000 resources by 4 keys",
    prepare: (server) => fill(server, 50),
    request(server) {
      const keys = ["createdAt", "lastModifiedAt", "version", "key"];
      const sort = keys.map((key) => `sort=${encodeURIComponent(key)}`).join("&");
      return send(server, "GET", `${resource}/sorted-query-parameters?${sort}`);
    },
  },
  {
    what: "query 100,000 resources by 20 dates",
    prepare: fill,
    request: (server) =>
      send(
        server,
        "GET",
        predicate(
          range(20)
            .map(() => 'createdAt!="2024-05-17T09:30:00.000Z"')
            .join(" and "),
        ),
      ),
  },
  { what: "generate 100,000 resources", request: (server) => fill(server).then(() => "200") },
  { what: "export 100,000 resources", prepare: fill, request: (server) => send(server, "GET", `${project}/state`) },
  {
    what: "import 10,000 resources",
    request(server) {
      const resources = range(10_000).map((index) => ({
        id: `id-${index}`,
        key: `k-${index}`,
        objectTypeProperty: {},
      }));
      return send(server, "PUT", `${project}/state`, JSON.stringify({ resources }));
    },
  },
  {
    what: "one project among 19,000",
    async prepare(server) {
      for (const index of range(19_000)) await send(server, "GET", `/project-${index}/resource`);
    },
    request: (server) => send(server, "PUT", `${project}/state`, '{"from":"projekt-1"}'),
  },
  {
    what: "reset 20,000 projects",
    async prepare(server) {
      for (const index of range(20_000)) await send(server, "GET", `/project-${index}/resource`);
    },
    request: (server) => send(server, "POST", "/__admin/reset"),
  },
  {
    what: "a request with 1,000 rules, of which 80 have patterns",
    async prepare(server) {
      const rule = {
        when: { body: { objectTypeProperty: { list: { matches: "[ab]{20}c" } } } },
        respond: { status: 500 },
      };
      const plain = { when: { body: { objectTypeProperty: { list: "x" } } }, respond: { status: 500 } };
      for (const index of range(1000)) {
        await send(server, "POST", `${project}/rules`, JSON.stringify(index < 80 ? rule : plain));
      }
    },
    request: (server) =>
      send(server, "POST", resource, JSON.stringify({ objectTypeProperty: { list: long("ab", 2000) } })),
  },
];

/** Measures the longest health check during each expensive request. */
export async function* longestWaits(): AsyncGenerator<Figure> {
  for (const each of expensive) yield withServer(startMock, (server) => figureOf(server, each));
}

async function figureOf(server: BenchServer, { what, prepare, request }: Expensive): Promise<Figure> {
  await prepare?.(server);
  const probe = new Worker(new URL("./probe.ts", import.meta.url), { workerData: { url: server.url } });
  const waits = async () => {
    probe.postMessage("report");
    const [report] = (await once(probe, "message")) as [{ longest: number; responses: number }];
    return report;
  };
  for (let warmUp = 0; warmUp < 10; ) warmUp += (await waits()).responses;
  const started = performance.now();
  const status = await request(server);
  const time = performance.now() - started;
  const { longest, responses } = await waits();
  await probe.terminate();
  const from = `${status} after ${milliseconds(time)}, ${responses} other responses meanwhile`;
  return { what: `longest wait: ${what}`, value: longest, unit: "ms", bar: { atMost: BAR }, from };
}

function verify(server: BenchServer, match: object): Promise<string> {
  return send(server, "POST", `${project}/requests/verify`, JSON.stringify({ match }));
}

/** Sends a request, and returns the status of the response. */
async function send(server: BenchServer, method: string, path: string, body?: string): Promise<string> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    ...(body !== undefined && { body, headers: { "Content-Type": "application/json" } }),
  });
  await response.arrayBuffer();
  return String(response.status);
}
