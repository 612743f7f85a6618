import { cut, isObject } from "../../contract/index.ts";
import type { HttpResponse } from "./http.ts";
import type { Secrets } from "./secrets.ts";

type Members = { readonly [name: string]: unknown };

/** A request to an operation. */
export interface Sent {
  /** Values of path parameters other than the project key, decoded. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Query;
  /** A body as JSON. */
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

export type Query = readonly (readonly [name: string, value: string])[];

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
  /** Returns the value of a header. */
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

/** Returns the id in the header `Location`. */
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
export function errorIn(reply: Reply): Members | undefined {
  const { errors } = reply.members;
  return Array.isArray(errors) ? errors.find(isObject) : undefined;
}

/** Returns the current version in the response to a stale version. */
export function currentVersionIn(reply: Reply): number | undefined {
  const version = errorIn(reply)?.currentVersion;
  return typeof version === "number" ? version : undefined;
}

/** Returns the results of a page, or undefined if the response is no page. */
export function resultsIn({ isOk, members: { results } }: Reply): readonly Members[] | undefined {
  return isOk && Array.isArray(results) && results.every(isObject) ? results : undefined;
}

export function isRead({ method }: { readonly method: string }): boolean {
  return method === "GET" || method === "HEAD";
}
