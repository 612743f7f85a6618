/** The gate: the coverage of a run, merged from its mocks, with the least that it must reach. */
export { collectReport, collectShared, isCollected } from "./collect.ts";
export { type CoverageRun, createCoverageRun, type ReporterOptions } from "./coverage-run.ts";
export { mergedReport, readReport } from "./merge.ts";
export { filesIn, readReports, writeReports, writeStepSummary } from "./outputs.ts";
export { type CommandRequirements, type Requirements, readRequirements } from "./requirements.ts";
export { missedRequirements, missedText } from "./verdict.ts";
