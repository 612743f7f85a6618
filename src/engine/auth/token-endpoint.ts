import {
  type Contract,
  MAX_ID,
  MAX_SCOPE_LENGTH,
  MAX_SCOPES,
  oauthError,
  ServiceError,
  shown,
  unknownName,
} from "../../contract/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import { JSON_HEADERS } from "../call/response.ts";
import { header, mediaType, type ServiceRequest } from "../call/service-request.ts";
import type { Engine } from "../engine.ts";
import { isSameSecret } from "./access.ts";
import { DEFAULT_EXPIRES_IN, isKnownIn, projectsOf, scopeIn, shownScopes } from "./tokens.ts";

/** The statuses of the error codes of the OAuth endpoints (RFC 6749, 5.2). */
const statuses = {
  invalid_request: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  invalid_client: 401,
  temporarily_unavailable: 503,
};

/** Responds to the form of an authenticated client. */
type Endpoint = (form: URLSearchParams, clientId: string, engine: Engine, place: TokenPlace) => ServiceResponse;

/** Where a request wants its token. */
export interface TokenPlace {
  /** The sandbox that the headers select. */
  readonly sandbox: string | undefined;
  /** The project that the path names. */
  readonly projectKey?: string;
}

/** The OAuth endpoints, by path. The interface does not define how a client gets a token. */
export const oauthEndpoints: Readonly<Record<string, Endpoint>> = {
  /** Issues a token (RFC 6749, 4.4: client credentials). A request without `scope` gets every scope. */
  "/oauth/token": (form, clientId, { tokens, timeIn, contract }, { sandbox, projectKey }) => {
    const { grantTypes } = contract.tokens;
    const grantType = form.get("grant_type");
    if (grantType === null || !grantTypes.includes(grantType)) {
      const found = grantType === null ? "nothing" : shown(grantType);
      const description = `grant_type: expected ${grantTypes.join(" or ")}, found ${found}`;
      return failure(grantType === null ? "invalid_request" : "unsupported_grant_type", description);
    }
    const scopes = form.get("scope")?.split(" ").filter(Boolean) ?? [];
    const problem = scopesProblem(contract, scopes);
    if (problem !== undefined) return failure("invalid_scope", problem);
    const granted = scopes.length > 0 ? scopes.map((scope) => scopeIn(contract, scope, sandbox)) : undefined;
    const [named = projectKey] = projectsOf(contract, granted);
    const issued = tokens.issue({ clientId, scopes: granted, sandbox, projectKey: named }, timeIn);
    const body = {
      access_token: issued.token,
      token_type: "Bearer",
      expires_in: DEFAULT_EXPIRES_IN,
      // None if every scope is granted, as RFC 6749, 3.3 has no empty scope.
      scope: shownScopes(issued)?.join(" "),
    };
    return { status: 200, headers: { ...noStore, ...JSON_HEADERS }, body: JSON.stringify(body), source: "state" };
  },

  /** Revokes a token (RFC 7009). Revoking an unknown token succeeds, and a token of another sandbox stays valid. */
  "/oauth/token/revoke": (form, _clientId, { tokens, timeIn }, { sandbox }) => {
    const token = form.get("token");
    if (token === null) return failure("invalid_request", "token: expected a token, found nothing");
    const issued = tokens.find(token);
    try {
      if (!issued || isKnownIn(issued, sandbox)) tokens.revoke(token, timeIn(undefined));
    } catch (error) {
      if (error instanceof ServiceError) return failure("temporarily_unavailable", error.message);
      throw error;
    }
    return { status: 200, headers: noStore, body: null, source: "state" };
  },
};

function scopesProblem(contract: Contract, scopes: readonly string[]): string | undefined {
  if (scopes.length > MAX_SCOPES) return `scope: expected at most ${MAX_SCOPES} names, found ${scopes.length}`;
  const long = scopes.find((scope) => scope.length > MAX_SCOPE_LENGTH);
  if (long !== undefined)
    return `scope: expected names of at most ${MAX_SCOPE_LENGTH} characters, found ${long.length}`;
  const invalid = scopes.find((scope) => !scopeToken.test(scope));
  if (invalid !== undefined)
    return `scope: expected names separated by spaces, such as manage_test:my-project, found ${shown(invalid)}`;
  const [one, other] = projectsOf(contract, scopes);
  if (other === undefined) return undefined;
  return `scope: expected scopes of one project, found those of ${shown(one)} and ${shown(other)}`;
}

const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
/** The responses must not be cached (RFC 6749, 5.1). */
const noStore = { "Cache-Control": "no-store", Pragma: "no-cache" };

/**
 * Returns the response of an OAuth endpoint to a request with this body. The client's credentials are in HTTP Basic or in
 * the form.
 */
export function respondToOAuth(
  endpoint: Endpoint,
  engine: Engine,
  request: ServiceRequest,
  body: string,
  place: TokenPlace,
): ServiceResponse {
  const type = mediaType(request);
  if (type !== "application/x-www-form-urlencoded") {
    const description = `Content-Type: expected application/x-www-form-urlencoded, found ${shown(type)}`;
    return failure("invalid_request", description);
  }
  const form = new URLSearchParams(body);
  for (const name of ["grant_type", "scope", "token", "client_id", "client_secret"]) {
    const { length } = form.getAll(name);
    if (length > 1) return failure("invalid_request", `${name}: expected one value, found ${length}`);
  }
  const authorization = header(request, "authorization");
  const id = form.get("client_id");
  const inForm = id ? { id, secret: form.get("client_secret") ?? "" } : undefined;
  const client = basicCredentials(authorization) ?? inForm;
  if (!client) {
    const found = authorization === undefined ? "neither" : "an Authorization header without Basic credentials";
    return invalidClient(`Client credentials: expected HTTP Basic or client_id and client_secret, found ${found}`);
  }
  if (client.id.length > MAX_ID) {
    const description = `client_id: expected at most ${MAX_ID} characters, found ${client.id.length}`;
    return failure("invalid_request", description);
  }
  const problem = clientProblem(engine.clients, client);
  if (problem !== undefined) return invalidClient(problem);
  return endpoint(form, client.id, engine, place);
}

interface Credentials {
  id: string;
  secret: string;
}

/** Returns the error message for an unknown client or a wrong secret. It names similar clients, as that helps in tests. */
function clientProblem(clients: ReadonlyMap<string, string> | undefined, { id, secret }: Credentials) {
  if (clients === undefined) return undefined;
  const expected = clients.get(id);
  if (expected === undefined) return unknownName(`client ${shown(id)}`, id, [...clients.keys()]);
  if (isSameSecret(secret, expected)) return undefined;
  const found = secret === "" ? "none" : "another";
  return `client_secret: expected the configured secret of client ${shown(id)}, found ${found}`;
}

function invalidClient(description: string): ServiceResponse {
  return failure("invalid_client", description, { "WWW-Authenticate": 'Basic realm="resource-mock"' });
}

function basicCredentials(header: string | undefined): Credentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString();
  const colon = text.indexOf(":");
  if (colon < 1) return undefined;
  // RFC 6749, 2.3.1: clients form-encode the id and the secret before they join them.
  return { id: formDecode(text.slice(0, colon)), secret: formDecode(text.slice(colon + 1)) };
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

function failure(error: keyof typeof statuses, description: string, headers?: Readonly<Record<string, string>>) {
  const status = statuses[error];
  const body = JSON.stringify(oauthError(status, error, description));
  return { status, headers: { ...noStore, ...headers, ...JSON_HEADERS }, body, source: "error" };
}
