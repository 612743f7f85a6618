import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from "node:net";
import { afterAll } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { listen } from "../../src/http/http-server.ts";
import { createUpstream, type UpstreamOptions } from "../../src/http/upstream/index.ts";
import { readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import { defaultService } from "../../src/services/index.ts";

/** The real service of a test. */
export interface Service {
  readonly url: string;
  readonly port: number;
  /** The requests that arrived, oldest first. */
  readonly requests: IncomingMessage[];
  /** Closes all connections and stops listening. */
  close(): Promise<void>;
}

/** Starts an HTTP service until the end of the test file. */
export async function openService(handle: RequestListener): Promise<Service> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handle(request, response);
  });
  const { port, close } = await opened(server);
  return { url: `http://127.0.0.1:${port}`, port, requests, close };
}

/** Starts a service that speaks bytes: `handle` gets each socket after the first bytes of a request have arrived. */
export async function openRawService(handle: (socket: Socket) => void): Promise<Service> {
  const server = createRawServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => handle(socket));
  });
  const { port, close } = await opened(server);
  return { url: `http://127.0.0.1:${port}`, port, requests: [], close };
}

async function opened(server: Server): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  afterAll(close);
  return { port: (server.address() as AddressInfo).port, close };
}

/** Starts a second mock as the service, until the end of the test file. */
export async function openMockService(): Promise<{ readonly url: string }> {
  const engine = createEngine(await readFiles());
  const app = createApp(engine, { version: "0.0.0-upstream", pages, controls: defaultService.controls });
  const server = await listen(app, { port: 0, host: "127.0.0.1" });
  afterAll(async () => {
    engine.drain();
    await engine.projects.closeAll();
    await server.close(0);
  });
  return { url: server.url };
}

/** Returns options for a mock that forwards every request to this URL. */
export async function forwardingTo(url: string, options: Omit<UpstreamOptions, "url"> = {}) {
  return { upstream: await createUpstream({ url, ...options }), settings: { upstreamMode: "spy" as const } };
}

/** Returns the body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
