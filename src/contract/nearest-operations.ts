import { distance as editDistance } from "fastest-levenshtein";
import type { Operation } from "./operation-table.ts";
import { cut } from "./text/shown.ts";

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

/** Returns a hint for the path of an operation with extra slashes, or an empty string for any other path. */
export function slashHint(operations: readonly Pick<Operation, "path">[], path: string): string {
  const expected = path.replace(/\/+/g, "/").replace(/\/$/, "");
  const segments = expected.split("/");
  const isOfOperation = operations.some((operation) => {
    const template = operation.path.split("/");
    const isMatch = template.every((each, index) => {
      const [literal = ""] = each.split("{", 1);
      return each === literal ? segments[index] === each : segments[index]?.startsWith(literal);
    });
    return isMatch && template.length === segments.length;
  });
  if (path === expected || !isOfOperation) return "";
  return ` The path has an extra slash or an empty segment; without it, the path is ${cut(expected, 100)}.`;
}

/**
 * Returns what changes the segments into the path: 1 for each missing or further segment, up to 2 for a different one.
 */
function distance(segments: readonly string[], { path }: Operation): number {
  const template = path.split("/").slice(1);
  let row = [0, ...template.map((_, index) => index + 1)];
  segments.forEach((segment, index) => {
    const next = [index + 1];
    for (const [column, expected] of template.entries()) {
      const replaced = (row[column] ?? 0) + 2 * segmentDistance(segment, expected);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  });
  return row.at(-1) ?? 0;
}

/** Returns a number from 0 (equal) to 1 (completely different). */
function segmentDistance(segment: string, template: string): number {
  // A parameter matches any text, but a similar literal is more likely to be the intended one.
  if (template.startsWith("{")) return 0.25;
  const literal = template.replace(/\{.*\}/, "");
  return editDistance(segment, literal) / Math.max(segment.length, literal.length);
}
