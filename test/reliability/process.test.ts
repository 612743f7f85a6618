import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { openSocket, type RawSocket } from "../setup/raw-socket.ts";
import { repository } from "../setup/run.ts";
import { serving } from "../setup/serving.ts";

/** What the machine does to the server, and the server to those it serves when it stops. */
describe("the server process", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "stops under load on %s: whole answers, none cut short, exit 0",
    async (signal) => {
      const server = await serving({ args: ["--log", "off"] });
      const request = "GET /load/resource/namespace-action-with-example HTTP/1.1\r\nHost: x\r\n\r\n";
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
      for (const { text } of await Promise.all(clients.map((client) => client.closed())))
        expect(wholeAnswers(text)).toBe(true);
    },
  );

  test("a request under way when it stops is answered", async () => {
    const server = await serving({ args: ["--log", "off"] });
    const client = await openSocket(server.url);
    const body = '{ "objectTypeProperty": {} }';
    client.send(
      `POST /late/resource HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await client.received(/100 Continue/);
    const stopped = server.stop();
    await refused(server.url);
    client.send(body);
    expect(await client.received(/"version":1/)).toMatch(/HTTP\/1\.1 201 /);
    client.end();
    expect(await stopped).toBe(0);
  });

  test("running out of file descriptors refuses connections, and serves again when there are some", async () => {
    const server = await serving({ args: ["--log", "off"], before: "ulimit -n 60" });
    const clients: RawSocket[] = [];
    for (let count = 0; count < 80; count++) clients.push(await openSocket(server.url));
    for (const client of clients) client.socket.destroy();
    await expect.poll(async () => (await fetch(`${server.url}/p/resource`).catch(() => undefined))?.status).toBe(200);
    expect(await server.stop()).toBe(0);
  });

  test("a log on a full disk does not stop it", async () => {
    const port = await freePort();
    const command = `exec "$0" "$1" --port ${port} --host 127.0.0.1 --log pretty >/dev/full`;
    const child = spawn("bash", ["-c", command, process.execPath, `${repository}src/cli/bin.ts`], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const url = `http://127.0.0.1:${port}`;
    await expect
      .poll(async () => (await fetch(`${url}/__admin/health`).catch(() => undefined))?.status, { timeout: 8000 })
      .toBe(200);
    for (let count = 0; count < 50; count++) expect((await fetch(`${url}/p/resource`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});

/** Whether the bytes are answers one after the other, the last one as whole as the others. */
function wholeAnswers(text: string): boolean {
  let rest = text;
  while (rest !== "") {
    const headEnd = rest.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, headEnd))?.[1]);
    if (headEnd === -1 || !rest.startsWith("HTTP/1.1 200 ") || rest.length < headEnd + 4 + length) return false;
    rest = rest.slice(headEnd + 4 + length);
  }
  return true;
}

/** Waits until nothing listens there any more. */
async function refused(url: string): Promise<void> {
  for (;;) {
    const failure = await openSocket(url).then(
      (client) => client.socket.destroy() && undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (failure === "ECONNREFUSED") return;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
