/** The gate: the coverage of a run, merged from its mocks, with the least that it must reach. */
export { type CoverageRun, createCoverageRun, type ReporterOptions } from "./coverage-run.ts";
export { filesIn, mergedReport, readReport, readReports, writeReports, writeStepSummary } from "./reports.ts";
export { missedRequirements, missedText, type Requirements, readRequirements } from "./requirements.ts";
