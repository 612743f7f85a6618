import { type Operation, ServiceError } from "../../contract/index.ts";
import { type Settings, sandboxOf } from "../../state/index.ts";
import { type IssuedToken, isExpired, isKnownIn, projectOfScope, shownScopes, type TokenRegistry } from "./tokens.ts";

/** The result for an authorized request. The journal records `decision`; `createdBy` has the client. */
export interface Authorization {
  readonly clientId?: string;
  readonly decision: string;
}

/** The input of the authorization of a request. */
interface AuthorizedRequest {
  /** The value of `Authorization`. */
  readonly header: string | undefined;
  readonly operation: Operation;
  /** The key of the project; for a sandbox, with the name of the sandbox. */
  readonly projectKey: string;
  /** The project key in the path, which the scopes of the interface contain. */
  readonly pathKey: string;
  /** The project's clock, in milliseconds: the time, and what it showed at an instant of the server's clock. */
  readonly clock: { now(): number; timeAt(instant: number): number };
}

const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

const off: Authorization = { decision: "auth passed: the setting auth is off" };
const anonymous: Authorization = { decision: "auth passed: no Authorization header, which lenient allows" };
const foreign: Authorization = { decision: "auth passed: an unknown token, which lenient allows" };
const ofOtherSandbox: Authorization = { decision: "auth passed: a token of another sandbox, which lenient allows" };

/**
 * Checks that the request may use the operation in the project (section 5 of the interface; RFC 6750).
 *
 * @throws ServiceError `invalid_token` (401) or `insufficient_scope` (403), with the header `WWW-Authenticate`.
 */
export function authorize(mode: Settings["auth"], tokens: TokenRegistry, request: AuthorizedRequest): Authorization {
  if (mode === "off") return off;
  const { header, projectKey } = request;
  if (header === undefined) {
    if (mode === "lenient") return anonymous;
    // RFC 6750, 3.1: without authentication in the request, the challenge has no error code.
    throw unauthorized('Authorization: expected "Bearer <ACCESS_TOKEN>", found no Authorization header', undefined);
  }
  const token = bearer.exec(header)?.[1];
  if (token === undefined) {
    throw unauthorized(
      'Authorization: expected "Bearer <ACCESS_TOKEN>", found another scheme or a malformed token',
      "invalid_token",
    );
  }
  if (tokens.isRevoked(token)) throw unauthorized("The token has been revoked", "invalid_token");
  const issued = tokens.find(token);
  if (!issued) {
    if (mode === "lenient") return foreign;
    throw unauthorized(
      "The token is unknown: this server did not issue it. POST /oauth/token issues tokens",
      "invalid_token",
    );
  }
  if (!isKnownIn(issued, sandboxOf(projectKey))) {
    if (mode === "lenient") return ofOtherSandbox;
    throw unauthorized(
      `The token is unknown in project "${projectKey}": it belongs to another sandbox. POST /oauth/token with the same Mock-Sandbox or baggage header issues tokens of a sandbox`,
      "invalid_token",
    );
  }
  if (hasExpired(issued, request)) throw unauthorized("The token has expired", "invalid_token");
  if (issued.scopes && !grants(issued.scopes, request.operation.scopes, projectKey)) throw forbidden(request, issued);
  return { clientId: issued.clientId, decision: `auth passed: a token of client "${issued.clientId}"` };
}

/** Returns whether the token has expired by the project's clock. A token without scopes was issued by the server's clock. */
function hasExpired(issued: IssuedToken, { projectKey, clock }: AuthorizedRequest): boolean {
  if (issued.scopes) return isExpired(issued, clock.now(), projectKey);
  return isExpired({ ...issued, issuedAt: clock.timeAt(issued.issuedAt) }, clock.now());
}

/** Returns whether the granted scopes include one of the required scope names, bound to the project. */
function grants(granted: readonly string[], required: readonly string[], projectKey: string): boolean {
  // An operation without required scopes still requires a token of this project.
  if (required.length === 0) return granted.some((scope) => projectOfScope(scope) === projectKey);
  return required.some((name) => granted.includes(`${name}:${projectKey}`));
}

function unauthorized(message: string, error: "invalid_token" | undefined): ServiceError {
  return new ServiceError({ code: "invalid_token", message }, { "WWW-Authenticate": challenge({ error, message }) });
}

function forbidden({ operation, pathKey }: AuthorizedRequest, issued: IssuedToken): ServiceError {
  const required = operation.scopes.map((name) => `${name}:${pathKey}`);
  const granted = shownScopes(issued) ?? [];
  const message =
    required.length === 0
      ? `The token has no scope of project "${pathKey}"`
      : `${operation.id} requires ${required.join(" or ")}; the token grants ${granted.slice(0, 5).join(" ") || "nothing"}`;
  return new ServiceError(
    { code: "insufficient_scope", message },
    { "WWW-Authenticate": challenge({ error: "insufficient_scope", message, scope: required.join(" ") }) },
  );
}

/** Returns the value of `WWW-Authenticate` (RFC 6750, 3). */
export function challenge({ error, message, scope }: { error?: string; message: string; scope?: string }): string {
  const parts = [`realm="resource-mock"`];
  if (error) parts.push(`error="${error}"`, `error_description="${headerText(message.replaceAll('"', "'"))}"`);
  if (scope) parts.push(`scope="${headerText(scope)}"`);
  return `Bearer ${parts.join(", ")}`;
}

/**
 * Percent-encodes the characters that RFC 6750 does not allow in an attribute: it allows printable ASCII without quotes and
 * backslashes. A project key may contain any character.
 */
function headerText(text: string): string {
  return text.toWellFormed().replace(/[^ !#-[\]-~]/gu, encodeURIComponent);
}
