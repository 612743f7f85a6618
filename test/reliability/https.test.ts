// @module-tag process
// @module-tag slow
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { describe, expect, test } from "vitest";
import { openHttp2 } from "../setup/http2-client.ts";
import { json } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { draft } from "../setup/resources.ts";
import { serving } from "../setup/serving.ts";

const get = "GET /p/resource HTTP/1.1\r\nHost: a\r\n\r\n";

/** Resolves when the socket is closed, also by an error. */
function closed(socket: {
  once(name: string, listener: () => void): unknown;
  on(name: string, listener: () => void): unknown;
}) {
  socket.on("error", () => {});
  return new Promise<void>((resolve) => socket.once("close", () => resolve()));
}

describe("the server process", () => {
  const args = ["--log", "json", "--https-port", "0"];

  test("stops under load, and completes all accepted requests", async () => {
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
      Array.from({ length: 4 }, () => load(() => client.fetch("/load/resource", json("POST", draft))).catch(() => {})),
    );
    await enough.promise;
    expect(await server.stop()).toBe(0);
    await Promise.all(ended);
    const logged = server.output().match(/"operation":"createResource","status":201/g);
    expect(created).toBe(logged?.length);
    for (const { session } of clients) session.destroy();
  });

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
