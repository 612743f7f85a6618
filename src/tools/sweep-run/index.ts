export { type PlannedFailure, SWEEP_VARIABLE, sweepFiles } from "./files.ts";
export { openSweepRun } from "./run.ts";
