/** The part of the library that runs a mock in this process. */
type InProcessModule = typeof import("./in-process.ts");

/**
 * Loads what runs a mock in this process. Test files that only import the library do not need it. The globals of a DOM
 * can lack functions that the mock needs, so it runs with those of Node.
 */
export async function importInProcess(): Promise<InProcessModule> {
  const isNode = typeof IS_COMMONJS === "undefined" && globalThis === nodeGlobals();
  return isNode ? import("./in-process.ts") : loadInProcess();
}

/**
 * Loads the same with the module loader of Node, outside of the context of a test: once for all test files of a worker,
 * and as an ES module, which Jest cannot `require`.
 */
export function loadInProcess(): InProcessModule {
  const { process = globalThis.process } = nodeGlobals() ?? {};
  const load = process.getBuiltinModule("node:module").createRequire(import.meta.url);
  return load(typeof IS_BUILT === "undefined" ? "./in-process.ts" : "./in-process.mjs");
}

/**
 * Returns the globals of Node, or undefined in a browser. Jest, and Vitest with `vmThreads`, run tests in a context with
 * the globals of a DOM, which may lack functions that the mock needs.
 */
export function nodeGlobals(): typeof globalThis | undefined {
  return globalThis.process?.getBuiltinModule("node:vm").runInThisContext("globalThis");
}
