export type { SharedHome } from "./shared-home.ts";
export { openSharedHome } from "./shared-home.ts";
