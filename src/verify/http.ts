import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, isIP, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { connect as connectTls } from "node:tls";

/** The maximum size of a response body, in bytes. */
export const MAX_BODY = 32 * 1024 * 1024;

/** The time that a service has to reject a body after `100 Continue`, in milliseconds. */
const REJECTION_WAIT = 100;

/** The size of the pieces of a large body, in bytes. */
const PIECE = 64 * 1024;

/** The time that a service has to respond to `Expect: 100-continue` before the body follows, in milliseconds. */
const EXPECT_WAIT = 1000;

export interface Target {
  readonly url: URL;
  /** Certificates of the authorities to trust, as PEM; undefined trusts those of Node. */
  readonly ca?: string;
  /** The time for a whole response, in milliseconds. */
  readonly timeout: number;
  /** Starts the time for a response. `setTimeout` by default. */
  readonly startTimer?: (onEnd: () => void, milliseconds: number) => NodeJS.Timeout;
}

export interface HttpRequest {
  readonly method: string;
  /** The path with its query, below the path of the target. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface HttpResponse {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
}

/**
 * No complete HTTP response arrived. `late`: not in time. `rejected`: the service closed the connection while it received a
 * large body, as services may do. Otherwise, the connection broke or the response is invalid.
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
 * Sends a request on its own connection, and returns the response. Does not follow redirects. A body of more than 64 KiB
 * waits for `100 Continue`, so that a service can reject it early.
 *
 * @throws NoResponse if no complete response arrives in time, or if its body is larger than 32 MiB
 */
export function exchange(
  { url, ca, timeout, startTimer = setTimeout }: Target,
  { method, path, headers, body }: HttpRequest,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const isLarge = body !== undefined && body.length > PIECE;
    const options = {
      method,
      agent: false,
      headers: {
        ...headers,
        ...(body !== undefined && { "Content-Length": Buffer.byteLength(body) }),
        ...(isLarge && { Expect: "100-continue" }),
      },
    };
    const address = new URL(addressOf(url, path));
    const request =
      url.protocol === "https:"
        ? httpsRequest(address, { ...options, ca, servername: serverNameOf(url) })
        : httpRequest(address, options);
    let response: IncomingMessage | undefined;
    const timers = [
      startTimer(() => fail(new NoResponse(`no complete response within ${timeout} ms`, "late")), timeout),
    ];
    const end = () => {
      for (const timer of timers) clearTimeout(timer);
      request.destroy();
    };
    const fail = (error: Error) => {
      end();
      const isRejected = isLarge && !response;
      reject(error instanceof NoResponse ? error : new NoResponse(reasonOf(error), isRejected ? "rejected" : "broken"));
    };
    let isSending = false;
    const sendBody = async () => {
      if (isSending || body === undefined) return;
      isSending = true;
      // A service that rejects the body because of its size responds now. It may close the connection then, and the error of
      // a write would hide its response.
      await wait(REJECTION_WAIT);
      const bytes = typeof body === "string" ? Buffer.from(body) : body;
      for (let at = 0; at < bytes.length && !response && !request.destroyed; at += PIECE) {
        await new Promise((done) => request.write(bytes.subarray(at, at + PIECE), done));
      }
      if (!response && !request.destroyed) request.end();
    };

    request.on("response", (incoming) => {
      response = incoming;
      const chunks: Buffer[] = [];
      let size = 0;
      incoming.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_BODY) fail(new NoResponse(`the body is larger than ${MAX_BODY} bytes`));
        else chunks.push(chunk);
      });
      incoming.on("error", fail);
      incoming.on("end", () => {
        if (!incoming.complete) return fail(new NoResponse("the connection closed within the response"));
        end();
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes: Buffer.concat(chunks) });
      });
    });
    // After the response, a service may close the connection although the body of the request is not sent yet.
    request.on("error", (error) => {
      if (!response) fail(error);
    });
    if (isLarge) {
      request.on("continue", () => void sendBody());
      request.flushHeaders();
      timers.push(setTimeout(() => void sendBody(), EXPECT_WAIT));
    } else {
      request.end(body);
    }
  });
}

/** The response to a HEAD request, and the number of bytes that follow its header section. */
export interface HeadResponse extends Omit<HttpResponse, "bytes"> {
  readonly bodyBytes: number;
}

/**
 * Sends HEAD over a plain socket, as HTTP clients hide a body after the headers. Reads until the service closes the
 * connection. Throws NoResponse.
 */
export async function rawHead(target: Target, { path, headers }: Omit<HttpRequest, "method">): Promise<HeadResponse> {
  const { url, timeout, startTimer = setTimeout } = target;
  const { host, pathname, search } = new URL(addressOf(url, path));
  const lines = Object.entries({ Host: host, ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const socket = await open(target);
  return await new Promise((resolve, reject) => {
    let received = "";
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      const end = received.indexOf("\r\n\r\n");
      const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(received)?.[1]);
      if (end === -1 || !status) reject(new NoResponse("the connection closed before a complete HTTP response"));
      else resolve({ status, headers: headersIn(received.slice(0, end)), bodyBytes: received.length - end - 4 });
    };
    // Some services keep the connection open. Nothing more arrives then.
    const timer = startTimer(finish, timeout);
    socket.setEncoding("latin1");
    socket.on("data", (text) => {
      received += text;
      if (received.length > 64 * 1024) finish();
    });
    socket.on("error", finish).on("close", finish);
    socket.write(`HEAD ${pathname}${search} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  });
}

function headersIn(head: string): HttpResponse["headers"] {
  const lines = head.split("\r\n").slice(1);
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", ...value] = line.split(":");
      return [name.toLowerCase(), value.join(":").trim()];
    }),
  );
}

/** Opens a connection, with TLS for https. Throws NoResponse if this fails. */
export function open({ url, ca, timeout, startTimer = setTimeout }: Target): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const isSecure = url.protocol === "https:";
    const host = hostOf(url);
    const port = Number(url.port || (isSecure ? 443 : 80));
    const socket: Socket = isSecure
      ? connectTls({ host, port, ca, servername: serverNameOf(url) })
      : connect({ host, port });
    const timer = startTimer(() => fail(new NoResponse(`no connection within ${timeout} ms`, "late")), timeout);
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error instanceof NoResponse ? error : new NoResponse(reasonOf(error)));
    };
    socket.once("error", fail);
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      socket.off("error", fail);
      resolve(socket);
    });
  });
}

/** Returns the host without the brackets around an IPv6 address, which are part of URLs only. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Returns the name for TLS, which has none for IP addresses. By default, Node takes it from the header `Host`. */
function serverNameOf(url: URL): string {
  const host = hostOf(url);
  return isIP(host) ? "" : host;
}

function addressOf(url: URL, path: string): string {
  return url.origin + url.pathname.replace(/\/$/, "") + path;
}

/** Returns the message of an error of Node. An error for several addresses has its messages in `errors`. */
function reasonOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [error];
  const { code = "", message = "" } = (first ?? error) as NodeJS.ErrnoException;
  return message.includes(code) ? message : `${code}: ${message}`;
}
