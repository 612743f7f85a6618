import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { lastExchange } from "../setup/journal.ts";
import { newProject, onAllTransports, useMock } from "../setup/mock.ts";
import { openSocket, sendRaw } from "../setup/raw-socket.ts";
import { until } from "../setup/until.ts";
import { bodyOf, forwardingTo, openService } from "./services.ts";

const received: { url: string | undefined; host: string | undefined; body: Buffer; chunked: boolean }[] = [];
const routes = new Map<string, (response: ServerResponse) => void>();
const service = await openService(async (request, response) => {
  const route = routes.get(request.url ?? "");
  if (route) return route(response);
  const { host, "transfer-encoding": encoding } = request.headers;
  received.push({ url: request.url, host, chunked: encoding === "chunked", body: await bodyOf(request) });
  response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
});
const forwarding = await forwardingTo(`${service.url}/base`);

describe("raw requests on a socket", () => {
  const mock = useMock("over a socket", forwarding);

  test.each([
    ["an absolute target", (path: string) => `GET http://evil.example${path} HTTP/1.1\r\nHost: evil.example`],
    ["another host", (path: string) => `GET ${path} HTTP/1.1\r\nHost: evil.example`],
    ["a forwarded host", (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-Host: evil.example`],
    ["HTTP/1.0", (path: string) => `GET ${path} HTTP/1.0\r\nHost: a`],
  ])("a request with %s reaches only the upstream", async (_what, head) => {
    const path = `/${newProject()}/resource/r-1`;
    const text = await sendRaw(mock.url, `${head(path)}\r\nConnection: close\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(received.at(-1)).toMatchObject({ url: `/base${path}`, host: new URL(service.url).host });
  });

  test.each([
    "//evil.example/resource",
    "/\\evil.example/resource",
    "/p/..//evil.example/resource",
    "http:/evil.example/resource",
    "*",
  ])("the target %s reaches nothing outside of the base path", async (target) => {
    const before = received.length;
    await sendRaw(mock.url, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    for (const { url, host } of received.slice(before)) {
      expect([url, host]).toEqual([expect.stringMatching(/^\/base\//), new URL(service.url).host]);
      expect(url).not.toContain("..");
    }
  });

  test("a client that expects 100-continue gets it, and its body reaches the upstream", async () => {
    const project = newProject();
    const socket = await openSocket(mock.url);
    socket.send(
      `POST /${project}/resource/r-1 HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 27\r\nConnection: close\r\n\r\n`,
    );
    await socket.received(/^HTTP\/1\.1 100 Continue/);
    socket.send('{"version":1,"actions":[]} ');
    await socket.received(/HTTP\/1\.1 200 OK[\s\S]*\{\}/);
    expect(received.at(-1)?.body.toString()).toBe('{"version":1,"actions":[]} ');
    expect((await lastExchange(mock, project))?.upstream?.requestHeaders).not.toHaveProperty("expect");
  });

  test("a chunked body reaches the upstream as a whole", async () => {
    const head = `POST /${newProject()}/resource/r-1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(mock.url, `${head}5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(received.at(-1)?.body.toString()).toBe('{"a":1}');
  });

  test("a body that breaks off does not reach the upstream as a whole request", async () => {
    const before = received.length;
    const project = newProject();
    const socket = await openSocket(mock.url);
    socket.send(`POST /${project}/resource/r-1 HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"a":`);
    socket.socket.resetAndDestroy();
    await until(async () => (await lastExchange(mock, project)) !== undefined);
    expect(received.length).toBe(before);
  });
});

const MiB = 1024 * 1024;
const SIZE = 96 * MiB;
/**
 * The limit of the bytes between the sender and the reader. The buffers of the system for two connections have at most
 * 72 MiB (`tcp_rmem` and `tcp_wmem` of Linux), and usually fewer than 15 MiB.
 */
const HELD = 80 * MiB;

/** Counts the bytes between a sender and a slow reader. */
function createMeter() {
  let [taken, held] = [0, 0];
  const chunk = Buffer.alloc(64 * 1024, 120);
  return {
    /** A stream of `SIZE` bytes. */
    source: Readable.from(
      (function* () {
        for (; taken < SIZE; taken += chunk.length) yield chunk;
      })(),
      { highWaterMark: 1 },
    ),
    /** Reads a whole body slowly. Returns its size. */
    async read(body: AsyncIterable<Uint8Array>): Promise<number> {
      let read = 0;
      for await (const { length } of body) {
        read += length;
        held = Math.max(held, taken - read);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return read;
    },
    get held() {
      return held;
    },
  };
}

describe.each(["in process", "over a socket", "over HTTP/2"] as const)(
  "a large body (%s)",
  { tags: ["slow"] },
  (transport) => {
    const mock = useMock(transport, { ...forwarding, settings: { ...forwarding.settings, maxImageBytes: 1000 } });

    test("passes from the upstream at the speed of the client", async () => {
      const project = newProject();
      const meter = createMeter();
      routes.set(`/base/${project}/resource/r-1`, (response) => {
        meter.source.pipe(response.writeHead(200, { "Content-Type": "application/octet-stream" }));
      });
      const { body } = await mock.resource(project, "/r-1");
      expect(await meter.read(body as AsyncIterable<Uint8Array>)).toBe(SIZE);
      expect(meter.held).toBeLessThan(HELD);
    });

    test("passes to the upstream at its speed", async () => {
      const project = newProject();
      const meter = createMeter();
      const read = new Promise<number>((resolve, reject) => {
        routes.set(`/base/${project}/resource/images`, (response) => {
          const end = () => response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
          meter.read(response.req).then((size) => end() && resolve(size), reject);
        });
      });
      const response = await mock.resource(project, "/images", {
        method: "POST",
        headers: { "Content-Type": "image/png" },
        body: Readable.toWeb(meter.source) as ReadableStream,
        duplex: "half",
      } as RequestInit);
      expect([response.status, await response.text(), await read]).toEqual([200, "{}", SIZE]);
      expect(meter.held).toBeLessThan(HELD);
      expect((await lastExchange(mock, project))?.cut?.request).toBe(SIZE);
    });
  },
);

onAllTransports("a project", { ...forwarding, inOneProcess: "watches the project in the engine" }, (mock) => {
  test("that is reset while the upstream is silent returns 503", async () => {
    const project = newProject();
    const arrived = new Promise<ServerResponse>((resolve) => routes.set(`/base/${project}/resource/r-1`, resolve));
    const response = mock.resource(project, "/r-1");
    const { req } = await arrived;
    const closed = new Promise((resolve) => req.once("close", resolve));
    await mock.fetch(`/__admin/projects/${project}/reset`, { method: "POST" });
    expect((await response).status).toBe(503);
    await closed;
  });
});
