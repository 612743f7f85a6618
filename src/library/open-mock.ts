import { connectionTo, control } from "../control/client/index.ts";
import type { CoverageReport } from "../journal/index.ts";
import { collectShared, isCollected } from "../tools/collect/index.ts";

/* How libraries get a mock: a shared one, or one in this process, which loads on demand. */

/** A mock that several test workers share. */
export interface SharedMock {
  readonly url: string;
  readonly adminToken?: string;
}

export type OpenedMock = Awaited<ReturnType<typeof openMock>>;

/**
 * Returns the mock that the test runner provides, or else the mock at `RESOURCE_MOCK_URL`. Returns undefined if each
 * worker starts a mock of its own.
 */
export function sharedMock(provided?: SharedMock): SharedMock | undefined {
  const { RESOURCE_MOCK_URL: url, RESOURCE_MOCK_ADMIN_TOKEN: adminToken } = environment();
  return provided ?? (url ? { url, adminToken } : undefined);
}

/**
 * Returns the mock for the tests of this worker: the shared mock, or else a mock in this process, which the
 * `RESOURCE_MOCK_…` variables configure. With a `contract`, the file of an OpenAPI document, always a mock in this process.
 * `close` stops the mock if it runs in this worker; it does not stop a shared mock.
 */
export async function openMock(provided?: SharedMock, contract?: string) {
  const shared = contract === undefined ? sharedMock(provided) : undefined;
  if (shared) {
    const connection = connectionTo(shared.url, { ...shared, fetch: nodeGlobals()?.fetch });
    const { process } = nodeGlobals() ?? {};
    if (process && isCollected(process)) {
      const coverage = await control<CoverageReport>(connection, { method: "GET", path: "/coverage" });
      collectShared(process, connection.url, shared.adminToken, coverage);
    }
    return { connection, close: async () => {} };
  }
  // Loaded on demand: with a shared mock, workers do not need the engine.
  const { url, close, ...mock } = await loadInProcess().startFromEnvironment({
    ...environment(),
    ...(contract !== undefined && { RESOURCE_MOCK_CONTRACT: contract }),
  });
  // The controls use `fetch` of the mock and not the socket, which has another origin than the page of a DOM environment.
  return { connection: connectionTo(url, mock), close };
}

/** Returns the environment variables; none in a browser, which has no `process`. */
function environment(): NodeJS.ProcessEnv {
  return globalThis.process?.env ?? {};
}

/** The part of the library that runs a mock in this process. */
type InProcessModule = typeof import("./in-process.ts");

/**
 * Loads what runs a mock in this process. Test files that only import the library do not need it. The globals of a DOM
 * can lack functions that the mock needs, so it runs with those of Node.
 */
export async function importInProcess(): Promise<InProcessModule> {
  const isNode = typeof IS_COMMONJS === "undefined" && globalThis === nodeGlobals();
  if (!isNode) return loadInProcess();
  requireFiles();
  return import("./in-process.ts");
}

/**
 * Loads the same with the module loader of Node, outside of the context of a test: once for all test files of a worker,
 * and as an ES module, which Jest cannot `require`.
 */
function loadInProcess(): InProcessModule {
  requireFiles();
  const { process = globalThis.process } = nodeGlobals() ?? {};
  const load = process.getBuiltinModule("node:module").createRequire(import.meta.url);
  return load(typeof IS_BUILT === "undefined" ? "./in-process.ts" : "./in-process.mjs");
}

/** Throws an Error if a bundler has moved this module away from the files that a mock reads. */
function requireFiles(): void {
  if (typeof IS_BUILT === "undefined") return;
  try {
    if (process.getBuiltinModule("node:fs").existsSync(`${import.meta.dirname}/bundled.json`)) return;
  } catch {
    // A bundle in another format has no folder.
  }
  const hint = "Keep the package external: --external:resource-mock (esbuild), externals (webpack), external (Rollup)";
  throw new Error(`resource-mock: expected its files beside its code, found a bundle without them. ${hint}`);
}

/**
 * Returns the globals of Node, or undefined in a browser. Jest, and Vitest with `vmThreads`, run tests in a context with
 * the globals of a DOM, which may lack functions that the mock needs.
 */
function nodeGlobals(): typeof globalThis | undefined {
  return globalThis.process?.getBuiltinModule("node:vm").runInThisContext("globalThis");
}
