import { once } from "node:events";
import { createServer, type RequestListener, request } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { ownChecks } from "../../src/services/generic-resource/compare/index.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { type CompareOptions, compare } from "../../src/tools/compare/index.ts";

/** Compares an upstream with the mock in this process, with a project of its own. */
export function compareAt(url: string | undefined, more: Partial<CompareOptions> = {}) {
  const upstream = new URL(url ?? "");
  const { contract = serviceContract } = more;
  const own = contract === serviceContract ? ownChecks(contract) : undefined;
  return compare({ contract, upstream, project: "demo", timeout: 60_000, jobs: 4, ...more }, own);
}

/** The time limits of responses, which end only when a test ends them. */
export function heldTimes() {
  const onEnd: (() => void)[] = [];
  return {
    startTimer: (end: () => void) => {
      onEnd.push(end);
      // A timer that has ended.
      return setTimeout(() => {}).unref();
    },
    /** Ends the time of all requests so far. */
    end: () => {
      for (const end of onEnd.splice(0)) end();
    },
  };
}

/** Starts an HTTP server on loopback until the end of the test. Returns its address. */
export async function httpUpstream(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a TCP server on loopback until the end of the test. Returns its address as a URL. */
export async function tcpUpstream(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    onSocket(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns a listener that forwards requests to a service. */
export function forwardTo(url: string): RequestListener {
  return (incoming, outgoing) => {
    const { method, headers, url: path = "" } = incoming;
    const forwarded = request(url + path, { method, headers, agent: false }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.on("error", () => outgoing.destroy()).pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.on("error", () => forwarded.destroy()).pipe(forwarded);
  };
}
