import { connect, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

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

/** GET requests to these paths in a loop, or updates with increasing versions, of one resource per connection. */
export type Requests =
  | { kind: "get"; paths: readonly string[]; headers?: string }
  | { kind: "update"; ids: readonly string[]; project: string };

export interface LoadResult {
  requestsPerSecond: number;
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
  const started = performance.now();
  let received = 0;
  let failures = 0;
  const onResponse = (ok: boolean) => {
    received++;
    if (!ok) failures++;
    // Requests in progress on the other connections count too.
    return received + connections <= maxResponses && performance.now() - started < duration;
  };
  await Promise.all(nexts.map((next) => drive(port, next, onResponse)));
  return { requestsPerSecond: (received / (performance.now() - started)) * 1000, failures };
}

/** Returns a function for each connection that returns its next request. */
function requestsOf(requests: Requests, connections: number): (() => Buffer)[] {
  if (requests.kind === "get") {
    const headers = `Host: localhost\r\n${requests.headers ?? ""}`;
    const all = requests.paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\n${headers}\r\n`));
    let next = 0;
    return Array.from({ length: connections }, () => () => all[next++ % all.length] as Buffer);
  }
  return Array.from({ length: connections }, (_, index) =>
    updates(`/${requests.project}/resource/${requests.ids[index % requests.ids.length]}`),
  );
}

function updates(path: string): () => Buffer {
  let version = 1;
  return () => {
    const body = `{"version":${version++},"actions":[{"action":"changeSomeProperty","someProperty":"linen"}]}`;
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    return Buffer.from(head + body);
  };
}

/** Sends a request, and the next one after each response while `onResponse` returns true. */
function drive(port: number, next: () => Buffer, onResponse: (ok: boolean) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let buffered = "";
    socket.setEncoding("latin1");
    socket.setTimeout(TIMEOUT, () => socket.destroy(new Error(`no response within ${TIMEOUT / 1000} s`)));
    socket.on("connect", () => socket.write(next()));
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed a connection")));
    socket.on("data", (chunk: string) => {
      buffered = buffered === "" ? chunk : buffered + chunk;
      if (!isWhole(buffered)) return;
      const ok = buffered.charCodeAt(STATUS) === 0x32;
      buffered = "";
      if (onResponse(ok)) socket.write(next());
      else socket.end(resolve);
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
