import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { isIP } from "node:net";
import { MAX_RESPONSE_BYTES } from "../../contract/index.ts";
import type { CompareOptions } from "./compare.ts";

/** A larger body waits for `100 Continue`, in bytes. */
const LARGE_BODY = 64 * 1024;

/** The time that a service has to respond to `Expect: 100-continue` before the body follows, in milliseconds. */
const EXPECT_WAIT = 1000;

type HttpOptions = Pick<CompareOptions, "ca" | "timeout" | "startTimer">;

export interface HttpRequest {
  readonly method: string;
  /** The path with its query, below the path of the URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface HttpResponse {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/**
 * No complete HTTP response arrived. `late`: not in time. `rejected`: the service closed the connection while it
 * received a large body, as services may do. Otherwise, the connection broke or the response is invalid.
 */
export class NoResponse extends Error {
  override readonly name = "NoResponse";
  readonly reason: "late" | "rejected" | "broken";
  constructor(message: string, reason: NoResponse["reason"] = "broken") {
    super(message);
    this.reason = reason;
  }
}

/**
 * Sends a request on its own connection, and returns the response. Does not follow redirects. A large body waits for
 * `100 Continue`, so that a service can reject it early. In the response to HEAD, `bytes` are those after the headers.
 *
 * @throws NoResponse if no complete response arrives in time, or if its body is larger than 32 MiB
 */
export function exchange(url: URL, sent: HttpRequest, options: HttpOptions): Promise<HttpResponse> {
  const { method, path, headers, body = "" } = sent;
  const { timeout, startTimer = setTimeout, ca } = options;
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const isLarge = body.length > LARGE_BODY;
  const expect = isLarge && { Expect: "100-continue", "Content-Length": Buffer.byteLength(body) };
  const request = open(url, path, { method, headers: { ...headers, ...expect }, ca });
  let response: IncomingMessage | undefined;
  const chunks: Buffer[] = [];
  let size = 0;

  const fail = (error: Error) => {
    const reason = isLarge && !response ? "rejected" : "broken";
    reject(error instanceof NoResponse ? error : new NoResponse(reasonOf(error), reason));
  };
  const receive = (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) fail(new NoResponse(`the body is larger than ${MAX_RESPONSE_BYTES} bytes`));
    else chunks.push(chunk);
  };
  const finish = () => {
    if (!response?.complete) return fail(new NoResponse("the connection closed within the response"));
    const all = Buffer.concat(chunks);
    const bytes = method === "HEAD" ? all.subarray(all.indexOf("\r\n\r\n") + 4) : all;
    resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes });
  };
  const onLate = () => {
    // Some services keep the connection open after the response to HEAD. Nothing more arrives then.
    if (method === "HEAD" && response) finish();
    else fail(new NoResponse(`no complete response within ${timeout} ms`, "late"));
  };
  const timers = [startTimer(onLate, timeout)];

  request.on("socket", (socket) => {
    // Clients hide the bytes after the headers of a response to HEAD, so they come from the socket, until it closes.
    if (method === "HEAD") socket.on("data", receive).on("close", finish);
  });
  request.on("response", (incoming) => {
    response = incoming.on("error", fail);
    if (method !== "HEAD") incoming.on("data", receive).on("end", finish);
  });
  // After the response, a service may close the connection although the body of the request is not sent yet.
  request.on("error", (error) => {
    if (!response) fail(error);
  });
  if (isLarge) {
    const sendBody = () => {
      if (!response && !request.writableEnded && !request.destroyed) request.end(body);
    };
    request.on("continue", sendBody);
    timers.push(setTimeout(sendBody, EXPECT_WAIT));
    request.flushHeaders();
  } else {
    request.end(body);
  }
  return promise.finally(() => {
    for (const timer of timers) clearTimeout(timer);
    request.destroy();
  });
}

/** Opens a connection and closes it, with TLS for https. Throws NoResponse if this fails. */
export async function connect(url: URL, { timeout, startTimer = setTimeout, ca }: HttpOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = open(url, "/", { method: "HEAD", ca });
  request.on("error", (error) => reject(new NoResponse(reasonOf(error))));
  request.on("socket", (socket) => socket.once(url.protocol === "https:" ? "secureConnect" : "connect", resolve));
  const timer = startTimer(() => reject(new NoResponse(`no connection within ${timeout} ms`, "late")), timeout);
  await promise.finally(() => {
    clearTimeout(timer);
    request.destroy();
  });
}

/**
 * Starts a request on its own connection. For TLS, the name is that of the URL: by default, Node takes the header
 * `Host`.
 */
function open(url: URL, path: string, options: RequestOptions): ClientRequest {
  const address = new URL(url.origin + url.pathname.replace(/\/$/, "") + path);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return url.protocol === "https:"
    ? httpsRequest(address, { ...options, agent: false, servername: isIP(host) ? "" : host })
    : httpRequest(address, { ...options, agent: false });
}

/** Returns the message of an error of Node. An error for several addresses has its messages in `errors`. */
function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [error];
  const { code = "", message = "" } = (first ?? error) as NodeJS.ErrnoException;
  return message.includes(code) ? message : `${code}: ${message}`;
}
