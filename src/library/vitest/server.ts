import type { TestProject } from "vitest/node";
import { startFromEnvironment } from "../testing/in-process.ts";
import { provideMock } from "./provided.ts";

/**
 * Starts one mock for all workers in the main process of Vitest, as a global setup. The variables of the command line
 * configure it (`RESOURCE_MOCK_SEED`, `RESOURCE_MOCK_FIXTURES`, …). If `RESOURCE_MOCK_URL` is set, uses the mock at
 * this address instead.
 */
export default function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  return provideMock(project, () => startFromEnvironment(process.env));
}
