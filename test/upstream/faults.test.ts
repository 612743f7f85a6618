import dns from "node:dns";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createSecureServer, type Server } from "node:https";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { ErrorResponse } from "../../src/contract/error-response.ts";
import { loadCheck } from "../../src/contract/validator.ts";
import { createUpstream } from "../../src/http/upstream/index.ts";
import { type StartedResourceMock, startResourceMock } from "../../src/index.ts";
import { writeCertificates } from "../setup/certificates.ts";
import { lastExchange } from "../setup/journal.ts";
import { type MockUnderTest, newProject, onAllTransports } from "../setup/mock.ts";
import { until } from "../setup/until.ts";
import { useConnections } from "./connections.ts";
import { forwardingTo, openRawService, openService, type Service } from "./services.ts";

/** Expects an error of the upstream in the shape of the contract, and a mock that goes on. */
async function expectFailure(mock: MockUnderTest, status: number, message: RegExp): Promise<void> {
  const project = newProject();
  const response = await mock.resource(project, "/r-1");
  const body = (await response.json()) as { message: string };
  expect([response.status, response.headers.get("Mock-Source"), body.message]).toEqual([
    status,
    "upstream",
    expect.stringMatching(message),
  ]);
  expect((await loadCheck(ErrorResponse))(body)).toEqual([]);
  expect(await lastExchange(mock, project)).toMatchObject({
    status,
    source: "upstream",
    upstream: { error: body.message },
  });
  expect((await mock.fetch("/__admin/health")).status).toBe(200);
}

const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
const silent = await openRawService(() => {});
const reset = await openRawService((socket) => socket.resetAndDestroy());
const ended = await openRawService((socket) => socket.end());
const garbage = await openRawService((socket) => socket.end("\xff\xfe not HTTP\r\n\r\n"));
const strange = await openRawService((socket) => socket.end("HTTP/1.1 999 Strange\r\nContent-Length: 0\r\n\r\n"));
const manyHeaders = await openRawService((socket) => socket.end(`${head}X-Long: ${"x".repeat(100_000)}\r\n\r\n`));
const switched = await openRawService((socket) =>
  socket.write("HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
);
const stuck = await openRawService((socket) => void socket.write(`${head}X-Half: `));

const failures: readonly [string, string, number, RegExp, number?][] = [
  // Only programs of the system may listen on this port, and none does.
  ["refuses the connection", "http://127.0.0.1:1", 502, /refused the connection \(ECONNREFUSED\)/],
  ["resets the connection", reset.url, 502, /closed the connection/],
  ["closes the connection without a response", ended.url, 502, /closed the connection/],
  ["responds with garbage", garbage.url, 502, /not valid HTTP/],
  ["responds with an invalid status", strange.url, 502, /status from 200 to 599, found 999/],
  ["switches to another protocol", switched.url, 502, /closed the connection/],
  ["sends too many headers", manyHeaders.url, 502, /headers of its response are too large/],
  ["speaks no TLS", reset.url.replace("http:", "https:"), 502, /./],
  ["does not respond in time", silent.url, 504, /within 50 ms, found none/, 50],
  ["stops in the middle of its headers", stuck.url, 504, /within 50 ms, found none/, 50],
];

describe.each(failures)("an upstream that %s", async (_what, url, status, message, timeout) => {
  onAllTransports("spy", await forwardingTo(url, { timeout }), (mock) => {
    test(`is reported as ${status}`, () => expectFailure(mock, status, message));
  });
});

describe("an upstream with an unknown host name", async () => {
  onAllTransports("spy", await forwardingTo("http://shop.test"), (mock) => {
    test("is reported as 502", async () => {
      const error = Object.assign(new Error("not found"), { code: "ENOTFOUND" });
      const lookup = vi.spyOn(dns, "lookup");
      onTestFinished(() => lookup.mockRestore());
      lookup.mockImplementation(((_host: string, _options: object, done: (error: Error) => void) =>
        process.nextTick(done, error)) as typeof dns.lookup);
      await expectFailure(mock, 502, /its host name is unknown \(ENOTFOUND\)/);
    });
  });
});

const truncated = await openRawService((socket) => socket.end(`${head}Content-Length: 1000\r\n\r\n{"id":`));
const badChunk = await openRawService((socket) =>
  socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n6\r\n{"id":\r\nzz\r\n`),
);
const stalledBody = await openRawService((socket) => void socket.write(`${head}Content-Length: 1000\r\n\r\n{"id":`));

describe.each([
  ["closes the connection", truncated.url, /closed the connection in the middle/, undefined],
  ["sends an invalid chunk", badChunk.url, /in the middle|not valid HTTP/, undefined],
  ["sends nothing more", stalledBody.url, /sent nothing for 20 milliseconds/, 20],
] as const)("an upstream that %s in the middle of a body", async (_what, url, error, bodyTimeout) => {
  onAllTransports("spy", await forwardingTo(url, { bodyTimeout }), (mock) => {
    test("breaks the connection of the client, and the journal has the start of the body", async () => {
      const project = newProject();
      const response = await mock.resource(project, "/r-1");
      await expect(response.text()).rejects.toThrow();
      expect(await lastExchange(mock, project)).toMatchObject({
        status: 200,
        isBroken: true,
        responseBody: '{"id":',
        upstream: { error: expect.stringMatching(error) },
      });
      expect((await mock.fetch("/__admin/health")).status).toBe(200);
    });
  });
});

describe("an endless body after a status without one", async () => {
  let closed: Promise<unknown> | undefined;
  const endless = await openRawService((socket) => {
    closed = new Promise((resolve) => socket.once("close", resolve));
    const chunk = `1000\r\n${"x".repeat(4096)}\r\n`;
    const write = () => socket.destroyed || socket.write(chunk, write);
    socket.write("HTTP/1.1 205 Reset Content\r\nTransfer-Encoding: chunked\r\n\r\n", write);
  });
  onAllTransports("spy", await forwardingTo(endless.url), (mock) => {
    test("is not read", async () => {
      const response = await mock.resource(newProject(), "/r-1");
      expect([response.status, await response.text()]).toEqual([205, ""]);
      await closed;
    });
  });
});

describe("an upstream that leads back to the mock", () => {
  /** Starts mocks, each of which forwards to the next, and the last one to the first. */
  async function ring(size: number): Promise<StartedResourceMock[]> {
    const mocks: StartedResourceMock[] = [];
    // The address of the first mock is known last, so a relay passes its bytes on.
    const relay = createServer((socket) =>
      socket.pipe(connect(Number(new URL(mocks[0]?.url ?? "").port))).pipe(socket),
    );
    await once(relay.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void relay.close());
    let upstream = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
    while (mocks.length < size) {
      const mock = await startResourceMock({ host: "127.0.0.1", upstream, settings: { upstreamMode: "spy" } });
      mocks.unshift(mock);
      upstream = mock.url;
    }
    return mocks;
  }

  test.each([1, 2, 3])("returns 502 after one round through %i mocks", async (size) => {
    const mocks = await ring(size);
    try {
      const response = await fetch(`${mocks[0]?.url}/p/resource/r-1`);
      expect([response.status, response.headers.get("Mock-Source")]).toEqual([502, "upstream"]);
      expect(await response.json()).toMatchObject({ message: expect.stringMatching(/the request is in a loop/) });
      const counts = await Promise.all(mocks.map(async (mock) => (await mock.project("p").requests.list()).length));
      expect(counts).toEqual([2, ...Array.from({ length: size - 1 }, () => 1)]);
    } finally {
      await Promise.all(mocks.map((mock) => mock.close()));
    }
  });
});

describe("TLS", async () => {
  const folder = mkdtempSync(join(tmpdir(), "resource-mock-test-"));
  const servers: Server[] = [];
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  const { caFile, own } = writeCertificates(folder, "own", ["127.0.0.1"]);
  const { own: other } = writeCertificates(folder, "other", ["elsewhere.test"]);
  const secure = await openSecure(own);
  const misnamed = await openSecure(other);

  async function openSecure(identity: { key: string; cert: string }): Promise<Pick<Service, "url">> {
    const server = createSecureServer(identity, (_request, response) =>
      response.writeHead(200, { "Content-Type": "application/json" }).end("{}"),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    servers.push(server);
    return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  onAllTransports("a mock with --upstream-ca", await forwardingTo(secure.url, { ca: caFile }), (mock) => {
    test("forwards requests over HTTPS", async () => {
      expect(await (await mock.resource(newProject(), "/r-1")).text()).toBe("{}");
    });
  });
  onAllTransports("a mock without --upstream-ca", await forwardingTo(secure.url), (mock) => {
    test("does not trust an unknown CA", () => expectFailure(mock, 502, /certificate is not valid .*--upstream-ca/));
  });
  onAllTransports(
    "a mock whose upstream has a certificate for another host",
    await forwardingTo(misnamed.url, { ca: caFile }),
    (mock) => {
      test("does not trust the certificate", () => expectFailure(mock, 502, /certificate is not valid/));
    },
  );

  test.each([
    ["a missing file", "/no/such/ca.pem", "/no/such/ca.pem: expected a PEM file, found no file"],
    ["another file", import.meta.filename, `${import.meta.filename}: expected a certificate as PEM, found no PEM`],
  ])("rejects %s", async (_what, ca, message) => {
    await expect(createUpstream({ url: secure.url, ca })).rejects.toThrow(message);
    expect(readFileSync(caFile, "utf8")).toMatch(/BEGIN CERTIFICATE/);
  });
});

/** A service that repeats the credentials: in a header and a location, or in a body that arrives in two parts. */
const credentials = await openService(async (request, response) => {
  const sent = String(request.headers.authorization);
  if (!request.url?.includes("echo")) {
    const Location = `http://user:s3cret-word@127.0.0.1:${credentials.port}${request.url}/next`;
    return response.writeHead(302, { Location, "X-Authorization": sent }).end();
  }
  const plain = Buffer.from(sent.slice("Basic ".length), "base64").toString();
  const bytes = Buffer.from(JSON.stringify({ sent, plain, encoding: request.headers["accept-encoding"] }));
  const body = request.url.includes("gzip") ? gzipSync(bytes) : bytes;
  const coding = request.url.includes("gzip") ? { "Content-Encoding": "gzip" } : {};
  response.writeHead(400, { "Content-Type": "application/json", "Content-Length": body.length, ...coding });
  response.write(body.subarray(0, 25), () => setImmediate(() => response.end(body.subarray(25))));
});

onAllTransports(
  "an upstream URL with a key in place of the user",
  await forwardingTo(credentials.url.replace("//", "//key-0123456789@")),
  (mock) => {
    test("never shows the key", async () => {
      const project = newProject();
      const text = await (await mock.resource(project, "/echo")).text();
      const journal = await (await mock.fetch(`/__admin/projects/${project}/requests`)).text();
      for (const secret of ["key-0123456789", Buffer.from("key-0123456789:").toString("base64")])
        expect(text + journal).not.toContain(secret);
    });
  },
);

onAllTransports(
  "an upstream URL with credentials",
  await forwardingTo(credentials.url.replace("//", "//user:s3cret-word@")),
  (mock) => {
    test("sends them unless the client has its own, and never shows them", async () => {
      const project = newProject();
      const response = await mock.resource(project, "/r-1", { redirect: "manual" });
      const basic = Buffer.from("user:s3cret-word").toString("base64");
      expect(credentials.requests.at(-1)?.headers.authorization).toBe(`Basic ${basic}`);
      expect(response.headers.get("Location")).toBe(`/${project}/resource/r-1/next`);
      const own = { Authorization: "Bearer of-the-client" };
      await mock.resource(project, "/r-1", { redirect: "manual", headers: own });
      expect(credentials.requests.at(-1)?.headers.authorization).toBe("Bearer of-the-client");
      const journal = await (await mock.fetch(`/__admin/projects/${project}/requests`)).text();
      const settings = await (await mock.fetch(`/__admin/projects/${project}/settings`)).text();
      for (const secret of ["s3cret-word", basic]) {
        expect([...response.headers].join()).not.toContain(secret);
        expect(journal + settings).not.toContain(secret);
      }
    });

    test("does not show credentials that the service repeats in its body", async () => {
      const project = newProject();
      const response = await mock.resource(project, "/echo", { headers: { "Accept-Encoding": "gzip" } });
      expect(await response.json()).toEqual({
        sent: `Basic ${"*".repeat(24)}`,
        plain: `user:${"*".repeat(11)}`,
        encoding: "identity",
      });
      await (await mock.resource(project, "/echo-gzip")).arrayBuffer();
      for (const format of ["json", "har"]) {
        const journal = await (await mock.fetch(`/__admin/projects/${project}/requests?format=${format}`)).text();
        expect(journal).toContain("/echo-gzip");
        for (const secret of ["s3cret-word", Buffer.from("user:s3cret-word").toString("base64")])
          expect(journal).not.toContain(secret);
      }
    });
  },
);

onAllTransports(
  "an upstream that compresses a body with the credentials of its URL",
  await forwardingTo(credentials.url.replace("//", "//user:s3cret-word@")),
  (mock) => {
    test("is reported as 502", async () => {
      const project = newProject();
      const response = await mock.resource(project, "/echo-gzip");
      expect([response.status, await response.json()]).toMatchObject([
        502,
        { message: expect.stringMatching(/^The upstream: expected a body without compression, found gzip\./) },
      ]);
      expect(await lastExchange(mock, project)).toMatchObject({ status: 502, source: "upstream" });
    });

    test("can compress the responses for a client with its own credentials", async () => {
      const headers = { Authorization: "Bearer of-the-client", "Accept-Encoding": "gzip" };
      const response = await mock.resource(newProject(), "/echo-gzip", { headers });
      expect([response.status, response.headers.get("Content-Encoding")]).toEqual([400, "gzip"]);
    });
  },
);

test("no connection to the upstream stays open", async () => {
  await useConnections(async ({ open, mock }) => {
    const requests = Array.from({ length: 50 }, () =>
      mock.fetch("/p/resource/r-1").then((response) => response.text()),
    );
    await Promise.all(requests);
    await until(() => open() === 0);
  });
});

test("a mock that stops ends its requests to the upstream", async () => {
  await useConnections(async ({ open, mock, hold }) => {
    hold();
    const requests = Array.from({ length: 20 }, () => mock.fetch("/p/resource/r-1").catch(() => undefined));
    await until(() => open() === 20);
    await mock.close();
    await Promise.all(requests);
    await until(() => open() === 0);
  });
});
