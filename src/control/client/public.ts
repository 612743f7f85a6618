export { ControlError } from "./control-error.ts";
export { connectResourceMock } from "./mock-client.ts";
export { VerificationError } from "./project-control.ts";
export type * from "./types.ts";
