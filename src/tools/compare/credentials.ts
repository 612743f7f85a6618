import { isObject, REDACTED, redactText, shown } from "../../contract/index.ts";
import type { CompareOptions } from "./index.ts";
import { exchange, type Reply } from "./node-exchange.ts";

/** The credentials of a run: a token, or a client with the address of its token endpoint. */
export type Credentials =
  | { readonly token: string; readonly client?: undefined }
  | { readonly client: Client; readonly tokenUrl: URL; readonly token?: undefined };

interface Client {
  readonly id: string;
  readonly secret: string;
}

/** Returns the credentials of a client as HTTP Basic takes them (RFC 6749, 2.3.1). */
function pairOf({ id, secret }: Client): string {
  return `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
}

/** The secrets of a run. No text from the service reaches an output or a report before `redact`. */
export type Secrets = ReturnType<typeof createSecrets>;

export function createSecrets(credentials?: Credentials) {
  let forms: readonly string[] = [];
  const redact = (text: string) =>
    forms.reduce((left, form) => left.replace(patternOf(form), REDACTED), redactText(text));
  const redactValue = (value: unknown): unknown => {
    if (typeof value === "string") return redact(value);
    if (Array.isArray(value)) return value.map(redactValue);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [redact(name), redactValue(member)]));
  };
  const add = (secret: string) => {
    if (secret === "") return;
    const bytes = Buffer.from(secret);
    const inJson = JSON.stringify(secret).slice(1, -1);
    const encoded = [secret, inJson, encodeURIComponent(secret), bytes.toString("base64"), bytes.toString("base64url")];
    // Longest first: if a part of a longer form were replaced first, the rest of it would stay.
    forms = [...new Set([...forms, ...encoded])].sort((a, b) => b.length - a.length);
  };
  // The token of HTTP Basic has a password.
  for (const each of [credentials?.token ?? "", ...(credentials?.token?.split(/^[^:]*:/) ?? [])]) add(each);
  if (credentials?.client?.secret) {
    const { id, secret } = credentials.client;
    add(secret);
    for (const pair of [pairOf(credentials.client), `${id}:${secret}`]) add(Buffer.from(pair).toString("base64"));
  }
  return {
    add,
    /** Returns a text of the service without the secrets, also if they are encoded. */
    redact,
    /** Returns a JSON value of the service without the secrets. */
    redactValue,
    shown: (value: unknown) => shown(redactValue(value)),
  };
}

/** Short secrets are replaced only as whole words, as they occur in other words by accident. */
function patternOf(form: string): RegExp {
  const escaped = form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(form.length < 8 ? `(?<![\\p{L}\\d])${escaped}(?![\\p{L}\\d])` : escaped, "gu");
}

/** The time before the expiry of a token at which the next one is requested, in milliseconds. */
const EARLY = 30_000;

/** The tokens of a run. */
export type Tokens = ReturnType<typeof createTokens>;

/** Creates the tokens of a run, which the token endpoint issues if the run has a client. */
export function createTokens(options: CompareOptions, secrets: Secrets) {
  const { credentials } = options;
  let current: ReturnType<typeof issued> | undefined;

  /** Sends a request to the token endpoint (RFC 6749, 4.4). */
  async function request(scope?: string): Promise<Reply> {
    if (!credentials?.client) throw new Error("a token endpoint needs a client");
    const { client, tokenUrl } = credentials;
    const form = new URLSearchParams({ grant_type: "client_credentials", ...(scope !== undefined && { scope }) });
    const headers = {
      Authorization: `Basic ${Buffer.from(pairOf(client)).toString("base64")}`,
      "Content-Type": "application/x-www-form-urlencoded",
      Accept: "application/json",
    };
    const path = tokenUrl.pathname + tokenUrl.search;
    const sent = { method: "POST", path, headers, body: form.toString(), line: "POST to the token endpoint" };
    const reply = await exchange(new URL(tokenUrl.origin), sent, options, secrets);
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
    /** Whether tokens with fewer scopes can be requested. */
    hasClient: credentials?.client !== undefined,
    /** Returns a token with only this scope, or that of ordinary requests, which is renewed before it expires. */
    async get(scope?: string): Promise<string | undefined> {
      if (scope !== undefined) return (await issued(scope)).token;
      if (!credentials?.client) return credentials?.token;
      if (!current || (await current).until < performance.now()) current = issued();
      return (await current).token;
    },
    request,
  };
}
