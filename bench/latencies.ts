/**
 * The number of measured latencies by their size. The sizes grow by 2 %, from 1 µs to more than the longest wait for a
 * response, so that the memory does not grow with the number of latencies.
 */
export type Latencies = Uint32Array;

const LEAST_MS = 0.001;
const GROWTH = Math.log(1.02);
const SIZES = 1000;

export function noLatencies(): Latencies {
  return new Uint32Array(SIZES);
}

export function addLatency(latencies: Latencies, ms: number): void {
  const size = Math.round(Math.log(ms / LEAST_MS) / GROWTH);
  const index = Math.min(Math.max(size, 0), SIZES - 1);
  latencies[index] = (latencies[index] ?? 0) + 1;
}

/** Adds the latencies of another round. */
export function addLatencies(latencies: Latencies, others: Latencies): void {
  for (const [index, count] of others.entries()) latencies[index] = (latencies[index] ?? 0) + count;
}

/** Returns the quantile of the latencies in milliseconds. `share` is from 0 to 1. */
export function latencyAt(latencies: Latencies, share: number): number {
  let left = share * latencies.reduce((sum, count) => sum + count, 0);
  const size = latencies.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return LEAST_MS * Math.exp(size * GROWTH);
}
