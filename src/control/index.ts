export type { Control, ControlOperation, Pages } from "./operation.ts";
export { loadOperations, subjects } from "./operations.ts";
export { mergedPact } from "./pact/merge.ts";
export type { Pact } from "./pact/schema.ts";
export { projectList, requestPaging, selection } from "./queries.ts";
export type { ControlResponse } from "./response.ts";
export type { Rewound } from "./rewind.ts";
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
  type Problem,
  ProjectList,
  type ProjectSummary,
  type ResourceVersion,
  type Snapshot,
  type Token,
  TokenRequest,
} from "./schemas.ts";
export { failureProblem, refuseControl, serveControl } from "./serve.ts";
