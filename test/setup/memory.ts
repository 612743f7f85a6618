import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** What the process's heap holds once everything that nobody holds any more is gone, in bytes. */
export async function heldBytes(): Promise<number> {
  // Twice, a turn of the event loop apart: what the first run finalises, the second one frees.
  collect();
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

/** How much longer tests of endurance run: `npm run soak` sets it, by hand. */
export const effort = Number(process.env.MOCK_TEST_EFFORT ?? 1);

/** What a test of endurance may take on a machine that is busy with others, in milliseconds. */
export const endurance = { timeout: 60_000 * effort };
