export {
  type AddToProject,
  type Connection,
  ControlError,
  callControl,
  connectionTo,
  control,
  limitedFetch,
  path,
  problemText,
} from "./connection.ts";
export { connectResourceMock, mockClient, testClient } from "./mock-client.ts";
export { checkTimes, projectControl, VerificationError } from "./project-control.ts";
export type * from "./types.ts";
