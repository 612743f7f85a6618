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
  SEED,
} from "./fixtures/fixtures.ts";
export { builtFiles, type Layer, LayerFiles } from "./fixtures/layer-files.ts";
export * from "./item.ts";
export { compileWhere, variablesOf } from "./query/predicate.ts";
export { compileSort, type SelectOptions, selectItems } from "./query/selection.ts";
export { afterAction } from "./represent/actions.ts";
export { type Adopted, adopt } from "./represent/adopt.ts";
export { merged, mergePatch, replaced } from "./represent/change.ts";
export { complete, corrected, mended, represented, textWith } from "./represent/complete.ts";
export { documentedItem, documentedValue } from "./represent/documented-value.ts";
export { idParts, joinedId, partSchema, shownVersion, splitId, withAlternates } from "./represent/item-id.ts";
export { isIdName, withoutKnown, withTimeOfChange } from "./represent/known-members.ts";
export { type Making, makeItem } from "./represent/make-item.ts";
export { formOf, isScalar, plainName, schemaAt, typedText, withPart } from "./represent/parts.ts";
export * from "./resource-record.ts";
export * from "./sandbox.ts";
export { draftedItem, isByCollection, readSeed, type SeededCollection } from "./seed.ts";
export * from "./settings-schema.ts";
export { StateBudget } from "./state-budget.ts";
export * from "./state-document.ts";
export * from "./state-value.ts";
