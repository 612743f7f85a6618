import type { Parameters } from "fast-check";
import { effort } from "./memory.ts";

/** The seed of a run to repeat. A failed property reports its seed, and `MOCK_TEST_REPLAY=<seed>` repeats the run. */
const replayed = process.env.MOCK_TEST_REPLAY;

/** Returns the options of a property: `count` runs, multiplied in a soak test, with the seed of a run to repeat. */
export function runs(count: number): Parameters<unknown> {
  return { numRuns: count * effort, ...(replayed !== undefined && { seed: Number(replayed) }) };
}
