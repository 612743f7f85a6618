import { connect, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { addLatency, type Latencies, noLatencies } from "./latencies.ts";

/**
 * The parameters of the load generator, which runs in its own thread. Each of its `connections` has one request in
 * progress at a time. The generator prepares requests as bytes, and reads only the status and the end of responses.
 * It therefore uses far less CPU time than the measured server.
 */
export interface Load {
  port: number;
  connections: number;
  /** The longest duration, in milliseconds. */
  duration: number;
  /** The number of responses after which the load ends early. */
  maxResponses?: number;
  requests: Requests;
}

/** GET requests to these paths in a loop, or updates with increasing versions, of one of these resources per connection. */
export type Requests =
  | { kind: "get"; paths: readonly string[]; headers?: string }
  | { kind: "update"; paths: readonly string[] };

export interface LoadResult {
  requestsPerSecond: number;
  responses: number;
  /** Milliseconds from each request to the end of its response. */
  latencies: Latencies;
  /** The number of responses other than 2xx. Any failure makes the figure invalid. */
  failures: number;
}

/** The longest wait for a response, in milliseconds. */
const TIMEOUT = 10_000;
/** The offset of the status, after `HTTP/1.1 `. */
const STATUS = 9;

if (parentPort) parentPort.postMessage(await run(workerData as Load));

async function run({ port, connections, duration, maxResponses = Infinity, requests }: Load): Promise<LoadResult> {
  const nexts = requestsOf(requests, connections);
  const latencies = noLatencies();
  const started = performance.now();
  let responses = 0;
  let failures = 0;
  const onResponse = (ok: boolean, sentAt: number, now: number) => {
    responses++;
    if (!ok) failures++;
    addLatency(latencies, now - sentAt);
    // Requests in progress on the other connections count too.
    return responses + connections <= maxResponses && now - started < duration;
  };
  await Promise.all(nexts.map((next) => drive(port, next, onResponse)));
  const requestsPerSecond = (responses / (performance.now() - started)) * 1000;
  return { requestsPerSecond, responses, latencies, failures };
}

/** Returns a function for each connection that returns its next request. */
function requestsOf(requests: Requests, connections: number): (() => Buffer)[] {
  if (requests.kind === "get") {
    const headers = `Host: localhost\r\n${requests.headers ?? ""}`;
    const all = requests.paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\n${headers}\r\n`));
    let next = 0;
    return Array.from({ length: connections }, () => () => all[next++ % all.length] as Buffer);
  }
  const { paths } = requests;
  return Array.from({ length: connections }, (_, index) => updates(paths[index % paths.length] as string));
}

function updates(path: string): () => Buffer {
  let version = 1;
  return () => {
    const body = `{"version":${version++},"actions":[{"action":"changeSomeProperty","someProperty":"linen"}]}`;
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    return Buffer.from(head + body);
  };
}

type OnResponse = (ok: boolean, sentAt: number, now: number) => boolean;

/** Sends a request, and the next one after each response while `onResponse` returns true. */
function drive(port: number, next: () => Buffer, onResponse: OnResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let buffered = "";
    let sentAt = 0;
    socket.setEncoding("latin1");
    socket.setTimeout(TIMEOUT, () => socket.destroy(new Error(`no response within ${TIMEOUT / 1000} s`)));
    socket.on("connect", () => {
      sentAt = performance.now();
      socket.write(next());
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed a connection")));
    socket.on("data", (chunk: string) => {
      buffered = buffered === "" ? chunk : buffered + chunk;
      if (!isWhole(buffered)) return;
      const ok = buffered.charCodeAt(STATUS) === 0x32;
      buffered = "";
      const now = performance.now();
      if (!onResponse(ok, sentAt, now)) socket.end(resolve);
      else {
        sentAt = now;
        socket.write(next());
      }
    });
  });
}

function isWhole(response: string): boolean {
  const headEnd = response.indexOf("\r\n\r\n");
  if (headEnd === -1) return false;
  const length = /content-length: (\d+)/i.exec(response.slice(0, headEnd))?.[1];
  if (length === undefined) return response.endsWith("\r\n0\r\n\r\n");
  return response.length >= headEnd + 4 + Number(length);
}
