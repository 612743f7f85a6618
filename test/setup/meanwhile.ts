import { vi } from "vitest";
import { TimeSlice } from "../../src/contract/schedule.ts";
import type { MockUnderTest } from "./mock.ts";

/** The number of looks at the clock after which a slice of work is over. */
const LOOKS = 10;

/**
 * Sends a request and a health check at the same time. Returns the response, and the number of pauses in which the server
 * could handle other requests. For the server, each look at the clock takes a millisecond, so that the number depends only
 * on the work, and not on the speed of the machine. It is 0 if the request blocked the event loop.
 */
export async function pausesDuring(
  mock: MockUnderTest,
  send: () => Promise<Response>,
): Promise<{ response: Response; pauses: number }> {
  const looks = new WeakMap<TimeSlice, number>();
  const { next } = TimeSlice.prototype;
  let pauses = 0;
  const isOver = vi.spyOn(TimeSlice.prototype, "isOver", "get");
  const pause = vi.spyOn(TimeSlice.prototype, "next");
  isOver.mockImplementation(function (this: TimeSlice) {
    const count = (looks.get(this) ?? 0) + 1;
    looks.set(this, count);
    return count >= LOOKS;
  });
  pause.mockImplementation(function (this: TimeSlice) {
    pauses++;
    looks.delete(this);
    return next.call(this);
  });
  try {
    const [response, health] = await Promise.all([send(), mock.fetch("/__admin/health")]);
    await health.arrayBuffer();
    return { response, pauses };
  } finally {
    isOver.mockRestore();
    pause.mockRestore();
  }
}
