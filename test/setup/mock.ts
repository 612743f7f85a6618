import { afterAll, beforeAll, describe } from "vitest";
import { createEngine, type Engine, type EngineOptions } from "../../src/engine/engine.ts";
import { type AppOptions, createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/server.ts";
import { readFiles } from "../../src/mock.ts";
import { pages } from "../../src/pages.ts";

/**
 * The mock in a black-box test. One test body runs on both transports: in process (`fetch` of the app) and over a socket
 * (`fetch` of Node). The mock validates each response against the contract, and a defect of the mock fails the test.
 */
export interface MockUnderTest {
  /** Sends a request. The path starts with `/`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a request to a project. The path is relative to `/{projectKey}/resource`. */
  resource(projectKey: string, path?: string, init?: RequestInit): Promise<Response>;
  /** The engine, for access to internals such as the clock and the settings. */
  readonly engine: Engine;
  /** `http://127.0.0.1:port`, or undefined in process. */
  readonly url: string | undefined;
}

export type Options = Omit<EngineOptions, "contract" | "fixtures"> & Pick<AppOptions, "adminToken" | "cors">;

/** Runs the tests of `body` on both transports. The mock is available in tests and hooks, not during collection. */
export function onBothTransports(name: string, options: Options, body: (mock: MockUnderTest) => void): void {
  describe.each(["in process", "over a socket"] as const)(`${name} (%s)`, (transport) => {
    body(useMock(transport, options));
  });
}

/** Starts a mock for the tests of the surrounding `describe`. */
export function useMock(transport: "in process" | "over a socket", options: Options = {}): MockUnderTest {
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
    get engine() {
      return opened().engine;
    },
    get url() {
      return opened().url;
    },
  };
}

async function openMock(transport: "in process" | "over a socket", options: Options) {
  const { adminToken, cors, ...engineOptions } = options;
  const engine = createEngine({ checkResponses: true, ...(await readFiles()), ...engineOptions });
  const defects: unknown[] = [];
  engine.onDefect = (error) => defects.push(error);
  const app = createApp(engine, { version: "0.0.0-test", adminToken, cors, pages });
  const server = transport === "over a socket" ? await listen(app, { port: 0, host: "127.0.0.1" }) : undefined;
  const send = async (path: string, init?: RequestInit) =>
    server ? fetch(`${server.url}${path}`, init) : app.fetch(new Request(`http://in.process${path}`, init));
  return {
    engine,
    defects,
    url: server?.url,
    fetch: send,
    resource: (projectKey: string, path = "", init?: RequestInit) =>
      send(`/${encodeURIComponent(projectKey)}/resource${path}`, init),
    async close() {
      engine.drain();
      await engine.projects.closeAll();
      await server?.close(0);
    },
  };
}

let projects = 0;

/** Returns a project key that no other test uses. */
export function newProject(): string {
  return `project-${++projects}`;
}

/** Returns a request with a JSON body. */
export function json(method: string, body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } };
}
