/** The sweep: runs a command once for each transient failure, and reports which failures it survives. */
export { sweep } from "./sweep.ts";
export { reportFiles, writeWhole } from "./sweep-folder.ts";
export { SweepReport } from "./sweep-report.ts";
export { render, summaryOf } from "./sweep-texts.ts";
export { type FailureName, failureNamed, failureNames } from "./transient-failures.ts";
