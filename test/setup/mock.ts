import { Agent, fetch as undiciFetch } from "undici";
import { afterAll, beforeAll, describe } from "vitest";
import { createEngine, type Engine, type EngineOptions } from "../../src/engine/engine.ts";
import { type AppOptions, createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/server.ts";
import { readFiles } from "../../src/mock.ts";
import { pages } from "../../src/pages.ts";
import type { Project } from "../../src/projects/project.ts";
import { loadIdentity } from "../../src/tls/identity.ts";
import { openHttp2 } from "./http2-client.ts";

/**
 * The mock in a black-box test. One test body runs on both transports: in process (`fetch` of the app) and over a socket
 * (`fetch` of Node). The mock validates each response against the contract, and a defect of the mock fails the test.
 */
export interface MockUnderTest {
  /** Sends a request. The path starts with `/`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a request to a project. The path is relative to `/{projectKey}/resource`. */
  resource(projectKey: string, path?: string, init?: RequestInit): Promise<Response>;
  /**
   * Runs a function on a project, for access to internals such as the clock and the store. Creates the project if it does
   * not exist. Over replicas, the function sees the latest state, and its changes are stored.
   */
  inside<T>(projectKey: string, use: (project: Project) => T | Promise<T>): Promise<T>;
  /** The engine, for access to internals that no project has. */
  readonly engine: Engine;
  /** `http://127.0.0.1:port`, or undefined in process. */
  readonly url: string | undefined;
  /** `https://127.0.0.1:port`, over HTTPS and HTTP/2. */
  readonly httpsUrl: string | undefined;
  /** The CA of the certificate, over HTTPS and HTTP/2. */
  readonly ca: string | undefined;
}

export type Options = Omit<EngineOptions, "contract" | "fixtures"> & Pick<AppOptions, "adminToken" | "cors">;

export type Transport = "in process" | "over a socket" | "over HTTPS" | "over HTTP/2";

/** Runs the tests of `body` on both transports. The mock is available in tests and hooks, not during collection. */
export function onBothTransports(name: string, options: Options, body: (mock: MockUnderTest) => void): void {
  describe.each(["in process", "over a socket"] as const)(`${name} (%s)`, (transport) => {
    body(useMock(transport, options));
  });
}

/** Runs the tests of `body` on both transports, and over HTTPS with HTTP/1.1 and with HTTP/2. */
export function onEveryTransport(name: string, options: Options, body: (mock: MockUnderTest) => void): void {
  describe.each(["in process", "over a socket", "over HTTPS", "over HTTP/2"] as const)(`${name} (%s)`, (transport) => {
    body(useMock(transport, options));
  });
}

/** Starts a mock for the tests of the surrounding `describe`. */
export function useMock(transport: Transport, options: Options = {}): MockUnderTest {
  let mock: (MockUnderTest & { close(): Promise<void>; defects: unknown[] }) | undefined;
  beforeAll(async () => {
    mock = await openMock(transport, options);
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
    fetch: (path, init) => opened().fetch(path, init),
    resource: (projectKey, path, init) => opened().resource(projectKey, path, init),
    inside: (projectKey, use) => opened().inside(projectKey, use),
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

async function openMock(transport: Transport, options: Options) {
  const { adminToken, cors, ...engineOptions } = options;
  const engine = createEngine({ checkResponses: true, ...(await readFiles()), ...engineOptions });
  const defects: unknown[] = [];
  engine.onDefect = (error) => defects.push(error);
  const isSecure = transport === "over HTTPS" || transport === "over HTTP/2";
  const https = isSecure ? { ...(await loadIdentity({}, "127.0.0.1")), port: 0 } : undefined;
  const ca = https?.caCertificate;
  const app = createApp(engine, { version: "0.0.0-test", adminToken, cors, caCertificate: ca, pages });
  const server = transport === "in process" ? undefined : await listen(app, { port: 0, host: "127.0.0.1", https });
  const dispatcher = new Agent({ allowH2: false, connect: { ca } });
  const http2 = transport === "over HTTP/2" ? openHttp2(server?.httpsUrl, ca) : undefined;
  const send = async (path: string, init?: RequestInit) => {
    if (http2) return http2.fetch(path, init);
    if (server?.httpsUrl) return secureFetch(server.httpsUrl + path, { ...init, dispatcher });
    return server ? fetch(server.url + path, init) : app.fetch(new Request(`http://in.process${path}`, init));
  };
  return {
    engine,
    inside: async <T>(projectKey: string, use: (project: Project) => T | Promise<T>) =>
      use(engine.projects.get(projectKey)),
    defects,
    url: server?.url,
    httpsUrl: server?.httpsUrl,
    ca,
    fetch: send,
    resource: (projectKey: string, path = "", init?: RequestInit) =>
      send(`/${encodeURIComponent(projectKey)}/resource${path}`, init),
    async close() {
      engine.drain();
      await engine.projects.closeAll();
      http2?.session.destroy();
      await dispatcher.destroy();
      await server?.close(0);
    },
  };
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
