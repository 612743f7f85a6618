/** The gate: the coverage of a run, merged from its mocks, with the least that it must reach. */
export { type CoverageRun, createCoverageRun, type ReporterOptions } from "./coverage-run.ts";
export * from "./reports.ts";
export {
  type CommandRequirements,
  missedRequirements,
  missedText,
  type Requirements,
  readRequirements,
} from "./requirements.ts";
