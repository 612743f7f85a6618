import { Buffer } from "node:buffer";
import { STATUS_CODES } from "node:http";
import {
  arrayPieces,
  headerOf,
  headerPairs,
  objectPieces,
  REDACTED,
  redactHeader,
  redactMember,
  redactQuery,
  valuePieces,
} from "../../contract/index.ts";
import { type Exchange, effectsIn, type Har, type HarEntry, sentenceOf, shownText } from "../index.ts";

/** A request for an archive: its exchange, and the key of its project. */
export interface ArchivedRequest {
  readonly exchange: Exchange;
  readonly project: string;
}

/**
 * Returns the JSON text of an HTTP archive (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec) in pieces, one for
 * each request, in the given order. Secrets are redacted as in the journal. Can be iterated once.
 */
export function harPieces(
  requests: Iterable<ArchivedRequest>,
  { version, _total, _next }: Pick<Har["log"], "_total" | "_next"> & { readonly version: string },
): Iterable<string> {
  return objectPieces({
    log: objectPieces({
      version: valuePieces("1.2"),
      creator: valuePieces({ name: "resource-mock", version }),
      pages: valuePieces([]),
      entries: arrayPieces(requests, (request) => valuePieces(harEntryOf(request))),
      ...(_total !== undefined && { _total: valuePieces(_total) }),
      ...(_next !== undefined && { _next: valuePieces(_next) }),
    }),
  });
}

function harEntryOf({ exchange, project }: ArchivedRequest): HarEntry {
  const { id, serverTime, operationId, source, decisions, violations, offContract } = exchange;
  const time = Number(exchange.duration.toFixed(3));
  return {
    startedDateTime: new Date(serverTime).toISOString(),
    time,
    request: requestOf(exchange),
    response: responseOf(exchange),
    cache: {},
    // The server sees only the time between the request and the response.
    timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: time, receive: 0 },
    _id: id,
    _project: project,
    ...(operationId && { _operation: operationId }),
    _mockSource: source,
    _decisions: decisions.map(sentenceOf),
    ...(violations.length > 0 && { _violations: violations.map(({ message }) => message) }),
    ...(offContract && { _offContract: true }),
  };
}

function requestOf({ method, origin, path, query, headers, requestBody, cut, sizes }: Exchange): HarEntry["request"] {
  const mimeType = headerOf(headers, "content-type") ?? "";
  return {
    method,
    url: origin + asUri(path) + (query === "" ? "" : `?${asUri(redactQuery(query))}`),
    httpVersion: httpVersionOf(origin),
    cookies: headerPairs(headers)
      .filter(([name]) => name.toLowerCase() === "cookie")
      .flatMap(([, value]) => value.split(";").map(cookieOf)),
    headers: shownHeaders(headers),
    queryString: shownPairs(query),
    ...(requestBody && { postData: postDataOf(requestBody, mimeType, cut?.request) }),
    headersSize: -1,
    bodySize: cut?.request ?? sizes?.request ?? Buffer.byteLength(requestBody ?? ""),
  };
}

function postDataOf(
  body: string | Uint8Array,
  mimeType: string,
  cutFrom: number | undefined,
): NonNullable<HarEntry["request"]["postData"]> {
  const text = isImage(mimeType) ? undefined : shownText(body, cutFrom);
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(mimeType);
  return {
    mimeType,
    text: text ?? base64(body),
    ...(isForm && text !== undefined && { params: shownPairs(text) }),
    ...(text === undefined && { _encoding: "base64" }),
    ...cutComment(cutFrom),
  };
}

function responseOf(exchange: Exchange): HarEntry["response"] {
  const { status, isBroken, origin, responseHeaders: headers } = exchange;
  return {
    status,
    statusText: STATUS_CODES[status] ?? "",
    httpVersion: status === 0 ? "" : httpVersionOf(origin),
    cookies: headerPairs(headers)
      .filter(([name]) => name.toLowerCase() === "set-cookie")
      .map(([, value]) => cookieOf(value.split(";", 1)[0] ?? "")),
    headers: shownHeaders(headers),
    content: contentOf(exchange),
    redirectURL: headerOf(headers, "location") ?? "",
    headersSize: -1,
    bodySize: isBroken ? -1 : sentSize(exchange),
    ...(isBroken && { _error: effectsIn(exchange.decisions).find(({ fault }) => fault)?.fault ?? "CONNECTION_CLOSED" }),
  };
}

/** Returns the size of the body that the response was sent with, in bytes. A response to HEAD has no body. */
function sentSize({ method, responseBody, cut, sizes }: Exchange): number {
  if (responseBody === null || method === "HEAD") return 0;
  return cut?.response ?? sizes?.response ?? Buffer.byteLength(responseBody);
}

function contentOf(exchange: Exchange): HarEntry["response"]["content"] {
  const { method, responseHeaders, responseBody, cut } = exchange;
  const size = sentSize(exchange);
  const mimeType = headerOf(responseHeaders, "content-type") ?? "x-unknown";
  if (responseBody === null || method === "HEAD") return { size, mimeType };
  const text = isImage(mimeType) ? undefined : shownText(responseBody, cut?.response);
  return {
    size,
    mimeType,
    ...(text === undefined ? { text: base64(responseBody), encoding: "base64" } : { text }),
    ...cutComment(cut?.response),
  };
}

function cutComment(cutFrom: number | undefined): { comment?: string } {
  return cutFrom === undefined ? {} : { comment: `The journal has only the start of this body of ${cutFrom} bytes.` };
}

function isImage(mimeType: string): boolean {
  return /^image\//i.test(mimeType);
}

function base64(body: Uint8Array | string): string {
  return Buffer.from(body).toString("base64");
}

/** HTTP/2 needs HTTPS here, and the journal does not record which version a client has chosen there. */
function httpVersionOf(origin: string): string {
  return origin.startsWith("https:") ? "unknown" : "HTTP/1.1";
}

/** Returns a path or query with percent-encoding for characters that RFC 3986 does not allow. Servers accept them. */
function asUri(text: string): string {
  return text.toWellFormed().replaceAll(/[^\w.~:/?@!$&'()*+,;=%-]+|%(?![\dA-Fa-f]{2})/g, encodeURIComponent);
}

interface Pair {
  name: string;
  value: string;
}

function shownHeaders(headers: Exchange["headers"]): Pair[] {
  return headerPairs(headers).map(([name, value]) => ({ name, value: redactHeader(name, value) }));
}

/** Returns the decoded pairs of a query or a form, without secrets. */
function shownPairs(text: string): Pair[] {
  return Array.from(new URLSearchParams(text), ([name, value]) => ({ name, value: redactMember(name, value) }));
}

/** Returns the name of a cookie. The journal redacts all values, and a cookie without `=` is only a value. */
function cookieOf(text: string): Pair {
  const end = text.indexOf("=");
  return { name: end === -1 ? "" : text.slice(0, end).trim(), value: REDACTED };
}
