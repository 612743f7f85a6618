import { headerOf } from "../../../contract/index.ts";
import type { ProjectControl, RequestEntry } from "../../../control/client/index.ts";
import { type Body, bytesOf, redactedScheme } from "./parts-of.ts";

/** A name and a value. Names can occur several times. */
export type Pair = readonly [name: string, value: string];

/** A request that the browser can send, as the form shows it. */
export interface Draft {
  readonly method: string;
  /** Percent-encoded. */
  readonly path: string;
  readonly query: readonly Pair[];
  readonly headers: readonly Pair[];
  /** Whether to issue a token for the project and send it. */
  readonly hasNewToken: boolean;
  /** A text, or the bytes that the journal has; undefined without a body. */
  readonly body: string | Body | undefined;
}

/** Headers that browsers set themselves, whatever a page says (Fetch, "forbidden request-header"); and `User-Agent`. */
const forbidden =
  /^(accept-charset|accept-encoding|access-control-request-.*|connection|content-length|cookie|cookie2|date|dnt|expect|host|keep-alive|origin|proxy-.*|referer|sec-.*|set-cookie|te|trailer|transfer-encoding|upgrade|user-agent|via)$/i;

/** Returns whether the browser sends this header as the page sets it. */
export function canSend(name: string): boolean {
  return !forbidden.test(name);
}

/** Returns the request again as a draft. Leaves out headers that the browser sets itself, and redacted credentials. */
export function draftOf({ request }: RequestEntry, needsToken: boolean): Draft {
  const { method, path, query, headers, body } = request;
  const isBearer = redactedScheme(headerOf(headers, "authorization") ?? "")?.toLowerCase() === "bearer";
  return {
    method,
    path,
    query: Object.entries(query).flatMap(([name, values]) => values.map((value): Pair => [name, value])),
    headers: Object.entries(headers).filter(([name, value]) => canSend(name) && redactedScheme(value) === undefined),
    hasNewToken: isBearer || needsToken,
    body: body && (body.base64 === undefined ? textOf(body) : body),
  };
}

/** Returns the headers of a request that `draftOf` leaves out, by reason. */
export function leftOut({ request }: RequestEntry): { readonly ofBrowser: string[]; readonly redacted: string[] } {
  const names = Object.entries(request.headers);
  return {
    ofBrowser: names.flatMap(([name]) => (canSend(name) ? [] : name)),
    redacted: names.flatMap(([name, value]) => (canSend(name) && redactedScheme(value) !== undefined ? name : [])),
  };
}

function textOf(body: Body): string {
  return body.json === undefined ? (body.text ?? "") : JSON.stringify(body.json, undefined, 2);
}

/**
 * Sends a draft to the mock, and returns the id of the new request in the journal. Returns undefined if the journal has
 * no new request. Throws an Error if the browser cannot send the draft.
 */
export async function send(project: ProjectControl, draft: Draft): Promise<string | undefined> {
  const { method, query, hasNewToken } = draft;
  if (!draft.path.startsWith("/")) throw new Error(`Path: expected a path that starts with /, found ${draft.path}`);
  const url = new URL(location.origin + draft.path.replaceAll("#", "%23").replaceAll("?", "%3F"));
  url.search = new URLSearchParams(query.map(([name, value]) => [name, value])).toString();
  const headers = new Headers(draft.headers.map(([name, value]) => [name, value]));
  const newest = await newestId(project, url);
  if (hasNewToken) headers.set("Authorization", `Bearer ${(await project.token()).access_token}`);
  const body = bytesOfDraft(draft.body);
  if (body && /^(GET|HEAD)$/i.test(method)) throw new Error(`Body: a browser sends no body with ${method}`);
  const request = new Request(url, { method, headers, body, cache: "no-store", redirect: "manual" });
  let id: string | null = null;
  try {
    const response = await fetch(request);
    id = response.headers.get("Mock-Request-Id");
    // Read to its end, as a response that is cancelled looks like a client that disconnects.
    response.arrayBuffer().catch(() => {});
  } catch {
    // The connection broke, or the response is a redirection: the journal has the request.
  }
  if (id !== null && id !== "none") return id;
  const last = await newestId(project, url);
  return last === newest ? undefined : last;
}

/** Returns the id of the newest request to this path. */
async function newestId(project: ProjectControl, { pathname }: URL): Promise<string | undefined> {
  const { requests } = await project.requests.page({ path: pathname, limit: 1, brief: true });
  return requests[0]?.id;
}

/** Returns the bytes of the body: a string would add a content type. */
function bytesOfDraft(body: Draft["body"]): Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined || body === "") return undefined;
  return typeof body === "string" ? new TextEncoder().encode(body) : bytesOf(body);
}
