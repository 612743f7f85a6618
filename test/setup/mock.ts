import { randomUUID } from "node:crypto";
import { Agent, fetch as undiciFetch } from "undici";
import { afterAll, beforeAll, beforeEach, describe, inject } from "vitest";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import type { EngineOptions } from "../../src/engine/engine-options.ts";
import { openSharedHome } from "../../src/homes/share/index.ts";
import { type AppOptions, createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/http-server.ts";
import { loadIdentity } from "../../src/http/tls/index.ts";
import { readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import type { Project } from "../../src/project/project.ts";
import { createRandom } from "../../src/project/random.ts";
import { defaultService, type Service } from "../../src/services/index.ts";
import type { FixtureSet } from "../../src/state/fixtures/fixtures.ts";
import { openBalancer } from "./balancer.ts";
import { openHttp2 } from "./http2-client.ts";
import { seed as seedOfRun } from "./runs.ts";

/**
 * The mock in a black-box test. One test body runs on both transports: in process (`fetch` of the app) and over a socket
 * (`fetch` of Node). The mock validates each response against the contract, and a defect of the mock fails the test.
 */
export interface MockUnderTest {
  readonly transport: Transport;
  /** Sends a request. The path starts with `/`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a request to a project. The path is relative to `/{projectKey}/resource`. */
  resource(projectKey: string, path?: string, init?: RequestInit): Promise<Response>;
  /**
   * Runs a function on a project, for access to internals such as the clock and the store. Creates the project if it does
   * not exist. Over replicas, the function sees the latest state, and its changes are stored.
   */
  inside<T>(projectKey: string, use: (project: Project) => T | Promise<T>): Promise<T>;
  /** Returns whether the project exists. */
  has(projectKey: string): Promise<boolean>;
  /** Runs a function on state that belongs to no project, such as the tokens. */
  alone<T>(use: (engine: Engine) => T | Promise<T>): Promise<T>;
  /** Returns the number of calls that wait for requests of the project. */
  waits(projectKey: string): number;
  /** The fixtures of the mock. */
  readonly fixtures: FixtureSet;
  /** The engine, for access to internals. Throws over replicas, where each replica has an engine and copies of projects. */
  readonly engine: Engine;
  /** `http://127.0.0.1:port`, or undefined in process. */
  readonly url: string | undefined;
  /** `https://127.0.0.1:port`, over HTTPS and HTTP/2. */
  readonly httpsUrl: string | undefined;
  /** The CA of the certificate, over HTTPS and HTTP/2. */
  readonly ca: string | undefined;
}

export type Options = Omit<EngineOptions, "contract" | "fixtures"> &
  Pick<AppOptions, "adminToken" | "allowedHosts" | "cors"> & {
    /** Another service than the built-in one. */
    readonly service?: Service;
    /** An OpenAPI document: a file, or its value. */
    readonly contract?: string | object;
  };

export type Transport = "in process" | "over a socket" | "over HTTPS" | "over HTTP/2" | "over three replicas";

/** The options of the mock, and the reason why the tests of a suite do not run over replicas, such as "tests the memory". */
type Suite = Options & { readonly inOneProcess?: string };

type Body = (mock: MockUnderTest) => void;

/**
 * Runs the tests of `body` in process, over a socket, and over three replicas that share a store. The mock is available
 * in tests and hooks, not during collection. `npm test` skips the replicas, which need a Redis process.
 */
export function onTransports(name: string, suite: Suite, body: Body): void {
  overEach(["in process", "over a socket"], name, suite, body);
}

/** Runs the tests of `body` like `onTransports`, and over HTTPS with HTTP/1.1 and with HTTP/2. */
export function onAllTransports(name: string, suite: Suite, body: Body): void {
  overEach(["in process", "over a socket", "over HTTPS", "over HTTP/2"], name, suite, body);
}

/** Runs the tests of `body` over each of these transports, and over three replicas behind a balancer with random picks. */
function overEach(transports: readonly Transport[], name: string, { inOneProcess, ...options }: Suite, body: Body) {
  describe.each(transports)(`${name} (%s)`, (transport) => body(useMock(transport, options)));
  if (inOneProcess !== undefined) return;
  describe.skipIf(inject("sharedRedis") === "")(`${name} (over three replicas)`, { tags: ["process"] }, () => {
    body(useMock("over three replicas", options));
  });
}

/** Starts a mock for the tests of the surrounding `describe`. */
export function useMock(transport: Transport, options: Options = {}): MockUnderTest {
  let mock: OpenMock | undefined;
  beforeAll(async () => {
    mock = transport === "over three replicas" ? await openReplicas(options) : await openMock(transport, options);
  });
  beforeEach(({ task, onTestFailed }) => {
    // Each test has picks of its own, whichever tests run before it.
    mock?.seed?.(task.fullName);
    onTestFailed(
      () =>
        mock?.picks && console.log(`The replica of each request, with seed ${seedOfRun}:\n${mock.picks.join("\n")}`),
    );
  });
  afterAll(async () => {
    await mock?.close();
    if (mock && mock.defects.length > 0) throw mock.defects[0];
  });
  const opened = () => {
    if (!mock) throw new Error("useMock: expected a use of the mock during a test, found one outside of tests");
    return mock;
  };
  return {
    transport,
    fetch: (path, init) => opened().fetch(path, init),
    resource: (projectKey, path, init) => opened().resource(projectKey, path, init),
    inside: (projectKey, use) => opened().inside(projectKey, use),
    has: (projectKey) => opened().has(projectKey),
    alone: (use) => opened().alone(use),
    waits: (projectKey) => opened().waits(projectKey),
    get fixtures() {
      return opened().fixtures;
    },
    get engine() {
      return opened().engine;
    },
    get url() {
      return opened().url;
    },
    get httpsUrl() {
      return opened().httpsUrl;
    },
    get ca() {
      return opened().ca;
    },
  };
}

interface OpenMock extends Omit<MockUnderTest, "transport"> {
  readonly defects: readonly unknown[];
  /** The picks of the balancer, over replicas. */
  readonly picks?: readonly string[];
  /** Sets the seed of the further picks, over replicas. */
  seed?(seed: string): void;
  close(): Promise<void>;
}

async function openMock(transport: Transport, options: Options): Promise<OpenMock> {
  const { adminToken, allowedHosts, cors, service, contract, ...engineOptions } = options;
  const files = await filesOf({ service, contract });
  const { controls } = files;
  const engine = createEngine({ checkResponses: true, ...files, ...engineOptions });
  const defects: unknown[] = [];
  engine.onDefect = (error) => defects.push(error);
  const isSecure = transport === "over HTTPS" || transport === "over HTTP/2";
  const https = isSecure ? { ...(await loadIdentity({}, "127.0.0.1")), port: 0 } : undefined;
  const ca = https?.caCertificate;
  const app = createApp(engine, {
    ...{ version: "0.0.0-test", adminToken, allowedHosts, cors, caCertificate: ca, pages, controls },
  });
  const server =
    transport === "in process"
      ? undefined
      : await listen(app, { port: 0, host: "127.0.0.1", https, contract: engine.contract });
  const dispatcher = new Agent({ allowH2: false, connect: { ca } });
  const http2 = transport === "over HTTP/2" ? openHttp2(server?.httpsUrl, ca) : undefined;
  const send = async (path: string, init?: RequestInit) => {
    if (http2) return http2.fetch(path, init);
    if (server?.httpsUrl) return secureFetch(server.httpsUrl + path, { ...init, dispatcher });
    return server ? fetch(server.url + path, init) : app.fetch(new Request(`http://in.process${path}`, init));
  };
  return {
    engine,
    fixtures: engine.fixtures,
    waits: (projectKey) => waitsAt(engine, projectKey),
    inside: async (projectKey, use) => use(engine.projects.get(projectKey)),
    alone: async (use) => use(engine),
    has: async (projectKey) => engine.projects.find(projectKey) !== undefined,
    defects,
    url: server?.url,
    httpsUrl: server?.httpsUrl,
    ca,
    fetch: send,
    resource: (projectKey, path = "", init) => send(`/${encodeURIComponent(projectKey)}/resource${path}`, init),
    async close() {
      engine.drain();
      await engine.projects.closeAll();
      http2?.session.destroy();
      await dispatcher.destroy();
      await server?.close(0);
    },
  };
}

/** Returns the files of a mock of a contract, or else of a service: by default, of the built-in one. */
function filesOf({ contract, service = defaultService }: Pick<Options, "contract" | "service">) {
  return readFiles({ contract }, contract === undefined ? service : undefined);
}

/** Opens three engines that share a store, each with a socket, behind a balancer. */
async function openReplicas({
  adminToken,
  allowedHosts,
  cors,
  service,
  contract,
  ...options
}: Options): Promise<OpenMock> {
  const prefix = randomUUID();
  const defects: unknown[] = [];
  const replicas = await Promise.all(
    [0, 1, 2].map(async () => {
      const store = { url: inject("sharedRedis"), prefix, ttl: 3_600_000, maxProjects: options.maxProjects ?? 100_000 };
      const home = await openSharedHome(store);
      const files = await filesOf({ service, contract });
      const { controls } = files;
      const engine = createEngine({ checkResponses: true, ...files, ...options, home });
      engine.onDefect = (error) => defects.push(error);
      const app = createApp(engine, { version: "0.0.0-test", adminToken, allowedHosts, cors, pages, controls });
      const server = await listen(app, { port: 0, host: "127.0.0.1", contract: engine.contract });
      return { engine, home, server };
    }),
  );
  const [first] = replicas as [(typeof replicas)[number]];
  const balancer = await openBalancer(
    replicas.map(({ server }) => server.url),
    "",
  );
  let random = createRandom("");
  const pick = () => replicas[Math.floor(random() * replicas.length)] ?? first;
  const send = (path: string, init?: RequestInit) => fetch(balancer.url + path, init);
  return {
    get engine(): Engine {
      throw new Error("mock.engine: expected one engine, found three replicas. Use mock.inside, or mock.alone");
    },
    fixtures: first.engine.fixtures,
    defects,
    picks: balancer.picks,
    seed(seed) {
      balancer.seed(seed);
      random = createRandom(`${seedOfRun} ${seed}`);
    },
    url: balancer.url,
    httpsUrl: undefined,
    ca: undefined,
    inside(projectKey, use) {
      const { engine, home } = pick();
      return home.step(projectKey, () => use(engine.projects.get(projectKey)));
    },
    has(projectKey) {
      const { engine, home } = pick();
      return home.step(projectKey, () => engine.projects.find(projectKey) !== undefined);
    },
    alone(use) {
      const { engine, home } = pick();
      return home.stepAlone([], () => use(engine));
    },
    waits: (projectKey) => replicas.reduce((sum, { engine }) => sum + waitsAt(engine, projectKey), 0),
    fetch: send,
    resource: (projectKey, path = "", init) => send(`/${encodeURIComponent(projectKey)}/resource${path}`, init),
    async close() {
      await balancer.close();
      for (const { engine, server } of replicas) {
        engine.drain();
        await server.close(0);
        await engine.close();
      }
    },
  };
}

function waitsAt({ projects }: Engine, projectKey: string): number {
  return projects.find(projectKey)?.watchers.count ?? 0;
}

/** The `fetch` of undici. Node's own `fetch`, which is also that of undici, takes no CA for a single request. */
const secureFetch = undiciFetch as unknown as (url: string, init: SecureInit) => Promise<Response>;
type SecureInit = RequestInit & { dispatcher: Agent };

let projects = 0;

/** Returns a project key that no other test uses. */
export function newProject(): string {
  return `project-${++projects}`;
}

/** Returns a request with a JSON body. */
export function json(method: string, body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } };
}
