import { createParser } from "eventsource-parser";
import {
  checkOptionNames,
  isObject,
  join,
  MAX_REQUEST_PAGE,
  RESPONSE_TIMEOUT_MS,
  shown,
} from "../../contract/index.ts";
import type { FeedEvents } from "../../journal/index.ts";
import type { AddAnyFunction, AddedFunction } from "../../rules/index.ts";
import type { Problem } from "../control-schemas.ts";

/** The `fetch` of a browser or of Node, or the `fetch` of a mock in this process, which opens no socket. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** A connection to a running mock. */
export interface Connection {
  /** Address of the mock: `http://host:port`, without a trailing slash. */
  readonly url: string;
  readonly fetch: Fetch;
  /** The `--admin-token` of the mock, if it has one. */
  readonly adminToken: string | undefined;
  /** Adds a function to a project; undefined unless the mock runs in this process. */
  readonly addFunction: AddToProject | undefined;
}

/**
 * Adds a function for the requests of one operation in a project. Returns the message of a TypeError for invalid arguments,
 * and the reason if a limit is reached.
 */
export type AddToProject = (
  projectKey: string,
  ...added: Parameters<AddAnyFunction>
) => AddedFunction | ControlFailure | string;

export interface ConnectOptions {
  /** The `--admin-token` of the mock, if it has one. */
  readonly adminToken?: string;
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: Fetch;
}

/** Returns a connection to the mock at this address. */
export function connectionTo(
  url: string | URL,
  options: ConnectOptions & { readonly addFunction?: AddToProject } = {},
): Connection {
  const { adminToken, fetch = (...request) => globalThis.fetch(...request), addFunction } = options;
  return { url: String(url).replace(/\/+$/, ""), fetch, adminToken, addFunction };
}

/** Returns a `fetch` for commands, whose requests end when a signal aborts, or when a mock would have responded. */
export function limitedFetch(...signals: readonly AbortSignal[]): Fetch {
  return (url, init) =>
    fetch(url, { ...init, signal: AbortSignal.any([...signals, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]) });
}

/** One call to the control API. */
export interface ControlRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below `/__admin` with encoded segments, as `path` returns it. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** In place of `body`: JSON lines. */
  readonly lines?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Statuses other than 2xx that count as success. */
  readonly accept?: readonly number[];
}

/**
 * Returns a path of the control API with percent-encoded values. Throws TypeError for the values `.` and `..`, which every
 * `fetch` resolves as path steps, even if they are encoded. Callers without types can also pass no text.
 */
export function path(literals: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  for (const value of values) {
    if (typeof value === "number" || (typeof value === "string" && !["", ".", ".."].includes(value))) continue;
    const allowed = 'a segment other than "", "." and ".."';
    throw new TypeError(`${literals.join("…")}: expected ${allowed}, found ${shown(value)}`);
  }
  return String.raw({ raw: literals }, ...values.map(encodeURIComponent));
}

/**
 * Returns the response of a control API call. Throws ControlError for no response, or a status that is not accepted, and
 * TypeError for a body that is not JSON.
 */
export async function callControl(connection: Connection, request: ControlRequest): Promise<Response> {
  const { method, path, query = {}, body, lines, signal, accept = [] } = request;
  const call = `${method} /__admin${path}`;
  const json = body === undefined ? undefined : jsonOf(body, call);
  const headers: Record<string, string> = { ...request.headers };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (lines !== undefined) headers["Content-Type"] = "application/x-ndjson";
  if (connection.adminToken !== undefined) headers.Authorization = `Bearer ${connection.adminToken}`;
  let response: Response;
  try {
    response = await connection.fetch(`${connection.url}/__admin${path}${queryString(query)}`, {
      method,
      headers,
      ...(json !== undefined && { body: json }),
      ...(lines !== undefined && { body: lines }),
      ...(signal && { signal }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ControlError(`${call} at ${connection.url}`, { cause });
  }
  if (response.ok || accept.includes(response.status)) return response;
  const { status } = response;
  const problem = await problemOf(response);
  const below = /^https?:\/\/[^/]+(\/.+)/.exec(connection.url)?.[1];
  // A mock has all paths of the client, unless the path of its address comes before them.
  if (status !== 404 || below === undefined || !JSON.stringify(problem).includes("EndpointNotFound"))
    throw new ControlError(call, { status, problem });
  const detail = `expected the address of the mock without a project or another path, found "${below}" in it`;
  throw new ControlError(`${call} at ${connection.url}`, { status, problem: { ...problem, detail } });
}

/** The pointers to matches in verifications and waits, and into the conditions of rules and scenarios. */
const inConditions = /^(\/match|\/order\/|(\/rules\/\d+)?\/when\/)/;

/**
 * Returns the body as JSON. Throws TypeError for values that `JSON.stringify` replaces: a match with a RegExp would become
 * one for every request. Undefined members are absent, except in conditions.
 */
function jsonOf(body: unknown, call: string): string {
  const json = JSON.stringify(body);
  const place: string[] = [];
  const requireJson = (value: unknown) => {
    // A date, for example, says itself what it is as JSON.
    if (typeof value === "object" && value !== null && "toJSON" in value) return;
    const pointer = () => place.reduce(join, "");
    const isCondition = value === undefined && inConditions.test(pointer());
    const found = isCondition ? "undefined" : replacedByJson(value);
    if (found !== undefined) {
      const hint =
        Object.prototype.toString.call(value) === "[object RegExp]" ? `. Use { "matches": "…" } instead` : "";
      throw new TypeError(`${call}: ${pointer()}: expected a JSON value, found ${found}${hint}`);
    }
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      place.push(name);
      if (typeof member !== "string") requireJson(member);
      place.pop();
    }
  };
  requireJson(body);
  return json;
}

/** Returns the name of a value that JSON replaces by an empty object or null, or omits; undefined for other values. */
function replacedByJson(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : String(value);
  if (["bigint", "function", "symbol"].includes(typeof value)) return `a ${typeof value}`;
  if (!isObject(value) || Object.keys(value).length > 0) return undefined;
  // Compares no classes: in Jest, objects can be of another realm.
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  return `an instance of ${value.constructor?.name}`;
}

/** Returns the JSON body of a control API call, or undefined if the body is empty. Throws ControlError. */
export async function control<T>(connection: Connection, request: ControlRequest): Promise<T> {
  const response = await callControl(connection, request);
  try {
    const text = await response.text();
    return (text === "" ? undefined : JSON.parse(text)) as T;
  } catch (cause) {
    if (request.signal?.aborted) throw cause;
    const detail = `expected a mock, found another response. ${innermost(cause)}`;
    const call = `${request.method} /__admin${request.path} at ${connection.url}`;
    throw new ControlError(call, { status: response.status, problem: { detail }, cause });
  }
}

/** Returns all items of a list, page by page. The responses hold the items under the plural `name`, and the total. */
export async function controlList<T>(
  connection: Connection,
  path: string,
  name: string,
  query: object = {},
): Promise<T[]> {
  checkListFilter(name, query);
  type Page = { readonly [name: string]: T[] } & { readonly total: number };
  const items: T[] = [];
  const seen = new Set<unknown>();
  let received = 0;
  for (;;) {
    // The first request has no paging parameters: most lists are short, and some do not support paging.
    const paging = received === 0 ? {} : { limit: MAX_REQUEST_PAGE, offset: received };
    const page = await control<Page>(connection, { method: "GET", path, query: { ...query, ...paging } });
    const found = page[name] ?? [];
    received += found.length;
    // In a sorted list, an item can move to a later page between two calls. Skip items that were already read.
    for (const item of found) {
      // A service can have members of its own with these names: then the id of the mock is under `$mock`.
      const { $mock, key, id = key } = item as { $mock?: { id?: unknown }; id?: unknown; key?: unknown };
      const known = $mock?.id ?? id;
      if (known === undefined || !seen.has(known)) items.push(item);
      seen.add(known);
    }
    if (found.length === 0 || received >= page.total) return items;
  }
}

/** Throws TypeError for the filter of a whole list if it is not an object, or selects a page, which would have no effect. */
export function checkListFilter(name: string, filter: object = {}): void {
  checkOptionNames(name, filter);
  for (const paging of ["limit", "offset", "before"]) {
    if (paging in filter) throw new TypeError(`${name}: ${paging}: unknown option. The list has all pages.`);
  }
}

/** An event; `type` decides the shape of `data`. */
export type MockEvent = {
  [Type in keyof FeedEvents]: {
    readonly type: Type;
    /** Continue after this event with `events({ after: id })`. */
    readonly id: string;
    /** Without `project` if the event concerns all projects. */
    readonly data: FeedEvents[Type] & { readonly project?: string };
  };
}[keyof FeedEvents];

/** A live stream of events. It ends when the mock stops, or when `return()` is called, as leaving `for await` does. */
export interface EventStream extends AsyncDisposable {
  // Not the type AsyncIterableIterator, because its number of parameters depends on the version of TypeScript.
  [Symbol.asyncIterator](): EventStream;
  next(): Promise<IteratorResult<MockEvent, undefined>>;
  return(): Promise<IteratorResult<MockEvent, undefined>>;
}

export interface EventOptions {
  /**
   * The id of the last event that you have received. The stream starts with the later events that the mock still keeps.
   * If the mock no longer keeps all of them, or does not know the id, the first event is `gap`.
   */
  readonly after?: string;
  /**
   * Counts events that come fast: if a second has more than 50 events of one type, one `summary` event replaces all
   * further events of the second. False by default.
   */
  readonly summary?: boolean;
  /** Ends the stream; a pending `next()` rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** Opens a stream of server-sent events. The stream reports every event after the returned promise has resolved. */
export async function openEvents(
  connection: Connection,
  path: string,
  options: EventOptions = {},
): Promise<EventStream> {
  checkOptionNames("events", options, ["after", "summary", "signal"]);
  const { after, summary, signal } = options;
  const headers = { Accept: "text/event-stream", ...(after !== undefined && { "Last-Event-ID": after }) };
  const { body } = await callControl(connection, { method: "GET", path, query: { summary }, headers, signal });
  if (!body) throw new TypeError("fetch: expected a response with a readable body, found no body");
  const reader = body.getReader();
  // An aborted reader rejects; the stream has ended in this case too.
  const cancel = () => reader.cancel().catch(() => {});
  // Some `fetch` functions ignore the signal after the response has arrived.
  signal?.addEventListener("abort", cancel, { once: true });
  const events = eventsIn(reader, signal);
  let isOver = false;
  const end = async () => {
    isOver = true;
    signal?.removeEventListener("abort", cancel);
    // Ends a pending read, which the generator waits for.
    await cancel();
    return { done: true, value: undefined } as const;
  };
  const stream: EventStream = {
    [Symbol.asyncIterator]: () => stream,
    next: async () => (isOver ? { done: true, value: undefined } : events.next()),
    return: end,
    async [Symbol.asyncDispose]() {
      await end();
    },
  };
  return stream;
}

/**
 * Reads events one after the other. Does not use stream classes such as TextDecoderStream: DOM environments lack them, or
 * have classes that reject the streams of Node. `jest-environment-jsdom` also lacks TextDecoder.
 */
async function* eventsIn(reader: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal | undefined) {
  const { TextDecoder } = globalThis.TextDecoder ? globalThis : process.getBuiltinModule("node:util");
  const decoder = new TextDecoder();
  const events: MockEvent[] = [];
  const parser = createParser({
    onEvent: ({ event: type, id = "", data }) => events.push({ type, id, data: JSON.parse(data) } as MockEvent),
  });
  for (;;) {
    signal?.throwIfAborted();
    const event = events.shift();
    if (event) {
      yield event;
      continue;
    }
    const piece = await reader.read();
    signal?.throwIfAborted();
    if (piece.done) return undefined;
    parser.feed(decoder.decode(piece.value, { stream: true }));
  }
}

function queryString(query: Readonly<Record<string, unknown>>): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  if (parameters.length === 0) return "";
  return `?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))}`;
}

async function problemOf(response: Response): Promise<ProblemResponse> {
  const text = await response.text();
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === "object" && problem !== null) return { ...problem };
  } catch {
    // Not JSON: a proxy responded instead of the mock.
  }
  return text === "" ? {} : { detail: text.slice(0, 500) };
}

/**
 * A failed call of the control API. The message contains every problem with its location, so that the log of a failed
 * test is enough to fix the call.
 */
export class ControlError extends Error {
  override readonly name = "ControlError";
  /** Status of the response; undefined if there was no response. */
  readonly status: number | undefined;
  /** The problem details (RFC 9457) of the response, with all other members of its body. */
  readonly problem: ProblemResponse;

  constructor(call: string, { status, problem = {}, cause }: ControlFailure) {
    const unreachable = `resource-mock cannot be reached: ${innermost(cause)}`;
    super(`${call}: ${status === undefined ? unreachable : `${status} ${problemText(problem)}`}`, { cause });
    this.status = status;
    this.problem = problem;
  }
}

type ErrorOf = NonNullable<Problem["errors"]>[number];

/** The body of an error response. Every member is optional, because a proxy may have responded instead of the mock. */
export type ProblemResponse = Readonly<Partial<Problem>> & { readonly [member: string]: unknown };

export interface ControlFailure {
  readonly status?: number;
  readonly problem?: ProblemResponse;
  readonly cause?: unknown;
}

/** Returns the title and the details of a problem. Several details have one line each. */
export function problemText({ title, detail, message, errors }: ProblemResponse): string {
  // Each detail names its location. The detail of the problem itself repeats the first one.
  const details = Array.isArray(errors) ? errors.map((error: Partial<ErrorOf> | null) => error?.detail) : [];
  if (details.length > 1) return [title, ...details.map((each) => each && `  ${each}`)].filter(Boolean).join("\n");
  // Errors of the service, and of proxies, have no detail.
  return [title, detail ?? message].filter(Boolean).join(": ");
}

/** Returns the message of the innermost cause: `fetch` puts the reason of a failure into `cause`. */
function innermost(error: unknown): string {
  // `instanceof` fails for errors of another realm: in Jest, for those of `fetch`.
  const { message, cause } = Object(error) as Partial<Error>;
  return cause === undefined ? (message ?? String(error)) : innermost(cause);
}
