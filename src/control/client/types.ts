import type { FormOf } from "../../contract/index.ts";

/** Public types of the client. Every public entry with a client exports them. */

export type {
  CoverageReport,
  FailedVerification,
  Har,
  RequestEntry,
  RequestSummary,
  Timeline,
  Verdict,
  Verification,
} from "../../journal/index.ts";
export type {
  Activation,
  ActiveScenario,
  AddedFunction,
  AddedRule,
  AddFunction,
  Effects,
  FunctionContext,
  FunctionOptions,
  FunctionRequest,
  FunctionResponse,
  Match,
  OffContractFunction,
  OffContractResponse,
  OperationFunction,
  Rule,
} from "../../rules/index.ts";
export type { RecordDraft, ResourceRecord, Settings } from "../../state/index.ts";
export type {
  Clock,
  ContractSecurity,
  DefinedScenario,
  Generate,
  Health,
  KnownScenario,
  ListedToken,
  MatchedRequests,
  ProjectSummary,
  ResourceVersion,
  Snapshot,
  StoredType,
  Token,
  TokenRequest,
} from "../control-schemas.ts";
/** The state of a project as one JSON value. */
export type StateDocument = FormOf<"State">;
/** An uploaded image, without its bytes. */
export type Image = FormOf<"Image">;
/** An image to add. */
export type ImageDraft = FormOf<"ImageDraft">;
export type { Pact, PactOptions } from "../pact/pact-file.ts";
export type { PageOptions, ProjectFilter, ResourceFilter, TimelineOptions } from "../request-selection.ts";
export type { Rewound } from "../state-operations.ts";
export type { ConnectOptions, EventOptions, EventStream, Fetch, MockEvent, ProblemResponse } from "./connection.ts";
export type { ResourceMockClient } from "./mock-client.ts";
export type {
  Condition,
  OfType,
  ProjectControl,
  ProjectRequests,
  SandboxControl,
  Side,
  Times,
  WaitOptions,
} from "./project-control.ts";
export type {
  EntryOfAll,
  FilterOfAll,
  RequestFilter,
  RequestPage,
  RequestSearch,
} from "./request-search.ts";
