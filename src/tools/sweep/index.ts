export { type FailureName, failureNamed, failureNames } from "./failures.ts";
export { reportFiles, writeWhole } from "./folder.ts";
export { render, summaryOf } from "./render.ts";
export { SweepReport } from "./report.ts";
export { sweep } from "./sweep.ts";
