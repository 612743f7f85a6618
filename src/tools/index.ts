/**
 * What works on a mock or a service from outside. Each folder is an entry, loaded by its command only: `compare` (does the
 * real service behave as the mock?), `sweep` (which tests survive each failure?), `gate` (did a run meet its
 * requirements?), `mcp` (a mock for agents). `sweep-run` is the part of a sweep inside of the mocks of its runs.
 */

export { type PlannedFailure, SWEEP_VARIABLE, sweepFiles } from "./sweep-run/sweep-files.ts";
