import { type FromSchema, object, type Schema, string } from "../../contract/index.ts";

export const PactOptions = object(["consumer"], {
  consumer: { type: "string", description: "The name of the consumer. Required." },
  provider: {
    type: "string",
    description: "The name of the provider; by default the title of the contract in lower case, with hyphens.",
  },
  as: {
    type: "string",
    description: "The project key in paths and provider states; that of the requests by default.",
  },
});
export type PactOptions = FromSchema<typeof PactOptions>;

const values = { type: "object", additionalProperties: { type: "array", items: string } } as const satisfies Schema;
const rulesByPart = {
  type: "object",
  description: "Matchers by part: path, query, header, body.",
} as const satisfies Schema;
const body = object(["content", "contentType", "encoded"], {
  content: { description: "JSON, or the text of a body in base64." },
  contentType: string,
  encoded: { anyOf: [{ type: "boolean" }, { const: "base64" }] },
});

const participant = object(["name"], { name: string });

/** A pact file of the specification 4 (https://github.com/pact-foundation/pact-specification/tree/version-4). */
export const Pact = object(["consumer", "provider", "interactions", "metadata"], {
  consumer: participant,
  provider: participant,
  interactions: {
    type: "array",
    items: object(["type", "key", "description", "request", "response"], {
      type: { const: "Synchronous/HTTP" },
      key: string,
      description: string,
      pending: { type: "boolean" },
      providerStates: {
        type: "array",
        items: object(["name"], { name: string, params: { type: "object" } }),
      },
      request: object(["method", "path"], {
        method: string,
        path: string,
        query: values,
        headers: values,
        body,
        matchingRules: rulesByPart,
        generators: { type: "object" },
      }),
      response: object(["status"], {
        status: { type: "integer" },
        headers: values,
        body,
        matchingRules: rulesByPart,
      }),
    }),
  },
  metadata: object(["pactSpecification", "resource-mock"], {
    pactSpecification: object(["version"], { version: { const: "4.0" } }),
    "resource-mock": object(["version", "omitted"], {
      version: string,
      omitted: {
        type: "array",
        items: string,
        description: "The kinds of exchanges that no pact can contain, with the reasons.",
      },
    }),
  }),
});
export type Pact = FromSchema<typeof Pact>;
export type Interaction = Pact["interactions"][number];

/** Returns the file of these interactions and omissions, in a fixed order. */
export function fileOf(
  interactions: Iterable<Interaction>,
  omitted: Iterable<string>,
  { consumer, provider }: Required<Omit<PactOptions, "as">>,
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
  return fileOf(interactions.values(), omitted, options, b.metadata["resource-mock"].version);
}

/** Orders interactions that need an empty project last, as their states remove the resources of others. */
function inOrder(a: Interaction, b: Interaction): number {
  return Number(needsEmptyProject(a)) - Number(needsEmptyProject(b)) || (a.description < b.description ? -1 : 1);
}

function needsEmptyProject({ providerStates = [] }: Interaction): boolean {
  return providerStates.some(
    ({ name, params = {} }) =>
      name === "no resource exists" && !("id" in params || "key" in params || "resource" in params),
  );
}
