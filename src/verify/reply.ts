import { isObject } from "../text/json.ts";
import type { HttpResponse } from "./http.ts";
import { needs } from "./outcome.ts";

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

/** Returns a reply. `seen`: the request and the response in a few words, without secrets. */
export function replyOf({
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
