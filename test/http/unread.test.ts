import type { Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { listen, type RunningServer } from "../../src/http/http-server.ts";
import type { NodeBindings } from "../../src/http/node-adapter.ts";
import { readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import { openSocket, type RawSocket } from "../setup/raw-socket.ts";
import { until } from "../setup/until.ts";

/** 5 MiB of text with surrogate pairs and characters of several bytes. */
const text = "größe 👗 ".repeat((5 * 1024 * 1024) / 14);
const mixed = JSON.stringify({ objectTypeProperty: {}, text });
/** Larger than the buffers of the operating system. */
const large = JSON.stringify({ objectTypeProperty: {}, text: "x".repeat(7 * 1024 * 1024) });

/** The server-side sockets of the requests that the mock has handled. */
let handled: Socket[] = [];
/** Called with each socket before the mock handles a request. */
let onRequest = (_socket: Socket) => {};

let server: RunningServer;

/** Starts a server with two large resources in project `p`. */
beforeAll(async () => {
  const app = createApp(createEngine(await readFiles()), { version: "0.0.0-test", pages });
  const { fetch: handle } = app;
  for (const [id, body] of Object.entries({ mixed, large })) {
    const init = { method: "PUT", headers: { "Content-Type": "application/json" }, body };
    expect((await handle(new Request(`http://mock/__admin/projects/p/resources/${id}`, init))).status).toBe(201);
  }
  app.fetch = (request, bindings, ...rest) => {
    const { socket } = (bindings as NodeBindings).incoming;
    handled.push(socket);
    onRequest(socket);
    return handle(request, bindings, ...rest);
  };
  server = await listen(app, { port: 0, host: "127.0.0.1" });
});
afterAll(() => server.close(0));
beforeEach(() => {
  handled = [];
  onRequest = () => {};
});

const get = "GET /p/resource/large HTTP/1.1\r\nHost: a\r\n\r\n";

/** Returns a client that sends the text and reads no response. */
async function unreading(sent: string): Promise<RawSocket> {
  const client = await openSocket(server.url);
  client.socket.pause();
  client.send(sent);
  return client;
}

const slow = { tags: ["slow" as const] };

test("a client that reads receives the whole of a large body", async () => {
  for (const path of ["/p/resource/mixed", "/__admin/projects/p/resources/mixed"]) {
    const response = await fetch(server.url + path, { headers: { "Accept-Encoding": "identity" } });
    const received = await response.text();
    expect(Number(response.headers.get("Content-Length"))).toBe(Buffer.byteLength(received));
    expect(JSON.parse(received).text === text).toBe(true);
  }
});

test("a request waits until the client has read the response to the previous request", async () => {
  const client = await unreading(get.repeat(50));
  const other = await fetch(`${server.url}/p/resource/mixed`);
  expect((await other.text()).length).toBeGreaterThan(text.length);
  expect(handled.length).toBeLessThanOrEqual(2);
  client.socket.destroy();
});

test("unread bodies take at most 256 MiB: the connections that have waited longest are closed", slow, async () => {
  const clients: RawSocket[] = [];
  while (clients.length < 80) {
    clients.push(await unreading(get));
    await until(() => handled.length === clients.length);
  }
  const response = await fetch(`${server.url}/p/resource/mixed`);
  expect(JSON.parse(await response.text()).text === text).toBe(true);
  const sockets = handled.slice(0, clients.length);
  await until(() => sockets.slice(0, 5).every(({ closed }) => closed));
  expect(sockets.slice(-10).filter(({ closed }) => closed)).toEqual([]);
  for (const { socket } of clients) socket.destroy();
});

test("more than 1,000 pipelined requests close the connection", async () => {
  const client = await openSocket(server.url);
  client.send("GET /p/resource HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1100));
  const { text: received } = await client.closed();
  expect(received.match(/^HTTP/gm)?.length ?? 0).toBeLessThan(1000);
});

describe("a client that is quiet for the time limit", () => {
  /** Node emits this event when the time is over. */
  const passTime = (socket: Socket | undefined) => socket?.emit("timeout");

  test("and reads nothing loses its connection", async () => {
    const client = await unreading(get);
    await until(() => (handled[0]?.writableLength ?? 0) > 0);
    passTime(handled[0]);
    await until(() => handled[0]?.closed === true);
    client.socket.destroy();
  });

  test("keeps its connection while its request is in progress, and loses it after the response", async () => {
    const client = await openSocket(server.url);
    client.send("GET /__admin/projects/q/requests/wait?timeout=60000 HTTP/1.1\r\nHost: a\r\n\r\n");
    await until(() => handled.length === 1);
    passTime(handled[0]);
    expect((await fetch(`${server.url}/q/resource`)).status).toBe(200);
    expect(await client.received(/"total":1\}$/)).toMatch(/^HTTP\/1\.1 200 /);
    await until(() => handled[0]?.writableLength === 0);
    passTime(handled[0]);
    expect((await client.closed()).error).toBeUndefined();
  });
});

test("a client that sends but reads nothing loses its connection", async () => {
  // The limit of one piece of the body, without the time after which Node considers the socket quiet.
  onRequest = (socket) => {
    Object.assign(socket, { timeout: 10 });
  };
  const client = await unreading(get);
  await until(() => handled[0]?.closed === true);
  client.socket.destroy();
});
