import { headerPairs } from "../contract/index.ts";
import type { Served } from "../engine/index.ts";
import type {
  BodyStream,
  BrokenDelivery,
  Delivery,
  DribbledDelivery,
  Fault,
  ResponseHeaders,
  ServiceResponse,
} from "../rules/index.ts";
import { SANDBOX_HEADERS } from "../state/index.ts";
import { type HttpContext, methodOf } from "./incoming.ts";
import { afterTurn, isHttp2, type NodeBindings, resetConnection, SENT } from "./node-adapter.ts";
import { countUnsent, endAll, sendPiece, sendWhole } from "./unsent.ts";

/** The head and the body of a complete response. */
type Parts = Pick<ServiceResponse, "status" | "headers" | "body">;

/**
 * Sends a response: over a socket through Node's response, in process as the returned Response. Throws FetchFailure if
 * a fault breaks the connection of a request in process.
 */
export function sendServed(context: HttpContext, { response, requestId, projectKey }: Served): Response {
  const outgoing = context.env?.outgoing;
  const vary = spellingIn(response.headers, "Vary");
  const [ownVary, ofCors] = [response.headers[vary], outgoing?.getHeader("Vary")];
  const { source, reason = source } = response;
  const isError = response.status >= 400 && source !== "upstream";
  const headers = {
    ...response.headers,
    // Of two requests for one address, the sandboxes may differ: a cache must not mix their responses.
    [vary]: (ownVary ?? ofCors) ? joinedNames(SANDBOX_HEADERS, ownVary, ofCors) : SANDBOX_HEADERS,
    // The source and the key can have characters that a header does not allow.
    "Mock-Source": encodeURI(source.toWellFormed()),
    "Mock-Request-Id": requestId,
    "Mock-Project": projectKey === "" ? "none" : encodeURI(projectKey.toWellFormed()),
    ...(isError && { "Mock-Reason": headerText(reason) }),
    ...(response.offContract && { "Mock-Off-Contract": "true" }),
    ...((response.body !== null || response.delivery) && sandboxOf(response.headers)),
  };
  const { status, body, delivery } = response;
  const parts = { status, headers, body: methodOf(context) === "HEAD" ? null : body };
  return delivery ? deliver(context, parts, delivery) : send(context, parts);
}

/** Returns a reason as the value of a header: at most 200 printable characters of ASCII, with `?` for all others. */
export function headerText(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]+/g, "?").trim();
  return printable.length > 200 ? `${printable.slice(0, 197)}...` : printable;
}

/** Sends a whole response: over a socket through Node's response, in process as the returned Response. */
export function send(context: HttpContext, parts: Parts): Response {
  const { status, headers, body } = parts;
  const outgoing = context.env?.outgoing;
  if (!outgoing) return new Response(body, { status, headers: headerPairs(headers) });
  sendWhole(outgoing, parts, methodOf(context) === "HEAD");
  return SENT;
}

/** Sends a response that no journal keeps, so it has no request id. */
export function sendUnrecorded(context: HttpContext, response: ServiceResponse): Response {
  return sendServed(context, { response, requestId: "none", projectKey: "" });
}

/** Returns the spelling of a header in the response, or else the given one: the response cannot have both. */
function spellingIn(headers: ResponseHeaders, name: string): string {
  for (const each in headers) {
    if (each.length === name.length && each.toLowerCase() === name.toLowerCase()) return each;
  }
  return name;
}

/** Returns the names in values of `Vary`, each of them once. */
export function joinedNames(...values: readonly unknown[]): string {
  const names =
    values
      .flat()
      .join()
      .match(/[^\s,]+/g) ?? [];
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()].join(", ");
}

/** The content types that no browser shows as a page with scripts: JSON, plain text, bytes, and images that are not XML. */
const INERT =
  /^(application\/(([\w.-]+\+)?json|octet-stream)|text\/(plain|event-stream)|image\/(?!svg)[\w.-]+) *(;[^,]*)?$/i;

/**
 * Returns the header that makes a browser show the response as a page of no origin and without scripts, unless its content
 * type is inert. Scripts of a rule or of the upstream would otherwise run on the origin of the dashboard, whose pages can
 * read the admin token and call the control API.
 */
function sandboxOf(headers: ResponseHeaders): ResponseHeaders | undefined {
  if (INERT.test(String(headers[spellingIn(headers, "Content-Type")]))) return undefined;
  const policy = spellingIn(headers, "Content-Security-Policy");
  // The upstream may be a mock, which has added this policy too.
  const policies = [headers[policy] ?? [], "sandbox"].flat().join().split(/ *, */);
  return { [policy]: [...new Set(policies)].join(", ") };
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
    if (!isOnSocket) {
      if (parts.status === 0) throw new FetchFailure("fetch failed", { cause: causeOf(delivery.fault) });
      return passedResponse(parts, brokenOff(parts, delivery.fault), req.raw);
    }
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

type Pieces = Pick<BodyStream, "length" | "pieces" | "cancel">;

/** Sends a response whose body arrives in pieces. If the body breaks off, so does the connection of the client. */
async function passOn({ incoming, outgoing }: NodeBindings, parts: Parts, body: Pieces): Promise<void> {
  outgoing.once("close", () => body.cancel());
  if (outgoing.destroyed) return body.cancel();
  outgoing.writeHead(parts.status, withLength(parts, body)).flushHeaders();
  try {
    for await (const piece of body.pieces()) await sendPiece(outgoing, piece);
    outgoing.end();
  } catch {
    if (isHttp2(outgoing)) outgoing.stream.close(INTERNAL_ERROR);
    // Closes the socket after all written bytes are sent.
    else incoming.socket.destroySoon();
  }
}

/**
 * Does the same for requests without a socket: reading the body rejects if it breaks off. `ahead` bytes arrive before the
 * client reads them.
 */
function passedResponse(parts: Parts, body: Pieces, request: Request, ahead = 1): Response {
  const pieces = body.pieces()[Symbol.asyncIterator]();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start(controller) {
      request.signal.addEventListener("abort", () => {
        body.cancel();
        controller.error(request.signal.reason);
      });
    },
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        // The reference to the request keeps its signal alive: Node's garbage collection would disconnect the signal.
        if (request.signal.aborted) return;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (!request.signal.aborted) controller.error(new FetchFailure("terminated", { cause: error }));
      }
    },
    cancel: () => body.cancel(),
  };
  const stream = new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: ahead }));
  return new Response(stream, { status: parts.status, headers: headerPairs(withLength(parts, body)) });
}

function withLength({ headers }: Parts, { length }: Pieces): ResponseHeaders {
  return length === undefined ? headers : { ...headers, "Content-Length": String(length) };
}

/** Returns the body in delayed pieces of about the same size; in fewer pieces if it has fewer bytes. */
function dribbled({ body }: Parts, { chunks, pause }: DribbledDelivery): Pieces {
  const gone = new AbortController();
  return {
    length: undefined,
    cancel: () => gone.abort(),
    async *pieces() {
      const bytes = bytesOf(body);
      for (let piece = 1, start = 0; piece <= chunks; piece++) {
        const end = Math.round((bytes.length * piece) / chunks);
        if (end === start) continue;
        await pause(gone.signal);
        if (gone.signal.aborted) return;
        yield bytes.subarray(start, end);
        start = end;
      }
    },
  };
}

const PROTOCOL_ERROR = 0x1;
const INTERNAL_ERROR = 0x2;

/**
 * What breaks with each fault: the error of a client in process, with the code and the message of Node's `fetch`, and the
 * code that resets a stream of HTTP/2 (RFC 9113, section 7). Clients would retry after REFUSED_STREAM, and Node's client
 * reports no error after CANCEL.
 */
const breaks: Readonly<Record<Fault, readonly [code: string, message: string, streamCode: number]>> = {
  CONNECTION_RESET_BY_PEER: ["ECONNRESET", "read ECONNRESET", INTERNAL_ERROR],
  EMPTY_RESPONSE: ["UND_ERR_SOCKET", "other side closed", INTERNAL_ERROR],
  RANDOM_DATA_THEN_CLOSE: ["HPE_INVALID_CONSTANT", "Expected HTTP/", PROTOCOL_ERROR],
  MALFORMED_RESPONSE_CHUNK: ["HPE_INVALID_CHUNK_SIZE", "Invalid character in chunk size", PROTOCOL_ERROR],
  TRUNCATED_BODY: ["UND_ERR_SOCKET", "other side closed", INTERNAL_ERROR],
};

/** The error of a broken connection in process, with the type, message and cause of Node's `fetch`. */
export class FetchFailure extends TypeError {}

function causeOf(fault: Fault): Error {
  const [code, message] = breaks[fault];
  return Object.assign(new Error(message), { code });
}

/** Returns the body that a fault breaks off: half of it, or nothing. */
function brokenOff({ body }: Parts, fault: Fault): Pieces {
  const isTruncated = fault === "TRUNCATED_BODY";
  const bytes = bytesOf(body);
  return {
    length: isTruncated ? bytes.length : undefined,
    cancel() {},
    async *pieces() {
      if (isTruncated && bytes.length > 1) yield bytes.subarray(0, Math.floor(bytes.length / 2));
      throw causeOf(fault);
    },
  };
}

/**
 * Breaks the connection on the socket, so that the client receives the same bytes as from a broken server. Over HTTP/2,
 * resets the stream of the request, and the other requests of the connection continue.
 */
function breakConnection({ incoming, outgoing }: NodeBindings, parts: Parts, { fault, noise }: BrokenDelivery) {
  if (fault === "TRUNCATED_BODY") return void passOn({ incoming, outgoing }, parts, brokenOff(parts, fault));
  const { status, headers } = parts;
  const hasHead = fault === "MALFORMED_RESPONSE_CHUNK";
  if (isHttp2(outgoing)) {
    const close = () => outgoing.stream.close(breaks[fault][2]);
    if (!hasHead) return close();
    outgoing.writeHead(status, headers).flushHeaders();
    // In the turn that received the request body, Node would end the response body instead.
    return void afterTurn(close);
  }
  const { socket } = incoming;
  if (socket.destroyed) return;
  if (fault === "CONNECTION_RESET_BY_PEER") return resetConnection(socket);
  if (hasHead) outgoing.writeHead(status, { ...headers, "Transfer-Encoding": "chunked" }).flushHeaders();
  if (noise.length > 0) socket.write(noise);
  // Closes the socket after all written bytes are sent.
  socket.destroySoon();
}

function bytesOf(body: Parts["body"]): Uint8Array<ArrayBuffer> {
  return typeof body === "string" ? Buffer.from(body) : (body ?? new Uint8Array(0));
}
