import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SecureResourceMock, startResourceMock } from "../../src/index.ts";
import { openHttp2 } from "../setup/http2-client.ts";
import { effort, endurance, heldBytes } from "../setup/memory.ts";
import { json } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { draft } from "../setup/resources.ts";
import { serving } from "../setup/serving.ts";
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

describe("connections that end", () => {
  let mock: SecureResourceMock;
  beforeAll(async () => {
    mock = await startResourceMock({ https: true });
  });
  afterAll(() => mock.close());

  function open(protocol: string): TLSSocket {
    const { port } = new URL(mock.httpsUrl);
    return connect({ port: Number(port), host: "127.0.0.1", ca: mock.caCertificate, ALPNProtocols: [protocol] });
  }

  /** The ways in which a client connects and disconnects. */
  const visits: (() => Promise<unknown>)[] = [
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

  test("1,000 handshakes leave no open handles and no memory in use", endurance, async () => {
    const sockets = () => process.getActiveResourcesInfo().filter((name) => /^(TCPSocket|TLS|HTTP2)/.test(name)).length;
    const visit = async (count: number) => {
      for (let round = 0; round < count; round++) await visits[round % visits.length]?.();
    };
    await visit(300);
    await until(() => sockets() < 5);
    const before = await heldBytes();
    await visit(1000 * effort);
    await until(() => sockets() < 5);
    expect((await heldBytes()) - before).toBeLessThan(4 * MiB);
    expect((await fetch(`${mock.url}/p/resource`)).status).toBe(200);
  });
});

describe("the server process", () => {
  const args = ["--log", "json", "--https-port", "0"];

  test.each(["SIGTERM", "SIGINT"] as const)(
    "stops under load on %s, and completes all accepted requests",
    async (signal) => {
      const server = await serving({ args });
      const ca = await (await fetch(`${server.url}/__admin/ca.pem`)).text();
      const clients = Array.from({ length: 5 }, () => openHttp2(server.httpsUrl, ca));
      let answered = 0;
      let created = 0;
      const enough = Promise.withResolvers<void>();
      const load = async (send: () => Promise<Response>) => {
        for (;;) {
          const response = await send();
          if (++answered > 300) enough.resolve();
          await response.text();
          created += response.status === 201 ? 1 : 0;
        }
      };
      const ended = clients.flatMap((client) =>
        Array.from({ length: 4 }, () =>
          load(() => client.fetch("/load/resource", json("POST", draft))).catch(() => {}),
        ),
      );
      await enough.promise;
      expect(await server.stop(signal)).toBe(0);
      await Promise.all(ended);
      const logged = server.output().match(/"operation":"createResource","status":201/g);
      expect(created).toBe(logged?.length);
      for (const { session } of clients) session.destroy();
    },
  );

  test("stops with clients in any state", async () => {
    const server = await serving({ args });
    const ca = await (await fetch(`${server.url}/__admin/ca.pem`)).text();
    const slow = {
      method: "PATCH",
      body: '{"latency":{"fixed":60000}}',
      headers: { "Content-Type": "application/json" },
    };
    await fetch(`${server.url}/__admin/projects/slow/settings`, slow);
    const { port } = new URL(server.httpsUrl ?? "");
    const tcp = connectTcp({ port: Number(port), host: "127.0.0.1" });
    await once(tcp, "connect");
    const idle = await openSocket(server.httpsUrl, ca);
    idle.send(get);
    await idle.received(/\}$/);
    const delayed = await openSocket(server.httpsUrl, ca);
    delayed.send(get.replace("/p/", "/slow/"));
    const client = openHttp2(server.httpsUrl, ca);
    const delayedStream = client.fetch("/slow/resource");
    const events = await client.fetch("/__admin/events");
    const upload = client.session.request({
      ":method": "POST",
      ":path": "/p/resource",
      "content-type": "application/json",
    });
    upload.on("error", () => {}).write("{");
    const ends = [closed(tcp), closed(upload), closed(client.session)];

    expect(await server.stop()).toBe(0);
    expect((await delayed.closed()).text).toMatch(/^HTTP\/1\.1 200 .*\}$/s);
    expect((await delayedStream).status).toBe(200);
    expect(await events.text()).toContain("retry: 1000");
    await idle.closed();
    await Promise.all(ends);
  });
});
