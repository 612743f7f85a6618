// @module-tag isolated
// @module-tag slow
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SecureResourceMock, startResourceMock } from "../../src/index.ts";
import { effort, endurance, heldBytes } from "../setup/memory.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { until } from "../setup/until.ts";

const MiB = 1024 * 1024;
const get = "GET /p/resource HTTP/1.1\r\nHost: a\r\n\r\n";

/** Resolves when the socket is closed, also by an error. */
function closed(socket: {
  once(name: string, listener: () => void): unknown;
  on(name: string, listener: () => void): unknown;
}) {
  socket.on("error", () => {});
  return new Promise<void>((resolve) => socket.once("close", () => resolve()));
}

describe("the memory and the handles of connections that end", () => {
  let mock: SecureResourceMock;
  beforeAll(async () => {
    mock = await startResourceMock({ https: true });
  });
  afterAll(() => mock.close());

  function open(protocol: string): TLSSocket {
    const { port } = new URL(mock.httpsUrl);
    return connect({ port: Number(port), host: "127.0.0.1", ca: mock.caCertificate, ALPNProtocols: [protocol] });
  }

  /** What a client has sent when it disconnects: partial headers, a partial body, complete requests, or nothing. */
  const plain = [
    "POST /reset/resource HTTP/1.1\r\nHost: x\r\nX-Half",
    "POST /reset/resource HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
    "POST /reset/resource HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{",
    "GET /reset/resource HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /__admin/contract.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3),
    "",
  ].flatMap((sent) =>
    (["destroy", "resetAndDestroy"] as const).map((leave) => async () => {
      const client = await openSocket(mock.url);
      client.send(sent);
      client.socket[leave]();
      await client.closed();
    }),
  );

  /** The ways in which a client of HTTPS connects and disconnects. */
  const secure: (() => Promise<unknown>)[] = [
    async () => {
      const socket = open("http/1.1");
      await once(socket, "secureConnect");
      socket.write(get);
      await once(socket, "data");
      socket.destroy();
      await closed(socket);
    },
    async () => {
      const session = connectHttp2(mock.httpsUrl, { ca: mock.caCertificate });
      await once(session.request({ ":path": "/p/resource" }).resume(), "end");
      session.destroy();
    },
    async () => {
      const socket = open("h2");
      await once(socket, "secureConnect");
      socket.end();
      await closed(socket);
    },
    async () => {
      const socket = open("http/1.1");
      await once(socket, "connect");
      socket.destroy();
      await closed(socket);
    },
    async () => {
      const { port } = new URL(mock.httpsUrl);
      const socket = connectTcp({ port: Number(port), host: "127.0.0.1" });
      await once(socket, "connect");
      socket.write("\u0016\u0003\u0001\u0000");
      socket.resetAndDestroy();
      await closed(socket);
    },
    async () => {
      const { port } = new URL(mock.httpsUrl);
      const socket = connect({ port: Number(port), host: "127.0.0.1" });
      await closed(socket);
    },
  ];

  test.each([
    ["resets", plain, 1000, 2 * MiB],
    ["TLS handshakes", secure, 500, 3 * MiB],
  ])("are free again after many %s", endurance, async (_name, visits, count, limit) => {
    const sockets = () => process.getActiveResourcesInfo().filter((name) => /^(TCPSocket|TLS|HTTP2)/.test(name)).length;
    const visit = async (times: number) => {
      for (let round = 0; round < times; round++) await visits[round % visits.length]?.();
      expect((await mock.fetch("/p/resource")).status).toBe(200);
      await until(() => sockets() < 5);
    };
    await visit(300);
    const before = await heldBytes();
    await visit(count * effort);
    expect((await heldBytes()) - before).toBeLessThan(limit);
  });
});
