import { afterAll, beforeAll, describe } from "vitest";
import { dashboardPage } from "../../src/dashboard-page.ts";
import { createEngine, type Engine, type EngineOptions } from "../../src/engine/engine.ts";
import { type AppOptions, createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/server.ts";
import { readFiles } from "../../src/mock.ts";

/**
 * Behaviour is tested black-box, and each case twice from one body: in process (`fetch` on the app) and over a real
 * socket (Node's own `fetch`). Every answer is held against the contract, and a defect of ours fails the test.
 */
export interface MockUnderTest {
  /** Sends a request; the path begins with `/`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The same for one project: the path goes on behind `/{projectKey}/resource`. */
  resource(projectKey: string, path?: string, init?: RequestInit): Promise<Response>;
  /** For what only the inside knows: a clock to set, settings to change. */
  readonly engine: Engine;
  /** Where there is a socket: `http://127.0.0.1:port`. */
  readonly url: string | undefined;
}

export type Options = Omit<EngineOptions, "contract" | "fixtures"> & Pick<AppOptions, "adminToken" | "cors">;

/** Runs the cases of `body` on both transports. The mock is there once the tests run, not while they are collected. */
export function onBothTransports(name: string, options: Options, body: (mock: MockUnderTest) => void): void {
  describe.each(["in process", "over a socket"] as const)(`${name} (%s)`, (transport) => {
    body(useMock(transport, options));
  });
}

/** A mock for the tests of the surrounding `describe`. */
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
    if (!mock) throw new Error("the mock is there only while tests run");
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
  const app = createApp(engine, { version: "0.0.0-test", adminToken, cors, dashboardPage });
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

/** A project key that no other test uses. */
export function newProject(): string {
  return `project-${++projects}`;
}

/** A request with a JSON body. */
export function json(method: string, body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } };
}
