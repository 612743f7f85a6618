import type { TestProject } from "vitest/node";
import { startFromEnvironment } from "../testing/in-process.ts";

/**
 * Starts one mock for all workers in the main process of Vitest, as a global setup. The variables of the command line
 * configure it (`RESOURCE_MOCK_SEED`, `RESOURCE_MOCK_FIXTURES`, …).
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, close } = await startFromEnvironment(process.env);
  project.provide("resourceMock", { url, adminToken: process.env.RESOURCE_MOCK_ADMIN_TOKEN });
  return close;
}
