export type * from "./control/client/types.ts";
export * from "./library/resource-mock.ts";
