import { type AddToProject, type Connection, connectionTo } from "../client/connection.ts";
import type { AddAnyFunction } from "../scenarios/function.ts";

/** A mock that several test workers share. */
export interface SharedMock {
  readonly url: string;
  readonly adminToken?: string;
}

export interface OpenedMock {
  readonly connection: Connection;
  /** Stops the mock if it runs in this worker; does not stop a shared mock. */
  close(): Promise<void>;
}

/**
 * Returns the mock for the tests of this worker. Uses the mock that the test runner provides, or else the mock at
 * `RESOURCE_MOCK_URL`. Otherwise starts a mock in this process, which the `RESOURCE_MOCK_…` variables configure.
 */
export async function openMock(provided?: SharedMock): Promise<OpenedMock> {
  // A browser has no `process`.
  const environment = globalThis.process?.env ?? {};
  const { RESOURCE_MOCK_URL: url, RESOURCE_MOCK_ADMIN_TOKEN: adminToken } = environment;
  const shared = provided ?? (url ? { url, adminToken } : undefined);
  if (shared)
    return { connection: connectionTo(shared.url, { ...shared, fetch: nodeGlobals()?.fetch }), close: async () => {} };
  // Loaded on demand: with a shared mock, workers do not need the engine.
  const started = await loadInProcess().startFromEnvironment(environment);
  // The controls use `fetch` of the mock and not the socket, which has another origin than the page of a DOM environment.
  const addFunction: AddToProject = (key, ...added) => (started.project(key).handle as AddAnyFunction)(...added);
  return {
    connection: connectionTo(started.url, { adminToken, fetch: started.fetch, addFunction }),
    close: started.close,
  };
}

/**
 * Returns the globals of Node, or undefined in a browser. Jest, and Vitest with `vmThreads`, run tests in a context with
 * the globals of a DOM, which may lack functions that the mock needs.
 */
function nodeGlobals(): typeof globalThis | undefined {
  return globalThis.process?.getBuiltinModule("node:vm").runInThisContext("globalThis");
}

/**
 * Loads the mock with the module loader of Node, outside of the context of the test. In Jest, it is loaded once for all
 * test files of a worker.
 */
function loadInProcess(): typeof import("./in-process.ts") {
  const { process = globalThis.process } = nodeGlobals() ?? {};
  const load = process.getBuiltinModule("node:module").createRequire(import.meta.url);
  return load(typeof IS_BUILT === "undefined" ? "./in-process.ts" : "./in-process.cjs");
}
