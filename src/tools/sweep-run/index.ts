export { openSweepRun } from "./sweep-run.ts";
