import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { listen, type RunningServer } from "../../src/http/http-server.ts";
import { type HttpContext, incomingRequest } from "../../src/http/incoming.ts";
import type { NodeBindings } from "../../src/http/node-adapter.ts";
import { readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { until } from "../setup/until.ts";

const MiB = 1024 * 1024;

let server: RunningServer;
/** The server-side sockets of the requests that the mock has handled. */
const handled: Socket[] = [];

beforeAll(async () => {
  const app = createApp(createEngine(await readFiles()), { version: "0.0.0-test", pages });
  const { fetch: handle } = app;
  app.fetch = (request, bindings, ...rest) => {
    handled.push((bindings as NodeBindings).incoming.socket);
    return handle(request, bindings, ...rest);
  };
  server = await listen(app, { port: 0, host: "127.0.0.1" });
});
afterAll(() => server.close(0));

/** Sends the head of a request and all but the last byte of its body, and waits until the server has them. */
async function unfinished(target: string, type: string, part: string | Uint8Array) {
  const client = await openSocket(server.url);
  const count = handled.length;
  client.send(`${target} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${part.length + 1}\r\n\r\n`);
  client.send(part);
  await until(() => (handled[count]?.bytesRead ?? 0) > part.length);
  return { client, socket: handled[count] };
}

describe("the bodies of all requests in progress", { tags: ["slow"] }, () => {
  const archive = "PUT /__admin/projects/p/archive";

  test.each([
    ["the service", "/p/resource", '{"objectTypeProperty":{}}', 201],
    ["the control API", "/__admin/projects/p/resources", '{"objectTypeProperty":{}}', 201],
  ])("take at most 256 MiB: further requests to %s get 503 until a client has gone", async (_name, path, body, ok) => {
    const send = () =>
      fetch(server.url + path, { method: "POST", body, headers: { "Content-Type": "application/json" } });
    const part = new Uint8Array(128 * MiB - 10);
    const first = await unfinished(archive, "application/x-ndjson", part);
    const second = await unfinished(archive, "application/x-ndjson", part);
    const refused = await send();
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "1"]);
    expect(JSON.stringify(await refused.json())).toContain("expected at most 268435456 bytes, found more");
    for (const { client, socket } of [first, second]) {
      client.socket.destroy();
      await until(() => socket?.closed === true);
      expect((await send()).status).toBe(ok);
    }
  });
});

test("bodies in process are counted until they are read", async () => {
  const part = new Uint8Array(8 * MiB);
  for (let count = 0; count < 40; count++) {
    const raw = () => new Request("http://mock/p", { method: "POST", body: part });
    const request = () => incomingRequest({ req: { raw: raw() } } as HttpContext);
    expect((await request().readBody(9 * MiB)).length).toBe(part.length);
    expect((await request().readStart(9 * MiB)).bytes.length).toBe(part.length);
  }
});

describe("a client that sends no more of its body", () => {
  /** Node emits this event when the time is over. */
  const passTime = (socket = handled.at(-1)) => socket?.emit("timeout");

  test("gets 408, and loses the connection", async () => {
    const { client, socket } = await unfinished("POST /p/resource", "application/json", "{");
    passTime(socket);
    expect((await client.closed()).text).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("loses the connection if it has a response already", async () => {
    const { client, socket } = await unfinished("POST /p/unknown", "application/json", "{");
    await client.received(/^HTTP\/1\.1 404 /);
    passTime(socket);
    await client.closed();
  });

  test("keeps the connection while its whole request is in progress", async () => {
    const client = await openSocket(server.url);
    client.send("GET /__admin/projects/p/events HTTP/1.1\r\nHost: a\r\n\r\n");
    await client.received(/^HTTP\/1\.1 200 /);
    passTime();
    expect(handled.at(-1)?.destroyed).toBe(false);
    client.socket.destroy();
  });
});
