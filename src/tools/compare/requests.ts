import { setTimeout as wait } from "node:timers/promises";
import {
  type Contract,
  cut,
  MAX_JUDGED_RESPONSES,
  MAX_REPEATS,
  MAX_SILENT_REQUESTS,
  type OperationId,
  RESPONSE_TIMEOUT_MS,
  type ServiceOperation,
} from "../../contract/index.ts";
import type { Created } from "./created.ts";
import { exchange, type HttpResponse, NoResponse } from "./http.ts";
import { isRead, type Reply, replyOf, type Sent } from "./messages.ts";
import type { VerifyOptions } from "./options.ts";
import { Skip } from "./outcome.ts";
import type { Secrets } from "./secrets.ts";
import type { Tokens } from "./tokens.ts";

/** What the observing checks need to know about all responses of a run. Each list has at most `MAX_JUDGED_RESPONSES` items. */
export interface Observations {
  responses: number;
  readonly late: string[];
  readonly broken: string[];
  readonly notJson: string[];
  /** The responses with an error that is JSON. */
  readonly errors: Reply[];
}

/** Creates the functions that send the requests of a run, and observe all responses. */
export function createRequests(options: VerifyOptions, tokens: Tokens, secrets: Secrets, created: Created) {
  const { contract, upstream, project, readOnly, signal } = options;
  const observations: Observations = { responses: 0, late: [], broken: [], notJson: [], errors: [] };
  let silent = 0;
  let isCleaning = false;

  /** Returns the path of a request, encoded. */
  function pathOf({ path: template }: ServiceOperation, { path = {}, query = [] }: Sent): string {
    const filled = template.replace(/\{(\w+)\}/g, (_match, name: string) =>
      encodeURIComponent(name === "projectKey" ? project : (path[name] ?? "")),
    );
    const text = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
    return text === "" ? filled : `${filled}?${text}`;
  }

  async function headersOf({ token, headers, json, body, type }: Sent): Promise<Record<string, string>> {
    const main = token === undefined ? await tokens.main().catch(skipWithoutToken) : token;
    const contentType = json === undefined ? body !== undefined && type : (type ?? "application/json");
    return {
      Accept: "application/json",
      "Accept-Encoding": "identity",
      "User-Agent": "resource-mock-verify",
      ...(main && { Authorization: `Bearer ${main}` }),
      ...(contentType && { "Content-Type": contentType }),
      ...headers,
    };
  }

  /** Throws Skip if the request may not be sent. */
  function ensureAllowed(request: { readonly method: string }): void {
    if (readOnly && !isRead(request)) throw new Skip("--read-only sends no writes");
    if (signal?.aborted && !isCleaning) throw new Skip("interrupted");
    if (silent >= MAX_SILENT_REQUESTS) throw new Skip("the service has stopped responding");
  }

  /**
   * Sends a request and observes its response. Repeats the request after 429, because a run sends more requests than
   * many services allow. Waits for `Retry-After`. Throws Skip if no response arrives.
   */
  async function observed(method: string, line: string, start: () => Promise<HttpResponse>): Promise<HttpResponse> {
    for (let repeats = 0; ; repeats++) {
      ensureAllowed({ method });
      const response = await start().catch((error: unknown) => {
        if (!(error instanceof NoResponse)) throw error;
        const seen = `${line}: ${secrets.redact(error.message)}`;
        if (error.reason !== "rejected") {
          silent++;
          keep(observations[error.reason], seen);
        }
        throw new Skip(`needs a response; ${seen}`);
      });
      silent = 0;
      observations.responses++;
      if (response.status !== 429 || repeats === MAX_REPEATS) return response;
      const seconds = Number(response.headers["retry-after"] ?? 1);
      await wait(Math.min(Number.isNaN(seconds) ? 1000 : seconds * 1000, RESPONSE_TIMEOUT_MS));
    }
  }

  /**
   * Sends a request to a path, which can be that of an operation. Throws Skip if the response is missing or is not
   * JSON.
   */
  async function sendTo(method: string, path: string, sent: Sent = {}, operation?: ServiceOperation): Promise<Reply> {
    ensureAllowed({ method });
    const line = cut(secrets.redact(`${method} ${path}`), 200);
    const body = sent.json === undefined ? sent.body : JSON.stringify(sent.json);
    const request = { method, path, headers: await headersOf(sent), body };
    const note = (received?: Reply) => operation && created.note(operation, sent, received);
    const response = await observed(method, line, () => exchange(upstream, request, options)).catch(
      (error: unknown) => {
        note();
        throw error;
      },
    );
    const reply = replyOf(response, line, secrets);
    note(reply);
    if (method === "HEAD" || reply.bodySize === 0) return reply;
    ensureJson(reply, `${line} returned ${reply.status}`);
    if (reply.status >= 400) keep(observations.errors, reply);
    return reply;
  }

  /** Observes whether a body is JSON. Throws Skip if no check can judge it. */
  function ensureJson({ header, json }: Reply, returned: string): void {
    const type = header("content-type");
    const isJsonType = /^application\/json\s*(;|$)/i.test(type ?? "");
    if (!isJsonType) keep(observations.notJson, `${returned} with Content-Type ${secrets.shown(type)}`);
    if (json !== undefined) return;
    if (isJsonType) keep(observations.notJson, `${returned} with a body that is not JSON`);
    throw new Skip(`needs a response of the service; ${returned} with a body that is not JSON`);
  }

  /** Sends a request to an operation. Throws Skip if the response is missing or is not JSON. */
  async function send(id: OperationId, sent: Sent = {}): Promise<Reply> {
    const operation = operationOf(contract, id);
    return await sendTo(operation.method, pathOf(operation, sent), sent, operation);
  }

  /** Allows requests again after an interruption or after missing responses, for the requests that clean up. */
  function resume(): void {
    isCleaning = true;
    silent = 0;
  }

  return { observations, send, sendTo, resume };
}

function skipWithoutToken(error: Error): never {
  throw new Skip(`needs a token; ${error.message}`);
}

/** Returns the operation with this id. Throws for an unknown id. */
export function operationOf(contract: Contract, id: OperationId): ServiceOperation {
  const operation = contract.find(id);
  if (!operation) throw new Error(`unknown operation ${id}`);
  return operation;
}

function keep<Item>(list: Item[], item: Item): void {
  if (list.length < MAX_JUDGED_RESPONSES) list.push(item);
}
