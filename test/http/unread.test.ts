import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { listen, type RunningServer } from "../../src/http/server.ts";
import { readFiles } from "../../src/mock.ts";
import { pages } from "../../src/pages.ts";
import { openSocket, type RawSocket } from "../setup/raw-socket.ts";

/** 5 MiB of text with surrogate pairs and characters of several bytes. */
const text = "größe 👗 ".repeat((5 * 1024 * 1024) / 14);
const mixed = JSON.stringify({ objectTypeProperty: {}, text });
/** Larger than the buffers of the operating system. */
const large = JSON.stringify({ objectTypeProperty: {}, text: "x".repeat(15 * 1024 * 1024) });

let handled = 0;

/** Starts a server with two large resources in project `p`. */
async function start(timeouts?: { reading: number }): Promise<RunningServer> {
  const app = createApp(createEngine(await readFiles()), { version: "0.0.0-test", pages });
  const { fetch: handle } = app;
  app.fetch = (...args) => {
    handled++;
    return handle(...args);
  };
  const server = await listen(app, { port: 0, host: "127.0.0.1", timeouts });
  for (const [id, body] of Object.entries({ mixed, large })) {
    const response = await fetch(`${server.url}/__admin/projects/p/resources/${id}`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", Connection: "close" },
      body,
    });
    expect(response.status).toBe(201);
    await response.arrayBuffer();
  }
  return server;
}

const get = "GET /p/resource/large HTTP/1.1\r\nHost: a\r\n\r\n";

/** Returns a client that sends the text and reads no response. */
async function unreading({ url }: RunningServer, sent: string): Promise<RawSocket> {
  const client = await openSocket(url);
  client.socket.pause();
  client.send(sent);
  return client;
}

/** Sends bytes that are not a request until the server closes the connection. */
async function closed({ socket }: RawSocket): Promise<void> {
  const timer = setInterval(() => socket.write("\r\n"), 20);
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(timer);
}

describe("with the default limits", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.close(0));

  test("a client that reads receives the whole of a large body", async () => {
    for (const path of ["/p/resource/mixed", "/__admin/projects/p/resources/mixed"]) {
      const response = await fetch(server.url + path);
      const received = await response.text();
      expect(Number(response.headers.get("Content-Length"))).toBe(Buffer.byteLength(received));
      expect(JSON.parse(received).text === text).toBe(true);
    }
  });

  test("a request waits until the client has read the response to the previous request", async () => {
    const client = await unreading(server, get.repeat(50));
    handled = 0;
    const other = await fetch(`${server.url}/p/resource/mixed`);
    expect((await other.text()).length).toBeGreaterThan(text.length);
    expect(handled).toBeLessThanOrEqual(2);
    client.socket.destroy();
  });

  test("unread bodies take at most 256 MiB: the connections that have waited longest are closed", async () => {
    const clients: RawSocket[] = [];
    while (clients.length < 40) {
      clients.push(await unreading(server, get));
      // The server handles the requests in the order of the clients.
      await (await fetch(`${server.url}/__admin/health`)).arrayBuffer();
    }
    const response = await fetch(`${server.url}/p/resource/mixed`);
    expect(JSON.parse(await response.text()).text === text).toBe(true);
    for (const client of clients.slice(0, 3)) await closed(client);
    expect(clients.slice(-10).filter(({ socket }) => socket.closed)).toEqual([]);
    for (const { socket } of clients) socket.destroy();
  });

  test("more than 1,000 pipelined requests close the connection", async () => {
    const client = await openSocket(server.url);
    client.send("GET /p/resource HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1100));
    const { text: received } = await client.closed();
    expect(received.match(/^HTTP/gm)?.length ?? 0).toBeLessThan(1000);
  });
});

describe("with a short time to read", () => {
  test.each([
    ["sends nothing", false],
    ["keeps sending", true],
  ])("closes the connection of a client that reads nothing and %s", async (_name, sends) => {
    const server = await start({ reading: 300 });
    const client = await unreading(server, get);
    if (sends) await closed(client);
    // Resolves when the connection is closed.
    await server.close(60_000);
    client.socket.destroy();
  });

  test("keeps a quiet connection open while its request is in progress", async () => {
    const server = await start({ reading: 2000 });
    const client = await openSocket(server.url);
    client.send("GET /__admin/projects/p/requests/wait?count=1000&timeout=3000 HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await client.received(/HTTP\/1\.1 \d+/)).toContain("HTTP/1.1 408");
    client.socket.destroy();
    await server.close(0);
  });
});
