import {
  bearerScheme,
  capitalized,
  cut,
  type Security,
  type SecurityScheme,
  ServiceError,
  scopesOf,
  sentCredentials,
} from "../../contract/index.ts";
import type { DecisionNamed } from "../../journal/index.ts";
import { sandboxOf } from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { header, type ServiceRequest } from "../call/service-request.ts";
import { type IssuedToken, isExpired, isKnownIn, projectsOf, shownScopes } from "./tokens.ts";

/** The characters of a token (RFC 6750, 2.1). */
const tokenForm = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * Checks that the request may use the operation in the project, by the security of the operation (OpenAPI 3.1, 4.8.30;
 * RFC 6750). Sets the client of the call, and adds the decision.
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
  const { security = [] } = call.operation;
  const { auth: mode } = call.settings;
  if (mode === "off") return call.forwarding ? "upstream" : "off";
  if (security.length === 0) return "not-required";
  return mode === "lenient" ? lenientToken(call, security) : requiredCredentials(call, security);
}

/**
 * Returns the token of a request that needs none. Only a token that was issued here is checked: also its scopes, if the
 * contract declares which scopes include others.
 */
function lenientToken(call: Call, security: Security): IssuedToken | Passed {
  const { request, engine } = call;
  const { declaresAllCredentials } = engine.contract;
  if (header(request, "authorization") === undefined) return "anonymous";
  const token = sentCredentials(bearerScheme, request) ?? "";
  if (declaresAllCredentials && !tokenForm.test(token)) throw withoutCredentials(call, security);
  if (token === "") return "other-credentials";
  const issued = unrevoked(call, token);
  if (!issued) return "unknown-token";
  if (!isKnownIn(issued, sandboxOf(call.project.key))) return "token-of-another-sandbox";
  return checked(call, issued, declaresAllCredentials ? security : []);
}

/** Returns the credentials of the first alternative that the request fulfils. Throws if it fulfils none of them. */
function requiredCredentials(call: Call, security: Security): IssuedToken | Passed {
  const { request, settings, project } = call;
  const sent = security.filter((all) => all.every(({ scheme }) => isSent(scheme, request)));
  const isChecked = settings.auth === "strict";
  // Only tokens can be issued here, so other credentials can have any value.
  const unchecked = sent.find((all) => !isChecked || all.every(({ scheme }) => scheme !== bearerScheme));
  if (unchecked) return unchecked.length === 0 ? "not-required" : "credentials";
  const token = sentCredentials(bearerScheme, request) ?? "";
  if (sent.length === 0) throw withoutCredentials(call, security);
  const issued = unrevoked(call, token);
  if (!issued)
    throw unauthorized("The token is unknown: this server did not issue it. POST /oauth/token issues tokens");
  if (isKnownIn(issued, sandboxOf(project.key))) return checked(call, issued, sent);
  const hint = "POST /oauth/token with the same Mock-Sandbox or baggage header issues tokens of a sandbox";
  throw unauthorized(`The token is unknown in project "${project.key}": it belongs to another sandbox. ${hint}`);
}

/** Returns the issued token with this text, if this server knows it. Throws if it has been revoked. */
function unrevoked({ engine: { tokens } }: Call, token: string): IssuedToken | undefined {
  if (tokens.isRevoked(token)) throw unauthorized("The token has been revoked");
  return tokens.find(token);
}

/** Returns the token. Throws if it has expired, or grants the scopes of none of the alternatives. */
function checked(call: Call, issued: IssuedToken, security: Security): IssuedToken {
  const { clock } = call.project;
  // A token of no project was issued by the server's clock.
  const issuedAt = issued.projectKey === undefined ? clock.timeAt(issued.issuedAt) : issued.issuedAt;
  if (isExpired({ ...issued, issuedAt }, clock.now())) throw unauthorized("The token has expired");
  const { scopes } = issued;
  if (!scopes || security.length === 0 || security.some((all) => grants(scopes, all, call))) return issued;
  throw forbidden(call, issued);
}

/** Returns whether the granted scopes include those of an alternative, bound to the project. */
function grants(granted: readonly string[], all: Security[number], call: Call): boolean {
  const { engine, project } = call;
  const required = all.flatMap(({ scopes }) => scopes);
  // An operation without required scopes still requires a token of this project.
  if (required.length === 0 && engine.contract.scopesNameProjects)
    return projectsOf(engine.contract, granted).includes(project.key);
  return required.every((scope) => granted.includes(boundScope(scope, call, project.key)));
}

/** Returns a scope with the parameters of the path that it names. */
function boundScope(scope: string, { engine, path }: Call, projectKey: string): string {
  const { project } = engine.contract.addresses;
  return scope.replace(/\{([^}]*)\}/g, (all, name: string) => (name === project ? projectKey : (path[name] ?? all)));
}

/** Returns the scopes that the alternatives of the call's operation name, as clients see them. */
export function requiredScopes(call: Call): string[] {
  return scopesOf(call.operation).map((scope) => boundScope(scope, call, call.projectKey));
}

/** The most alternatives that an error and its challenges name, as a document can have any number. */
const NAMED = 5;

function withoutCredentials({ request }: Call, all: Security): ServiceError {
  const security = all.slice(0, NAMED);
  const schemes = [...new Set(security.flat().map(({ scheme }) => scheme))];
  const inHeader = schemes.filter(({ scheme }) => scheme !== undefined);
  const place = inHeader.length === schemes.length ? "Authorization: " : "Credentials: ";
  const shownNames = (all: readonly SecurityScheme[]) => all.map((each) => nameOf(each, place)).join(" and ");
  const expected = new Set(security.map((all) => shownNames(all.map(({ scheme }) => scheme))));
  const sent = schemes.filter((each) => isSent(each, request));
  const isOther = header(request, "authorization") !== undefined && !sent.some((each) => inHeader.includes(each));
  const other = isOther && inHeader.length > 0 ? "another scheme or a malformed token" : "";
  const missing = place === "Authorization: " ? "no Authorization header" : "none of them";
  const found = [shownNames(sent), other].filter(Boolean).join(" and ") || missing;
  const message = `${place}expected ${[...expected].join(", or ")}, found ${found}`;
  // RFC 6750, 3.1: without authentication in the request, the challenge has no error code.
  const error = other && { error: "invalid_token" };
  const challenges = schemes.map((each) => {
    if (each === bearerScheme) return challenge({ ...error, message });
    // A document can contain any text as the name of a scheme.
    const name = capitalized(each.scheme ?? "").replace(/[^\w-]+/g, "") || "ApiKey";
    return `${name} realm="resource-mock"`;
  });
  const headers = { "WWW-Authenticate": [...new Set(challenges)].join(", ") };
  return new ServiceError({ code: "invalid_token", message }, headers);
}

/** Returns how a message names the credentials of a scheme. */
function nameOf({ in: location, name, scheme }: SecurityScheme, place: string): string {
  const start = place === "Authorization: " ? "" : "Authorization: ";
  if (scheme === "bearer") return `"${start}Bearer <ACCESS_TOKEN>"`;
  if (scheme !== undefined) return `"${start}${capitalized(scheme)} <CREDENTIALS>"`;
  return `the ${location === "query" ? "query parameter" : location} ${cut(name, 100)}`;
}

/** Returns whether a request has credentials of the scheme, with any value; a token needs the form of tokens. */
function isSent(scheme: SecurityScheme, request: ServiceRequest): boolean {
  const credentials = sentCredentials(scheme, request);
  return credentials !== undefined && (scheme !== bearerScheme || tokenForm.test(credentials));
}

function unauthorized(message: string): ServiceError {
  const headers = { "WWW-Authenticate": challenge({ error: "invalid_token", message }) };
  return new ServiceError({ code: "invalid_token", message }, headers);
}

function forbidden(call: Call, issued: IssuedToken): ServiceError {
  const { operation, projectKey } = call;
  const required = requiredScopes(call);
  const granted = shownScopes(issued)?.slice(0, 5).join(" ") || "nothing";
  const message =
    required.length === 0
      ? `The token has no scope of project "${projectKey}"`
      : `${operation.id} requires ${required.join(" or ")}; the token grants ${granted}`;
  const challenged = challenge({ error: "insufficient_scope", message, scope: required.join(" ") });
  return new ServiceError({ code: "insufficient_scope", message }, { "WWW-Authenticate": challenged });
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
