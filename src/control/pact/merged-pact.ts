import type { Interaction, Pact, PactOptions } from "./pact-schema.ts";

/** Returns the file of these interactions and omissions, in a fixed order. */
export function fileOf(
  interactions: readonly Interaction[],
  omitted: readonly string[],
  { consumer, provider }: Pick<PactOptions, "consumer" | "provider">,
  version: string,
): Pact {
  return {
    consumer: { name: consumer },
    provider: { name: provider },
    interactions: [...interactions].sort(inOrder),
    metadata: {
      pactSpecification: { version: "4.0" },
      "resource-mock": { version, omitted: [...omitted].sort() },
    },
  };
}

/**
 * Returns one pact with the interactions of both, each once. The order of the merges does not matter, and neither does
 * repeating them, so test workers can merge their pacts in any order.
 */
export function mergedPact(a: Pact, b: Pact): Pact {
  const interactions = new Map<string, Interaction>();
  for (const each of [...a.interactions, ...b.interactions]) {
    const known = interactions.get(each.description);
    if (!known || JSON.stringify(each) < JSON.stringify(known)) interactions.set(each.description, each);
  }
  const notes = [a, b].map(({ metadata }) => metadata["resource-mock"]);
  const omitted = new Set(notes.flatMap((note) => note.omitted));
  const options = { consumer: b.consumer.name, provider: b.provider.name };
  return fileOf([...interactions.values()], [...omitted], options, b.metadata["resource-mock"].version);
}

/** Orders interactions that need an empty project last, as their states remove the resources of others. */
function inOrder(a: Interaction, b: Interaction): number {
  return Number(needsEmptyProject(a)) - Number(needsEmptyProject(b)) || (a.description < b.description ? -1 : 1);
}

function needsEmptyProject({ providerStates = [] }: Interaction): boolean {
  return providerStates.some(
    ({ name, params = {} }) => name === "no resource exists" && params.id === undefined && params.key === undefined,
  );
}
