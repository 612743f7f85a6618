import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type Http2ServerRequest,
  type SecureClientSessionOptions,
} from "node:http2";
import { type AddressInfo, connect as connectTcp } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { listen, type RunningServer } from "../../src/http/http-server.ts";
import { createHttp2 } from "../../src/http/https.ts";
import type { Http2Response, NodeBindings } from "../../src/http/node-adapter.ts";
import { loadIdentity } from "../../src/http/tls/index.ts";
import { readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import { defaultService } from "../../src/services/index.ts";
import { until } from "../setup/until.ts";

type Outgoing = NodeBindings["outgoing"] & Http2Response;

interface Secure {
  readonly server: RunningServer;
  readonly engine: Engine;
  readonly defects: unknown[];
  /** Called with each response before the mock handles its request. */
  onRequest: (outgoing: Outgoing) => void;
  /** Stores a resource with this number of bytes. */
  store(path: string, bytes: number): Promise<void>;
  connect(options?: SecureClientSessionOptions): ClientHttp2Session;
}

/** Starts a server for HTTPS with these time limits, in milliseconds. */
async function start(timeouts?: { headers?: number; reading?: number }): Promise<Secure> {
  const engine = createEngine(await readFiles());
  const defects: unknown[] = [];
  engine.onDefect = (error) => defects.push(error);
  const identity = await loadIdentity({}, "127.0.0.1");
  const app = createApp(engine, { version: "0.0.0-test", pages, controls: defaultService.controls });
  const { fetch: handle } = app;
  app.fetch = (request, bindings, ...rest) => {
    secure.onRequest((bindings as { outgoing: Outgoing }).outgoing);
    return handle(request, bindings, ...rest);
  };
  const server = await listen(app, { port: 0, host: "127.0.0.1", timeouts, https: { ...identity, port: 0 } });
  const secure: Secure = {
    server,
    engine,
    defects,
    onRequest: () => {},
    async store(path, bytes) {
      const body = JSON.stringify({ objectTypeProperty: {}, text: "x".repeat(bytes) });
      const init = { method: "PUT", headers: { "Content-Type": "application/json" }, body };
      expect((await handle(new Request(`http://mock/__admin/projects${path}`, init))).status).toBe(201);
    },
    connect(options) {
      const session = connect(server.httpsUrl ?? "", { ca: identity.caCertificate, ...options });
      session.on("error", () => {});
      return session;
    },
  };
  return secure;
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

/** The outcome of a stream that the server has reset. */
const ENDED = expect.stringContaining("ENHANCE_YOUR_CALM");

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

describe("an HTTP/2 server with the default limits", () => {
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

  test("a session has at most 100 open streams, and reads headers of at most 64 KiB", () => {
    expect(session.remoteSettings).toMatchObject({ maxConcurrentStreams: 100, maxHeaderListSize: 64 * 1024 });
  });

  test.each([
    ["a header of 20,000 bytes is 431", { "x-long": "x".repeat(20_000) }, 431],
    ["a header of 65,000 bytes is 431", { "x-long": "x".repeat(65_000) }, 431],
    ["a header of 66,000 bytes ends the stream", { "x-long": "x".repeat(66_000) }, ENDED],
    ["a header of 15,000 bytes is no problem", { "x-long": "x".repeat(15_000) }, 200],
    ["500 headers are 431", manyHeaders(500), 431],
    ["a target of 20,000 bytes is 431", { ":path": `/p/resource?a=${"x".repeat(20_000)}` }, 431],
    ["3,000 headers end the stream", manyHeaders(3000), ENDED],
    ["200 headers are no problem", manyHeaders(200), 200],
  ])("%s", async (_name, headers, outcome) => {
    const own = secure.connect({ maxSendHeaderBlockLength: 1024 * 1024 });
    // The limits of Node apply after the client has acknowledged the settings.
    expect(await statusOf(own.request(get))).toBe(200);
    expect(await statusOf(own.request({ ...get, ...headers }))).toEqual(outcome);
    expect(await statusOf(own.request(get))).toBe(200);
    own.destroy();
  });

  test("the session continues after a reset stream", async () => {
    const stream = session.request(post);
    stream.write('{"objectTypeProperty":');
    await new Promise<void>((resolve) => session.ping(() => resolve()));
    stream.close(constants.NGHTTP2_CANCEL);
    expect(await statusOf(session.request(get))).toBe(200);
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

  test("unread responses of many streams take at most 256 MiB", { tags: ["slow"] }, async () => {
    await secure.store("/large/resources/r", 4 * 1024 * 1024);
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

describe("an HTTP/2 server with short time limits", () => {
  test("a handshake that does not end is closed", async () => {
    const { server } = await start({ headers: 50 });
    const { port } = new URL(server.httpsUrl ?? "");
    const socket = connectTcp({ port: Number(port), host: "127.0.0.1" });
    await once(socket, "close");
    await server.close(0);
  });

  // Without TLS, so that the handshake of a slow machine has no limit.
  test.each([
    ["the whole body in time", 20, () => {}],
    // Node emits this event when the time is over.
    ["any more of its body", 60_000, ({ stream }: Http2ServerRequest) => stream.emit("timeout")],
  ])("a client that does not send %s gets 408", async (_name, request, onRequest) => {
    const timeouts = { headers: 60_000, request, reading: 60_000, check: 60_000 };
    const handle = (incoming: IncomingMessage) => void onRequest(incoming as unknown as Http2ServerRequest);
    const { server } = createHttp2({ handle, timeouts });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const stream = session.request(post);
    stream.write("{");
    expect(await statusOf(stream)).toBe(408);
    session.destroy();
    server.close();
  });

  test("a session without requests is closed, also if it sends pings", async () => {
    const { server, connect } = await start({ reading: 50 });
    const session = connect();
    const pings = setInterval(() => !session.destroyed && session.ping(() => {}), 10);
    await new Promise((resolve) => session.once("close", resolve));
    clearInterval(pings);
    await server.close(0);
  });
});

describe("a quiet HTTP/2 client", () => {
  let secure: Secure;
  let session: ClientHttp2Session;
  beforeAll(async () => {
    secure = await start();
    session = secure.connect();
  });
  afterAll(async () => {
    session.destroy();
    await secure.server.close(0);
  });

  test("that reads nothing loses the stream, and other streams continue", async () => {
    await secure.store("/p/resources/large", 1024 * 1024);
    secure.onRequest = (outgoing) => {
      outgoing.readingTime = 10;
    };
    const unread = session.request({ ":path": "/p/resource/large" });
    const failed = once(unread, "error");
    await once(unread, "response");
    secure.onRequest = () => {};
    expect(await failed).toMatchObject([{ message: expect.stringContaining("ENHANCE_YOUR_CALM") }]);
    expect(await statusOf(session.request(get))).toBe(200);
  });

  test("keeps its session while its request is in progress", async () => {
    const arrived = new Promise<Outgoing>((resolve) => {
      secure.onRequest = resolve;
    });
    const wait = statusOf(session.request({ ":path": "/__admin/projects/q/requests/wait?timeout=60000" }));
    const { stream } = await arrived;
    // Node emits this event when the time is over.
    stream.session?.emit("timeout");
    expect(await statusOf(session.request({ ":path": "/q/resource" }))).toBe(200);
    expect(await wait).toBe(200);
  });
});
