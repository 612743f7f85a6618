/** Public types of the client. Every public entry with a client exports them. */

export type { Rewound } from "../control/rewind.ts";
export type {
  Clock,
  DefinedScenario,
  Generate,
  Health,
  Image,
  ImageDraft,
  KnownScenario,
  ListedToken,
  ProjectSummary,
  ResourceVersion,
  Snapshot,
  Token,
  TokenRequest,
} from "../control/schemas.ts";
export type { Har } from "../har/schema.ts";
export type { CoverageReport } from "../journal/coverage-report.ts";
export type { RequestEntry } from "../journal/entry.ts";
export type { RequestSummary } from "../journal/summary.ts";
export type { Timeline } from "../journal/timeline.ts";
export type { Verdict, Verification } from "../journal/verification.ts";
export type { Match } from "../matching/match.ts";
export type { Pact } from "../pact/schema.ts";
export type { ActiveScenario, AddedRule } from "../scenarios/active-rules.ts";
export type {
  AddedFunction,
  AddFunction,
  FunctionContext,
  FunctionOptions,
  FunctionRequest,
  FunctionResponse,
  OffContractFunction,
  OffContractResponse,
  OperationFunction,
} from "../scenarios/function.ts";
export type { Activation, Effects, Rule } from "../scenarios/scenario.ts";
export type { Settings } from "../settings/settings.ts";
export type { StateDocument } from "../state/document.ts";
export type { RecordDraft, ResourceRecord } from "../state/record.ts";
export type { ConnectOptions, Fetch } from "./connection.ts";
export type { ProblemResponse } from "./control-error.ts";
export type { EventOptions, EventStream, MockEvent } from "./events.ts";
export type { ProjectFilter, ResourceMockClient, ScenariosForAll } from "./mock-client.ts";
export type {
  Condition,
  PactOptions,
  ProjectClock,
  ProjectControl,
  ProjectImages,
  ProjectNamespaceAction,
  ProjectRequests,
  ProjectResources,
  ProjectRules,
  ProjectScenarios,
  ProjectSettings,
  ProjectSnapshots,
  ProjectState,
  ProjectTokens,
  ResourceFilter,
  SandboxControl,
  Side,
  TaggedResource,
  Times,
  WaitOptions,
} from "./project.ts";
export type {
  EntryOfAll,
  FilterOfAll,
  PageOptions,
  RequestFilter,
  RequestPage,
  RequestSearch,
  TimelineOptions,
} from "./requests.ts";
