import { exchange } from "./http.ts";
import { type Reply, replyOf } from "./messages.ts";
import type { VerifyOptions } from "./options.ts";
import type { Secrets } from "./secrets.ts";

/** Issues the tokens of the requests. */
export type Tokens = ReturnType<typeof createTokens>;

/** The time before the expiry of a token at which the next one is requested, in milliseconds. */
const EARLY = 30_000;

export function createTokens(options: VerifyOptions, secrets: Secrets) {
  const { credentials } = options;
  let current: ReturnType<typeof issued> | undefined;

  /** Sends a request to the token endpoint (RFC 6749, 4.4). */
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
    const sent = { method: "POST", path: tokenUrl.pathname + tokenUrl.search, headers, body: form.toString() };
    const response = await exchange(new URL(tokenUrl.origin), sent, options);
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
    /** Whether requests have tokens. */
    isKnown: credentials !== undefined,
    /** Whether `issue` can request tokens with fewer scopes. */
    hasClient: credentials !== undefined && "client" in credentials,
    /**
     * Returns the token of ordinary requests, or undefined without credentials. Requests a new one before it expires.
     */
    async main(): Promise<string | undefined> {
      if (!credentials) return undefined;
      if ("token" in credentials) return credentials.token;
      if (!current || (await current).until < performance.now()) current = issued();
      return (await current).token;
    },
    /** Returns a token with only this scope. */
    issue: async (scope: string) => (await issued(scope)).token,
    request,
  };
}
