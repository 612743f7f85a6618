export type { UpstreamOptions } from "./upstream.ts";
export { createUpstream } from "./upstream.ts";
