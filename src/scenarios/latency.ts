import type { Latency } from "../settings/settings.ts";

/** No answer is held back longer, whatever a distribution yields; milliseconds. */
const MAX_LATENCY = 600_000;

/** How long to hold one answer back, in whole milliseconds, by the project's chance. */
export function sampleLatency(latency: NonNullable<Latency>, random: () => number): number {
  return Math.round(Math.min(sample(latency, random), MAX_LATENCY));
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

/** Box and Muller's transform. `1 -` keeps the logarithm away from zero. */
function standardNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
