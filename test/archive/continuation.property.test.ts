import fc from "fast-check";
import { expect, test } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { readFiles } from "../../src/mock.ts";
import { pages } from "../../src/pages.ts";
import { draft } from "../setup/arbitraries.ts";
import { json } from "../setup/mock.ts";
import { everyOperation, image } from "../setup/requests.ts";
import { update } from "../setup/resources.ts";
import { runs } from "../setup/runs.ts";

const files = await readFiles();

/** The shared time of both servers, in milliseconds. */
let time = 0;

interface Server {
  send(call: Call): Promise<Reply>;
  get(path: string): Promise<unknown>;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Opens a server whose clock moves only between requests, and whose latencies end at once. */
function openServer(seed: number): Server {
  const engine = createEngine({ ...files, seed, now: () => time, wait: async () => {}, checkResponses: true });
  engine.onDefect = (error) => {
    throw error;
  };
  const app = createApp(engine, { version: "0.0.0-test", pages });
  const send = async ({ path, init }: Call): Promise<Reply> => {
    const response = await app.fetch(new Request(`http://in.process${path}`, init));
    const { status, headers } = response;
    const bytes = await response.arrayBuffer().catch(() => new ArrayBuffer(0));
    return { status, headers: Object.fromEntries(headers), body: Buffer.from(bytes).toString("latin1") };
  };
  return {
    send,
    async get(path) {
      const { status, body } = await send({ path: `/__admin/projects/p${path}`, init: {} });
      expect([path, status]).toEqual([path, 200]);
      return JSON.parse(Buffer.from(body, "latin1").toString());
    },
  };
}

interface Call {
  readonly path: string;
  readonly init: RequestInit;
}

const ids = ["a", "b", "key=k", "key=l", "__proto__", "%F0%9F%98%80", "constructor"];
const prefers = [
  "code=409",
  "dynamic=true",
  "dynamic=true, seed=4",
  "scenario=conflict",
  "code=404, example=nothing",
  "example",
];

/** A request to the service. */
const request: fc.Arbitrary<Call> = fc
  .oneof(
    { weight: 3, arbitrary: draft.map((body) => ({ path: "", init: json("POST", body) })) },
    { weight: 3, arbitrary: fc.constantFrom(...ids).map((id) => ({ path: `/${id}`, init: {} })) },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constantFrom(...ids), fc.integer({ min: 1, max: 3 })).map(([id, version]) => ({
        path: `/${id}`,
        init: update(version),
      })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...ids).map((id) => ({ path: `/${id}`, init: { method: "DELETE" } })),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...everyOperation.map(([, { path, init }]) => ({ path, init }))),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Call>(
        { path: "/images?sku=s&variant=2", init: image("image/gif", new TextEncoder().encode("GIF89a\0\x01")) },
        { path: "/sorted-query-parameters?sort=id%20desc&where=version>1", init: {} },
        { path: "/nothing/here?password=secret", init: {} },
        { path: "?floatParameter=x", init: {} },
        { path: "", init: json("POST", { objectTypeProperty: {}, password: "secret", "\u00e9": "\ud83d" }) },
        { path: "", init: { method: "POST", body: new Uint8Array([0xff, 0x00]), headers: { "X-Api-Key": "secret" } } },
      ),
    },
  )
  .chain(({ path, init }: Call) =>
    fc.option(fc.constantFrom(...prefers), { nil: undefined, freq: 4 }).map((prefer) => ({
      path: `/p/resource${path}`,
      init: prefer === undefined ? init : { ...init, headers: { ...init.headers, Prefer: prefer } },
    })),
  );

const rule = {
  operation: fc.constantFrom("*", "getResourceById", "createResource", "updateResource"),
  after: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  times: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
  probability: fc.option(fc.constantFrom(0.3, 0.7), { nil: undefined }),
};
const effect = fc.constantFrom<object>(
  { respond: { status: 500 } },
  { raw: { status: 418, headers: { "X-Id": { $from: "/uuid" } }, body: { id: { $from: "/path/id", default: 1 } } } },
  { latency: { uniform: [0, 50] } },
  { evolve: true },
  { settings: { unknownIds: "not-found" } },
  { sequence: [{}, { respond: { status: 404 } }, { latency: { fixed: 1 } }] },
  { sequence: [{ respond: { status: 500 } }, {}] },
);
const ruleBody = fc
  .tuple(fc.record(rule), effect)
  .map(([facts, effects]) => JSON.parse(JSON.stringify({ ...facts, ...effects })) as object);

const inProject = (method: string, path: string, body?: unknown): Call => ({
  path: `/__admin/projects/p${path}`,
  init: body === undefined ? { method } : json(method, body),
});
const activation = fc.record({ times: rule.times, probability: rule.probability });

/** A call of the control API. Scenarios for all projects are active on the first server only. */
const control: fc.Arbitrary<Call> = fc.oneof(
  ruleBody.map((body) => inProject("POST", "/rules", body)),
  fc.constantFrom("r-1", "r-2").map((id) => inProject("DELETE", `/rules/${id}`)),
  fc
    .tuple(fc.constantFrom("conflict", "server-error", "slow", "not-found"), activation)
    .map(([name, body]) => inProject("PUT", `/scenarios/${name}`, body)),
  fc
    .tuple(fc.constantFrom("own", "conflict"), activation, fc.array(ruleBody, { minLength: 1, maxLength: 2 }))
    .map(([name, body, rules]) => inProject("PUT", `/scenarios/${name}`, { ...body, rules })),
  fc
    .tuple(fc.constantFrom("conflict", "server-error", "own"), activation, fc.array(ruleBody, { maxLength: 2 }))
    .map(([name, body, rules]) => ({
      path: `/__admin/scenarios/${name}`,
      init: json("PUT", { ...body, ...(rules.length > 0 && { rules }) }),
    })),
  fc
    .constantFrom<object>(
      { rateLimit: { limit: 5, window: 1000 } },
      { rateLimit: null },
      { latency: { lognormal: { median: 10, sigma: 1 } } },
      { collection: "paged", unknownIds: "not-found" },
      { validation: "off" },
      { journalSize: 3 },
      { journalSize: 1000, auth: "off" },
    )
    .map((body) => inProject("PATCH", "/settings", body)),
  fc
    .constantFrom<object>({ frozen: true }, { frozen: false }, { advance: 12_345 }, { now: 1_800_000_000_000 })
    .map((body) => inProject("PUT", "/clock", body)),
  fc.constantFrom("one", "two").map((name) => inProject("POST", "/snapshots", { name })),
  fc.constantFrom("one", "two").map((name) => inProject("POST", `/snapshots/${name}/restore`)),
  fc.constant(inProject("POST", "/resources", { generate: 3 })),
  fc.constant(inProject("PUT", "/namespace-action", { body: null })),
  fc.constant(inProject("DELETE", "/requests")),
  fc.constant(inProject("POST", "/reset")),
);

const history = fc.array(fc.oneof({ weight: 3, arbitrary: request }, { weight: 2, arbitrary: control }), {
  maxLength: 40,
});

/** Returns everything that the control API shows of the project, without the measured durations of requests. */
async function shownBy(server: Server): Promise<unknown> {
  const paths = [
    "/requests?limit=1000",
    "/coverage",
    "/state",
    "/snapshots",
    "/rules",
    "/settings",
    "/clock",
    "/images",
  ];
  const shown = await Promise.all([...paths, "/archive"].map((path) => server.get(path)));
  const { bytes: _bytes, scenarios: _names, ...summary } = (await server.get("")) as Record<string, unknown>;
  // Scenarios of all projects of the first server are scenarios of the project on the second one.
  const scenarios = (await server.get("/scenarios?forAll=true")) as { scenarios: { forAll?: true }[] };
  const active = scenarios.scenarios.map(({ forAll: _forAll, ...scenario }) => scenario);
  const all = JSON.stringify([shown, summary, active], (name, value) => (name === "duration" ? undefined : value));
  return JSON.parse(all);
}

test("an archived project continues on another server as it would have continued", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.array(request, { minLength: 50, maxLength: 50 }), async (before, after) => {
      time = 1_700_000_000_000;
      const original = openServer(1);
      // The first request opens the project: without a project, the server does not record requests to unknown paths.
      for (const call of [{ path: "/p/resource", init: {} }, ...before]) {
        await original.send(call);
        time += 250;
      }
      const archive = await original.get("/archive");
      const copy = openServer(2);
      const restored = await copy.send(inProject("PUT", "/archive", archive));
      expect([restored.status, restored.body]).toEqual([204, ""]);
      expect(await copy.get("/archive")).toEqual(archive);
      for (const call of after) {
        const expected = await original.send(call);
        expect(await copy.send(call)).toEqual(expected);
        time += 100;
      }
      expect(await shownBy(copy)).toEqual(await shownBy(original));
    }),
    runs(100),
  );
});
