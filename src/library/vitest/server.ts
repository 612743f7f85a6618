import type { TestProject } from "vitest/node";
import { startFromEnvironment } from "../testing/in-process.ts";
import { sharedMock } from "../testing/open-mock.ts";

/**
 * Starts one mock for all workers in the main process of Vitest, as a global setup. The variables of the command line
 * configure it (`RESOURCE_MOCK_SEED`, `RESOURCE_MOCK_FIXTURES`, …). If `RESOURCE_MOCK_URL` is set, uses the mock at
 * this address instead.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const running = sharedMock();
  if (running) {
    project.provide("resourceMock", running);
    return undefined;
  }
  const { url, close } = await startFromEnvironment(process.env);
  project.provide("resourceMock", { url, adminToken: process.env.RESOURCE_MOCK_ADMIN_TOKEN });
  return close;
}
