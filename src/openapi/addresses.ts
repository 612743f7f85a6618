import type { Addresses, Operation } from "../contract/index.ts";
import { eachOperation } from "./operations.ts";
import { type Node, textOf } from "./references.ts";

/** A Server Object (OpenAPI 3.1, 4.8.5). */
interface Server {
  readonly url: string;
  readonly variables?: Readonly<Record<string, { readonly default?: unknown }>>;
}

/** Returns how requests address the operations of a document: by its servers, and by the parameter that all paths begin with. */
export function addressesOf(document: Node, operations: readonly Operation[]): Addresses {
  const items = eachOperation(document).flatMap(({ item, operation }) => [item.servers, operation.servers]);
  const urls = [document.servers, ...items].flatMap((servers) => ((servers ?? []) as Server[]).map(urlOf));
  const basePaths = urls.map((url) => (URL.parse(url, "http://localhost")?.pathname ?? "/").replace(/\/+$/, ""));
  const servers = urls.filter((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ""));
  const project = projectOf(operations);
  return {
    basePaths: [...new Set(basePaths)].filter((path) => path !== ""),
    servers: [...new Set(servers)],
    isStrict: false,
    ...(project !== undefined && { project }),
  };
}

function urlOf({ url, variables = {} }: Server): string {
  return url.replace(/\{([^}]*)\}/g, (_all, name: string) => textOf(variables[name]?.default ?? name));
}

/** Returns the parameter that is the project: all paths begin with it, and it can be any text. */
function projectOf(operations: readonly Operation[]): string | undefined {
  const [name] = new Set(operations.map(({ path }) => /^\/\{([^{}]+)\}(\/|$)/.exec(path)?.[1]));
  if (name === undefined) return undefined;
  const isFree = operations.every(({ path, parameters }) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name);
    const { type = "string", enum: values, pattern, format } = parameter?.schema ?? {};
    return path.startsWith(`/{${name}}`) && type === "string" && !values && !pattern && !format;
  });
  return isFree ? name : undefined;
}
