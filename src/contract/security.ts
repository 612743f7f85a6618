import type { Contract } from "./contract.ts";
import type { Operation } from "./operation-table.ts";
import type { SentParameters } from "./wire/read-parameters.ts";
import { pairsOf } from "./wire/sent-fields.ts";

/** Where requests have the credentials of a security scheme (OpenAPI 3.1, 4.8.27). */
export interface SecurityScheme {
  readonly in: "header" | "query" | "cookie";
  /** The name of the header in lower case, or the name of the query parameter or cookie. */
  readonly name: string;
  /** The authentication scheme in lower case (RFC 9110, 11.1): `bearer`. Without it, the whole value is the credentials. */
  readonly scheme?: string;
}

/** Credentials that an operation requires. Scopes can name parameters of the path: `manage_test:{projectKey}`. */
interface Requirement {
  readonly scheme: SecurityScheme;
  readonly scopes: readonly string[];
}

/** The alternatives of an operation (OpenAPI 3.1, 4.8.30): a request needs all credentials of one of them. */
export type Security = readonly (readonly Requirement[])[];

/** The header `Authorization: Bearer …` (RFC 6750, 2.1). */
export const bearerScheme: SecurityScheme = { in: "header", name: "authorization", scheme: "bearer" };

/** Returns the scopes that one of the alternatives of an operation requires, each once. */
export function scopesOf({ security = [] }: Pick<Operation, "security">): string[] {
  return [...new Set(security.flat().flatMap(({ scopes }) => scopes))];
}

/** Returns the names of all scopes of a contract, without the project that they are bound to. */
export function scopeNames({ scopes, scopesNameProjects }: Pick<Contract, "scopes" | "scopesNameProjects">): string[] {
  return scopesNameProjects ? [...new Set(scopes.map((scope) => scope.split(":", 1)[0] ?? ""))] : [...scopes];
}

/** Returns the credentials of a scheme in a request; undefined if it has none, or those of another scheme. */
export function sentCredentials(scheme: SecurityScheme, { headers, query }: Omit<SentParameters, "path">) {
  const { in: location, name } = scheme;
  if (location === "query") return new URLSearchParams(query).get(name) || undefined;
  const key = location === "cookie" ? "cookie" : name;
  const [value = ""] = Object.hasOwn(headers, key) ? [headers[key]].flat() : [];
  if (location === "cookie") return new Map(pairsOf(value, ";", (text) => text.trim())).get(name) || undefined;
  if (scheme.scheme === undefined) return value || undefined;
  const [, sentScheme = "", credentials] = /^(\S+) +(\S.*)$/.exec(value) ?? [];
  return sentScheme.toLowerCase() === scheme.scheme ? credentials : undefined;
}
