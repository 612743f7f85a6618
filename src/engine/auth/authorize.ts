import { ServiceError } from "../../contract/index.ts";
import type { DecisionNamed } from "../../journal/index.ts";
import type { Project } from "../../project/index.ts";
import { sandboxOf } from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { header } from "../call/service-request.ts";
import { type IssuedToken, isExpired, isKnownIn, projectOfScope, shownScopes } from "./tokens.ts";

const bearer = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Checks that the request may use the operation in the project (section 5 of the interface; RFC 6750). Sets the client of
 * the call, and adds the decision.
 *
 * @throws ServiceError `invalid_token` (401) or `insufficient_scope` (403), with the header `WWW-Authenticate`.
 */
export function authorize(call: Call): void {
  const issued = tokenOf(call);
  if (typeof issued === "string") {
    call.decisions.push({ kind: "auth", as: issued });
    return;
  }
  call.clientId = issued.clientId;
  call.author.client = issued.clientId;
  call.decisions.push({ kind: "auth", as: "client", client: issued.clientId });
}

type Passed = Exclude<DecisionNamed<"auth">["as"], "client">;

/** Returns the token of the request, or why the request needs none. */
function tokenOf(call: Call): IssuedToken | Passed {
  const { engine, project, request, operation } = call;
  const { auth: mode } = call.settings;
  const { tokens } = engine;
  if (mode === "off") return call.forwarding ? "upstream" : "off";
  const authorization = header(request, "authorization");
  if (authorization === undefined) {
    if (mode === "lenient") return "anonymous";
    // RFC 6750, 3.1: without authentication in the request, the challenge has no error code.
    throw unauthorized('Authorization: expected "Bearer <ACCESS_TOKEN>", found no Authorization header', {});
  }
  const token = bearer.exec(authorization)?.[1];
  if (token === undefined) {
    throw unauthorized('Authorization: expected "Bearer <ACCESS_TOKEN>", found another scheme or a malformed token');
  }
  if (tokens.isRevoked(token)) throw unauthorized("The token has been revoked");
  const issued = tokens.find(token);
  if (!issued) {
    if (mode === "lenient") return "unknown-token";
    throw unauthorized("The token is unknown: this server did not issue it. POST /oauth/token issues tokens");
  }
  if (!isKnownIn(issued, sandboxOf(project.key))) {
    if (mode === "lenient") return "token-of-another-sandbox";
    throw unauthorized(
      `The token is unknown in project "${project.key}": it belongs to another sandbox. POST /oauth/token with the same Mock-Sandbox or baggage header issues tokens of a sandbox`,
    );
  }
  if (hasExpired(issued, project)) throw unauthorized("The token has expired");
  if (issued.scopes && !grants(issued.scopes, operation.scopes, project.key)) throw forbidden(call, issued);
  return issued;
}

/** Returns whether the token has expired by the project's clock. A token without scopes was issued by the server's clock. */
function hasExpired(issued: IssuedToken, { clock }: Project): boolean {
  if (issued.scopes) return isExpired(issued, clock.now());
  return isExpired({ ...issued, issuedAt: clock.timeAt(issued.issuedAt) }, clock.now());
}

/** Returns whether the granted scopes include one of the required scope names, bound to the project. */
function grants(granted: readonly string[], required: readonly string[], projectKey: string): boolean {
  // An operation without required scopes still requires a token of this project.
  if (required.length === 0) return granted.some((scope) => projectOfScope(scope) === projectKey);
  return required.some((name) => granted.includes(`${name}:${projectKey}`));
}

function unauthorized(message: string, reason: { error?: string } = { error: "invalid_token" }): ServiceError {
  const headers = { "WWW-Authenticate": challenge({ ...reason, message }) };
  return new ServiceError({ code: "invalid_token", message }, headers);
}

function forbidden({ operation, projectKey }: Call, issued: IssuedToken): ServiceError {
  const required = operation.scopes.map((name) => `${name}:${projectKey}`);
  const granted = shownScopes(issued) ?? [];
  const message =
    required.length === 0
      ? `The token has no scope of project "${projectKey}"`
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
