import fc from "fast-check";
import { expect, it } from "vitest";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { readFiles } from "../../src/mock.ts";
import { pages } from "../../src/pages.ts";
import { type OpenSharing, openSharing } from "../../src/share/sharing.ts";
import { type Call, control, inProject, request } from "../setup/histories.ts";
import { json } from "../setup/mock.ts";
import { useRedis } from "../setup/redis.ts";
import { describeWithRedis } from "../setup/requirements.ts";
import { runs } from "../setup/runs.ts";

const files = await readFiles();

/** The shared time of all engines, in milliseconds. */
let time = 0;

/** The mock as a client sees it: one engine in memory, or several that share a store. */
interface Mock {
  send(call: Call, replica: number): Promise<unknown>;
  close(): Promise<void>;
}

/** A part of a call that each mock replaces by one of the tokens that it has issued, by number. */
const TOKEN = /TOKEN-(\d)/g;
const UNKNOWN_TOKEN = "0".repeat(48);

function openMock(sharings: readonly (OpenSharing | undefined)[]): Mock {
  const defects: unknown[] = [];
  const engines = sharings.map((sharing): Engine => {
    const engine = createEngine({ ...files, now: () => time, wait: async () => {}, checkResponses: true, sharing });
    sharing?.attach(engine);
    engine.onDefect = (error) => defects.push(error);
    return engine;
  });
  const apps = engines.map((engine) => createApp(engine, { version: "0.0.0-test", pages }));
  const tokens: string[] = [];

  async function fetchFrom(replica: number, path: string, init: RequestInit) {
    const response = await apps[replica % apps.length]?.fetch(new Request(`http://in.process${path}`, init));
    if (!response) throw new Error("expected an app");
    const bytes = await response.arrayBuffer().catch(() => new ArrayBuffer(0));
    return { response, text: Buffer.from(bytes).toString("utf8") };
  }

  const filled = (text: string) => text.replace(TOKEN, (_match, index) => tokens[Number(index)] ?? UNKNOWN_TOKEN);

  return {
    async send({ path, init }, replica) {
      const headers = Object.entries(init.headers ?? {}).map(([name, value]): [string, string] => [
        name,
        filled(value),
      ]);
      let body = typeof init.body === "string" ? filled(init.body) : init.body;
      // The archive of the other project.
      if (path.endsWith("/archive") && init.method === "PUT") {
        const { text } = await fetchFrom(replica + 1, path.replace(/[pq](?=\/archive)/, other), {});
        body = text;
      }
      const { response, text } = await fetchFrom(replica, filled(path), { ...init, headers, body });
      const [, issued] = /"access_?[tT]oken":"([0-9a-f]{48})"/.exec(text) ?? [];
      if (issued) tokens.push(issued);
      expect(defects).toEqual([]);
      return shown(
        path,
        response,
        tokens.reduce((all, token, index) => all.replaceAll(token, `TOKEN-${index}`), text),
      );
    },
    async close() {
      for (const engine of engines) {
        engine.drain();
        await engine.close();
      }
    },
  };
}

const other = (key: string) => (key === "p" ? "q" : "p");

/** Returns a response without measured durations and sizes in memory. */
function shown(path: string, { status, headers }: Response, text: string): unknown {
  if (!path.startsWith("/__admin")) return { status, headers: Object.fromEntries(headers), text };
  const { etag: _etag, "content-length": _length, ...stable } = Object.fromEntries(headers);
  const measured = ["duration", "bytes", "startsWith", "p50", "p95"];
  const without = (name: string, value: unknown) => (measured.includes(name) ? undefined : value);
  // A replica suggests only the keys of the projects that it has used.
  const body = text.replace(/ Did you mean \\"[pq]\\"\?/, "");
  return { status, headers: stable, body: body === "" ? "" : JSON.parse(body, without) };
}

const form = (path: string, fields: Record<string, string>): Call => {
  const headers = {
    "Content-Type": "application/x-www-form-urlencoded",
    Authorization: `Basic ${btoa("client:secret")}`,
  };
  return { path, init: { method: "POST", headers, body: new URLSearchParams(fields).toString() } };
};
const tokenName = fc.constantFrom("TOKEN-0", "TOKEN-1", "TOKEN-2");
const snapshot = fc.constantFrom("one", "two", "\ud83d", "\ud83e");
const key = fc.constantFrom("p", "q");
const scopes = fc.constantFrom("manage_test:p", "manage_test:q", "view_test:q manage_test:p", "view_test:p");

/** Calls that concern tokens, several projects or all projects. */
const global: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.constantFrom<Call>(
      inProject("DELETE", ""),
      inProject("DELETE", "/rules"),
      inProject("DELETE", "/scenarios/conflict"),
      inProject("PUT", "/state", { from: "q" }),
      inProject("PUT", "/state", { resources: [{ id: "a", key: "k", objectTypeProperty: {} }] }),
      inProject("PUT", "/archive"),
      inProject("DELETE", "/resources/a"),
      inProject("PUT", "/resources/a", { key: "l", objectTypeProperty: {} }),
      inProject("PUT", "/resources/%F0%9F%98%80", { key: "\ud83d", objectTypeProperty: {} }),
      inProject("POST", "/resources", [
        { id: "\ud83d", objectTypeProperty: {} },
        { id: "\ud83e", objectTypeProperty: {} },
      ]),
      inProject("PATCH", "/settings", { auth: "strict" }),
      inProject("PATCH", "/settings", { journalSize: 0 }),
      { path: "/__admin/reset", init: { method: "POST" } },
      { path: "/__admin/scenarios/conflict", init: { method: "DELETE" } },
      { path: "/__admin/scenarios/unavailable-then-ok", init: { method: "PUT" } },
    ),
  },
  fc.tuple(fc.constantFrom("POST", "DELETE", "restore"), snapshot).map(([action, name]) => {
    if (action === "POST") return inProject("POST", "/snapshots", { name });
    const path = `/snapshots/${name.isWellFormed() ? name : "one"}`;
    return action === "DELETE" ? inProject("DELETE", path) : inProject("POST", `${path}/restore`);
  }),
  scopes.map((scope) => form("/oauth/token", { grant_type: "client_credentials", scope })),
  tokenName.map((token) => form("/oauth/introspect", { token })),
  tokenName.map((token) => form("/oauth/token/revoke", { token })),
  fc.constantFrom(["manage_test"], ["manage_test:q", "manage_test:p"]).map((scopes) => {
    return inProject("POST", "/tokens", { scopes, expiresIn: 10 });
  }),
  fc.constantFrom("t-1", "t-2").map((id) => inProject("DELETE", `/tokens/${id}`)),
  tokenName.map((token) => ({
    path: "/p/resource",
    init: { ...json("POST", { objectTypeProperty: {} }), headers: { Authorization: `Bearer ${token}` } },
  })),
  tokenName.map((token) => ({ path: "/p/resource/a", init: { headers: { Authorization: `Bearer ${token}` } } })),
  key.map((project) => {
    const body = { state: "unavailable-then-ok", params: { project, times: 1 } };
    return { path: "/__admin/provider-states", init: json("POST", body) };
  }),
);

const readings: readonly Call[] = [
  ...[
    "",
    "/requests?limit=1000",
    "/coverage",
    "/state",
    "/snapshots",
    "/scenarios?forAll=true",
    "/rules",
    "/settings",
    "/clock",
    "/images",
    "/tokens",
    "/resources",
    "/archive",
  ].map((path) => inProject("GET", path)),
  ...["/projects", "/projects?sort=activity", "/coverage", "/requests", "/scenarios", "/requests/timeline"].map(
    (path) => {
      return { path: `/__admin${path}`, init: {} };
    },
  ),
];

/** A call about project p or q, at one of the replicas. */
const step = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: request },
      { weight: 4, arbitrary: control },
      { weight: 4, arbitrary: global },
      { weight: 2, arbitrary: fc.constantFrom(...readings) },
    ),
    key,
    fc.nat({ max: 2 }),
  )
  .map(([{ path, init }, project, replica]) => ({
    call: { path: path.replace(/^(\/__admin\/projects)?\/p(?=\/|$)/, `$1/${project}`), init },
    replica,
  }));

describeWithRedis("three replicas", () => {
  const redis = useRedis();
  let run = 0;

  it("respond to any history as one process does", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (history) => {
        time = 1_700_000_000_000;
        const options = { url: redis.url, prefix: `run-${++run}`, ttl: 600_000, maxProjects: 1000 };
        const sharings = await Promise.all(Array.from({ length: 3 }, () => openSharing(options)));
        const one = openMock([undefined]);
        const replicas = openMock(sharings);
        try {
          for (const { call, replica } of history) {
            const expected = await one.send(call, replica);
            expect({ call, reply: await replicas.send(call, replica) }).toEqual({ call, reply: expected });
            time += 250;
          }
          for (const { path, init } of readings) {
            for (const project of ["p", "q"]) {
              const call = { path: path.replace(/\/p(?=\/|$)/, `/${project}`), init };
              const expected = await one.send(call, 0);
              for (let replica = 0; replica < 3; replica++) {
                expect({ replica, call, reply: await replicas.send(call, replica) }).toEqual({
                  replica,
                  call,
                  reply: expected,
                });
              }
            }
          }
        } finally {
          await one.close();
          await replicas.close();
        }
      }),
      runs(60),
    );
  });
});
