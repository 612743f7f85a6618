import { pairsOf, type Served } from "../engine/index.ts";
import type { Delivery, ResponseHeaders, ServiceResponse } from "../rules/index.ts";
import { SANDBOX_HEADERS } from "../state/index.ts";
import { breakConnection, brokenResponse, dribbled, type Parts, passedResponse, passOn } from "./deliveries.ts";
import { type HttpContext, methodOf } from "./incoming.ts";
import { SENT } from "./node-adapter.ts";
import { countUnsent, endAll, sendWhole } from "./unsent.ts";

/**
 * Sends a response: over a socket through Node's response, in process as the returned Response. Throws FetchFailure if
 * a fault breaks the connection of a request in process.
 */
export function sendServed(context: HttpContext, { response, requestId }: Served): Response {
  const outgoing = context.env?.outgoing;
  const headers = {
    ...response.headers,
    Vary: varyOf(response.headers, outgoing?.getHeader("Vary")),
    // The source can contain the name of a fixture or scenario with characters that a header does not allow.
    "Mock-Source": encodeURI(response.source),
    "Mock-Request-Id": requestId,
    ...(response.offContract && { "Mock-Off-Contract": "true" }),
    ...((response.body !== null || response.delivery) && sandboxOf(response.headers)),
  };
  const { status, body, delivery } = response;
  const parts = { status, headers, body: methodOf(context) === "HEAD" ? null : body };
  return delivery ? deliver(context, parts, delivery) : send(context, parts);
}

/** Sends a whole response: over a socket through Node's response, in process as the returned Response. */
export function send(context: HttpContext, parts: Parts): Response {
  const { status, headers, body } = parts;
  const outgoing = context.env?.outgoing;
  if (!outgoing) return new Response(body, { status, headers: pairsOf(headers) });
  sendWhole(outgoing, parts, methodOf(context) === "HEAD");
  return SENT;
}

/** Sends a response that no journal keeps, so it has no request id. */
export function sendUnrecorded(context: HttpContext, response: ServiceResponse): Response {
  return sendServed(context, { response, requestId: "none" });
}

/**
 * Returns the value of `Vary` with the values of a rule and of CORS. Of two requests for one address, the sandboxes may
 * differ: a cache must not mix their responses.
 */
function varyOf(headers: ResponseHeaders, ofCors: unknown): string {
  let vary = SANDBOX_HEADERS;
  for (const name in headers) if (name.length === 4 && name.toLowerCase() === "vary") vary += `, ${headers[name]}`;
  return ofCors === undefined ? vary : `${vary}, ${ofCors}`;
}

/** The content types that no browser shows as a page with scripts: JSON, plain text, bytes, and images other than SVG. */
const INERT =
  /^(application\/(([\w.-]+\+)?json|octet-stream)|text\/(plain|event-stream)|image\/(?!svg)[\w.+-]+) *(;[^,]*)?$/i;

/**
 * Returns the header that makes a browser show the response as a page of no origin and without scripts, unless its content
 * type is inert. Scripts of a rule or of the upstream would otherwise run on the origin of the dashboard, whose pages can
 * read the admin token and call the control API.
 */
function sandboxOf(headers: ResponseHeaders): ResponseHeaders | undefined {
  let type: string | string[] | undefined;
  let policy = "Content-Security-Policy";
  for (const name in headers) {
    const lower = name.toLowerCase();
    if (lower === "content-type") type = headers[name];
    if (lower === "content-security-policy") policy = name;
  }
  if (INERT.test(String(type))) return undefined;
  return { [policy]: [headers[policy] ?? [], "sandbox"].flat().join(", ") };
}

/**
 * The bytes of a body from the upstream that arrive before the client reads them, for requests without a socket. A socket
 * has buffers too: the body also arrives if the client reads only the head.
 */
const READ_AHEAD = 256 * 1024;

function deliver({ env, req }: HttpContext, parts: Parts, delivery: Delivery): Response {
  const { incoming, outgoing } = env ?? {};
  const isOnSocket = incoming && outgoing;
  // Earlier responses on this connection must be sent first.
  if (isOnSocket) endAll();
  if (delivery.fault) {
    if (!isOnSocket) return brokenResponse(parts, delivery, req.raw);
    breakConnection({ incoming, outgoing }, parts, delivery);
  } else {
    const isStream = "stream" in delivery;
    const body = isStream ? delivery.stream : dribbled(parts, delivery);
    if (!isOnSocket) return passedResponse(parts, body, req.raw, isStream ? READ_AHEAD : undefined);
    countUnsent(outgoing, parts.body);
    void passOn({ incoming, outgoing }, parts, body);
  }
  return SENT;
}
