/** The part of a mock in a run of the sweep: the failure of one request, and notes of calls and writes. */
export { openSweepRun } from "./sweep-run.ts";
