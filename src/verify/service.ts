import type { Contract, OperationId, ServiceOperation } from "../contract/contract.ts";
import type { Schema } from "../contract/schema.ts";
import { loadCheck } from "../contract/validator.ts";
import { isObject } from "../text/json.ts";
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
import { needs, Skip } from "./outcome.ts";
import type { Secrets } from "./secrets.ts";
import type { Tokens } from "./tokens.ts";

/** Every resource of a run has this prefix in its content, followed by the run and a number. */
export const PREFIX = "resource-mock-verify";

export interface ServiceOptions {
  readonly contract: Contract;
  readonly target: Target;
  readonly projectKey: string;
  readonly tokens: Tokens;
  readonly secrets: Secrets;
  readonly readOnly: boolean;
  /** The id and the key of a resource that exists already, for reads. */
  readonly resourceId?: string;
  readonly resourceKey?: string;
  /** Distinguishes the resources of this run. */
  readonly run: string;
  /** After this signal, the service gets no further requests except those of `cleanUp`. */
  readonly signal?: AbortSignal;
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

/** A response with a body that is JSON or empty. */
export interface Reply {
  readonly status: number;
  readonly isOk: boolean;
  /** The value of the body; undefined without a body. */
  readonly json: unknown;
  /** The members of the body if it is an object. */
  readonly members: { readonly [name: string]: unknown };
  /** Returns the value of a header. */
  header(name: string): string | undefined;
  /** The request and the response in a few words, without secrets. */
  readonly seen: string;
}

/** The response to an update, with the version in the request. */
export interface Updated extends Reply {
  readonly sentVersion: number;
}

/** A resource of this run, with a known id. */
export interface Owned {
  readonly id: string;
  /** The version after its creation; NaN if the service does not say it. */
  readonly version: number;
  /** The draft that created it; undefined if the service created the resource by itself when it was read. */
  readonly draft: Draft | undefined;
}

export interface Draft {
  readonly objectTypeProperty: { readonly arrayOfStringExample: readonly string[]; readonly [name: string]: unknown };
}

/** A response of the run that the observing checks judge. */
export interface Observed {
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

const MAX_KEPT = 500;

/** After so many requests in a row without a response, the service gets no more requests. */
const MAX_SILENT = 5;

/** The resources that the end of a run could not delete, with the reason. */
export type LeftOver = readonly string[];

/** The service that a run verifies: sends requests, remembers what to delete, and observes all responses. */
export type Service = ReturnType<typeof createService>;

export function createService(options: ServiceOptions) {
  const { contract, target, projectKey, tokens, secrets, readOnly, run, signal } = options;
  const created = new Map<string, string>();
  const unknown: string[] = [];
  const observations: Observations = { responses: 0, late: [], broken: [], notJson: [], errors: [] };
  let silent = 0;
  let isCleaning = false;
  let numbers = 0;
  const prefix = `${PREFIX}-${run}`;

  function operationOf(id: OperationId): ServiceOperation {
    const operation = contract.find(id);
    if (!operation) throw new Error(`unknown operation ${id}`);
    return operation;
  }

  /** Returns a name of this run that no other resource has. */
  function newName(): string {
    return `${prefix}-${++numbers}`;
  }

  /** Returns the path of a request, encoded. */
  function pathOf({ path: template }: ServiceOperation, { path = {}, query = [] }: Sent): string {
    const filled = template.replace(/\{(\w+)\}/g, (_match, name: string) =>
      encodeURIComponent(name === "projectKey" ? projectKey : (path[name] ?? "")),
    );
    const text = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
    return text === "" ? filled : `${filled}?${text}`;
  }

  async function headersOf({ token, headers, json, body, type }: Sent): Promise<Record<string, string>> {
    const bearer = token === undefined ? await tokens.main() : token;
    const contentType = type ?? (json !== undefined ? "application/json" : undefined);
    return {
      Accept: "application/json",
      "User-Agent": PREFIX,
      ...(bearer && { Authorization: `Bearer ${bearer}` }),
      ...(contentType !== undefined && (body !== undefined || json !== undefined) && { "Content-Type": contentType }),
      ...headers,
    };
  }

  /** Runs an exchange of the run. Throws Skip if no response arrives, or if no more requests may be sent. */
  async function guarded<Response>(line: string, start: () => Promise<Response>): Promise<Response> {
    if (signal?.aborted && !isCleaning) throw new Skip("interrupted");
    if (silent >= MAX_SILENT) throw new Skip("the service has stopped responding");
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

  /** Sends a request to a path. Throws Skip if the response is missing or is not JSON. */
  async function sendTo(method: string, path: string, sent: Sent = {}): Promise<Reply> {
    const line = cut(secrets.redact(`${method} ${path}`), 200);
    const request: HttpRequest = {
      method,
      path,
      headers: await headersOf(sent),
      body: sent.json !== undefined ? JSON.stringify(sent.json) : sent.body,
    };
    const { status, headers, bytes } = await guarded(line, () => exchange(target, request));
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
      observations.errors.push({ seen, json });
    }
    return { ...reply, seen };
  }

  /** Sends a request to an operation. Throws Skip if the response is missing or is not JSON. */
  async function send(id: OperationId, sent: Sent = {}): Promise<Reply> {
    const operation = operationOf(id);
    if (readOnly && !isRead(operation)) throw new Skip("--read-only sends no writes");
    const path = pathOf(operation, sent);
    const addressed = operation.resource?.parameter === "id" ? sent.path?.id : undefined;
    const isWrite = operation.path === "/{projectKey}/resource" && !isRead(operation);
    let reply: Reply;
    if (operation.method === "HEAD") return replyOf(await head(sent));
    try {
      reply = await sendTo(operation.method, path, sent);
    } catch (error) {
      if (isWrite && error instanceof Skip && !signal?.aborted) unknown.push(`${operation.method} ${path}`);
      throw error;
    }
    if (isWrite && reply.isOk) {
      const made = idIn(reply);
      if (made === undefined) unknown.push(reply.seen);
      else created.set(made, reply.seen);
    }
    if (addressed?.startsWith(prefix) && reply.isOk) created.set(addressed, reply.seen);
    if (addressed !== undefined && operation.method === "DELETE" && reply.isOk) created.delete(addressed);
    return reply;
  }

  /** Sends HEAD on the collection over a plain socket. Throws Skip if no response arrives. */
  async function head(sent: Sent = {}): Promise<HeadResponse & { readonly seen: string }> {
    const path = pathOf(operationOf("checkResourceExists"), sent);
    const line = `HEAD ${path}`;
    const headers = await headersOf(sent);
    const response = await guarded(line, () => rawHead(target, { path, headers }));
    return { ...response, seen: `${line} returned ${response.status}` };
  }

  /** Returns the draft of a new resource. Its strings begin with a name of this run, and then have the labels. */
  function draft(more: Readonly<Record<string, unknown>> = {}, ...labels: string[]): Draft {
    return {
      objectTypeProperty: {
        arrayOfIntExample: [3, 1, 2],
        arrayOfUniqueIntExample: [1, 2],
        arrayOfTwonumbersExample: [0.5, 1.5],
        arrayOfFloatExample: [0.25],
        arrayOfNumberNoDefaultsExample: [1],
        arrayOfObjectType: [{ integerExample: 1, integerExampleInt32: 2 }],
        ...more,
        arrayOfStringExample: [newName(), ...labels],
      },
    };
  }

  /**
   * Creates a resource with a known id. Any 2xx counts. If the response contains no id, reads an unknown id, because some
   * services create the resource then. Throws Skip if neither works.
   */
  async function fresh(content: Draft = draft()): Promise<Owned> {
    let reason = "createResource to return an id";
    if (!readOnly) {
      try {
        const reply = await send("createResource", { json: content });
        const id = idIn(reply);
        if (reply.isOk && id !== undefined) return { id, version: versionIn(reply), draft: content };
        if (!reply.isOk) reason = `a resource; ${reply.seen}`;
      } catch (error) {
        if (!(error instanceof Skip)) throw error;
      }
      const id = newName();
      const reply = await send("getResourceById", { path: { id } });
      if (reply.isOk) return { id, version: versionIn(reply), draft: undefined };
    }
    throw new Skip(`needs ${reason}`);
  }

  /** Returns a resource for reads only. The checks share it. */
  const shared = once(async (): Promise<Pick<Owned, "id">> => {
    if (options.resourceId !== undefined) return { id: options.resourceId };
    if (!readOnly) return await fresh();
    const id = exampleOf("getResourceById", "id");
    if ((await send("getResourceById", { path: { id } })).isOk) return { id };
    throw new Skip("needs the id of a resource: pass --resource-id");
  });

  /** Returns the key of a resource that exists. */
  const knownKey = once(async (): Promise<string> => {
    if (options.resourceKey !== undefined) return options.resourceKey;
    const key = exampleOf("getResourceByKey", "key");
    if ((await countOf(key)) > 0 && (await countOf(`${prefix}-absent`)) === 0) return key;
    if ((await send("getResourceByKey", { path: { key } })).isOk) return key;
    throw new Skip("needs the key of a resource: pass --resource-key");
  });

  /** Returns the number of resources with this key on the first page; NaN if the service does not say it. */
  async function countOf(key: string): Promise<number> {
    const where = `key = ${JSON.stringify(key)}`;
    try {
      const results = resultsIn(await send("queryWithSortedParameters", { query: [["where", where]] }));
      return results?.length ?? Number.NaN;
    } catch (error) {
      if (error instanceof Skip) return Number.NaN;
      throw error;
    }
  }

  function exampleOf(id: OperationId, name: string): string {
    return operationOf(id).parameters.find((parameter) => parameter.name === name)?.example ?? "";
  }

  /**
   * Updates a resource with its current version, as far as the service says it: in the response to its creation, when it is
   * read, or in the response to a stale version.
   */
  async function update(resource: Owned, actions: readonly unknown[]): Promise<Updated> {
    const attempt = async (version: number) => {
      const reply = await send("updateResource", { path: { id: resource.id }, json: { version, actions } });
      return { ...reply, sentVersion: version };
    };
    const tried = new Set<number>();
    let last: Updated | undefined;
    const versions = [() => resource.version, () => readVersion(resource.id), () => currentVersionIn(last)];
    for (const next of versions) {
      const version = await next();
      if (Number.isNaN(version) || tried.has(version)) continue;
      tried.add(version);
      last = await attempt(version);
      if (last.status !== 409) return last;
    }
    if (!last) throw new Skip("needs the version of a resource");
    return last;
  }

  /** Returns the version of a resource when it is read; NaN if the service does not say it. */
  async function readVersion(id: string): Promise<number> {
    return versionIn(await send("getResourceById", { path: { id } }));
  }

  /** Deletes the resources of this run. Returns those that remain, with the reason. */
  async function cleanUp(): Promise<LeftOver> {
    isCleaning = true;
    silent = 0;
    const left = unknown.map((seen) => `${seen}: the response has no id`);
    for (const id of [...created.keys()]) {
      try {
        const { isOk, status, seen } = await send("deleteResource", { path: { id } });
        if (!isOk && status !== 404) left.push(seen);
      } catch (error) {
        if (!(error instanceof Skip)) throw error;
        left.push(`${secrets.redact(id)}: ${error.message}`);
      }
    }
    return left;
  }

  /** Returns the problems of a value by a schema, without secrets. */
  async function problems(schema: Schema, value: unknown): Promise<string[]> {
    const check = await loadCheck(schema);
    if (check(value).length === 0) return [];
    // The messages contain parts of values, so they come from a value without secrets.
    const found = check(secrets.redactValue(value));
    return found.length > 0
      ? found.map(({ pointer, message }) => `${pointer || "the body"}: ${message}`)
      : ["the body"];
  }

  return {
    contract,
    projectKey,
    tokens,
    secrets,
    observations,
    prefix,
    /** The path before the project key, encoded. */
    project: `/${encodeURIComponent(projectKey)}`,
    basePath: target.url.pathname.replace(/\/$/, ""),
    newName,
    send,
    sendTo,
    head,
    draft,
    fresh,
    shared,
    knownKey,
    update,
    readVersion,
    cleanUp,
    problems,
  };
}

function replyOf({
  status,
  headers,
  json,
  seen,
}: Pick<HttpResponse, "status" | "headers"> & { readonly json?: unknown; readonly seen: string }): Reply {
  return {
    status,
    isOk: status >= 200 && status < 300,
    json,
    members: isObject(json) ? json : {},
    header: (name) => [headers[name.toLowerCase()]].flat().join(", ") || undefined,
    seen,
  };
}

/** Returns the function's result. It runs once, at the first call. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
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

function isRead({ method }: ServiceOperation): boolean {
  return method === "GET" || method === "HEAD";
}

/** Returns the id in the header `Location` or in the body of a response. */
export function idIn(reply: Reply): string | undefined {
  const [, segment] = /\/resource\/([^/?#]+)\/?(?:[?#].*)?$/.exec(reply.header("location") ?? "") ?? [];
  if (segment !== undefined) {
    try {
      return decodeURIComponent(segment);
    } catch {
      return segment;
    }
  }
  return typeof reply.members.id === "string" && reply.members.id !== "" ? reply.members.id : undefined;
}

/** Returns the version in a response, also as text; NaN without one. */
export function versionIn({ members: { version } }: Reply): number {
  return typeof version === "number" || (typeof version === "string" && version !== "") ? Number(version) : Number.NaN;
}

/** Returns the current version in the response to a stale version; NaN without one. */
export function currentVersionIn(reply: Reply | undefined): number {
  const [first] = errorsIn(reply);
  return typeof first?.currentVersion === "number" ? first.currentVersion : Number.NaN;
}

/** Returns the items of `errors` in an error body. */
export function errorsIn(reply: Reply | undefined): { readonly [member: string]: unknown }[] {
  const errors = reply?.members.errors;
  return Array.isArray(errors) ? errors.filter(isObject) : [];
}

/** Returns the results of a page, or undefined if the response is no page. */
export function resultsIn(reply: Reply): { readonly [member: string]: unknown }[] | undefined {
  const { results } = reply.members;
  return reply.isOk && Array.isArray(results) && results.every(isObject) ? results : undefined;
}

/** Returns the results of a page. Throws Skip if the response is no page. */
export function neededResults(reply: Reply): { readonly [member: string]: unknown }[] {
  const results = resultsIn(reply);
  needs(results !== undefined, `a page with results; ${reply.seen}`);
  return results;
}
