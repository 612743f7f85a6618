import { isSameSecret } from "./same-secret.ts";
import { DEFAULT_EXPIRES_IN, isExpired, projectOfScope, type TokenRegistry } from "./tokens.ts";

/** What an OAuth endpoint answers: JSON, never to be cached (RFC 6749, 5.1). */
export interface OAuthAnswer {
  status: number;
  body: Record<string, unknown> | null;
  headers: Record<string, string>;
}

export interface OAuthRequest {
  authorization: string | undefined;
  contentType: string | undefined;
  body: string;
}

export interface OAuthContext {
  tokens: TokenRegistry;
  /** Secrets by client id; undefined accepts any client. */
  clients?: ReadonlyMap<string, string>;
  /** The time (milliseconds) of the project that a scope is bound to, or the engine's own. */
  now(projectKey: string | undefined): number;
}

type Endpoint = (form: URLSearchParams, client: string, context: OAuthContext) => OAuthAnswer;

/** The three OAuth endpoints, by path. The interface does not say how a token is obtained: DESIGN section 3. */
export const oauthEndpoints: Readonly<Record<string, Endpoint>> = {
  /** RFC 6749, 4.4: client credentials. No `scope` means every scope. */
  "/oauth/token": (form, clientId, { tokens, now }) => {
    const grantType = form.get("grant_type");
    if (grantType === null)
      return failure(400, "invalid_request", "grant_type: expected client_credentials, found nothing");
    if (grantType !== "client_credentials") {
      return failure(400, "unsupported_grant_type", "grant_type: only client_credentials is served here");
    }
    const scopes = form.get("scope")?.split(" ").filter(Boolean);
    if (scopes?.some((scope) => !scopeToken.test(scope))) {
      return failure(400, "invalid_scope", "scope: expected names separated by spaces, such as manage_test:my-project");
    }
    const granted = scopes?.length ? scopes : undefined;
    const issued = tokens.issue({ clientId, scopes: granted, now: now(granted && projectOfScope(granted[0] ?? "")) });
    return ok({
      access_token: issued.token,
      token_type: "Bearer",
      expires_in: DEFAULT_EXPIRES_IN,
      scope: granted?.join(" ") ?? "",
    });
  },

  /** RFC 7662: a token that is not active, or not known, is told nothing about. */
  "/oauth/introspect": (form, _client, { tokens, now }) => {
    const token = form.get("token");
    if (token === null) return failure(400, "invalid_request", "token: expected the token to look at, found nothing");
    const issued = tokens.find(token);
    const project = issued?.scopes && projectOfScope(issued.scopes[0] ?? "");
    if (!issued || issued.revoked || isExpired(issued, now(project))) return ok({ active: false });
    return ok({
      active: true,
      scope: issued.scopes?.join(" ") ?? "",
      client_id: issued.clientId,
      token_type: "Bearer",
      iat: Math.floor(issued.issuedAt / 1000),
      exp: Math.floor(issued.issuedAt / 1000) + issued.expiresIn,
    });
  },

  /** RFC 7009: revoking a token that is not known succeeds too. */
  "/oauth/token/revoke": (form, _client, { tokens }) => {
    const token = form.get("token");
    if (token === null) return failure(400, "invalid_request", "token: expected the token to revoke, found nothing");
    tokens.revoke(token);
    return { status: 200, body: null, headers: noStore };
  },
};

const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const noStore = { "Cache-Control": "no-store", Pragma: "no-cache" };

/** Answers a call of one of the endpoints: reads the form and the client (HTTP Basic or in the body), then the endpoint. */
export function answerOAuth(path: string, request: OAuthRequest, context: OAuthContext): OAuthAnswer {
  const endpoint = oauthEndpoints[path];
  if (!endpoint) throw new TypeError(`no OAuth endpoint at ${path}`);
  const mediaType = request.contentType?.split(";")[0]?.trim().toLowerCase();
  if (mediaType !== "application/x-www-form-urlencoded") {
    return failure(400, "invalid_request", "Content-Type: expected application/x-www-form-urlencoded");
  }
  const form = new URLSearchParams(request.body);
  for (const name of ["grant_type", "scope", "token", "client_id", "client_secret"]) {
    if (form.getAll(name).length > 1) return failure(400, "invalid_request", `${name}: may be passed once`);
  }
  const client = basicCredentials(request.authorization) ?? bodyCredentials(form);
  if (!client || !accepts(context.clients, client)) {
    const answer = failure(
      401,
      "invalid_client",
      "The client must name itself, by HTTP Basic or client_id and client_secret",
    );
    return { ...answer, headers: { ...answer.headers, "WWW-Authenticate": 'Basic realm="resource-mock"' } };
  }
  return endpoint(form, client.id, context);
}

interface Credentials {
  id: string;
  secret: string;
}

function accepts(clients: ReadonlyMap<string, string> | undefined, { id, secret }: Credentials): boolean {
  if (clients === undefined) return true;
  const expected = clients.get(id);
  return expected !== undefined && isSameSecret(secret, expected);
}

function basicCredentials(header: string | undefined): Credentials | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) return undefined;
  try {
    const text = new TextDecoder().decode(Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)));
    const colon = text.indexOf(":");
    if (colon < 1) return undefined;
    // RFC 6749, 2.3.1: both are form-encoded before they are joined.
    return { id: formDecode(text.slice(0, colon)), secret: formDecode(text.slice(colon + 1)) };
  } catch {
    return undefined;
  }
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

function bodyCredentials(form: URLSearchParams): Credentials | undefined {
  const id = form.get("client_id");
  return id ? { id, secret: form.get("client_secret") ?? "" } : undefined;
}

function ok(body: Record<string, unknown>): OAuthAnswer {
  return { status: 200, body, headers: noStore };
}

/** RFC 6749, 5.2, and the members that every other error of the service has. */
function failure(status: number, error: string, description: string): OAuthAnswer {
  const body = {
    statusCode: status,
    message: description,
    errors: [{ code: error, message: description }],
    error,
    error_description: description,
  };
  return { status, body, headers: noStore };
}
