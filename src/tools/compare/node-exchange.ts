import { once } from "node:events";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { isIP, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { cut, isObject, jsonValue, MAX_RESPONSE_BYTES } from "../../contract/index.ts";
import type { Secrets } from "./credentials.ts";
import type { CompareOptions } from "./index.ts";

/** A larger body waits for `100 Continue`, in bytes. */
const LARGE_BODY = 64 * 1024;

/** The time that a service has to respond to `Expect: 100-continue` before the body follows, in milliseconds. */
const EXPECT_WAIT = 1000;

type HttpOptions = Pick<CompareOptions, "ca" | "timeout" | "startTimer">;

interface HttpRequest {
  readonly method: string;
  /** The path with its query, below the path of the URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The request in a few words, without secrets. */
  readonly line: string;
}

export interface Reply {
  readonly status: number;
  readonly isOk: boolean;
  /** The value of the body; undefined without a body, and if it is not JSON. */
  readonly json: unknown;
  readonly members: { readonly [name: string]: unknown };
  /** The size of the body, in bytes, also in the response to HEAD. */
  readonly bodySize: number;
  header(name: string): string | undefined;
  /** The request and the response in a few words, without secrets. */
  readonly seen: string;
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
 * `100 Continue`, so that a service can reject it early.
 *
 * @throws NoResponse if no complete response arrives in time, or if its body is larger than 32 MiB
 */
export async function exchange(
  url: URL,
  { method, path, headers, body = "", line }: HttpRequest,
  options: HttpOptions,
  secrets: Secrets,
): Promise<Reply> {
  const { timeout, startTimer = setTimeout, ca } = options;
  const isLarge = body.length > LARGE_BODY;
  const isHead = method === "HEAD";
  const expect = isLarge && { Expect: "100-continue", "Content-Length": Buffer.byteLength(body) };
  const request = open(url, path, { method, headers: { ...headers, ...expect }, ca });
  const chunks: Buffer[] = [];
  let size = 0;
  let response: IncomingMessage | undefined;
  let failure: NoResponse | undefined;
  const fail = (...reason: ConstructorParameters<typeof NoResponse>) => {
    failure = new NoResponse(...reason);
    request.destroy();
  };
  const receive = (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) fail(`the body is larger than ${MAX_RESPONSE_BYTES} bytes`);
    else chunks.push(chunk);
  };
  const onLate = () => {
    // Some services keep the connection open after the response to HEAD. Nothing more arrives then.
    if (isHead && response) request.destroy();
    else fail(`no complete response within ${timeout} ms`, "late");
  };
  const timer = startTimer(onLate, timeout);
  // Clients hide the bytes after the headers of a response to HEAD, so they come from the socket, until it closes.
  const closed = new Promise((resolve) => {
    if (isHead) request.once("socket", (socket) => socket.on("data", receive).once("close", resolve));
  });
  request.once("response", (incoming) => {
    response = incoming;
  });
  // After the response, a service may close the connection although the body of the request is not sent yet.
  request.on("error", () => {});
  try {
    const responded = once(request, "response") as Promise<[IncomingMessage]>;
    if (isLarge) {
      request.flushHeaders();
      await Promise.race([responded, once(request, "continue"), wait(EXPECT_WAIT)]);
    }
    if (!response) request.end(body);
    const [incoming] = await responded;
    if (isHead) await closed;
    else for await (const chunk of incoming) receive(chunk);
    if (failure) throw failure;
    const all = Buffer.concat(chunks);
    return replyOf(incoming, isHead ? all.subarray(all.indexOf("\r\n\r\n") + 4) : all, line, secrets);
  } catch (error) {
    throw failure ?? new NoResponse(reasonOf(error as Error), isLarge && !response ? "rejected" : "broken");
  } finally {
    clearTimeout(timer);
    request.destroy();
  }
}

function replyOf(
  { statusCode: status = 0, headers }: IncomingMessage,
  body: Buffer,
  line: string,
  secrets: Secrets,
): Reply {
  const json = jsonValue(body.toString());
  const members = isObject(json) ? json : {};
  const { message } = members;
  const reason = status >= 400 && typeof message === "string" ? `: ${secrets.redact(message)}` : "";
  return {
    status,
    isOk: status >= 200 && status < 300,
    json,
    members,
    bodySize: body.length,
    header: (name) => [headers[name.toLowerCase()]].flat().join(", ") || undefined,
    seen: cut(`${line} returned ${status}${reason}`, 400),
  };
}

/** Opens a connection and closes it, with TLS for https. Throws NoResponse if this fails. */
export async function connect(url: URL, { timeout, ca }: HttpOptions): Promise<void> {
  const signal = AbortSignal.timeout(timeout);
  const request = open(url, "/", { method: "HEAD", ca }).on("error", () => {});
  try {
    const [socket] = (await once(request, "socket", { signal })) as [Socket];
    await once(socket, url.protocol === "https:" ? "secureConnect" : "connect", { signal });
  } catch (error) {
    throw new NoResponse(signal.aborted ? `no connection within ${timeout} ms` : reasonOf(error as Error));
  } finally {
    request.destroy();
  }
}

/** Starts a request on its own connection. TLS takes the name of the URL: by default, Node takes that of `Host`. */
function open(url: URL, path: string, options: RequestOptions): ClientRequest {
  const address = new URL(url.origin + url.pathname.replace(/\/$/, "") + path);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return url.protocol === "https:"
    ? httpsRequest(address, { ...options, agent: false, servername: isIP(host) ? "" : host })
    : httpRequest(address, { ...options, agent: false });
}

/** Returns the message of an error of Node. An error for several addresses has only a code. */
function reasonOf({ message, code = "no response" }: NodeJS.ErrnoException): string {
  return message || code;
}
