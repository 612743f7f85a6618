export {
  ARCHIVE_TYPE,
  type Archive,
  archivePieces,
  isArchive,
  linePieces,
  readArchive,
  restoreArchive,
} from "./archive/archive.ts";
export { type BuildContext, ProjectBuilder } from "./archive/builder.ts";
export { lineProblem } from "./archive/check.ts";
export { type Line, type LineOptions, linesOf, type SavedCore, withScenariosOfAll } from "./archive/lines.ts";
export { ARCHIVE_FORMAT, ArchiveLine } from "./archive/schema.ts";
