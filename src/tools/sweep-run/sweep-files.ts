import type { Rule } from "../../rules/index.ts";

/** The environment variable with the folder of a run. `resource-mock sweep` sets it for the mocks and the tests of the run. */
export const SWEEP_VARIABLE = "RESOURCE_MOCK_SWEEP";

/**
 * The files of a run in its folder. All mocks of the run share them: the server of the sweep, and the mocks that processes
 * of the tests start. Files work between all of them without a network.
 */
export const sweepFiles = {
  /** The failure of the run as JSON: a `PlannedFailure`, or null. */
  failure: "failure.json",
  /** Exists as soon as a request has got the failure. */
  applied: "applied",
  /** A line of JSON for each operation that a project has called: [operation, project]. The project can be null. */
  calls: "calls",
  /** A line of JSON for each write: [project, hash of the request, whether the request got the failure]. */
  writes: "writes",
  /** A line of JSON for each project of a test: [project, test file]. */
  tests: "tests",
} as const;

/** The failure of a run: the first request that the rule matches gets it. */
export interface PlannedFailure {
  readonly name: string;
  readonly rule: Rule;
}
