import type { IncomingHttpHeaders } from "node:http";
import { mapValues, REDACTED, ServiceError } from "../../contract/index.ts";
import type { ServiceRequest } from "../../engine/index.ts";
import { type ResponseHeaders, readPrefer } from "../../rules/index.ts";
import { connectionHeaders } from "../node-adapter.ts";
import { type Address, locationAt } from "./upstream-address.ts";

/** Headers that a proxy does not pass on (RFC 9110, section 7.6.1). The header `Connection` can name more. */
const hopByHop: ReadonlySet<string> = new Set([
  ...connectionHeaders,
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "trailer",
]);

/**
 * Request headers that the mock itself handles. The mock has sent 100 for `Expect`. `Forwarded` and `X-Forwarded-…` would
 * describe the client of the mock: a service could build addresses from them.
 */
const ofRequest = /^(host|content-length|expect|forwarded|x-forwarded-.*|mock-.*|:.*)$/;

/**
 * Response headers that stay at the mock: it frames the body and decides which pages may call it. `Alt-Svc` and
 * `Strict-Transport-Security` would make browsers bypass the mock.
 */
const ofResponse = /^(content-length|mock-.*|access-control-.*|alt-svc|strict-transport-security)$/;

/** The headers that the client addresses to this connection only. */
function namedByConnection(connection: string): Set<string> {
  return new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
}

export function headersToSend(request: ServiceRequest, address: Address): Record<string, string | string[]> {
  const { headers } = request;
  const named = namedByConnection(String(headers.connection ?? ""));
  // Without a prototype, as a header can have the name `__proto__`.
  const sent: Record<string, string | string[]> = Object.assign(Object.create(null), { host: address.authority });
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || hopByHop.has(name) || named.has(name) || ofRequest.test(name)) continue;
    const kept = ofMock.get(name)?.(String(value)) ?? value;
    if (kept !== "") sent[name] = kept;
  }
  if (address.authorization !== undefined) sent.authorization ??= address.authorization;
  if (hasCredentials(sent, address)) sent["accept-encoding"] = "identity";
  sent[LOOP] = [...passedMocks(headers), address.mockId].join(", ");
  return sent;
}

/**
 * Returns whether a request has the credentials of the upstream URL. A service can repeat them in its body, where the mock
 * finds them only without a coding.
 */
export function hasCredentials(sent: ResponseHeaders, { authorization }: Address): boolean {
  return authorization !== undefined && sent.authorization === authorization;
}

/** The header that lists the servers which have forwarded a request (RFC 8586). Services ignore it, unlike `Via`. */
const LOOP = "cdn-loop";

function passedMocks(headers: ServiceRequest["headers"]): string[] {
  return [headers[LOOP] ?? []].flat();
}

/** Throws BadGateway if this mock has forwarded the request before: its upstream leads back to it. */
export function rejectLoop({ headers }: ServiceRequest, { mockId }: Address): void {
  if (!passedMocks(headers).join().includes(mockId)) return;
  const message = "The upstream: expected another server, found this mock: the request is in a loop. Check --upstream.";
  throw new ServiceError({ code: "BadGateway", message });
}

const isOfService = (member: string) => !/^\s*mock-sandbox\s*(=|;|$)/.test(member);

/** Functions that remove the parts for the mock from a header. An empty header is not sent. */
const ofMock: ReadonlyMap<string, (value: string) => string> = new Map([
  ["prefer", (value) => (Object.keys(readPrefer(value)).length > 0 ? "" : value)],
  ["baggage", (value) => value.split(",").filter(isOfService).join(",").trim()],
]);

/** Returns headers in which the credentials of the upstream URL are replaced: a service can repeat them. */
export function withoutSecrets(headers: IncomingHttpHeaders, { secrets }: Address): ResponseHeaders {
  const safe = (value: string) => secrets.reduce((text, secret) => text.replaceAll(secret, REDACTED), value);
  return mapValues(headers, (value = "") => (Array.isArray(value) ? value.map(safe) : safe(value)));
}

/** Returns the codings of a body other than `identity` and `chunked`: `gzip`; empty without one. */
export function codingsOf({ "content-encoding": content, "transfer-encoding": transfer }: IncomingHttpHeaders): string {
  const codings = [content, transfer].join().split(",");
  return codings.filter((coding) => !/^\s*(identity|chunked)?\s*$/i.test(coding)).join();
}

/** Returns the headers of the response to the client of the mock. `received` has lower-case names. */
export function headersToPass(received: ResponseHeaders, address: Address): Record<string, string | string[]> {
  const named = namedByConnection(String(received.connection ?? ""));
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(received)) {
    if (hopByHop.has(name) || named.has(name) || ofResponse.test(name)) continue;
    const isLocation = name === "location" || name === "content-location";
    passed[name] = isLocation ? locationAt(address, String(value)) : value;
  }
  return passed;
}
