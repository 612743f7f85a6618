import { setTimeout as wait } from "node:timers/promises";
import type { Contract, OperationId, ServiceOperation } from "../contract/contract.ts";
import { cut } from "../text/shown.ts";
import {
  exchange,
  type HeadResponse,
  type HttpRequest,
  type HttpResponse,
  NoResponse,
  rawHead,
  type Target,
} from "./http.ts";
import { Skip } from "./outcome.ts";
import { type Reply, replyOf } from "./reply.ts";
import type { Secrets } from "./secrets.ts";
import type { Tokens } from "./tokens.ts";

export interface RequestsOptions {
  readonly contract: Contract;
  readonly target: Target;
  readonly projectKey: string;
  readonly tokens: Tokens;
  readonly secrets: Secrets;
  readonly readOnly: boolean;
  /** After this signal, only the requests that clean up are sent. */
  readonly signal?: AbortSignal;
  /** Receives each request to an operation with its reply, or undefined if no reply arrived. */
  readonly onSent: (operation: ServiceOperation, sent: Sent, reply: Reply | undefined) => void;
}

/** A request to an operation. */
export interface Sent {
  /** Values of path parameters other than the project key, decoded. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** A body as JSON. */
  readonly json?: unknown;
  /** A body as it is, with its content type. */
  readonly body?: string | Uint8Array;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The token instead of that of the run; null sends none. */
  readonly token?: string | null;
}

/** A response of the run that the observing checks judge. */
export interface Observed {
  readonly status: number;
  readonly seen: string;
  readonly json: unknown;
}

/** What the observing checks need to know about all responses of a run. Each list has at most `MAX_KEPT` items. */
export interface Observations {
  responses: number;
  readonly late: string[];
  readonly broken: string[];
  readonly notJson: string[];
  readonly errors: Observed[];
}

export const MAX_KEPT = 500;

/** How often a request is repeated after 429, and the longest time before each, in milliseconds. */
export const MAX_REPEATS = 5;
export const MAX_WAIT = 30_000;

/** After so many requests in a row without a response, the service gets no more requests. */
export const MAX_SILENT = 4;

/** Creates the functions that send the requests of a run, and observe all responses. */
export function createRequests(options: RequestsOptions) {
  const { contract, target, projectKey, tokens, secrets, readOnly, signal, onSent } = options;
  const observations: Observations = { responses: 0, late: [], broken: [], notJson: [], errors: [] };
  let silent = 0;
  let isCleaning = false;

  /** Returns the path of a request, encoded. */
  function pathOf({ path: template }: ServiceOperation, { path = {}, query = [] }: Sent): string {
    const filled = template.replace(/\{(\w+)\}/g, (_match, name: string) =>
      encodeURIComponent(name === "projectKey" ? projectKey : (path[name] ?? "")),
    );
    const text = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
    return text === "" ? filled : `${filled}?${text}`;
  }

  async function headersOf({ token, headers, json, body, type }: Sent): Promise<Record<string, string>> {
    const bearer = token === undefined ? await mainToken() : token;
    const contentType = type ?? (json !== undefined ? "application/json" : undefined);
    return {
      Accept: "application/json",
      "Accept-Encoding": "identity",
      "User-Agent": "resource-mock-verify",
      ...(bearer && { Authorization: `Bearer ${bearer}` }),
      ...(contentType !== undefined && (body !== undefined || json !== undefined) && { "Content-Type": contentType }),
      ...headers,
    };
  }

  /** Returns the token of the run. Throws Skip if the token endpoint issues no further one. */
  async function mainToken(): Promise<string | undefined> {
    try {
      return await tokens.main();
    } catch (error) {
      throw new Skip(`needs a token; ${(error as Error).message}`);
    }
  }

  /** Throws Skip if no more requests may be sent. */
  function ensureOpen(): void {
    if (signal?.aborted && !isCleaning) throw new Skip("interrupted");
    if (silent >= MAX_SILENT) throw new Skip("the service has stopped responding");
  }

  /** Throws Skip for a write if the run is read-only. */
  function ensureAllowed(request: { readonly method: string }): void {
    if (readOnly && !isRead(request)) throw new Skip("--read-only sends no writes");
  }

  /** Observes an exchange. Throws Skip if no response arrives. */
  async function observed<Response>(line: string, start: () => Promise<Response>): Promise<Response> {
    try {
      const response = await start();
      silent = 0;
      observations.responses++;
      return response;
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      const seen = `${line}: ${secrets.redact(error.message)}`;
      if (error.reason !== "rejected") {
        silent++;
        keep(observations[error.reason], seen);
      }
      throw new Skip(`needs a response; ${seen}`);
    }
  }

  /** Repeats a request after 429, because a run sends more requests than many services allow. Waits for `Retry-After`. */
  async function withPatience<Response extends Pick<HttpResponse, "status" | "headers">>(
    start: () => Promise<Response>,
  ): Promise<Response> {
    for (let repeats = 0; ; repeats++) {
      const response = await start();
      if (response.status !== 429 || repeats === MAX_REPEATS) return response;
      const seconds = Number(response.headers["retry-after"] ?? 1);
      await wait(Math.min(Number.isNaN(seconds) ? 1000 : seconds * 1000, MAX_WAIT));
      ensureOpen();
    }
  }

  /** Sends a request to a path. Throws Skip if the response is missing or is not JSON. */
  async function sendTo(method: string, path: string, sent: Sent = {}): Promise<Reply> {
    ensureOpen();
    ensureAllowed({ method });
    const line = cut(secrets.redact(`${method} ${path}`), 200);
    const request: HttpRequest = {
      method,
      path,
      headers: await headersOf(sent),
      body: sent.json !== undefined ? JSON.stringify(sent.json) : sent.body,
    };
    const { status, headers, bytes } = await withPatience(() => observed(line, () => exchange(target, request)));
    const type = headers["content-type"];
    const returned = `${line} returned ${status}`;
    const text = bytes.toString();
    const json = text === "" ? undefined : parsed(text);
    if (text !== "" && !isJsonType(type)) {
      keep(observations.notJson, `${returned} with Content-Type ${secrets.shown(type)}`);
    }
    if (text !== "" && json === undefined) {
      if (isJsonType(type)) keep(observations.notJson, `${returned} with a body that is not JSON`);
      throw new Skip(`needs a response of the service; ${returned} with a body that is not JSON`);
    }
    const reply = replyOf({ status, headers, json, seen: returned });
    const { message } = reply.members;
    const seen =
      status >= 400 && typeof message === "string" ? cut(`${returned}: ${secrets.redact(message)}`, 400) : returned;
    if (status >= 400 && json !== undefined && observations.errors.length < MAX_KEPT) {
      observations.errors.push({ status, seen, json });
    }
    return { ...reply, seen };
  }

  /** Sends a request to an operation. Throws Skip if the response is missing or is not JSON. */
  async function send(id: OperationId, sent: Sent = {}): Promise<Reply> {
    const operation = contract.find(id);
    if (!operation) throw new Error(`unknown operation ${id}`);
    ensureAllowed(operation);
    if (operation.method === "HEAD") return replyOf(await head(sent));
    ensureOpen();
    try {
      const reply = await sendTo(operation.method, pathOf(operation, sent), sent);
      onSent(operation, sent, reply);
      return reply;
    } catch (error) {
      onSent(operation, sent, undefined);
      throw error;
    }
  }

  /** Sends HEAD on the collection over a plain socket. Throws Skip if no response arrives. */
  async function head(sent: Sent = {}): Promise<HeadResponse & { readonly seen: string }> {
    ensureOpen();
    const operation = contract.find("checkResourceExists");
    const path = operation ? pathOf(operation, sent) : "";
    const line = cut(secrets.redact(`HEAD ${path}`), 200);
    const headers = await headersOf(sent);
    const response = await withPatience(() => observed(line, () => rawHead(target, { path, headers })));
    return { ...response, seen: `${line} returned ${response.status}` };
  }

  /** Allows requests again after an interruption or after missing responses, for the requests that clean up. */
  function resume(): void {
    isCleaning = true;
    silent = 0;
  }

  return { observations, send, sendTo, head, resume };
}

function keep(list: string[], seen: string): void {
  if (list.length < MAX_KEPT) list.push(seen);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isJsonType(type: string | undefined): boolean {
  return type !== undefined && /^application\/json\s*(;|$)/i.test(type);
}

export function isRead({ method }: { readonly method: string }): boolean {
  return method === "GET" || method === "HEAD";
}
