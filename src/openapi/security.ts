import { bearerScheme, type Security, type SecurityScheme, type TokenEndpoints } from "../contract/index.ts";
import { follow, type Node } from "./references.ts";

/** The members of a Security Scheme Object that are needed (OpenAPI 3.1, 4.8.27). */
interface WrittenScheme {
  readonly type?: string;
  readonly in?: SecurityScheme["in"];
  readonly name?: string;
  readonly scheme?: string;
  readonly flows?: Readonly<Record<string, { readonly [member: string]: unknown; readonly scopes?: object } | null>>;
}

function schemesIn(document: Node): [name: string, scheme: WrittenScheme][] {
  const { securitySchemes = {} } = (document.components ?? {}) as { securitySchemes?: Record<string, Node> };
  return Object.entries(securitySchemes).map(([name, node]) => [name, follow(document, node) as WrittenScheme]);
}

/** Returns where requests have the credentials of a scheme; undefined if the connection has them (`mutualTLS`). */
function credentialsOf({ type, in: location, name = "", scheme = "" }: WrittenScheme): SecurityScheme | undefined {
  if (type === "apiKey" && location) return { in: location, name: location === "header" ? name.toLowerCase() : name };
  const http = scheme.toLowerCase();
  if (type === "http" && http !== "bearer") return { ...bearerScheme, scheme: http };
  return ["http", "oauth2", "openIdConnect"].includes(type ?? "") ? bearerScheme : undefined;
}

/** Returns what reads the security of operations: their own requirements, or else those of the document. */
export function securityIn(document: Node): (operation: Node) => Security {
  const schemes = new Map(schemesIn(document).map(([name, scheme]) => [name, credentialsOf(scheme)]));
  return ({ security = document.security ?? [] }) =>
    (security as Readonly<Record<string, readonly string[]>>[]).map((alternative) =>
      Object.entries(alternative).flatMap(([name, scopes]) => {
        const scheme = schemes.get(name);
        return scheme ? [{ scheme, scopes: scheme === bearerScheme ? scopes : [] }] : [];
      }),
    );
}

/** The grant types of the OAuth flows with a token endpoint (RFC 6749). */
const grantTypes: Readonly<Record<string, readonly string[]>> = {
  authorizationCode: ["authorization_code", "refresh_token"],
  clientCredentials: ["client_credentials"],
  password: ["password", "refresh_token"],
};

/** Returns the token endpoints of a document, with their grant types and all scopes. */
export function tokenEndpointsOf(document: Node, basePaths: readonly string[]): TokenEndpoints & { scopes: string[] } {
  const flows = schemesIn(document).flatMap(([, { flows = {} }]) => Object.entries(flows));
  const urls = flows.flatMap(([, flow]) => [flow?.tokenUrl, flow?.refreshUrl]).filter((url) => typeof url === "string");
  const whole = urls.flatMap((url) => URL.parse(url, "http://localhost")?.pathname ?? []);
  // Requests can omit the base path.
  const below = basePaths.flatMap((base) =>
    whole.filter((path) => path.startsWith(`${base}/`)).map((path) => path.slice(base.length)),
  );
  return {
    paths: [...new Set([...whole, ...below])].filter((path) => path !== "/"),
    grantTypes: [...new Set(["client_credentials", ...flows.flatMap(([name]) => grantTypes[name] ?? [])])],
    scopes: flows.flatMap(([, flow]) => Object.keys(flow?.scopes ?? {})),
  };
}
