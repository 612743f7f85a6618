import { type Contract, count, isObject, type Operation, openApiDocument } from "../../contract/index.ts";
import type { FixtureSet } from "../index.ts";

/**
 * Returns the contract of the service as OpenAPI 3.1: the document that it comes from, or one with the fixtures as examples.
 * `url` is the address of the mock.
 */
export async function contractDocument(
  contract: Contract,
  fixtures: FixtureSet,
  version: string,
  url: string,
): Promise<object> {
  const { document } = contract;
  if (document) return { ...document, servers: [{ url }, ...("servers" in document ? [document.servers].flat() : [])] };
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
    security: ({ security = [] }) => security.map((all) => ({ bearer: all.flatMap(({ scopes }) => scopes) })),
  });
}

/** Returns the part of a document that describes one operation: its path, and the components that it refers to. */
export function documentOf({ path, method }: Operation, document: object): object {
  const { openapi, info, servers, paths, components } = document as Record<string, Record<string, object>>;
  const found = (paths?.[path] ?? {}) as Record<string, object>;
  const name = method.toLowerCase();
  const { parameters, [name]: operation } = found;
  const item = operation ? { ...(parameters && { parameters }), [name]: operation } : found;
  const used: Record<string, Record<string, object>> = {};
  addComponents(item, components ?? {}, used);
  return { openapi, info, servers, paths: { [path]: item }, components: used };
}

/** Adds the components that a part of a document refers to, and those that these refer to. */
function addComponents(
  part: unknown,
  components: Record<string, object>,
  used: Record<string, Record<string, object>>,
): void {
  const parts = [part];
  for (const each of parts) {
    if (typeof each !== "object" || each === null) continue;
    for (const below of Object.values(each)) parts.push(below);
    if (!isObject(each)) continue;
    const [, kind = "", name = ""] = /^#\/components\/([^/]+)\/([^/]+)/.exec(String(each.$ref)) ?? [];
    const component = (components[kind] as Record<string, object> | undefined)?.[name];
    if (!component || used[kind]?.[name]) continue;
    used[kind] = { ...used[kind], [name]: component };
    parts.push(component);
  }
}
