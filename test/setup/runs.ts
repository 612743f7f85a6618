import type { Parameters } from "fast-check";

/** The factor by which endurance tests run longer. `npm run soak` sets it. */
export const effort = Number(process.env.MOCK_TEST_EFFORT ?? 1);

/** The timeout of endurance tests on a busy machine, in milliseconds. */
export const endurance = { timeout: 60_000 * effort };

/** The seed of a run to repeat. A failed property reports its seed, and `MOCK_TEST_REPLAY=<seed>` repeats the run. */
const replayed = process.env.MOCK_TEST_REPLAY;

const isSoak = effort > 1;

/** The seed of random tests. It is fixed, so that each run is the same. A soak test has a random one. */
export const seed = replayed !== undefined ? Number(replayed) : isSoak ? Math.floor(Math.random() * 2 ** 31) : 1;

/** Returns the options of a property: `count` runs, or in a soak test, `soakCount` runs multiplied by its effort. */
export function runs(count: number, soakCount = count): Parameters<unknown> {
  return { numRuns: isSoak ? soakCount * effort : count, seed };
}
