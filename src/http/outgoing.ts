import timers from "node:timers";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type BodyStream, type Delivery, pairsOf, type ResponseHeaders, type Served } from "../engine/index.ts";
import { SANDBOX_HEADERS } from "../state/index.ts";
import { breakConnection, brokenResponse, dribble, dribbledResponse, type Parts } from "./faults.ts";
import type { HttpContext } from "./incoming.ts";
import { isCounted, sendPieces } from "./unsent.ts";

/**
 * Sends a response: over a socket through Node's response, in process as the returned Response. Throws FetchFailure if
 * a fault breaks the connection of a request in process.
 */
export function sendServed(context: HttpContext, { response, requestId }: Served): Response | Promise<Response> {
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
  const isHead = context.req.raw.method === "HEAD";
  const body = isHead ? null : response.body;
  if (response.delivery) return deliver(context, { status: response.status, headers, body }, response.delivery);
  if (!outgoing) return new Response(body, { status: response.status, headers: pairsOf(headers) });
  // Written without a Response object: creating one would double the work for a response.
  if (!outgoing.destroyed) {
    // Without a length, Node would send an empty body as chunks. 204 and 304 must not have one (RFC 9110, 8.6).
    const hasLength = !isHead && response.status !== 204 && response.status !== 304;
    const length = hasLength && { "Content-Length": body === null ? 0 : Buffer.byteLength(body) };
    outgoing.writeHead(response.status, { ...headers, ...length });
    if (isCounted(outgoing, body)) void sendPieces(outgoing, body);
    else endAfterTurn(outgoing, body);
  }
  return RESPONSE_ALREADY_SENT;
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

interface Unended {
  readonly outgoing: HttpBindings["outgoing"];
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

// Captured at load time, so that fake timers installed later by a test suite do not block responses.
const { setImmediate: afterTurn } = timers;

let unended: Unended[] = [];

/**
 * Ends the response together with the others of this turn of the event loop. Writing to a sleeping client wakes it up,
 * and this costs more than all other work on a request. If each response ends alone, throughput is 18 to 24 % lower
 * (decision 0012).
 */
function endAfterTurn(outgoing: Unended["outgoing"], body: string | null): void {
  if (unended.length === 0) afterTurn(endAll);
  unended.push({ outgoing, body });
}

function endAll(): void {
  const all = unended;
  unended = [];
  for (const { outgoing, body } of all) outgoing.end(body);
}

function deliver(context: HttpContext, parts: Parts, delivery: Delivery): Response | Promise<Response> {
  if ("stream" in delivery) return deliverStream(context, parts, delivery.stream);
  const { incoming, outgoing } = context.env ?? {};
  if (incoming && outgoing) {
    // Earlier responses on this connection must be sent first.
    endAll();
    if (delivery.fault) breakConnection({ incoming, outgoing }, parts, delivery);
    else void dribble({ incoming, outgoing }, parts, delivery);
    return RESPONSE_ALREADY_SENT;
  }
  return delivery.fault ? brokenResponse(parts, delivery) : dribbledResponse(parts, delivery, context.req.raw);
}

async function deliverStream(context: HttpContext, parts: Parts, stream: BodyStream): Promise<Response> {
  const { incoming, outgoing } = context.env ?? {};
  const { passedResponse, passOn } = await import("./pass-on.ts");
  if (!incoming || !outgoing) return passedResponse(parts, stream, context.req.raw);
  endAll();
  void passOn({ incoming, outgoing }, parts, stream);
  return RESPONSE_ALREADY_SENT;
}
