import { type Connection, connectionTo } from "../client/connection.ts";

/** A mock that several test workers share. */
export interface SharedMock {
  readonly url: string;
  readonly adminToken?: string;
}

export interface OpenedMock {
  readonly connection: Connection;
  /** Stops the mock, if it is this worker's own. */
  close(): Promise<void>;
}

/**
 * The mock for the tests of this worker: the shared one that they are told of, by the test runner or by
 * `RESOURCE_MOCK_URL`; else one of their own in this process, as the `RESOURCE_MOCK_…` variables shape it.
 */
export async function openMock(told?: SharedMock): Promise<OpenedMock> {
  // A browser has no `process`.
  const environment = globalThis.process?.env ?? {};
  const { RESOURCE_MOCK_URL: url, RESOURCE_MOCK_ADMIN_TOKEN: adminToken } = environment;
  const shared = told ?? (url ? { url, adminToken } : undefined);
  if (shared)
    return { connection: connectionTo(shared.url, { ...shared, fetch: nodeGlobals()?.fetch }), close: async () => {} };
  // Loaded only here: with a shared mock, no worker needs the engine.
  const { url: own, fetch, close } = await loadInProcess().startFromEnvironment(environment);
  // Without the socket: to a page, its mock is another origin.
  return { connection: connectionTo(own, { adminToken, fetch }), close };
}

/**
 * Returns the globals of Node itself. Jest, and Vitest with `vmThreads`, run tests in a context with the globals of a
 * DOM, which may lack what the mock needs. Returns undefined in a browser.
 */
function nodeGlobals(): typeof globalThis | undefined {
  return globalThis.process?.getBuiltinModule("node:vm").runInThisContext("globalThis");
}

/** Loads the mock outside of such a context, as Node itself loads modules: in Jest, once for all test files of a worker. */
function loadInProcess(): typeof import("./in-process.ts") {
  const { process = globalThis.process } = nodeGlobals() ?? {};
  const load = process.getBuiltinModule("node:module").createRequire(import.meta.url);
  return load(typeof IS_BUILT === "undefined" ? "./in-process.ts" : "./in-process.cjs");
}
