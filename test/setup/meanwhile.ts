import { vi } from "vitest";
import { TimeSlice } from "../../src/schedule/time-slice.ts";
import type { MockUnderTest } from "./mock.ts";

/**
 * Sends a request and a health check at the same time. Returns the response, and the number of pauses in which the server
 * could handle other requests. The number is 0 if the request blocked the event loop, on a machine of any speed.
 */
export async function pausesDuring(
  mock: MockUnderTest,
  send: () => Promise<Response>,
): Promise<{ response: Response; pauses: number }> {
  const next = vi.spyOn(TimeSlice.prototype, "next");
  try {
    const [response, health] = await Promise.all([send(), mock.fetch("/__admin/health")]);
    await health.arrayBuffer();
    return { response, pauses: next.mock.calls.length };
  } finally {
    next.mockRestore();
  }
}
