import { setTimeout as wait } from "node:timers/promises";
import {
  bearerScheme,
  cut,
  isJson,
  MAX_REPEATS,
  MAX_SILENT_REQUESTS,
  type Operation,
  RESPONSE_TIMEOUT_MS,
  type SecurityScheme,
} from "../../contract/index.ts";
import { createSecrets, createTokens } from "./credentials.ts";
import { needs, Skip } from "./facts.ts";
import type { CompareOptions } from "./index.ts";
import { exchange, NoResponse, type Reply } from "./node-exchange.ts";

export interface Sent {
  /** Values of path parameters other than the project key, decoded. */
  readonly path?: Readonly<Record<string, string>>;
  /** The query, such as `limit=1&where=version > 0`; characters other than `&`, `+` and `%` need no encoding. */
  readonly query?: string;
  readonly json?: unknown;
  /** A body as it is, with its content type. */
  readonly body?: string | Uint8Array;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The token instead of that of the run; null sends none, in a run that has tokens. */
  readonly token?: string | null;
  /** Sends a token with only this scope instead; `{project}` is the project key. */
  readonly scope?: string;
  /** Set if the service has to reject the request. */
  readonly isInvalid?: boolean;
}

export function isRead({ method }: { readonly method: string }): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/** Where credentials go that are no bearer token, and their text (RFC 9110, 11.4; RFC 6265, 4.2). */
function credentialsIn({ in: place, name, scheme }: SecurityScheme, token: string) {
  if (place === "query") return { query: `${encodeURIComponent(name)}=${encodeURIComponent(token)}` };
  if (place === "cookie") return { headers: { Cookie: `${name}=${token}` } };
  const sent = scheme === "basic" && token.includes(":") ? Buffer.from(token).toString("base64") : token;
  const title = scheme && scheme.charAt(0).toUpperCase() + scheme.slice(1);
  return { headers: { [name === "authorization" ? "Authorization" : name]: title ? `${title} ${sent}` : sent } };
}

/** Creates the functions that send the requests of a run, and observe all responses. */
export function createRequests(options: CompareOptions) {
  const { upstream, project = "", readOnly, signal } = options;
  const secrets = createSecrets(options.credentials);
  const tokens = createTokens(options, secrets);
  /** By a claim about many responses: undefined for a response that does as claimed, or else the violation. */
  const observations = new Map<string, (string | undefined)[]>();
  let silent = 0;
  let isCleaning = false;

  function observe(claim: string, violation?: string): void {
    const all = observations.get(claim);
    if (all) all.push(violation);
    else observations.set(claim, [violation]);
  }

  /** Returns the token of a request. Throws Skip if the token endpoint does not issue it. */
  async function tokenOf({ token, scope }: Sent): Promise<string | null | undefined> {
    needs(scope === undefined || tokens.hasClient, "--client and --token-url");
    needs(token !== null || tokens.isKnown, "--token or --client");
    if (token !== undefined) return token;
    const which = scope === undefined ? "" : ` with the scope ${scope.replace(/:.*/, "")}`;
    return await tokens.get(scope?.replace("{project}", project)).catch((error: Error) => {
      throw new Skip(`needs a token${which}; ${error.message}`);
    });
  }

  function ensureAllowed(method: string): void {
    if (readOnly && !isRead({ method })) throw new Skip("--read-only sends no writes");
    if (signal?.aborted && !isCleaning) throw new Skip("interrupted");
    if (silent >= MAX_SILENT_REQUESTS) throw new Skip("the service has stopped responding");
  }

  function onMissing(error: unknown, line: string): never {
    if (!(error instanceof NoResponse)) throw error;
    const seen = `${line}: ${secrets.redact(error.message)}`;
    silent++;
    observe(error.reason, seen);
    throw new Skip(`needs a response; ${seen}`);
  }

  return {
    secrets,
    tokens,
    observations,
    observe,
    /**
     * Sends a request to a path, and again after 429, as a run sends more than many services allow. Throws Skip if the
     * response is missing. `onReply` receives the response first, or nothing if it is missing.
     */
    async sendTo(
      { method, security = [] }: Pick<Operation, "method" | "security">,
      path: string,
      sent: Sent = {},
      onReply = (_reply?: Reply) => {},
    ): Promise<Reply> {
      const { json, type, headers } = sent;
      const line = cut(secrets.redact(`${method} ${path}`), 200);
      const body = json === undefined ? sent.body : JSON.stringify(json);
      const contentType = type ?? (json === undefined ? undefined : "application/json");
      for (let repeats = 0; ; repeats++) {
        ensureAllowed(method);
        const token = await tokenOf(sent);
        const own = credentialsIn(security[0]?.[0]?.scheme ?? bearerScheme, token ?? "");
        const request = {
          method,
          path: token && own.query ? `${path}${path.includes("?") ? "&" : "?"}${own.query}` : path,
          headers: {
            Accept: "application/json, */*;q=0.5",
            "Accept-Encoding": "identity",
            "User-Agent": "resource-mock-compare",
            ...(token && own.headers),
            ...(contentType && body !== undefined && { "Content-Type": contentType }),
            ...headers,
            ...(token &&
              own.headers?.Cookie && { Cookie: [own.headers.Cookie, headers?.Cookie].filter(Boolean).join("; ") }),
          },
          body,
          line,
        };
        const reply = await exchange(upstream, request, options, secrets).catch((error: unknown) => {
          onReply();
          return onMissing(error, line);
        });
        silent = 0;
        observe("late");
        observe("broken");
        if (reply.status === 429 && repeats < MAX_REPEATS) {
          const seconds = Number(reply.header("retry-after") ?? 1);
          const time = Math.min(Number.isNaN(seconds) ? 1000 : Math.max(0, seconds) * 1000, RESPONSE_TIMEOUT_MS);
          // After an interruption, `ensureAllowed` decides.
          await wait(time, undefined, { signal: isCleaning ? undefined : signal }).catch(() => {});
          continue;
        }
        onReply(reply);
        return reply;
      }
    },
    /** Allows requests again after an interruption or after missing responses, for the requests that clean up. */
    resume(): void {
      isCleaning = true;
      silent = 0;
    },
  };
}

/** Returns the media type that a request has: JSON if the operation takes it, other than a list of changes. */
export function typeToSend({ body }: Operation): string {
  const types = body?.mediaTypes ?? [];
  const type = types.find((each) => isJson(each) && !/json-patch/.test(each)) ?? types[0] ?? "";
  return type.replace("*/*", "text/plain");
}
