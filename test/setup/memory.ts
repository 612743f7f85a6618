import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Returns the memory that the process uses after a garbage collection, in bytes. */
export async function heldBytes(): Promise<number> {
  // The second collection frees objects that were finalized after the first.
  collect();
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

export { effort, endurance } from "./runs.ts";
