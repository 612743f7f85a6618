export { type AddToProject, type Connection, callControl, connectionTo, control, path } from "./connection.ts";
export { ControlError, problemText } from "./control-error.ts";
export { connectResourceMock, mockClient } from "./mock-client.ts";
export { projectControl, VerificationError } from "./project-control.ts";
export type * from "./types.ts";
