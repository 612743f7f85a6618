/**
 * The control API: one file for each subject, with its operations as data. `client` calls it from tests and pages, and
 * loads nothing of the server. `pact` makes pacts of the journal.
 */

export type { ControlResponse } from "./control-response.ts";
export {
  type Clock,
  ClockChange,
  type DefinedScenario,
  Generate,
  type Health,
  type Image,
  type ImageDraft,
  type KnownScenario,
  type ListedToken,
  type MatchedRequests,
  type Problem,
  type ProjectSummary,
  type ResourceVersion,
  type Snapshot,
  type Token,
  TokenRequest,
} from "./control-schemas.ts";
export type { Control, ControlOperation, Pages } from "./define-operation.ts";
export { mergedPact, type Pact, type PactOptions } from "./pact/pact-file.ts";
export type { FoundRequests } from "./request-operations.ts";
export {
  type PageOptions,
  ProjectFilter,
  type RequestSelection,
  type ResourceFilter,
  requestPaging,
  selection,
  type TimelineOptions,
} from "./request-selection.ts";
export { failureProblem, refuseControl, serveControl } from "./serve-control.ts";
export type { Rewound } from "./state-operations.ts";
export { loadOperations, subjects } from "./subjects.ts";
