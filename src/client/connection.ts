import { ControlError, type ProblemResponse } from "./control-error.ts";

/** `fetch`, as browsers and Node have it; or the one of a mock in this process, which opens no socket. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** The way to a running mock. */
export interface Connection {
  /** Where the mock is: `http://host:port`, without a slash at its end. */
  readonly url: string;
  readonly fetch: Fetch;
  /** What the mock was started with as `--admin-token`, if it was. */
  readonly adminToken: string | undefined;
}

export interface ConnectOptions {
  /** What the mock was started with as `--admin-token`, if it was. */
  readonly adminToken?: string;
  /** Another `fetch` than the global one. */
  readonly fetch?: Fetch;
}

/** The way to the mock at this address. */
export function connectionTo(url: string | URL, options: ConnectOptions = {}): Connection {
  const { adminToken, fetch = (...request) => globalThis.fetch(...request) } = options;
  return { url: String(url).replace(/\/+$/, ""), fetch, adminToken };
}

/** One call to the control API. */
export interface ControlRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Under `/__admin`, its segments encoded (`path`). */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Statuses beside 2xx that are an answer and no failure. */
  readonly accept?: readonly number[];
}

/**
 * A path of the control API, every value in it percent-encoded. Throws TypeError for `.` and `..`, which every `fetch`
 * takes for steps in the path, however they are encoded.
 */
export function path(literals: TemplateStringsArray, ...values: readonly string[]): string {
  for (const value of values) {
    if (value === "." || value === "..") throw new TypeError(`"${value}" cannot be named in a path: expected another`);
  }
  return String.raw({ raw: literals }, ...values.map(encodeURIComponent));
}

/** Calls the control API. Throws ControlError when there is no answer, or one that is neither 2xx nor accepted. */
export async function callControl(connection: Connection, request: ControlRequest): Promise<Response> {
  const { method, path, query = {}, body, signal, accept = [] } = request;
  const call = `${method} /__admin${path}`;
  const headers: Record<string, string> = { ...request.headers };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (connection.adminToken !== undefined) headers.Authorization = `Bearer ${connection.adminToken}`;
  let response: Response;
  try {
    response = await connection.fetch(`${connection.url}/__admin${path}${queryString(query)}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ControlError(`${call} at ${connection.url}`, { cause });
  }
  if (response.ok || accept.includes(response.status)) return response;
  throw new ControlError(call, { status: response.status, problem: await problemOf(response) });
}

/** Calls the control API and reads the JSON that it answers; undefined where it answers none. */
export async function control<T>(connection: Connection, request: ControlRequest): Promise<T> {
  const response = await callControl(connection, request);
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** The most that every list of the control API that has pages gives at once. */
const PAGE = 1000;

/** Reads a whole list, however many pages it has. It stands under its plural name, beside the total. */
export async function controlList<T>(
  connection: Connection,
  path: string,
  name: string,
  query?: ControlRequest["query"],
): Promise<T[]> {
  type Page = { readonly [name: string]: T[] } & { readonly total: number };
  const items: T[] = [];
  const seen = new Set<unknown>();
  let given = 0;
  for (;;) {
    // The first page is asked for without paging: most lists are short, and some have no pages at all.
    const paging = given === 0 ? {} : { limit: PAGE, offset: given };
    const page = await control<Page>(connection, { method: "GET", path, query: { ...query, ...paging } });
    const found = page[name] ?? [];
    given += found.length;
    // What has come to the top of the list meanwhile has moved others to the next page, where they are once more.
    for (const item of found) {
      const { id } = item as { id?: unknown };
      if (id === undefined || !seen.has(id)) items.push(item);
      seen.add(id);
    }
    if (found.length === 0 || given >= page.total) return items;
  }
}

function queryString(query: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

async function problemOf(response: Response): Promise<ProblemResponse> {
  const text = await response.text();
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === "object" && problem !== null) return { ...problem };
  } catch {
    // Not the mock's: something between answered.
  }
  return text === "" ? {} : { detail: text.slice(0, 500) };
}
