import { type FromSchema, object, type Schema, string } from "../../contract/index.ts";

/** The default name of the provider. */
export const DEFAULT_PROVIDER = "generic-resource-service";

export interface PactOptions {
  readonly consumer: string;
  readonly provider: string;
  /** The project key in the paths and provider states; by default that of each request. */
  readonly as?: string;
}

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
