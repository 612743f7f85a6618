/**
 * Where projects are kept, and their form outside of the memory: the lines of an archive (`archive`), a folder (`files`) and
 * a shared store (`share`), which load on demand.
 *
 * - *line*: a named part of a project as JSON, the same in archives, files and the store
 * - *revision*: the number of a stored change; a step is stored only on the revision that it knows
 */

export * from "./archive/archive.ts";
export { type BuildContext, buildProject } from "./archive/build-project.ts";
export { ArchiveLine, lineProblem, type SavedCore } from "./archive/line-schemas.ts";
export { type Line, type LineOptions, linesOf, withScenariosOfAll } from "./archive/lines.ts";
