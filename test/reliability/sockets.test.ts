import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { listen, type RunningServer } from "../../src/http/server.ts";
import { readFixtures } from "../../src/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";

/** What clients do that no HTTP library would: the server answers or cuts them off, and goes on. */
describe("on a raw socket", () => {
  let server: RunningServer;
  const defects: unknown[] = [];

  beforeAll(async () => {
    const engine = createEngine({ fixtures: await readFixtures(undefined) });
    engine.onDefect = (error) => defects.push(error);
    const timeouts = { headers: 150, request: 300, check: 30 };
    server = await listen(createApp(engine, { version: "0.0.0-test" }), { port: 0, host: "127.0.0.1", timeouts });
  });

  afterAll(async () => {
    await server.close(0);
    expect(defects).toEqual([]);
  });

  async function stillServes(): Promise<void> {
    expect((await fetch(`${server.url}/p/resource`)).status).toBe(200);
  }

  test.each([
    ["no HTTP at all", "\u0000\u0001\u0002\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["an unknown protocol", "GET / SPDY/9\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["a header without a colon", "GET /p/resource HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n", /^HTTP\/1\.1 400 /],
    [
      "two lengths",
      "POST /p/resource HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      /^HTTP\/1\.1 400 /,
    ],
    [
      "a length and chunks",
      "POST /p/resource HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      /^HTTP\/1\.1 400 /,
    ],
    [
      "headers beyond all measure",
      `GET /p/resource HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(40_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 /,
    ],
    ["a Host that is none", "GET /p/resource HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["no Host", "GET /p/resource HTTP/1.1\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["a target that is no path", "GET resource HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 400 /],
    [
      "a target that leaves the root",
      "GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      /^HTTP\/1\.1 404 /,
    ],
  ])("%s is answered with an error that stays small", async (_name, request, answer) => {
    const raw = await openSocket(server.url);
    raw.send(request);
    raw.end();
    const { text } = await raw.closed();
    expect(text).toMatch(answer);
    expect(text.length).toBeLessThan(2000);
    await stillServes();
  });

  test("garbage for a chunk is refused, and nothing is created", async () => {
    const raw = await openSocket(server.url);
    raw.send(
      "POST /chunks/resource HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    raw.send("ZZZ\r\n{}\r\n");
    expect((await raw.closed()).text).toMatch(/^HTTP\/1\.1 400 /);
    await stillServes();
  });

  test("a sender of slow headers is cut off", async () => {
    const raw = await openSocket(server.url);
    raw.send("GET /p/resource HTTP/1.1\r\nHost: x\r\nX-Slow: ");
    expect((await raw.closed()).text).toMatch(/^HTTP\/1\.1 408 /);
    await stillServes();
  });

  test("a sender of a slow body is cut off", async () => {
    const raw = await openSocket(server.url);
    raw.send("POST /p/resource HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
    expect((await raw.closed()).text).toMatch(/^(HTTP\/1\.1 408 |$)/);
    await stillServes();
  });

  test("a client that ends its half after the request still gets the answer", async () => {
    const raw = await openSocket(server.url);
    raw.send("GET /p/resource HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    raw.end();
    expect((await raw.closed()).text).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("pipelined requests are answered in their order", async () => {
    const raw = await openSocket(server.url);
    const paths = ["/pipe/resource/a", "/pipe/nowhere/at/all", "/pipe/resource/namespace-action-with-example"];
    raw.send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
    raw.send("GET /pipe/resource HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const { text } = await raw.closed();
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "404", "200", "200"]);
  });

  test("1,000 connections reset in a row leave no handle behind", async () => {
    for (let round = 0; round < 1000; round++) {
      const raw = await openSocket(server.url);
      raw.send(
        "POST /reset/resource HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
      );
      raw.socket.resetAndDestroy();
      await raw.closed();
    }
    await stillServes();
    await expect
      .poll(() => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length)
      .toBeLessThan(20);
  });
});
