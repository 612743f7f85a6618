import type { Parameters } from "fast-check";
import { effort } from "./memory.ts";

/** The seed that a failed property has named: `RESOURCE_MOCK_REPLAY=<seed>` makes the same run again. */
const replayed = process.env.RESOURCE_MOCK_REPLAY;

/** How a property is to be run: this often, and in a soak longer; always the same way where a run is replayed. */
export function runs(count: number): Parameters<unknown> {
  return { numRuns: count * effort, ...(replayed !== undefined && { seed: Number(replayed) }) };
}
