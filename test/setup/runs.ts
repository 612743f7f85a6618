import type { Parameters } from "fast-check";
import { effort } from "./memory.ts";

/** The seed that a failed property reported: `MOCK_TEST_REPLAY=<seed>` repeats that run. */
const replayed = process.env.MOCK_TEST_REPLAY;

/** How a property is to be run: this often, and in a soak longer; always the same way where a run is replayed. */
export function runs(count: number): Parameters<unknown> {
  return { numRuns: count * effort, ...(replayed !== undefined && { seed: Number(replayed) }) };
}
