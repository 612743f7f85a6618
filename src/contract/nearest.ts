import { distance as editDistance } from "fastest-levenshtein";
import type { Operation } from "./operation.ts";

/** The three operations of a table whose path (and then method) is nearest to what was asked for. */
export function nearestOperations<Op extends Operation>(operations: readonly Op[], method: string, path: string): Op[] {
  // Longer than any path of the interface by far: then which one was meant cannot be told from it.
  const asked = path.slice(0, 200).split("/").filter(Boolean);
  return operations
    .map((operation) => ({ operation, distance: distance(asked, operation) + (operation.method === method ? 0 : 0.5) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ operation }) => operation);
}

/** How many segments the paths differ by, those that are nearly alike counted in part. */
function distance(asked: readonly string[], { path }: Operation): number {
  const template = path.split("/").slice(1);
  let sum = Math.abs(asked.length - template.length);
  for (let index = 0; index < Math.min(asked.length, template.length); index++) {
    sum += segmentDistance(asked[index] ?? "", template[index] ?? "");
  }
  return sum;
}

/** From 0, alike, to 1. */
function segmentDistance(asked: string, template: string): number {
  // A parameter takes any text, though a literal that is nearly hit is the better guess.
  if (template.startsWith("{")) return 0.5;
  const literal = template.replace(/\{.*\}/, "");
  return editDistance(asked, literal) / Math.max(asked.length, literal.length);
}
