import {
  arrayPieces,
  type Contract,
  MAX_INTERACTIONS,
  MAX_NAME,
  MAX_PACT_TEXT,
  objectPieces,
  shown,
  valuePieces,
} from "../contract/index.ts";
import type { Exchange } from "../journal/index.ts";
import { projectKeyProblem } from "../project/index.ts";
import type { Effort, ScenarioSet } from "../rules/index.ts";
import { invalid } from "./control-response.ts";
import { inProject, json } from "./define-operation.ts";
import { effortOf } from "./journal-search.ts";
import { interactionOf } from "./pact/interaction.ts";
import { DEFAULT_PROVIDER, fileOf, type Interaction, Pact, type PactOptions } from "./pact/pact-file.ts";

export const operations = {
  getPact: inProject("GET", "/pact", {
    summary: "Return a pact of the requests in the journal",
    description:
      "A file of the Pact specification 4 for the verification of the real service: one interaction for each operation, status and shape of the bodies. Matching rules come from the types of the contract. The provider states are those of `POST /__admin/provider-states`. Credentials are placeholders. `metadata` lists the kinds of exchanges that a pact cannot contain.",
    query: {
      consumer: { type: "string", description: "The name of the consumer. Required." },
      provider: { type: "string", description: `The name of the provider; ${DEFAULT_PROVIDER} by default.` },
      as: {
        type: "string",
        description: "The project key in paths and provider states; that of the requests by default.",
      },
    },
    responses: { 200: json("The pact.", Pact) },
    async handle(call) {
      const { control, engine, project, query } = call;
      const consumer = participant("consumer", query.consumer);
      const provider = participant("provider", query.provider ?? DEFAULT_PROVIDER);
      const problem = query.as === undefined ? undefined : projectKeyProblem(query.as, true);
      if (problem) throw invalid("as", problem.message);
      const { contract, scenarios } = engine;
      const exchanges = project.exchanges();
      const source = { exchanges, contract, scenarios, effort: effortOf(call), version: control.version };
      const pact = await pactOf(source, { consumer, provider, as: query.as });
      const { interactions, ...rest } = pact;
      return {
        status: 200,
        pieces: objectPieces({
          consumer: valuePieces(rest.consumer),
          provider: valuePieces(rest.provider),
          interactions: arrayPieces(interactions),
          metadata: valuePieces(rest.metadata),
        }),
      };
    },
  }),
};

/** Returns the name of a consumer or provider. Throws InvalidField. */
function participant(name: string, value: string | undefined): string {
  if (value !== undefined && value.trim() !== "" && value.length <= MAX_NAME) return value;
  throw invalid(name, `expected a name of 1 to ${MAX_NAME} characters, found ${shown(value)}`);
}

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
