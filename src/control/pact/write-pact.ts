import { type Contract, MAX_INTERACTIONS, MAX_PACT_TEXT } from "../../contract/index.ts";
import type { Exchange } from "../../journal/index.ts";
import type { Effort, ScenarioSet } from "../../rules/index.ts";
import { interactionOf } from "./interaction.ts";
import { fileOf } from "./merged-pact.ts";
import type { Interaction, Pact, PactOptions } from "./pact-schema.ts";

export interface PactSource {
  /** In the order of arrival. */
  readonly exchanges: Iterable<Exchange>;
  readonly contract: Contract;
  /** The scenarios that a provider state can name. */
  readonly scenarios: ScenarioSet;
  readonly effort: Effort;
  /** The version of resource-mock. */
  readonly version: string;
}

/**
 * Returns the pact (specification 4) of these exchanges: one interaction for each operation, status and shape of the
 * bodies, without secrets. `metadata` lists the exchanges that no pact can contain. The same exchanges create the same pact,
 * in any order.
 */
export async function pactOf(
  { exchanges, contract, scenarios, effort, version }: PactSource,
  options: PactOptions,
): Promise<Pact> {
  const interactions = new Map<string, Interaction>();
  const omitted = new Set<string>();
  let size = 0;
  for (const exchange of exchanges) {
    if (effort.isOver) await effort.next();
    const found = interactionOf(exchange, contract, scenarios, options.as);
    if ("omitted" in found) {
      omitted.add(found.omitted);
      continue;
    }
    const known = interactions.get(found.description);
    const text = JSON.stringify(found);
    const grown = known ? 0 : text.length;
    if (!known && (interactions.size >= MAX_INTERACTIONS || size + grown > MAX_PACT_TEXT)) {
      omitted.add(`${found.description}: the pact reached its limit`);
      continue;
    }
    size += grown;
    if (!known || text < JSON.stringify(known)) interactions.set(found.description, found);
  }
  return fileOf([...interactions.values()], [...omitted], options, version);
}
