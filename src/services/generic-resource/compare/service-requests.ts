import { setTimeout as wait } from "node:timers/promises";
import {
  cut,
  type Expected,
  isObject,
  MAX_REPEATS,
  MAX_SILENT_REQUESTS,
  matching,
  present,
  RESPONSE_TIMEOUT_MS,
  type SeenValue,
  typed,
  valuesOf,
} from "../../../contract/index.ts";
import {
  type CompareOptions,
  createSecrets,
  createTokens,
  exchange,
  factOf,
  NoResponse,
  needs,
  type Reply,
  Skip,
} from "../../../tools/compare/index.ts";

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

export function locatedId(reply: Reply): string | undefined {
  const [, segment] = /\/resource\/([^/?#]+)\/?(?:[?#].*)?$/.exec(reply.header("location") ?? "") ?? [];
  try {
    return segment && decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function idIn(reply: Reply): string | undefined {
  const { id } = reply.members;
  return locatedId(reply) ?? (typeof id === "string" && id !== "" ? id : undefined);
}

export function versionIn({ members: { version } }: Reply): number | undefined {
  return typeof version === "number" ? version : undefined;
}

export function errorIn({ members: { errors } }: Reply): Reply["members"] {
  return (Array.isArray(errors) ? errors.find(isObject) : undefined) ?? {};
}

export function isRead({ method }: { readonly method: string }): boolean {
  return method === "GET" || method === "HEAD";
}

/** What was seen of each claim about all responses of a run. */
type Observations = Record<"late" | "broken" | "notJson" | "errorBody" | "statusCode", (string | undefined)[]>;

const isJson = matching("application/json", /^application\/json\s*(;|$)/i);
const text = typed("string");
const errorBody: Expected = {
  "/statusCode": { text: "an integer", accepts: Number.isInteger },
  ...{ "/message": text, "/errors/0/code": text, "/errors/0/message": text },
};

/** Creates the functions that send the requests of a run, and observe all responses. */
export function createRequests(options: CompareOptions) {
  const { upstream, project, readOnly, signal } = options;
  const secrets = createSecrets(options.credentials);
  const tokens = createTokens(options, secrets);
  /** Undefined for a response that does as claimed, or else the violation. */
  const observations: Observations = { late: [], broken: [], notJson: [], errorBody: [], statusCode: [] };
  let silent = 0;
  let isCleaning = false;

  /** Notes whether the values of a response are the expected ones. */
  function observe(kind: keyof Observations, { seen }: Reply, values: readonly SeenValue[]): void {
    const fact = factOf(values, secrets);
    observations[kind].push(fact.isTrue ? undefined : `${seen}: ${fact.seen}`);
  }

  function observeBody(reply: Reply): void {
    const { status, json, members } = reply;
    observe("notJson", reply, [
      ["Content-Type", reply.header("content-type"), isJson],
      ["the body", json, present],
    ]);
    if (json === undefined || status < 400) return;
    const values = valuesOf({ ...reply, paths: [], query: new URLSearchParams() }, errorBody);
    observe("errorBody", reply, values);
    const { statusCode } = members;
    if (typeof statusCode === "number") observe("statusCode", reply, [["/statusCode", statusCode, status]]);
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

  async function headersOf(sent: Sent): Promise<Record<string, string>> {
    const { headers, json, body, type } = sent;
    const token = await tokenOf(sent);
    const contentType = json === undefined ? body !== undefined && type : (type ?? "application/json");
    return {
      Accept: "application/json",
      "Accept-Encoding": "identity",
      "User-Agent": "resource-mock-compare",
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(contentType && { "Content-Type": contentType }),
      ...headers,
    };
  }

  function ensureAllowed(method: string): void {
    if (readOnly && !isRead({ method })) throw new Skip("--read-only sends no writes");
    if (signal?.aborted && !isCleaning) throw new Skip("interrupted");
    if (silent >= MAX_SILENT_REQUESTS) throw new Skip("the service has stopped responding");
  }

  function onMissing(error: unknown, line: string): never {
    if (!(error instanceof NoResponse)) throw error;
    const seen = `${line}: ${secrets.redact(error.message)}`;
    if (error.reason !== "rejected") {
      silent++;
      observations[error.reason].push(seen);
    }
    throw new Skip(`needs a response; ${seen}`);
  }

  return {
    secrets,
    tokens,
    observations,
    /**
     * Sends a request to a path, and again after 429, as a run sends more than many services allow. Throws Skip if the
     * response is missing, or if it is not JSON. `onReply` receives the response first, or nothing if it is missing.
     */
    async sendTo(method: string, path: string, sent: Sent = {}, onReply = (_reply?: Reply) => {}): Promise<Reply> {
      const line = cut(secrets.redact(`${method} ${path}`), 200);
      const body = sent.json === undefined ? sent.body : JSON.stringify(sent.json);
      for (let repeats = 0; ; repeats++) {
        ensureAllowed(method);
        const request = { method, path, headers: await headersOf(sent), body, line };
        const reply = await exchange(upstream, request, options, secrets).catch((error: unknown) => {
          onReply();
          return onMissing(error, line);
        });
        silent = 0;
        observations.late.push(undefined);
        observations.broken.push(undefined);
        if (reply.status === 429 && repeats < MAX_REPEATS) {
          const seconds = Number(reply.header("retry-after") ?? 1);
          const time = Math.min(Number.isNaN(seconds) ? 1000 : seconds * 1000, RESPONSE_TIMEOUT_MS);
          // After an interruption, `ensureAllowed` decides.
          await wait(time, undefined, { signal: isCleaning ? undefined : signal }).catch(() => {});
          continue;
        }
        onReply(reply);
        if (method === "HEAD" || reply.bodySize === 0) return reply;
        observeBody(reply);
        needs(reply.json !== undefined, `a response of the service; ${line} returned ${reply.status} with no JSON`);
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
