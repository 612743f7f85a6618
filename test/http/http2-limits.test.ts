import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { connect as connectTcp } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { listen, type RunningServer } from "../../src/http/server.ts";
import { readFiles } from "../../src/mock.ts";
import { pages } from "../../src/pages.ts";
import { loadIdentity } from "../../src/tls/identity.ts";
import { until } from "../setup/until.ts";

/** A server for HTTPS with these time limits, in milliseconds. */
interface Secure {
  readonly server: RunningServer;
  readonly engine: Engine;
  readonly defects: unknown[];
  connect(): ClientHttp2Session;
}

async function start(timeouts?: { headers?: number; request?: number; reading?: number }): Promise<Secure> {
  const engine = createEngine(await readFiles());
  const defects: unknown[] = [];
  engine.onDefect = (error) => defects.push(error);
  const identity = await loadIdentity({}, "127.0.0.1");
  const app = createApp(engine, { version: "0.0.0-test", pages });
  const server = await listen(app, { port: 0, host: "127.0.0.1", timeouts, https: { ...identity, port: 0 } });
  return {
    server,
    engine,
    defects,
    connect() {
      const session = connect(server.httpsUrl ?? "", { ca: identity.caCertificate });
      session.on("error", () => {});
      return session;
    },
  };
}

/** Resolves with the status of the response, or with the error of a stream without one. */
function statusOf(stream: ClientHttp2Stream): Promise<number | string | undefined> {
  return new Promise((resolve) => {
    let status: number | string | undefined;
    stream.on("response", (headers) => {
      status = headers[":status"];
    });
    stream.on("error", ({ message }: Error) => {
      status ??= message;
    });
    stream.resume().once("close", () => resolve(status));
  });
}

const get = { ":path": "/p/resource" };
const post = { ":method": "POST", ":path": "/p/resource", "content-type": "application/json" };

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, "a"]));
}

const [HEADERS, RST_STREAM, SETTINGS, PING] = [1, 3, 4, 6];

/** Returns a frame of HTTP/2 (RFC 9113, section 4.1). */
function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  return Buffer.concat([Buffer.from([length >> 16, length >> 8, length, type, flags]), word(stream), payload]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The headers of `GET https://a/` (RFC 7541, appendix A). */
const request = Buffer.from([0x82, 0x87, 0x84, 0x41, 0x01, 0x61]);

describe("with the default limits", () => {
  let secure: Secure;
  let session: ClientHttp2Session;
  beforeAll(async () => {
    secure = await start();
    session = secure.connect();
    await once(session, "remoteSettings");
  });
  afterAll(async () => {
    session.destroy();
    await secure.server.close(0);
    expect(secure.defects).toEqual([]);
  });

  test("a session has at most 100 open streams, and headers of at most 16 KiB", () => {
    expect(session.remoteSettings).toMatchObject({ maxConcurrentStreams: 100, maxHeaderListSize: 16 * 1024 });
  });

  test.each([
    ["a header of 20,000 bytes is 431", { "x-long": "x".repeat(20_000) }, 431],
    ["a target of 20,000 bytes is 431", { ":path": `/p/resource?a=${"x".repeat(20_000)}` }, 431],
    ["3,000 headers end the stream", manyHeaders(3000), expect.stringContaining("ENHANCE_YOUR_CALM")],
    ["200 headers are no problem", manyHeaders(200), 200],
  ])("%s", async (_name, headers, outcome) => {
    const own = secure.connect();
    expect(await statusOf(own.request({ ...get, ...headers }))).toEqual(outcome);
    own.destroy();
  });

  test("the session continues after a reset stream", async () => {
    const stream = session.request(post);
    stream.write('{"objectTypeProperty":');
    await new Promise<void>((resolve) => session.ping(() => resolve()));
    stream.close(constants.NGHTTP2_CANCEL);
    expect(await statusOf(session.request(get))).toBe(200);
  });

  test("journals a request whose client resets the stream while it sends the body", async () => {
    const project = "reset-stream";
    const journaled = Promise.withResolvers<void>();
    secure.engine.onExchange = (key) => key === project && journaled.resolve();
    const stream = session.request({ ...post, ":path": `/${project}/resource` });
    stream.write('{"objectTypeProperty":');
    await new Promise<void>((resolve) => session.ping(() => resolve()));
    stream.close(constants.NGHTTP2_CANCEL);
    await journaled.promise;
    secure.engine.onExchange = undefined;
    expect(secure.engine.projects.get(project).journal.list()[0]).toMatchObject({
      status: 400,
      operationId: "createResource",
    });
    expect((await secure.engine.projects.get(project).store.facts()).lastWritten).toBeUndefined();
  });

  test.each([
    [
      "resets its streams at once",
      (count: number) => [frame(HEADERS, 5, count * 2 + 1, request), frame(RST_STREAM, 0, count * 2 + 1, word(8))],
    ],
    ["sends pings and never reads", () => [frame(PING, 0, 0, Buffer.alloc(8))]],
  ])("a client that %s is disconnected, and others are served", async (_name, frames) => {
    const { port } = new URL(secure.server.httpsUrl ?? "");
    const socket = connectSecurely({
      port: Number(port),
      host: "127.0.0.1",
      rejectUnauthorized: false,
      ALPNProtocols: ["h2"],
    });
    await once(socket, "secureConnect");
    socket.on("error", () => {});
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.write(
      Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(SETTINGS, 0, 0, Buffer.alloc(0))]),
    );
    let count = 0;
    while (!socket.destroyed) {
      socket.write(Buffer.concat(Array.from({ length: 100 }, () => frames(count++)).flat()));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closed;
    expect(await statusOf(session.request(get))).toBe(200);
  });

  test("unread responses of many streams take at most 256 MiB", async () => {
    const body = JSON.stringify({ objectTypeProperty: {}, text: "x".repeat(4 * 1024 * 1024) });
    const init = { method: "PUT", headers: { "Content-Type": "application/json" }, body };
    await (await fetch(`${secure.server.url}/__admin/projects/large/resources/r`, init)).arrayBuffer();
    const own = secure.connect();
    const streams = Array.from({ length: 80 }, () => {
      const stream = own.request({ ":path": "/large/resource/r" });
      stream.on("error", () => {});
      return stream;
    });
    await until(() => streams.some(({ closed }) => closed));
    expect(streams.filter(({ closed }) => !closed).length).toBeGreaterThan(50);
    own.destroy();
    expect(await statusOf(session.request(get))).toBe(200);
  });
});

describe("with short time limits", () => {
  test("a handshake that does not end is closed", async () => {
    const { server } = await start({ headers: 50 });
    const { port } = new URL(server.httpsUrl ?? "");
    const socket = connectTcp({ port: Number(port), host: "127.0.0.1" });
    await once(socket, "close");
    await server.close(0);
  });

  test("a client that does not send the whole body in time gets 408", async () => {
    const { server, connect } = await start({ headers: 50, request: 100 });
    const session = connect();
    const stream = session.request(post);
    stream.write("{");
    expect(await statusOf(stream)).toBe(408);
    expect(await statusOf(session.request(get))).toBe(200);
    session.destroy();
    await server.close(0);
  });

  test("a session without requests is closed, also if it sends pings", async () => {
    const { server, connect } = await start({ reading: 200 });
    const session = connect();
    const pings = setInterval(() => !session.destroyed && session.ping(() => {}), 20);
    await once(session, "close");
    clearInterval(pings);
    await server.close(0);
  });

  test("a stream is closed if its client reads nothing, and other streams continue", async () => {
    const { server, engine, connect } = await start({ reading: 300 });
    const text = "x".repeat(1024 * 1024);
    const init = {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ objectTypeProperty: {}, text }),
    };
    await (await fetch(`${server.url}/__admin/projects/p/resources/large`, init)).arrayBuffer();
    const session = connect();
    const unread = session.request({ ":path": "/p/resource/large" });
    const failed = once(unread, "error");
    await once(unread, "response");
    while (!unread.closed) expect(await statusOf(session.request(get))).toBe(200);
    expect(await failed).toMatchObject([{ message: expect.stringContaining("ENHANCE_YOUR_CALM") }]);
    session.destroy();
    await engine.projects.closeAll();
    await server.close(0);
  });

  test("a session stays open while its request is in progress", async () => {
    const { server, connect } = await start({ reading: 300 });
    const session = connect();
    const wait = session.request({ ":path": "/__admin/projects/p/requests/wait?count=1000&timeout=1000" });
    expect(await statusOf(wait)).toBe(408);
    session.destroy();
    await server.close(0);
  });
});
