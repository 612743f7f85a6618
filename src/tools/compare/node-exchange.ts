import { once } from "node:events";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { isIP, type Socket } from "node:net";
import { cut, isObject, jsonValue, MAX_RESPONSE_BYTES } from "../../contract/index.ts";
import type { Secrets } from "./credentials.ts";
import type { CompareOptions } from "./index.ts";

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
  /** The path of the request, without its query. */
  readonly path: string;
  readonly status: number;
  readonly isOk: boolean;
  /** The value of the body; undefined without a body, and if it is not JSON. */
  readonly json: unknown;
  readonly members: { readonly [name: string]: unknown };
  /** In bytes. */
  readonly bodySize: number;
  header(name: string): string | undefined;
  /** The request and the response in a few words, without secrets. */
  readonly seen: string;
}

/** No complete HTTP response arrived: not in time, or the connection broke, or the response is invalid. */
export class NoResponse extends Error {
  override readonly name = "NoResponse";
  readonly reason: "late" | "broken";
  constructor(message: string, reason: NoResponse["reason"] = "broken") {
    super(message);
    this.reason = reason;
  }
}

/**
 * Sends a request on its own connection, and returns the response. Does not follow redirects.
 *
 * @throws NoResponse if no complete response arrives in time, or if its body is larger than 32 MiB
 */
export async function exchange(
  url: URL,
  { method, path, headers, body = "", line }: HttpRequest,
  { timeout, startTimer = setTimeout, ca }: HttpOptions,
  secrets: Secrets,
): Promise<Reply> {
  // Node sends no length of the body of a DELETE by itself.
  const length = body.length > 0 && { "Content-Length": Buffer.byteLength(body) };
  // After the response, a service may close the connection although the body of the request is not sent yet.
  const request = open(url, path, { method, headers: { ...headers, ...length }, ca }).on("error", () => {});
  let isLate = false;
  const timer = startTimer(() => {
    isLate = true;
    request.destroy();
  }, timeout);
  try {
    const responded = once(request, "response") as Promise<[IncomingMessage]>;
    request.end(body);
    const [incoming] = await responded;
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of incoming) {
      size += chunk.length;
      if (size > MAX_RESPONSE_BYTES) throw new NoResponse(`the body is larger than ${MAX_RESPONSE_BYTES} bytes`);
      chunks.push(chunk);
    }
    return replyOf(incoming, Buffer.concat(chunks), path, line, secrets);
  } catch (error) {
    if (isLate) throw new NoResponse(`no complete response within ${timeout} ms`, "late");
    throw error instanceof NoResponse ? error : new NoResponse(reasonOf(error as Error));
  } finally {
    clearTimeout(timer);
    request.destroy();
  }
}

function replyOf(
  { statusCode: status = 0, headers }: IncomingMessage,
  body: Buffer,
  target: string,
  line: string,
  secrets: Secrets,
): Reply {
  const json = jsonValue(body.toString());
  const members = isObject(json) ? json : {};
  const message = [members.message, members.detail, members.title].find((each) => typeof each === "string");
  const reason = status >= 400 && message ? `: ${secrets.redact(String(message))}` : "";
  return {
    path: target.replace(/\?.*/, ""),
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
