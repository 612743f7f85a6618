/**
 * The control API: one file for each subject, or for two that belong together, with their operations as data. `client`
 * calls it from tests and pages, and loads nothing of the server. `pact` has the parts of pacts.
 */

export {
  bytesHeaders,
  type ControlResponse,
  created,
  invalid,
  list,
  notFound,
  ok,
  problemResponse,
} from "./control-response.ts";
export { ClockChange, Generate, type Health, TokenRequest } from "./control-schemas.ts";
export {
  type Control,
  inProject,
  json,
  listOf,
  PAGE,
  type Pages,
  paging,
  problem,
} from "./define-operation.ts";
export { mergedPact, type Pact } from "./pact/pact-file.ts";
export { providerState } from "./provider-states.ts";
export { ProjectFilter, requestPaging, selection } from "./request-selection.ts";
export { failureProblem, refuseControl, serveControl } from "./serve-control.ts";
export { type Controls, loadOperations, type ServiceControls, subjectsOf } from "./subjects.ts";
