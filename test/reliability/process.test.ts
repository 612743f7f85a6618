// @module-tag process
// @module-tag slow
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { openSocket, type RawSocket } from "../setup/raw-socket.ts";
import { reservePort } from "../setup/reserve-port.ts";
import { bin } from "../setup/run.ts";
import { serving } from "../setup/serving.ts";
import { until } from "../setup/until.ts";

/** The effects of signals, load and missing system resources on the server and its clients. */
describe("the server process", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "stops under load on %s with complete responses to all accepted requests and exit code 0",
    async (signal) => {
      const server = await serving({ args: ["--log", "json"] });
      const body = '{"objectTypeProperty":{}}';
      const request = `POST /load/resource HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      const clients = await Promise.all(Array.from({ length: 20 }, () => openSocket(server.url)));
      let answered = 0;
      const enough = Promise.withResolvers<void>();
      for (const client of clients) {
        client.socket.on("data", () => {
          if (++answered > 500) enough.resolve();
          client.send(request);
        });
        client.send(request);
      }
      await enough.promise;
      expect(await server.stop(signal)).toBe(0);
      const texts = await Promise.all(clients.map((client) => client.closed()));
      const received = texts.reduce((sum, { text }) => sum + wholeResponses(text), 0);
      // The log has one line for each response.
      const logged = server.output().match(/"operation":"createResource","status":201/g);
      expect(received).toBe(logged?.length);
    },
  );

  test("responds to a request in progress when it stops", async () => {
    const server = await serving({ args: ["--log", "off"] });
    const client = await openSocket(server.url);
    const body = '{ "objectTypeProperty": {} }';
    client.send(
      `POST /late/resource HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await client.received(/100 Continue/);
    const stopped = server.stop();
    await until(() => isRefused(server.url));
    client.send(body);
    expect(await client.received(/"version":1/)).toMatch(/HTTP\/1\.1 201 /);
    client.end();
    expect(await stopped).toBe(0);
  });

  test("stops with clients in any state, and responds or closes their connections", async () => {
    const server = await serving({ args: ["--log", "off"] });
    const settings = {
      method: "PATCH",
      body: '{"latency":{"fixed":60000}}',
      headers: { "Content-Type": "application/json" },
    };
    await fetch(`${server.url}/__admin/projects/slow/settings`, settings);
    const send = async (text: string) => {
      const client = await openSocket(server.url);
      client.send(text);
      return client;
    };
    const get = (path: string, more = "") => send(`GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`);
    const stream = await get("/__admin/events");
    await stream.received(/retry: 1000/);
    const wait = await get("/__admin/projects/waiting/requests/wait?timeout=60000");
    const heldBack = await get("/slow/resource");
    const dribbled = await get("/p/resource", "Prefer: scenario=dribble\r\n");
    await dribbled.received(/\r\n\r\n/);
    const upload = await send(
      "POST /p/resource HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    );
    const headers = await send("GET /p/resource HTTP/1.1\r\nX-Half");
    const idle = await get("/p/resource/some-id");
    await idle.received(/\}$/);

    expect(await server.stop()).toBe(0);
    expect((await stream.closed()).text).toMatch(/\r\n0\r\n\r\n$/);
    expect((await wait.closed()).text).toMatch(/^HTTP\/1\.1 503 .*"The server is stopping, which ends the wait"/s);
    expect((await heldBack.closed()).text).toMatch(/^HTTP\/1\.1 200 .*\}$/s);
    expect((await dribbled.closed()).text).toMatch(/\}\r\n0\r\n\r\n$|\}$/);
    expect((await upload.closed()).text).not.toContain("201");
    expect((await headers.closed()).text).not.toContain("200");
  });

  test("refuses connections without free file descriptors, and accepts them again later", async () => {
    const server = await serving({ args: ["--log", "off"], before: "ulimit -n 60" });
    const request = "GET /p/resource HTTP/1.1\r\nHost: x\r\n\r\n";
    const known = await openSocket(server.url);
    known.send(request);
    await known.received(/\}$/);
    const clients: RawSocket[] = [];
    for (let count = 0; count < 80; count++) clients.push(await openSocket(server.url));
    // Open connections still work.
    known.send(request);
    await known.received(/\}HTTP\/1\.1 200 .*\}$/s);
    for (const client of [known, ...clients]) client.socket.destroy();
    await ready(`${server.url}/p/resource`);
    expect(await server.stop()).toBe(0);
  });

  test("continues if the log is on a full disk", async () => {
    const port = await reservePort();
    const command = `exec "$0" "$1" --port ${port} --host 127.0.0.1 --log pretty >/dev/full 2>&1`;
    const child = spawn("bash", ["-c", command, process.execPath, bin], {
      stdio: "ignore",
    });
    const url = `http://127.0.0.1:${port}`;
    await ready(`${url}/__admin/health`);
    for (let count = 0; count < 50; count++) expect((await fetch(`${url}/p/resource`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});

/** Returns the number of responses in the text. Throws if a response is incomplete. */
function wholeResponses(text: string): number {
  let count = 0;
  for (let rest = text; rest !== ""; count++) {
    const headEnd = rest.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, headEnd))?.[1]);
    if (headEnd === -1 || !rest.startsWith("HTTP/1.1 201 ") || rest.length < headEnd + 4 + length) {
      throw new Error(`response ${count + 1} is incomplete: ${JSON.stringify(rest)}`);
    }
    rest = rest.slice(headEnd + 4 + length);
  }
  return count;
}

/** Waits until the URL returns 200. */
function ready(url: string): Promise<void> {
  return until(async () => (await fetch(url).catch(() => undefined))?.status === 200);
}

async function isRefused(url: string): Promise<boolean> {
  return openSocket(url).then(
    (client) => !client.socket.destroy(),
    ({ code }: NodeJS.ErrnoException) => code === "ECONNREFUSED",
  );
}
