import { distance as editDistance } from "fastest-levenshtein";
import type { Operation } from "./operation.ts";

/** Returns the three operations whose path, and then method, is nearest to those of the request. */
export function nearestOperations<Op extends Operation>(operations: readonly Op[], method: string, path: string): Op[] {
  // No path of the interface is nearly this long, so the rest does not help to find the nearest path.
  const segments = path.slice(0, 200).split("/").filter(Boolean);
  return operations
    .map((operation) => ({
      operation,
      distance: distance(segments, operation) + (operation.method === method ? 0 : 0.5),
    }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ operation }) => operation);
}

/** Returns the number of different segments. Similar segments count as a fraction. */
function distance(segments: readonly string[], { path }: Operation): number {
  const template = path.split("/").slice(1);
  let sum = Math.abs(segments.length - template.length);
  for (let index = 0; index < Math.min(segments.length, template.length); index++) {
    sum += segmentDistance(segments[index] ?? "", template[index] ?? "");
  }
  return sum;
}

/** Returns a number from 0 (equal) to 1 (completely different). */
function segmentDistance(segment: string, template: string): number {
  // A parameter matches any text, but a similar literal is more likely to be the intended one.
  if (template.startsWith("{")) return 0.5;
  const literal = template.replace(/\{.*\}/, "");
  return editDistance(segment, literal) / Math.max(segment.length, literal.length);
}
