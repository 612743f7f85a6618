/**
 * Where projects are kept, and their form outside of the memory: the lines of an archive (`archive`), a folder (`files`) and
 * a shared store (`share`), which load on demand.
 *
 * - *line*: a named part of a project as JSON, the same in archives, files and the store
 * - *revision*: the number of a stored change; a step is stored only on the revision that it knows
 */

export {
  ARCHIVE_TYPE,
  type Archive,
  archivePieces,
  isArchive,
  linePieces,
  readArchive,
  refuseStateDocument,
  restoreArchive,
} from "./archive/archive.ts";
export { type BuildContext, ProjectBuilder } from "./archive/builder.ts";
export { lineProblem } from "./archive/check.ts";
export { type Line, type LineOptions, linesOf, type SavedCore, withScenariosOfAll } from "./archive/lines.ts";
export { ARCHIVE_FORMAT, ArchiveLine } from "./archive/schema.ts";
