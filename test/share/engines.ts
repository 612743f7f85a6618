import fc from "fast-check";
import { expect } from "vitest";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import type { EngineOptions } from "../../src/engine/engine-options.ts";
import type { Home } from "../../src/engine/home.ts";
import { openSharedHome } from "../../src/homes/share/index.ts";
import { createApp } from "../../src/http/app.ts";
import { readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import { defaultService, type Service } from "../../src/services/index.ts";
import { ARCHIVE_TYPE, archiveIn } from "../setup/archives.ts";
import { builtIn, type Call, controlCall, type Subject } from "../setup/histories.ts";
import { json } from "../setup/mock.ts";

const files = await readFiles();

/** Engines in this process, each with its own connection to the store. */
export interface Replicas {
  readonly engines: readonly Engine[];
  /** The errors of resource-mock itself. */
  readonly defects: readonly unknown[];
  /** Sends a request to a replica. */
  fetch(replica: number, path: string, init?: RequestInit): Promise<Response>;
  /** Sends a request to the replica after the last one. */
  send(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** The options of replicas. Each URL is the address of the store for one replica. */
export interface ReplicaOptions {
  readonly urls: readonly string[];
  readonly prefix?: string;
  /** Milliseconds. */
  readonly ttl?: number;
  readonly maxProjects?: number;
  readonly engine?: Partial<EngineOptions> & Pick<Service, "controls">;
}

export async function openReplicas({
  urls,
  prefix = "test",
  ttl = 600_000,
  maxProjects = 1000,
  engine,
}: ReplicaOptions): Promise<Replicas> {
  const homes = await Promise.all(urls.map((url) => openSharedHome({ url, prefix, ttl, maxProjects })));
  return openEngines(homes, { controls: defaultService.controls, ...engine });
}

/** Opens an engine for each sharing. Without sharing, the projects of the engine are only in its memory. */
export function openEngines(
  homes: readonly (Home | undefined)[],
  options: Partial<EngineOptions> & Pick<Service, "controls"> = { controls: defaultService.controls },
): Replicas {
  const defects: unknown[] = [];
  const engines = homes.map((home) => {
    const engine = createEngine({ ...files, checkResponses: true, ...options, home });
    engine.onDefect = (error) => defects.push(error);
    return engine;
  });
  const apps = engines.map((engine) => createApp(engine, { version: "0.0.0-test", pages, controls: options.controls }));
  let sent = 0;
  const fetch = async (replica: number, path: string, init?: RequestInit) => {
    const response = await apps[replica % apps.length]?.fetch(new Request(`http://in.process${path}`, init));
    if (!response) throw new Error("openEngines: expected at least one engine, found none");
    return response;
  };
  return {
    engines,
    defects,
    fetch,
    send: (path, init) => fetch(sent++, path, init),
    async close() {
      for (const engine of engines) {
        engine.drain();
        await engine.close();
      }
    },
  };
}

/** Returns the path of a call about the project `p` for another project. */
export function pathIn(project: string, path: string): string {
  return path.replace(/^(\/__admin\/projects)?\/p(?=[/?]|$)/, `$1/${project}`);
}

/** Returns a response without measured durations and sizes in memory. */
export function shown(path: string, { status, headers }: Response, text: string): unknown {
  if (!path.startsWith("/__admin")) return { status, headers: Object.fromEntries(headers), text };
  const { etag: _etag, "content-length": _length, ...stable } = Object.fromEntries(headers);
  const measured = ["duration", "bytes", "startsWith", "p50", "p95"];
  const without = (name: string, value: unknown) => (measured.includes(name) ? undefined : value);
  // A replica suggests only the keys of the projects that it has used.
  const body = text.replace(/ Did you mean \\"[pq]\\"\?/, "");
  const parse = headers.get("Content-Type") === ARCHIVE_TYPE ? archiveIn : JSON.parse;
  return { status, headers: stable, body: body === "" ? "" : parse(body, without) };
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
      controlCall("DELETE", ""),
      controlCall("DELETE", "/rules"),
      controlCall("DELETE", "/scenarios/conflict"),
      controlCall("PUT", "/state", { from: "q" }),
      controlCall("PUT", "/state", { resources: [{ id: "a", key: "k", objectTypeProperty: {} }] }),
      controlCall("PUT", "/archive"),
      controlCall("DELETE", "/resources/a"),
      controlCall("PUT", "/resources/a", { key: "l", objectTypeProperty: {} }),
      controlCall("PUT", "/resources/%F0%9F%98%80", { key: "\ud83d", objectTypeProperty: {} }),
      controlCall("POST", "/resources", [
        { id: "\ud83d", objectTypeProperty: {} },
        { id: "\ud83e", objectTypeProperty: {} },
      ]),
      controlCall("PATCH", "/settings", { auth: "strict" }),
      controlCall("PATCH", "/settings", { journalSize: 0 }),
      { path: "/__admin/reset", init: { method: "POST" } },
      { path: "/__admin/scenarios/conflict", init: { method: "DELETE" } },
      { path: "/__admin/scenarios/unavailable-then-ok", init: { method: "PUT" } },
    ),
  },
  fc.tuple(fc.constantFrom("POST", "DELETE", "restore"), snapshot).map(([action, name]) => {
    if (action === "POST") return controlCall("POST", "/snapshots", { name });
    const path = `/snapshots/${name.isWellFormed() ? name : "one"}`;
    return action === "DELETE" ? controlCall("DELETE", path) : controlCall("POST", `${path}/restore`);
  }),
  scopes.map((scope) => form("/oauth/token", { grant_type: "client_credentials", scope })),
  tokenName.map((token) => form("/oauth/token/revoke", { token })),
  fc.constantFrom(["manage_test"], ["manage_test:p", "view_test"]).map((scopes) => {
    return controlCall("POST", "/tokens", { scopes, expiresIn: 10 });
  }),
  fc.constantFrom("t-1", "t-2").map((id) => controlCall("DELETE", `/tokens/${id}`)),
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

/** Calls that return everything that the control API shows of the project `p`, or of all projects. */
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
    "/tokens",
    "/resources",
    "/archive",
  ].map((path) => controlCall("GET", path)),
  ...["/projects", "/projects?sort=activity", "/coverage", "/requests", "/scenarios", "/requests/timeline"].map(
    (path) => {
      return { path: `/__admin${path}`, init: {} };
    },
  ),
];

/** Returns the calls that return everything that the control API shows. */
export function readingsOf(subject: Subject): readonly Call[] {
  return [...readings, ...subject.readings.map((path) => controlCall("GET", path))];
}

/** Returns a request or call about the project `p` or `q`, at one of three replicas. */
export function stepOf(subject: Subject) {
  const call = fc.oneof(
    { weight: 6, arbitrary: subject.request },
    { weight: 4, arbitrary: subject.control },
    { weight: 4, arbitrary: global },
    { weight: 2, arbitrary: fc.constantFrom(...readingsOf(subject)) },
  );
  return fc.tuple(call, key, fc.nat({ max: 2 })).map(([{ path, init }, project, replica]) => ({
    call: { path: pathIn(project, path), init },
    replica,
  }));
}

/** Expects that all replicas and a new one, which these options open, show the same projects and have no defects. */
export async function expectSameProjects(replicas: Replicas, projects: readonly string[], options: ReplicaOptions) {
  const fresh = await openReplicas(options);
  try {
    for (const project of projects) {
      for (const { path: pathOfP, init } of readingsOf(builtIn)) {
        const path = pathIn(project, pathOfP);
        const shownBy = async (mock: Replicas, replica: number) => {
          const response = await mock.fetch(replica, path, init);
          return { path, reply: shown(path, response, await response.text()) };
        };
        const stored = await shownBy(fresh, 0);
        for (const replica of replicas.engines.keys()) expect(await shownBy(replicas, replica)).toEqual(stored);
      }
    }
    expect([...replicas.defects, ...fresh.defects]).toEqual([]);
  } finally {
    await fresh.close();
  }
}
