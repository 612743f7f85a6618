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
export { compileSort, page, type ResourcePage, type SelectOptions, selectItems } from "./query/selection.ts";
export { adopt } from "./represent/adopt.ts";
export { merged, mergePatch, replaced } from "./represent/change.ts";
export { complete, corrected, mended, represented, textWith } from "./represent/complete.ts";
export { documentedItem, documentedValue } from "./represent/documented-value.ts";
export { idParts, joinedId, partSchema, splitId, withAlternates } from "./represent/item-id.ts";
export { isIdName, withoutKnown, withTimeOfChange } from "./represent/known-members.ts";
export { type Making, makeItem } from "./represent/make-item.ts";
export { formOf, isScalar, plainName, schemaAt, typedText, withPart } from "./represent/parts.ts";
export {
  aroundDrafts,
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
  SANDBOX_HEADERS,
  SANDBOX_NAME,
  type SelectedSandbox,
  sandboxKey,
  sandboxOf,
  selectedSandbox,
} from "./sandbox.ts";
export { draftedItem, isByCollection, readSeed, type SeededCollection } from "./seed.ts";
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
