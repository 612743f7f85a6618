import {
  arrayPieces,
  MAX_INTERACTIONS,
  MAX_NAME,
  MAX_PACT_TEXT,
  objectPieces,
  shown,
  valuePieces,
} from "../contract/index.ts";
import type { Engine } from "../engine/index.ts";
import type { Exchange } from "../journal/index.ts";
import { projectKeyProblem } from "../project/index.ts";
import type { Effort } from "../rules/index.ts";
import { invalid } from "./control-response.ts";
import { inProject, json } from "./define-operation.ts";
import { interactionOf } from "./pact/interaction.ts";
import { fileOf, type Interaction, Pact, PactOptions } from "./pact/pact-file.ts";
import { effortOf } from "./search.ts";

export const operations = {
  getPact: inProject("GET", "/pact", {
    summary: "Return a pact of the requests in the journal",
    description:
      "A file of the Pact specification 4 for the verification of the real service: one interaction for each operation, status and shape of the bodies. Matching rules come from the types of the contract. The provider states are those of `POST /__admin/provider-states`. Credentials are placeholders. `metadata` lists the kinds of exchanges that a pact cannot contain.",
    query: PactOptions.properties,
    responses: { 200: json("The pact.", Pact) },
    async handle(call) {
      const { control, project, query } = call;
      const { contract, scenarios } = call.engine;
      const { provider, as } = query;
      const consumer = participant("consumer", query.consumer);
      if (provider !== undefined) participant("provider", provider);
      const problem = as === undefined ? undefined : projectKeyProblem(as, true);
      if (problem) throw invalid("as", problem.message);
      const source = {
        contract,
        scenarios,
        exchanges: project.exchanges(),
        effort: effortOf(call),
        version: control.version,
      };
      const members = Object.entries(await pactOf(source, { consumer, provider, as }));
      const pieces = members.map(([name, value]) => [
        name,
        Array.isArray(value) ? arrayPieces(value) : valuePieces(value),
      ]);
      return { status: 200, pieces: objectPieces(Object.fromEntries(pieces)) };
    },
  }),
};

/** Returns the name of a consumer or provider. Throws InvalidField. */
function participant(parameter: string, name: string | undefined): string {
  if (name !== undefined && name.trim() !== "" && name.length <= MAX_NAME) return name;
  throw invalid(parameter, `expected a name of 1 to ${MAX_NAME} characters, found ${shown(name)}`);
}

interface PactSource extends Pick<Engine, "contract" | "scenarios"> {
  readonly exchanges: Iterable<Exchange>;
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
