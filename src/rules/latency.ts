import { MAX_DELAY_MS } from "../contract/index.ts";
import type { Latency } from "../state/index.ts";

/** Returns a random delay for one response, in whole milliseconds. */
export function sampleLatency(latency: NonNullable<Latency>, random: () => number): number {
  return Math.round(Math.min(sample(latency, random), MAX_DELAY_MS));
}

function sample(latency: NonNullable<Latency>, random: () => number): number {
  if ("fixed" in latency) return latency.fixed;
  if ("uniform" in latency) {
    const [from = 0, to = from] = latency.uniform;
    return from + random() * (to - from);
  }
  const { median, sigma } = latency.lognormal;
  return median * Math.exp(sigma * standardNormal(random));
}

/** Returns a sample of the standard normal distribution (Box–Muller transform). `1 -` avoids the logarithm of zero. */
function standardNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
