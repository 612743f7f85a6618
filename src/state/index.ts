/**
 * The resources, images and settings of a project, queries over them, and what they start with: fixture files and
 * generated data. `generate` and `openapi` load on demand.
 *
 * - *record*: a resource with its version and times
 * - *draft*: the state during a step; it notes each write once
 */

export { StateDraft } from "./draft.ts";
export { evolve } from "./evolve-value.ts";
export { type FileFindings, type FileProblem, FilesError, firstProblem, problemLine } from "./fixtures/files-error.ts";
export {
  type Fixture,
  type FixtureSet,
  isRecorded,
  loadFixtures,
  noBody,
  pathOf,
  recordedName,
} from "./fixtures/fixtures.ts";
export { builtFiles, type Layer, LayerFiles } from "./fixtures/layer-files.ts";
export { compileWhere, variablesOf } from "./query/predicate.ts";
export { compileSort, page, type ResourcePage, selectRecords } from "./query/selection.ts";
export {
  extraFields,
  forgetText,
  nextVersion,
  RecordDraft,
  type ResourceRecord,
  recordOf,
  resourceText,
  textLength,
} from "./resource-record.ts";
export {
  NAME_RULE,
  percentDecoded,
  SANDBOX_HEADERS,
  SANDBOX_NAME,
  type SelectedSandbox,
  sandboxKey,
  sandboxOf,
  selectedSandbox,
} from "./sandbox.ts";
export {
  defaultSettings,
  Latency,
  type RateLimit,
  requestSettings,
  type Settings,
  SettingsSchema,
  settingNames,
} from "./settings-schema.ts";
export { StateBudget } from "./state-budget.ts";
export { duplicates, ImageDocument, StateDocument, stateOf, statePieces } from "./state-document.ts";
export {
  differences,
  emptyState,
  factsOf,
  imageById,
  type NamespaceAction,
  type Placed,
  resourceById,
  resourceByKey,
  type State,
  type StateChange,
  type StateFacts,
  type StoredImage,
  type TableValues,
  valueIn,
} from "./state-value.ts";
