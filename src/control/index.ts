/**
 * The control API: one file for each subject, or for two that belong together, with their operations as data. `client`
 * calls it from tests and pages, and loads nothing of the server. `pact` has the parts of pacts.
 */

export { type ControlResponse, problemResponse } from "./control-response.ts";
export { ClockChange, Generate, type Health, TokenRequest } from "./control-schemas.ts";
export type { Control, ControlOperation, Pages } from "./define-operation.ts";
export { mergedPact, type Pact } from "./pact/pact-file.ts";
export { ProjectFilter, requestPaging, selection } from "./request-selection.ts";
export { failureProblem, refuseControl, serveControl } from "./serve-control.ts";
export { loadOperations, subjects } from "./subjects.ts";
