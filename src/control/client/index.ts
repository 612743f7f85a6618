export { type AddToProject, type Connection, callControl, connectionTo, control, path } from "./connection.ts";
export { ControlError, problemText } from "./control-error.ts";
export { connectResourceMock, mockClient, type ResourceMockClient } from "./mock-client.ts";
export { type ProjectControl, projectControl, type SandboxControl, VerificationError } from "./project-control.ts";
export type { RequestPage, RequestSearch } from "./request-search.ts";
export type {
  Activation,
  ActiveScenario,
  AddedRule,
  Clock,
  CoverageReport,
  DefinedScenario,
  Effects,
  EntryOfAll,
  Health,
  Image,
  KnownScenario,
  ListedToken,
  Match,
  MockEvent,
  ProjectSummary,
  RecordDraft,
  RequestEntry,
  RequestFilter,
  RequestSummary,
  ResourceRecord,
  ResourceVersion,
  Rule,
  Settings,
  Side,
  StateDocument,
  Timeline,
  Times,
  TokenRequest,
  Verdict,
} from "./types.ts";
