/**
 * The services that come with the package, each in a folder of its own. Only the library and the command choose one; other
 * rooms receive its contract.
 */

export { defaultService } from "./generic-resource/index.ts";
export type { Service } from "./service.ts";
