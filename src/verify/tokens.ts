import { exchange, type Target } from "./http.ts";
import { type Reply, replyOf } from "./reply.ts";
import type { Secrets } from "./secrets.ts";

/** The credentials of a run: a token, or a client with the address of its token endpoint; undefined for anonymous requests. */
export type Credentials =
  | { readonly token: string }
  | { readonly client: { readonly id: string; readonly secret: string }; readonly tokenUrl: URL };

/** Issues the tokens of the requests. */
export interface Tokens {
  /** Whether requests have tokens. */
  readonly isKnown: boolean;
  /** Whether `issue` can request tokens with fewer scopes. */
  readonly hasClient: boolean;
  /** Returns the token of ordinary requests, or undefined without credentials. Requests a new one before it expires. */
  main(): Promise<string | undefined>;
  /** Returns a token with only this scope. */
  issue(scope: string): Promise<string>;
  /** Sends a request to the token endpoint (RFC 6749, 4.4). */
  request(scope?: string): Promise<Reply>;
}

/** The time before the expiry of a token at which the next one is requested, in milliseconds. */
const EARLY = 30_000;

export function createTokens(credentials: Credentials | undefined, target: Target, secrets: Secrets): Tokens {
  let current: ReturnType<typeof issued> | undefined;

  async function request(scope?: string): Promise<Reply> {
    if (!credentials || "token" in credentials) throw new Error("a token endpoint needs a client");
    const { client, tokenUrl } = credentials;
    const form = new URLSearchParams({ grant_type: "client_credentials", ...(scope !== undefined && { scope }) });
    const pair = `${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`;
    const headers = {
      Authorization: `Basic ${Buffer.from(pair).toString("base64")}`,
      "Content-Type": "application/x-www-form-urlencoded",
      Accept: "application/json",
    };
    const path = tokenUrl.pathname + tokenUrl.search;
    const origin = { ...target, url: new URL(tokenUrl.origin) };
    const response = await exchange(origin, { method: "POST", path, headers, body: form.toString() });
    const reply = replyOf(response, "POST to the token endpoint", secrets);
    if (typeof reply.members.access_token === "string") secrets.add(reply.members.access_token);
    return reply;
  }

  async function issued(scope?: string): Promise<{ readonly token: string; readonly until: number }> {
    const { status, isOk, members } = await request(scope);
    if (typeof members.access_token !== "string" || !isOk) {
      const reason = typeof members.error === "string" ? `: ${secrets.redact(members.error)}` : "";
      throw new Error(`the token endpoint: expected 200 with access_token, found ${status}${reason}`);
    }
    const seconds = Number(members.expires_in);
    // Without expires_in, the token lasts for the whole run.
    const until = seconds > 0 ? performance.now() + Math.max(seconds * 1000 - EARLY, 1000) : Number.POSITIVE_INFINITY;
    return { token: members.access_token, until };
  }

  return {
    isKnown: credentials !== undefined,
    hasClient: credentials !== undefined && "client" in credentials,
    async main() {
      if (!credentials) return undefined;
      if ("token" in credentials) return credentials.token;
      if (!current || (await current).until < performance.now()) current = issued();
      return (await current).token;
    },
    issue: async (scope) => (await issued(scope)).token,
    request,
  };
}
