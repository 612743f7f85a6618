/**
 * The mock for tests: in this process, on a socket, in a container; for Vitest, Jest, Playwright and MSW. The files in `src`
 * are its public entries. `options` describes each option, flag and variable.
 */

export { type Folders, layersOf, loadEngine, loadFiles, readFixtures } from "./mock.ts";
export { readFlags, unknownVariables } from "./options/command-line.ts";
export { type CommandName, flagHelp, flags, flagsOf, type Options } from "./options/flags.ts";
export { mockOptions } from "./options/mock-options.ts";
export { type HttpsOptions, httpsProblem } from "./options/options.ts";
export { Misuse } from "./options/values.ts";
export { version } from "./version.ts";
