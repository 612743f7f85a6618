import type { Operation } from "../contract/operation.ts";
import { ServiceError } from "../contract/service-error.ts";
import type { Settings } from "../settings/settings.ts";
import { type IssuedToken, isExpired, projectOfScope, type TokenRegistry } from "./tokens.ts";

/** What was found out about the caller, for the journal and for `createdBy`. */
export interface Authorization {
  readonly clientId?: string;
  readonly decision: string;
}

/** What of a request decides whether it is let in. */
export interface AuthorizedRequest {
  /** The value of `Authorization`. */
  readonly header: string | undefined;
  readonly operation: Operation;
  readonly projectKey: string;
  /** The project's clock, in milliseconds. */
  readonly clock: { now(): number };
  /** The server's clock, in milliseconds. */
  readonly serverNow: () => number;
}

const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

const off: Authorization = { decision: "auth passed: it is off" };
const anonymous: Authorization = { decision: "auth passed: no Authorization header, which lenient allows" };
const foreign: Authorization = { decision: "auth passed: a token that was not issued here, which lenient allows" };

/**
 * Decides whether the request may use the operation in the project (section 5 of the interface; RFC 6750).
 * Throws `invalid_token` (401) or `insufficient_scope` (403), each with its challenge.
 */
export function authorize(mode: Settings["auth"], tokens: TokenRegistry, request: AuthorizedRequest): Authorization {
  if (mode === "off") return off;
  const { header, operation, projectKey } = request;
  if (header === undefined) {
    if (mode === "lenient") return anonymous;
    // RFC 6750, 3.1: a request without any authentication is told no error code in the challenge.
    throw unauthorized("This project asks for a bearer token, found no Authorization header", undefined);
  }
  const token = bearer.exec(header)?.[1];
  if (token === undefined) {
    throw unauthorized('Authorization: expected "Bearer <ACCESS_TOKEN>", found another form', "invalid_token");
  }
  if (tokens.isRevoked(token)) throw unauthorized("The token has been revoked", "invalid_token");
  const issued = tokens.find(token);
  if (!issued) {
    if (mode === "lenient") return foreign;
    throw unauthorized("The token was not issued here; POST /oauth/token gives one", "invalid_token");
  }
  if (hasExpired(issued, request)) throw unauthorized("The token has expired", "invalid_token");
  if (issued.scopes && !grants(issued.scopes, operation.scopes, projectKey)) {
    throw forbidden(operation, projectKey, issued.scopes);
  }
  return { clientId: issued.clientId, decision: `auth passed: a token of client "${issued.clientId}"` };
}

/** A token without scopes belongs to no project: it was issued by the server's clock, and expires by it. */
function hasExpired(issued: IssuedToken, { projectKey, clock, serverNow }: AuthorizedRequest): boolean {
  return issued.scopes ? isExpired(issued, clock.now(), projectKey) : isExpired(issued, serverNow());
}

function grants(granted: readonly string[], asked: readonly string[], projectKey: string): boolean {
  // Operations without scopes need a token of this project all the same.
  if (asked.length === 0) return granted.some((scope) => projectOfScope(scope) === projectKey);
  return asked.some((name) => granted.includes(`${name}:${projectKey}`));
}

function unauthorized(message: string, error: "invalid_token" | undefined): ServiceError {
  return new ServiceError({ code: "invalid_token", message }, { "WWW-Authenticate": challenge({ error, message }) });
}

function forbidden(operation: Operation, projectKey: string, granted: readonly string[]): ServiceError {
  const asked = operation.scopes.map((name) => `${name}:${projectKey}`);
  const message =
    asked.length === 0
      ? `The token is not for project "${projectKey}"`
      : `${operation.id} asks for ${asked.join(" or ")}; the token grants ${granted.slice(0, 5).join(" ") || "nothing"}`;
  return new ServiceError(
    { code: "insufficient_scope", message },
    { "WWW-Authenticate": challenge({ error: "insufficient_scope", message, scope: asked.join(" ") }) },
  );
}

/** The value of `WWW-Authenticate` (RFC 6750, 3). */
export function challenge({ error, message, scope }: { error?: string; message: string; scope?: string }): string {
  const parts = [`realm="resource-mock"`];
  if (error) parts.push(`error="${error}"`, `error_description="${headerText(message.replaceAll('"', "'"))}"`);
  if (scope) parts.push(`scope="${headerText(scope)}"`);
  return `Bearer ${parts.join(", ")}`;
}

/** RFC 6750 allows printable ASCII but quote and backslash here; a project key may hold anything, and is then encoded. */
function headerText(text: string): string {
  return text.toWellFormed().replace(/[^ !#-[\]-~]/gu, encodeURIComponent);
}
