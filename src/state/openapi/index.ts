import { type Contract, count, openApiDocument } from "../../contract/index.ts";
import type { FixtureSet } from "../index.ts";

/**
 * Returns the contract of the service as OpenAPI 3.1, with the fixtures as examples. `url` is the address of the mock.
 */
export async function contractDocument(
  contract: Contract,
  fixtures: FixtureSet,
  version: string,
  url: string,
): Promise<object> {
  const { assumptions } = await contract.loadAssumptions();
  return openApiDocument(contract.operations, {
    assumptions: ({ id }) => assumptions.filter(({ operations }) => operations?.includes(id)),
    info: { ...contract.info, version },
    url,
    servers: contract.info.servers,
    tags: contract.info.tags,
    schemas: contract.schemas,
    examples({ id }, status) {
      const names = [undefined, ...fixtures.examples(id, status)];
      return Object.fromEntries(
        names.flatMap((name) => {
          const fixture = fixtures.get(id, status, name);
          return fixture && fixture.text !== null ? [[name ?? "default", fixture.value]] : [];
        }),
      );
    },
    responseHeaders: {
      "X-RateLimit-Limit": {
        ...count,
        description: "The number of requests in a window. Responses have it only if the setting `rateLimit` is set.",
      },
      "X-RateLimit-Remaining": { ...count, description: "The number of requests that the window still allows." },
      "X-RateLimit-Reset": { ...count, description: "Seconds until the next window." },
    },
    securitySchemes: {
      bearer: {
        type: "http",
        scheme: "bearer",
        description:
          "An OAuth 2.0 token, from POST /oauth/token. Scopes are bound to the project key: " +
          "`manage_test:{projectKey}`.",
      },
    },
    security: ({ scopes }) =>
      scopes.length === 0 ? [{ bearer: [] }] : scopes.map((scope) => ({ bearer: [`${scope}:{projectKey}`] })),
  });
}
