import type { TestProject } from "vitest/node";
import { sharedMock } from "../testing/open-mock.ts";

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
