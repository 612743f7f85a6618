import { connect, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/**
 * A load generator in a thread of its own: `connections` sockets, each with one request under way at a time. Requests
 * are bytes made beforehand and answers are only looked at for their end, so that it costs far less than the
 * servers that it measures.
 */
export interface Load {
  port: number;
  connections: number;
  /** Ends after so many milliseconds, */
  duration: number;
  /** or after so many answers, where that is sooner. */
  answers?: number;
  requests: Requests;
}

/** These paths over and over, or updates of one resource a connection, each with the version that the last made. */
export type Requests =
  | { kind: "get"; paths: readonly string[]; headers?: string }
  | { kind: "update"; ids: readonly string[]; project: string };

export interface LoadResult {
  requestsPerSecond: number;
  /** Answers that were not 2xx: a figure with any is worth nothing. */
  failures: number;
}

/** Milliseconds. */
const PATIENCE = 10_000;
/** Where the status begins, after `HTTP/1.1 `. */
const STATUS = 9;

if (parentPort) parentPort.postMessage(await run(workerData as Load));

async function run({
  port,
  connections,
  duration,
  answers: responses = Infinity,
  requests,
}: Load): Promise<LoadResult> {
  const nexts = requestsOf(requests, connections);
  const started = performance.now();
  let answered = 0;
  let failures = 0;
  const onAnswer = (ok: boolean) => {
    answered++;
    if (!ok) failures++;
    // The others' answers that are still to come count too.
    return answered + connections <= responses && performance.now() - started < duration;
  };
  await Promise.all(nexts.map((next) => drive(port, next, onAnswer)));
  return { requestsPerSecond: (answered / (performance.now() - started)) * 1000, failures };
}

/** For each connection, what makes its next request. */
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

/** Sends the next request after each answer for which `onAnswer` says so. */
function drive(port: number, next: () => Buffer, onAnswer: (ok: boolean) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let buffered = "";
    socket.setEncoding("latin1");
    socket.setTimeout(PATIENCE, () => socket.destroy(new Error(`no answer within ${PATIENCE / 1000} s`)));
    socket.on("connect", () => socket.write(next()));
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the server closed a connection")));
    socket.on("data", (chunk: string) => {
      buffered = buffered === "" ? chunk : buffered + chunk;
      if (!isWhole(buffered)) return;
      const ok = buffered.charCodeAt(STATUS) === 0x32;
      buffered = "";
      if (onAnswer(ok)) socket.write(next());
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
