import { describe, expect, test } from "vitest";
import { lastExchange } from "../setup/journal.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { configure } from "../setup/resources.ts";

const mock = useMock("over a socket");

/** Returns the head of a request as it is sent. */
function head(method: string, target: string, ...headers: string[]): string {
  return [`${method} ${target} HTTP/1.1`, "Host: mock.example", ...headers, "", ""].join("\r\n");
}

const JSON_BODY = "Content-Type: application/json";
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

describe("a body that is too large", () => {
  const tooLarge = /^HTTP\/1\.1 413 .*\r\nMock-Source: error\r\n.*"code":"ContentTooLarge"/s;

  async function limited(): Promise<string> {
    const project = newProject();
    await configure(mock, project, { maxBodyBytes: 10, maxImageBytes: 10 });
    return project;
  }

  test.each(["", "/images"])("is rejected by its Content-Length before it arrives (%j)", async (path) => {
    const client = await openSocket(mock.url);
    client.send(head("POST", `/${await limited()}/resource${path}`, JSON_BODY, "Content-Length: 11"));
    await client.received(tooLarge);
    client.socket.destroy();
  });

  test("is rejected as soon as its chunks exceed the limit", async () => {
    const project = await limited();
    const client = await openSocket(mock.url);
    client.send(head("POST", `/${project}/resource`, JSON_BODY, "Transfer-Encoding: chunked"));
    client.send(chunk("[1,2,3,4,5"));
    client.send(chunk(",6"));
    await client.received(tooLarge);
    expect(await lastExchange(mock, project)).toMatchObject({ status: 413, requestBody: undefined });
    client.socket.destroy();
  });

  test.each([
    ["a body with Content-Length", "Content-Length: 100000", "x".repeat(100_000)],
    ["a chunked body", "Transfer-Encoding: chunked", chunk("x".repeat(50_000)) + chunk("x".repeat(50_000)) + chunk("")],
  ])("is ignored while the client still sends %s, and the connection stays open", async (_name, header, body) => {
    const project = await limited();
    const client = await openSocket(mock.url);
    client.send(head("POST", `/${project}/resource`, JSON_BODY, header));
    client.send(body.slice(0, 20_000));
    await client.received(tooLarge);
    client.send(body.slice(20_000));
    client.send(head("HEAD", `/${project}/resource`, "Connection: close"));
    expect((await client.closed()).text).toMatch(/HTTP\/1\.1 200 OK\r\n/);
  });

  test.each(["GET /p/resource", "POST /p/resource", "POST /nope/x/y", "POST /__admin/projects/p/reset"])(
    "closes the connection of %s after 64 MiB that nobody reads",
    { tags: ["slow"] },
    async (target) => {
      const { socket, closed } = await openSocket(mock.url);
      const closing = closed();
      const MiB = Buffer.alloc(1024 * 1024, " ");
      socket.write(`${target} HTTP/1.1\r\nHost: a\r\nContent-Length: ${1000 * MiB.length}\r\n\r\n`);
      for (let sent = 0; sent < 200 && !socket.destroyed; sent++) {
        const hasRoom = new Promise((resolve) => socket.once("drain", resolve));
        if (!socket.write(MiB)) await Promise.race([hasRoom, closing]);
      }
      await closing;
      expect(socket.bytesWritten).toBeLessThan(100 * MiB.length);
    },
  );

  test("closes the connection if it never ends", async () => {
    const client = await openSocket(mock.url);
    client.send(head("POST", `/${await limited()}/resource`, JSON_BODY, "Transfer-Encoding: chunked"));
    client.send(chunk("x".repeat(11)));
    expect((await client.closed()).text).toMatch(tooLarge);
  });
});

test("journals a request whose client disconnects while it sends the body", async () => {
  const project = newProject();
  const journaled = Promise.withResolvers<void>();
  mock.engine.onExchange = (key) => key === project && journaled.resolve();
  const client = await openSocket(mock.url);
  client.send(head("POST", `/${project}/resource`, JSON_BODY, "Content-Length: 100"));
  client.send('{"objectTypeProperty":');
  client.end();
  await journaled.promise;
  mock.engine.onExchange = undefined;
  expect(await lastExchange(mock, project)).toMatchObject({ status: 400, operationId: "createResource" });
});

test("accepts a body that arrives byte by byte", async () => {
  const client = await openSocket(mock.url);
  const body = '{"objectTypeProperty":{"arrayOfStringExample":["größe 👗"]}}';
  const bytes = Buffer.from(body);
  client.send(head("POST", `/${newProject()}/resource`, JSON_BODY, `Content-Length: ${bytes.length}`));
  for (const byte of bytes) client.send(new Uint8Array([byte]));
  const sent = Buffer.from('{"version":1,"objectTypeProperty":{"arrayOfStringExample":["größe 👗"]}}').toString(
    "latin1",
  );
  expect(await client.received(/\}\}$/)).toContain(sent);
  client.socket.destroy();
});

test("ignores the body of an operation without a request body", async () => {
  const resource = `/${newProject()}/resource/some-id`;
  const client = await openSocket(mock.url);
  client.send(`${head("GET", resource, "Content-Length: 3")}abc`);
  client.send(`${head("DELETE", resource, "Transfer-Encoding: chunked")}${chunk("abc")}${chunk("")}`);
  client.send(head("DELETE", resource, "Connection: close"));
  const { text } = await client.closed();
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "200", "404"]);
});

test("HEAD responses never have a body", async () => {
  const project = newProject();
  const client = await openSocket(mock.url);
  for (const path of ["/resource", "/resource?integerParameter=x", "/resource/some-id", "/nothing"])
    client.send(head("HEAD", `/${project}${path}`));
  client.send(head("HEAD", "/oauth/token", "Connection: close"));
  const { text } = await client.closed();
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
    "200",
    "400",
    "405",
    "404",
    "405",
  ]);
  // The reason of an unknown path names templates.
  expect(text.replace(/^Mock-Reason: .*$/gm, "")).not.toContain("{");
});

describe("the Host header", () => {
  test.each([
    "api.europe-west1.gcp.example.com",
    "API.EU.Example:8443",
    "localhost:8080",
    "127.0.0.1",
    "[::1]:80",
    "a_b.internal",
  ])("can be %s", async (host) => {
    const project = newProject();
    const client = await openSocket(mock.url);
    client.send(`GET /${project}/resource HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect((await client.closed()).text).toMatch(/^HTTP\/1\.1 200 /);
    expect((await lastExchange(mock, project))?.headers).toMatchObject({ host });
  });

  test("is optional in HTTP/1.0", async () => {
    const client = await openSocket(mock.url);
    client.send(`GET /${newProject()}/resource HTTP/1.0\r\n\r\n`);
    expect((await client.closed()).text).toMatch(/^HTTP\/1\.1 200 /);
    const admin = await openSocket(mock.url);
    admin.send("GET /__admin/projects HTTP/1.0\r\n\r\n");
    expect((await admin.closed()).text).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test.each([
  ["a target without a path", "OPTIONS * HTTP/1.1\r\nHost: a"],
  ["a backslash in the path", "GET /demo\\resource HTTP/1.1\r\nHost: a"],
  ["dots as a segment", "GET /demo/../other/resource HTTP/1.1\r\nHost: a"],
  ["encoded dots as a segment", "POST /demo/%2e%2E/reset HTTP/1.1\r\nHost: a\r\nContent-Length: 0"],
  ["an invalid Host", "GET /demo/resource HTTP/1.1\r\nHost: a b"],
  ["an address without a host", "GET http:/// HTTP/1.1\r\nHost: a"],
  ["an address with dots as a segment", "GET http://a/demo/../resource HTTP/1.1\r\nHost: a"],
  ["an address with an invalid Host", "GET http://a/demo/resource HTTP/1.1\r\nHost: a b"],
  ["an address without a Host", "GET http://a/demo/resource HTTP/1.1"],
  ["a missing Host", "GET /demo/resource HTTP/1.1"],
  ["two Hosts", "GET /demo/resource HTTP/1.1\r\nHost: a\r\nHost: b"],
  ["the same Host twice", "GET /demo/resource HTTP/1.1\r\nHost: a\r\nhost: a"],
  ["two Hosts in HTTP/1.0", "GET /demo/resource HTTP/1.0\r\nHost: a\r\nHost: b"],
])("returns 400 in the error format of the service for %s", async (_name, request) => {
  const text = await refused(request);
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toMatch(/^content-type: application\/json\r$/im);
  expect(text).toMatch(/^mock-source: error\r$/im);
  expect(text).toMatch(/^mock-request-id: none\r$/im);
  expect(text).toMatch(/\{"statusCode":400,.*"code":"InvalidInput"/);
});

test.each([
  ["encoded dots as a segment", "POST /__admin/projects/%2e%2E/reset HTTP/1.1\r\nHost: a\r\nContent-Length: 0"],
  ["dots after a query", "GET /__admin/../x?y=/__admin HTTP/1.1\r\nHost: a"],
  ["an address with dots as a segment", "POST http://a/__admin/projects/../reset HTTP/1.1\r\nHost: a"],
  ["a backslash in the path", "GET /__admin\\ui HTTP/1.1\r\nHost: a"],
  ["an invalid Host", "GET /__admin HTTP/1.1\r\nHost: a b"],
  ["two Hosts", "GET /__admin?x HTTP/1.1\r\nHost: a\r\nHost: b"],
  ["an unknown expectation", "GET /__admin/projects HTTP/1.1\r\nHost: a\r\nExpect: 200-ok"],
])("returns problem details under /__admin for %s", async (_name, request) => {
  const text = await refused(request);
  const status = request.includes("Expect") ? 417 : 400;
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(text).toMatch(/^content-type: application\/problem\+json\r$/im);
  expect(text).toMatch(/^cache-control: no-store\r$/im);
  expect(text).toMatch(
    new RegExp(`\\{"type":"urn:resource-mock:problem:InvalidInput","title":"Invalid request","status":${status},`),
  );
});

async function refused(request: string): Promise<string> {
  const client = await openSocket(mock.url);
  client.send(`${request}\r\nConnection: close\r\n\r\n`);
  return (await client.closed()).text;
}

test.each(["TRACE", "PROPFIND", "M-SEARCH"])("a request with the method %s returns 405", async (method) => {
  const client = await openSocket(mock.url);
  client.send(head(method, `/${newProject()}/resource/some-id`, "Connection: close"));
  expect((await client.closed()).text).toMatch(/^HTTP\/1\.1 405 .*\r\nAllow: GET, POST, DELETE\r\n/s);
});

test("returns 417 with Mock-Source for an expectation other than 100-continue", async () => {
  const client = await openSocket(mock.url);
  client.send(
    head("POST", `/${newProject()}/resource`, JSON_BODY, "Expect: 200-ok", "Content-Length: 0", "Connection: close"),
  );
  const { text } = await client.closed();
  expect(text).toMatch(
    /^HTTP\/1\.1 417 .*\r\nMock-Source: error\r\n.*"statusCode":417,"message":"Expect: expected 100-continue, found \\"200-ok\\""/s,
  );
});
