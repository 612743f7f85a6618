export type { Identity } from "./identity.ts";
export { loadIdentity } from "./identity.ts";
