import { setTimeout as wait } from "node:timers/promises";
import { cut, isObject, MAX_REPEATS, MAX_SILENT_REQUESTS, RESPONSE_TIMEOUT_MS } from "../../contract/index.ts";
import type { CompareOptions } from "./compare.ts";
import type { Secrets, Tokens } from "./credentials.ts";
import { exchange, type HttpResponse, NoResponse } from "./node-exchange.ts";

/** A check cannot be tried. The message says why. */
export class Skip extends Error {
  override readonly name = "Skip";
}

/** Throws Skip unless the precondition is true. `need`: what the check needs, such as "a resource with a key". */
export function needs(isTrue: boolean, need: string): asserts isTrue {
  if (!isTrue) throw new Skip(`needs ${need}`);
}

type Members = { readonly [name: string]: unknown };

/** A request to an operation. */
export interface Sent {
  /** Values of path parameters other than the project key, decoded. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly json?: unknown;
  /** A body as it is, with its content type. */
  readonly body?: string | Uint8Array;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The token instead of that of the run; null sends none. */
  readonly token?: string | null;
  /** Set if the service has to reject the request. */
  readonly isInvalid?: boolean;
}

/** A response of the service. */
export interface Reply {
  readonly status: number;
  readonly isOk: boolean;
  /** The value of the body; undefined without a body, and if it is not JSON. */
  readonly json: unknown;
  /** The members of the body if it is an object. */
  readonly members: Members;
  /** The size of the body, in bytes, also in the response to HEAD. */
  readonly bodySize: number;
  header(name: string): string | undefined;
  /** The request and the response in a few words, without secrets. */
  readonly seen: string;
}

/** Returns a reply. `line`: the request in a few words, without secrets. */
export function replyOf({ status, headers, bytes }: HttpResponse, line: string, secrets: Secrets): Reply {
  const json = parsed(bytes.toString());
  const members = isObject(json) ? json : {};
  const { message } = members;
  const reason = status >= 400 && typeof message === "string" ? `: ${secrets.redact(message)}` : "";
  return {
    status,
    isOk: status >= 200 && status < 300,
    json,
    members,
    bodySize: bytes.length,
    header: (name) => [headers[name.toLowerCase()]].flat().join(", ") || undefined,
    seen: cut(`${line} returned ${status}${reason}`, 400),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function locatedId(reply: Reply): string | undefined {
  const [, segment] = /\/resource\/([^/?#]+)\/?(?:[?#].*)?$/.exec(reply.header("location") ?? "") ?? [];
  try {
    return segment && decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns the id in the header `Location` or in the body of a response. */
export function idIn(reply: Reply): string | undefined {
  const { id } = reply.members;
  return locatedId(reply) ?? (typeof id === "string" && id !== "" ? id : undefined);
}

/** Returns the version in a response, also if it is text. */
export function versionIn({ members: { version } }: Reply): number | undefined {
  const number = typeof version === "string" && version !== "" ? Number(version) : version;
  return typeof number === "number" && !Number.isNaN(number) ? number : undefined;
}

/** Returns the first item of `errors` in an error body. */
export function errorIn({ members: { errors } }: Pick<Reply, "members">): Members | undefined {
  return Array.isArray(errors) ? errors.find(isObject) : undefined;
}

export function isRead({ method }: { readonly method: string }): boolean {
  return method === "GET" || method === "HEAD";
}

/** The claims about all responses of a run. */
const claims = ["late", "broken", "notJson", "errorBody", "statusCode"] as const;
export type Claim = (typeof claims)[number];

/** What was seen of a claim: the first violation, and the numbers of violations and of judged responses. */
export interface Observation {
  first?: string;
  violations: number;
  judged: number;
}

/** Creates the functions that send the requests of a run, and observe all responses. */
export function createRequests(options: CompareOptions, tokens: Tokens, secrets: Secrets) {
  const { upstream, readOnly, signal } = options;
  const observations = Object.fromEntries(
    claims.map((claim): [Claim, Observation] => [claim, { violations: 0, judged: 0 }]),
  ) as Record<Claim, Observation>;
  let silent = 0;
  let isCleaning = false;

  function observe(claim: Claim, violation: string | false): void {
    const observation = observations[claim];
    observation.judged++;
    if (violation === false) return;
    observation.violations++;
    observation.first ??= violation;
  }

  function observeError({ seen, status, members }: Reply): void {
    const { code, message } = errorIn({ members }) ?? {};
    const { statusCode } = members;
    const wrong = [
      ...(Number.isInteger(statusCode) ? [] : ["statusCode"]),
      ...(typeof members.message === "string" ? [] : ["message"]),
      ...(typeof code === "string" && typeof message === "string" ? [] : ["errors with code and message"]),
    ];
    observe("errorBody", wrong.length > 0 && `${seen}: expected ${wrong.join(", ")}`);
    if (typeof statusCode === "number")
      observe("statusCode", statusCode !== status && `${seen}: statusCode ${statusCode}`);
  }

  async function headersOf({ token, headers, json, body, type }: Sent): Promise<Record<string, string>> {
    const skip = (error: Error) => {
      throw new Skip(`needs a token; ${error.message}`);
    };
    const main = token === undefined ? await tokens.main().catch(skip) : token;
    const contentType = json === undefined ? body !== undefined && type : (type ?? "application/json");
    return {
      Accept: "application/json",
      "Accept-Encoding": "identity",
      "User-Agent": "resource-mock-compare",
      ...(main && { Authorization: `Bearer ${main}` }),
      ...(contentType && { "Content-Type": contentType }),
      ...headers,
    };
  }

  /** Throws Skip if the request may not be sent. */
  function ensureAllowed(method: string): void {
    if (readOnly && !isRead({ method })) throw new Skip("--read-only sends no writes");
    if (signal?.aborted && !isCleaning) throw new Skip("interrupted");
    if (silent >= MAX_SILENT_REQUESTS) throw new Skip("the service has stopped responding");
  }

  /**
   * Sends a request and observes its response. Repeats it after 429 and `Retry-After`, because a run sends more
   * requests than many services allow.
   */
  async function observed(method: string, line: string, start: () => Promise<HttpResponse>): Promise<HttpResponse> {
    for (let repeats = 0; ; repeats++) {
      ensureAllowed(method);
      const response = await start().catch((error: unknown) => {
        if (!(error instanceof NoResponse)) throw error;
        const seen = `${line}: ${secrets.redact(error.message)}`;
        if (error.reason !== "rejected") {
          silent++;
          observe(error.reason, seen);
        }
        throw new Skip(`needs a response; ${seen}`);
      });
      silent = 0;
      observe("late", false);
      observe("broken", false);
      if (response.status !== 429 || repeats === MAX_REPEATS) return response;
      const seconds = Number(response.headers["retry-after"] ?? 1);
      await wait(Math.min(Number.isNaN(seconds) ? 1000 : seconds * 1000, RESPONSE_TIMEOUT_MS));
    }
  }

  return {
    observations,
    /**
     * Sends a request to a path. Throws Skip if the response is missing, or if it is not JSON. `onReply` receives the
     * response first, or nothing if it is missing.
     */
    async sendTo(method: string, path: string, sent: Sent = {}, onReply = (_reply?: Reply) => {}): Promise<Reply> {
      ensureAllowed(method);
      const line = cut(secrets.redact(`${method} ${path}`), 200);
      const body = sent.json === undefined ? sent.body : JSON.stringify(sent.json);
      const request = { method, path, headers: await headersOf(sent), body };
      const response = await observed(method, line, () => exchange(upstream, request, options)).catch((error) => {
        onReply();
        throw error;
      });
      const reply = replyOf(response, line, secrets);
      onReply(reply);
      if (method === "HEAD" || reply.bodySize === 0) return reply;
      const type = reply.header("content-type");
      const isJsonType = /^application\/json\s*(;|$)/i.test(type ?? "");
      const returned = `${line} returned ${reply.status}`;
      const notJson = `${returned} with a body that is not JSON`;
      if (!isJsonType) observe("notJson", `${returned} with Content-Type ${secrets.shown(type)}`);
      else observe("notJson", reply.json === undefined && notJson);
      if (reply.json === undefined) throw new Skip(`needs a response of the service; ${notJson}`);
      if (reply.status >= 400) observeError(reply);
      return reply;
    },
    /** Allows requests again after an interruption or after missing responses, for the requests that clean up. */
    resume(): void {
      isCleaning = true;
      silent = 0;
    },
  };
}
