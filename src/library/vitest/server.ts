import type { TestProject } from "vitest/node";
import { sharedMock } from "../open-mock.ts";

/**
 * Starts one mock for all workers in the main process of Vitest, as a global setup. The variables of the command line
 * configure it (`RESOURCE_MOCK_SEED`, `RESOURCE_MOCK_FIXTURES`, …). If `RESOURCE_MOCK_URL` is set, uses the mock at
 * this address instead.
 */
export default function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  return provideMock(project, async () => {
    const { startFromEnvironment } = await import("../in-process.ts");
    return await startFromEnvironment(process.env);
  });
}

/**
 * Provides one mock to all workers: the mock at `RESOURCE_MOCK_URL`, or else one that `start` returns.
 *
 * @returns a function that stops the started mock
 */
export async function provideMock(
  project: TestProject,
  start: () => Promise<{ readonly url: string; close(): Promise<unknown> }>,
): Promise<(() => Promise<void>) | undefined> {
  const running = sharedMock();
  if (running) {
    project.provide("resourceMock", running);
    return undefined;
  }
  const { url, close } = await start();
  project.provide("resourceMock", { url, adminToken: process.env.RESOURCE_MOCK_ADMIN_TOKEN });
  return async () => void (await close());
}
