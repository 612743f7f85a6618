export { coverageMarkdown, coverageText, failureMatrix } from "./coverage-text.ts";
export { type JunitCase, junitXml } from "./junit.ts";
export { appendStepSummary } from "./step-summary.ts";
export { type Column, markdownTable, markdownText, textTable } from "./text-table.ts";
