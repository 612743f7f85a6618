import type { TestProject } from "vitest/node";
import { startFromEnvironment } from "../testing/in-process.ts";

/**
 * A global setup for Vitest: one mock in Vitest's own process for all workers. It is shaped by the variables of the
 * command line (`RESOURCE_MOCK_SEED`, `RESOURCE_MOCK_FIXTURES`, …).
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, close } = await startFromEnvironment(process.env);
  project.provide("resourceMock", { url, adminToken: process.env.RESOURCE_MOCK_ADMIN_TOKEN });
  return close;
}
