export { ControlError, connectResourceMock, VerificationError } from "./control/client/index.ts";
export type * from "./control/client/types.ts";
