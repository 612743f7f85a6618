import { editDistance } from "./errors.ts";
import { type ServiceOperation, serviceOperations } from "./operations.ts";

/** The three operations whose path (and then method) is the fewest edits away from what was asked for. */
export function nearestOperations(method: string, path: string): ServiceOperation[] {
  // Longer than any path of the interface by far: then which one was meant cannot be told from it.
  const asked = path.slice(0, 200).split("/").slice(1);
  return serviceOperations
    .map((operation) => ({ operation, distance: distance(asked, operation) + (operation.method === method ? 0 : 0.5) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ operation }) => operation);
}

function distance(asked: readonly string[], operation: ServiceOperation): number {
  const template = operation.path.split("/").slice(1);
  let sum = 0;
  for (let index = 0; index < Math.max(asked.length, template.length); index++) {
    const [found = "", expected = ""] = [asked[index], template[index]];
    // A parameter takes any text, though a literal that is nearly hit is the better guess.
    sum += expected.startsWith("{") && found !== "" ? 1 : editDistance(found, expected.replace(/\{.*\}/, ""));
  }
  return sum;
}
