export { openSweepRun } from "./run.ts";
