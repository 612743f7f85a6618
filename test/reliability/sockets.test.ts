import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { listen, type RunningServer } from "../../src/http/http-server.ts";
import { readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import { openSocket } from "../setup/raw-socket.ts";

/** The number of resources in a new project. */
const SEEDED = 5;
const CLOSE = "Host: x\r\nConnection: close\r\n";
const POST = `POST /p/resource HTTP/1.1\r\n${CLOSE}Content-Type: application/json\r\n`;

/**
 * Invalid and unusual requests that HTTP libraries do not send. The server responds or closes the connection, and
 * continues.
 */
describe("a client on a raw socket", () => {
  let server: RunningServer;
  const defects: unknown[] = [];

  beforeAll(async () => {
    const engine = createEngine(await readFiles());
    engine.onDefect = (error) => defects.push(error);
    server = await listen(createApp(engine, { version: "0.0.0-test", pages }), { port: 0, host: "127.0.0.1" });
  });

  afterAll(async () => {
    await server.close(0);
    expect(defects).toEqual([]);
  });

  async function summary(project: string): Promise<unknown> {
    return (await fetch(`${server.url}/__admin/projects/${project}`)).json();
  }

  async function stillServes(): Promise<void> {
    expect((await fetch(`${server.url}/p/resource`)).status).toBe(200);
  }

  test.each([
    ["bytes that are not HTTP", "\u0000\u0001\u0002\r\n\r\n", /^HTTP\/1\.1 400 /],
    [
      "two Content-Length headers",
      "POST /p/resource HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      /^HTTP\/1\.1 400 /,
    ],
    [
      "Content-Length with chunks",
      "POST /p/resource HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      /^HTTP\/1\.1 400 /,
    ],
    [
      "a header of 40,000 bytes",
      `GET /p/resource HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(40_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 /,
    ],
    ["an invalid Host", "GET /p/resource HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 400 /],
    [
      "a target above the root",
      "GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      /^HTTP\/1\.1 400 /,
    ],
    ["a target of 40,000 bytes", `GET /${"x".repeat(40_000)} HTTP/1.1\r\n${CLOSE}\r\n`, /^HTTP\/1\.1 431 /],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["TLS", "\u0016\u0003\u0001\u0000\u00f8\u0001\u0000", /^HTTP\/1\.1 400 /],
    ["a NUL in a header", `GET /p/resource HTTP/1.1\r\n${CLOSE}A: a\0b\r\n\r\n`, /^HTTP\/1\.1 400 /],
    ["a Content-Length of 30 digits", `${POST}Content-Length: ${"9".repeat(30)}\r\n\r\n{}`, /^HTTP\/1\.1 400 /],
  ])("returns a small error for %s", async (_name, request, response) => {
    const raw = await openSocket(server.url);
    raw.send(request);
    raw.end();
    const { text } = await raw.closed();
    expect(text).toMatch(response);
    expect(text.length).toBeLessThan(2000);
    await stillServes();
  });

  test.each([
    ["an invalid size", "ZZZ\r\n{}\r\n"],
    ["a size of 20 digits", `${"F".repeat(20)}\r\n{}\r\n`],
    ["a size that is too small", "1\r\n{}\r\n0\r\n\r\n"],
    ["an extension of 40,000 bytes", `2;${"x".repeat(40_000)}\r\n{}\r\n0\r\n\r\n`],
    ["a trailer of 40,000 bytes", `2\r\n{}\r\n0\r\nX: ${"x".repeat(40_000)}\r\n\r\n`],
  ])("rejects a chunk with %s and creates no resource", async (_name, chunks) => {
    const raw = await openSocket(server.url);
    raw.send(POST.replace("/p/", "/chunks/"));
    raw.send(`Transfer-Encoding: chunked\r\n\r\n${chunks}`);
    expect((await raw.closed()).text).toMatch(/^HTTP\/1\.1 4(00|13|31) /);
    expect(await summary("chunks")).toMatchObject({ resources: SEEDED });
    await stillServes();
  });

  // The clients send no more. The server closes their connections after any time, so the limits can be short.
  test.each([
    ["headers", "GET /p/resource HTTP/1.1\r\nHost: x\r\nX-Slow: "],
    ["body", "POST /p/resource HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"],
  ])("closes the connection of a client with a slow %s", async (_name, start) => {
    const app = createApp(createEngine(await readFiles()), { version: "0.0.0-test", pages });
    const timeouts = { headers: 100, request: 100, check: 10 };
    const impatient = await listen(app, { port: 0, host: "127.0.0.1", timeouts });
    const raw = await openSocket(impatient.url);
    raw.send(start);
    // A client that begins after its time is over may lose the response.
    expect((await raw.closed()).text).toMatch(/^(HTTP\/1\.1 408 |$)/);
    await impatient.close(0);
  });

  test("responds to a client that has ended its side of the connection", async () => {
    const raw = await openSocket(server.url);
    raw.send("GET /p/resource HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    raw.end();
    expect((await raw.closed()).text).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("responds to 1,000 pipelined requests in order", async () => {
    const raw = await openSocket(server.url);
    const numbers = Array.from({ length: 1000 }, (_, index) => index);
    // Every second path is unknown, and the error names it.
    const targets = numbers.map((number) => (number % 2 === 0 ? `/many/number-${number}` : `/many/resource`));
    raw.send(targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
    raw.send(`GET /many/last HTTP/1.1\r\n${CLOSE}\r\n`);
    const { text } = await raw.closed();
    const answered = [
      ...text.matchAll(/HTTP\/1\.1 200|"statusCode":404,"message":"No operation matches GET \/many\/number-(\d+)\./g),
    ].map(([, number]) => number);
    expect(answered).toEqual(numbers.map((number) => (number % 2 === 0 ? String(number) : undefined)));
  });

  test("ignores everything after invalid HTTP", async () => {
    const raw = await openSocket(server.url);
    raw.send("GET /behind/resource HTTP/1.1\r\nHost: x\r\n\r\nbroken\r\n\r\n");
    raw.send(`${POST.replace("/p/", "/behind/")}Content-Length: 25\r\n\r\n{"objectTypeProperty":{}}`);
    const { text } = await raw.closed();
    expect(text).not.toContain("HTTP/1.1 201");
    expect(await summary("behind")).toMatchObject({ requests: 1, resources: SEEDED });
  });
});
