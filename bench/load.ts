import { connect, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/**
 * A load generator in a thread of its own: `connections` sockets, each with one request under way at a time. Requests
 * are bytes made beforehand and answers are only measured by their Content-Length, so that it costs far less than the
 * servers that it measures.
 */
export interface Load {
  port: number;
  connections: number;
  /** Milliseconds. */
  duration: number;
  requests: Requests;
}

/** The same bytes again and again, or updates of one resource a connection, each with the version that the last made. */
export type Requests =
  | { kind: "get"; paths: readonly string[] }
  | { kind: "update"; ids: readonly string[]; project: string };

export interface LoadResult {
  requestsPerSecond: number;
  /** Answers that were not 2xx: a figure with any is worth nothing. */
  failures: number;
}

if (parentPort) parentPort.postMessage(await run(workerData as Load));

async function run({ port, connections, duration, requests }: Load): Promise<LoadResult> {
  const end = performance.now() + duration;
  const counts = await Promise.all(
    Array.from({ length: connections }, (_, index) => drive(port, end, requestsOf(requests, index))),
  );
  const total = counts.reduce((sum, { answered }) => sum + answered, 0);
  const failures = counts.reduce((sum, { failed }) => sum + failed, 0);
  return { requestsPerSecond: total / (duration / 1000), failures };
}

function requestsOf(requests: Requests, connection: number): () => Buffer {
  if (requests.kind === "get") {
    const all = requests.paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
    let next = connection;
    return () => all[next++ % all.length] as Buffer;
  }
  const path = `/${requests.project}/resource/${requests.ids[connection % requests.ids.length]}`;
  let version = 1;
  return () => {
    const body = `{"version":${version++},"actions":[{"action":"changeSomeProperty","someProperty":"linen"}]}`;
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    return Buffer.from(head + body);
  };
}

function drive(port: number, end: number, next: () => Buffer): Promise<{ answered: number; failed: number }> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let answered = 0;
    let failed = 0;
    let buffered = "";
    socket.setEncoding("latin1");
    socket.on("connect", () => socket.write(next()));
    socket.on("error", reject);
    socket.on("data", (chunk: string) => {
      buffered = buffered === "" ? chunk : buffered + chunk;
      const headEnd = buffered.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const length = /content-length: (\d+)/i.exec(buffered.slice(0, headEnd))?.[1];
      if (buffered.length < headEnd + 4 + Number(length)) return;
      answered++;
      if (buffered.charCodeAt(9) !== 0x32) failed++;
      buffered = "";
      if (performance.now() < end) socket.write(next());
      else socket.end(() => resolve({ answered, failed }));
    });
  });
}
