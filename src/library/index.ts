/**
 * The mock for tests: in this process, on a socket, in a container; for Vitest, Jest, Playwright and MSW. The files in `src`
 * are its public entries. `options` describes each option, flag and variable.
 */

export { layersOf, loadService, readFiles, runMock, type Sources } from "./mock.ts";
export * from "./options/flag.ts";
export { mockFlags, type ServeOptions, type ValuesOf } from "./options/options.ts";
export { mockFlagsOf, type NamedFlag, named, PREFIX, readOptions, textsIn, variableOf } from "./options/read.ts";
export { version } from "./version.ts";
