/**
 * The resources, images and settings of a project, queries over them, and what they start with: fixture files and
 * generated data. `generate` and `openapi` load on demand.
 *
 * - *item*: what a collection keeps under an id, with its version and times
 * - *collection*: the items of one type
 * - *draft*: the state during a step; it notes each write once
 */

export { newIdIn, StateDraft } from "./draft.ts";
export { evolve } from "./evolve-value.ts";
export { type FileFindings, type FileProblem, FilesError, firstProblem, problemLine } from "./fixtures/files-error.ts";
export {
  type FixtureSet,
  isRecorded,
  loadFixtures,
  noBody,
  pathOf,
  recordedName,
} from "./fixtures/fixtures.ts";
export { builtFiles, type Layer, LayerFiles } from "./fixtures/layer-files.ts";
export {
  fileItem,
  forgetText,
  type Item,
  identity,
  itemText,
  nextVersion,
  type Placed,
  sizeOfItem,
  textLength,
} from "./item.ts";
export { compileWhere, variablesOf } from "./query/predicate.ts";
export { compileSort, page, selectItems } from "./query/selection.ts";
export {
  clientMembers,
  contentOf,
  draftOf,
  draftsOf,
  identitiesOf,
  itemOf,
  knownOf,
  placeOf,
  type RecordDraft,
  type ResourceRecord,
  StoredItem,
  shownItem,
  shownSchemaOf,
  updatedItem,
  withId,
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
export {
  draftProblems,
  duplicates,
  type ImportingProject,
  numbered,
  type StateForm,
  stateFormOf,
} from "./state-document.ts";
export {
  type Collection,
  type CollectionFacts,
  type CollectionName,
  changedCollections,
  collectionIn,
  collectionOf,
  differences,
  emptyCollection,
  emptyState,
  emptyTree,
  factsOf,
  type InitialItems,
  initialState,
  itemBy,
  itemById,
  placedIn,
  type State,
  type StateChange,
  type StateFacts,
  type TableValues,
  type Tree,
  typeIn,
  valueIn,
  visitDifferences,
} from "./state-value.ts";
