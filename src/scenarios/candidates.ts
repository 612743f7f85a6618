import type { ServiceOperation } from "../contract/contract.ts";
import type { Problem } from "../contract/validator.ts";
import { join } from "../text/json.ts";
import { didYouMean } from "../text/nearest.ts";

/** The operations that something can be meant for: each thing that is said takes out those that it cannot hold for. */
export interface Candidates {
  operations: readonly ServiceOperation[];
  readonly problems: Problem[];
}

/** Takes out the operations that cannot do something; when that leaves none, it is a problem. */
export function keepThose(
  candidates: Candidates,
  can: (operation: ServiceOperation) => boolean,
  problem: Problem,
): void {
  const able = candidates.operations.filter(can);
  // What was wrong before leaves nothing to hold this against.
  if (able.length === 0 && candidates.operations.length > 0) candidates.problems.push(problem);
  candidates.operations = able;
}

/** Takes out the operations whose path lacks one of these parameters. `pointer` is where they are named. */
export function keepThoseWithParameters(candidates: Candidates, names: readonly string[], pointer: string): void {
  for (const name of names) {
    const known = new Set(candidates.operations.flatMap(pathParameters));
    const hint = didYouMean(name, known) || ` Known: ${[...known].join(", ")}.`;
    keepThose(candidates, (operation) => pathParameters(operation).includes(name), {
      pointer: join(pointer, name),
      message: `is no path parameter here.${hint}`,
    });
  }
}

function pathParameters({ parameters }: ServiceOperation): string[] {
  return parameters.flatMap((parameter) => (parameter.in === "path" ? parameter.name : []));
}
