import {
  type Contract,
  count,
  isObject,
  type Operation,
  openApiDocument,
  percentDecoded,
  segmentsOf,
} from "../../contract/index.ts";
import type { FixtureSet } from "../index.ts";

/**
 * Returns the contract of the service as OpenAPI 3.1: the document that it comes from, or one with the fixtures as examples.
 * `url` is the address of the mock.
 */
export async function contractDocument(contract: Contract, fixtures: FixtureSet, version: string, url: string) {
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
export function documentOf({ id, path, method }: Operation, document: object): object {
  const { openapi, info, servers, paths, components = {}, security } = document as Record<string, Components>;
  const found = (paths?.[path] ?? {}) as Record<string, object>;
  const name = method.toLowerCase();
  const { parameters, [name]: operation } = found;
  const item = operation ? { ...(parameters && { parameters }), [name]: { ...operation, operationId: id } } : found;
  const used: Components = {};
  const { security: required = security } = (operation ?? {}) as { readonly security?: object };
  for (const scheme of Object.values(required ?? {}).flatMap(Object.keys)) {
    addComponent("securitySchemes", scheme, components, used);
  }
  addComponents(item, components, used);
  return { openapi, info, servers, ...(security && { security }), paths: { [path]: item }, components: used };
}

type Components = Record<string, Record<string, object>>;

/** Adds the components that a part of a document refers to, and those that these refer to. */
function addComponents(root: unknown, components: Components, used: Components): void {
  const parts = [root];
  for (const part of parts) {
    if (typeof part !== "object" || part === null) continue;
    for (const below of Object.values(part)) parts.push(below);
    if (!isObject(part) || !String(part.$ref).startsWith("#/components/")) continue;
    const [, kind = "", name = ""] = segmentsOf(percentDecoded(String(part.$ref)));
    const component = used[kind]?.[name] ? undefined : addComponent(kind, name, components, used);
    if (component) parts.push(component);
  }
}

function addComponent(kind: string, name: string, components: Components, used: Components): object | undefined {
  const component = components[kind]?.[name];
  if (component) used[kind] = { ...used[kind], [name]: component };
  return component;
}
