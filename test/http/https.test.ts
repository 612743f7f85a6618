import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { get, type RequestOptions } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { afterAll, describe, expect, test } from "vitest";
import { type StartedResourceMock, startResourceMock } from "../../src/index.ts";
import { writeCertificates } from "../setup/certificates.ts";
import { control, expectProblem } from "../setup/control.ts";
import { folderOf } from "../setup/folder.ts";
import { openHttp2 } from "../setup/http2-client.ts";
import { lastExchange } from "../setup/journal.ts";
import { json, newProject, onAllTransports, useMock } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { describeWithTlsTools } from "../setup/requirements.ts";
import { draft } from "../setup/resources.ts";
import { run } from "../setup/run.ts";
import { until } from "../setup/until.ts";

const mock = useMock("over HTTPS");

/** Sends a request with Node's client. Resolves with the status, or rejects with the error of the connection. */
function statusOf(url: string, options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, ...options }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode));
    }).once("error", reject);
  });
}

async function handshake(options: ConnectionOptions): Promise<TLSSocket> {
  const { port } = new URL(mock.httpsUrl ?? "");
  const socket = connect({ port: Number(port), host: "127.0.0.1", ca: mock.ca, ...options });
  await once(socket, "secureConnect");
  return socket;
}

describe("a client", () => {
  test.each(["localhost", "127.0.0.1"])("a client that trusts the CA accepts the certificate for %s", async (host) => {
    const { port } = new URL(mock.httpsUrl ?? "");
    expect(await statusOf(`https://${host}:${port}/p/resource`, { ca: mock.ca })).toBe(200);
  });

  test("rejects the certificate for another host name", async () => {
    await expect(handshake({ servername: "api.shop.test" })).rejects.toMatchObject({
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
    });
  });

  test("a client that does not trust the CA rejects the certificate, and the server continues", async () => {
    await expect(statusOf(`${mock.httpsUrl}/p/resource`, {})).rejects.toThrow(/certificate/);
    expect((await mock.fetch("/p/resource")).status).toBe(200);
  });

  test("a client that offers no protocol gets HTTP/1.1", async () => {
    const socket = await handshake({});
    expect(socket.alpnProtocol).toBe(false);
    socket.setEncoding("utf8").write("GET /p/resource HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await once(socket, "data")).toEqual([expect.stringMatching(/^HTTP\/1\.1 200 OK/)]);
    socket.destroy();
  });

  test("cannot use TLS 1.1", async () => {
    const old = handshake({ minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" });
    await expect(old).rejects.toMatchObject({ code: expect.stringMatching(/PROTOCOL_VERSION/) });
  });

  test("a client that speaks HTTP without TLS is disconnected", async () => {
    const client = await openSocket(mock.httpsUrl?.replace("https", "http"));
    client.send("GET /p/resource HTTP/1.1\r\nHost: a\r\n\r\n");
    expect((await client.closed()).text).not.toContain("HTTP/1.1 200");
    expect((await mock.fetch("/p/resource")).status).toBe(200);
  });
});

describeWithTlsTools("curl", () => {
  test.each([
    ["--http1.1", "1.1"],
    ["--http2", "2"],
  ])("with %s", async (flag, version) => {
    const folder = folderOf({ "ca.pem": mock.ca });
    const curl = (...parameters: string[]) =>
      run(
        "curl",
        ["-sS", "--noproxy", "*", "--cacert", "ca.pem", flag, "-w", " %{http_version} %{http_code}", ...parameters],
        folder,
      );
    const url = `${mock.httpsUrl}/${newProject()}/resource`;
    expect(await curl(url)).toMatch(new RegExp(`\\} ${version} 200$`));
    expect(await curl("--head", url)).toMatch(new RegExp(` ${version} 200$`));
    const created = await curl(url, "-H", "Content-Type: application/json", "-d", JSON.stringify(draft));
    expect(created).toBe(`${JSON.stringify({ version: 1, ...draft })} ${version} 201`);
    await expect(curl(`${url}`, "-H", "Prefer: scenario=connection-reset")).rejects.toThrow(
      version === "2" ? "INTERNAL_ERROR" : /Connection reset|Recv failure/,
    );
  });
});

onAllTransports("ca.pem", { adminToken: "secret" }, (guarded) => {
  test("needs no admin token, and has no private key", async () => {
    const reply = await control<string>(guarded, "GET", "/ca.pem");
    if (guarded.ca === undefined) {
      expectProblem(reply, 404, "ResourceNotFound");
    } else {
      expect([reply.status, reply.body]).toEqual([200, guarded.ca]);
      expect(reply.headers.get("Content-Type")).toBe("application/pem-certificate-chain");
      expect(reply.body.match(/-----BEGIN [A-Z ]+-----/g)).toEqual(["-----BEGIN CERTIFICATE-----"]);
    }
  });
});

describe("a mock over HTTP/2", () => {
  const http2 = useMock("over HTTP/2", { adminToken: "secret" });

  test("the journal has the host, and no pseudo-headers", async () => {
    const project = newProject();
    await http2.resource(project, "/some-id?a=b", { headers: { "X-Own": "1" } });
    const entry = await lastExchange(http2, project);
    const { host } = new URL(http2.httpsUrl ?? "");
    expect(entry).toMatchObject({
      path: `/${project}/resource/some-id`,
      query: "a=b",
      headers: { host, "x-own": "1" },
    });
    expect(Object.keys(entry?.headers ?? {}).filter((name) => name.startsWith(":"))).toEqual([]);
  });

  test("the control API rejects a page of another origin", async () => {
    const headers = { Origin: "https://evil.test", Authorization: "Bearer secret" };
    const reply = await control(http2, "POST", "/reset", undefined, headers);
    expectProblem(reply, 403, "CrossOriginRequest");
    const { status } = await control(http2, "POST", "/reset", undefined, { ...headers, Origin: http2.httpsUrl ?? "" });
    expect(status).toBe(204);
  });

  test("a client that disconnects ends its wait", async () => {
    const client = openHttp2(http2.httpsUrl, http2.ca);
    const ended = new AbortController();
    const wait = client.fetch(`/__admin/projects/${newProject()}/requests/wait?timeout=60000`, {
      headers: { Authorization: "Bearer secret" },
      signal: ended.signal,
    });
    await client.fetch("/__admin/health");
    ended.abort();
    await expect(wait).rejects.toThrow("aborted");
    // The server has no stream left, so the session closes.
    await client.close();
  });

  test("CONNECT is 405", async () => {
    const { session, close } = openHttp2(http2.httpsUrl, http2.ca);
    const stream = session.request({ ":method": "CONNECT", ":authority": "example.test:443" });
    const [headers] = await once(stream, "response");
    expect(headers).toMatchObject({ ":status": 405 });
    stream.close();
    await close();
  });

  test.each([
    [400, "another host than its authority", { ":authority": "a", host: "b" }],
    [200, "the host of its authority", { ":authority": "a:80", host: "A:80" }],
    [200, "a host without an authority", { host: "a" }],
    [400, "an invalid host", { host: "a:99999" }],
  ])("returns %s for %s", async (status, _name, headers) => {
    const { session, close } = openHttp2(http2.httpsUrl, http2.ca);
    const stream = session.request({ ":path": `/${newProject()}/resource`, ...headers });
    const [response] = await once(stream, "response");
    expect(response).toMatchObject({ ":status": status });
    stream.resume();
    await close();
  });

  test("an expectation other than 100-continue is 417", async () => {
    const response = await http2.resource(newProject(), "", json("POST", draft, { Expect: "200-ok" }));
    expect([response.status, response.headers.get("Mock-Source")]).toEqual([417, "error"]);
  });
});

describe("the option https", () => {
  const folder = mkdtempSync(join(tmpdir(), "resource-mock-test-"));
  const server = writeCertificates(folder, "server", ["localhost", "127.0.0.1"]);
  const started: StartedResourceMock[] = [];
  afterAll(async () => {
    await Promise.all(started.map((each) => each.close()));
    rmSync(folder, { recursive: true });
  });

  async function start(https: Parameters<typeof startResourceMock>[0]): Promise<StartedResourceMock> {
    const each = await startResourceMock(https);
    started.push(each);
    return each;
  }

  test("creates a certificate for further names", async () => {
    await using secure = await startResourceMock({ https: { names: ["api.shop.test", "10.0.0.7"] } });
    const { port } = new URL(secure.httpsUrl);
    const ask = (servername: string) =>
      statusOf(`https://127.0.0.1:${port}/p/resource`, {
        ca: secure.caCertificate,
        servername,
        headers: { host: servername },
      });
    expect(await ask("api.shop.test")).toBe(200);
    await expect(ask("other.test")).rejects.toMatchObject({ code: "ERR_TLS_CERT_ALTNAME_INVALID" });
  });

  test("uses the given certificate, and has no CA then", async () => {
    const secure = await start({ https: { cert: server.certFile, key: server.keyFile } });
    expect(secure.caCertificate).toBeUndefined();
    expect(await statusOf(`${secure.httpsUrl}/p/resource`, { ca: server.ca.cert })).toBe(200);
    const response = await secure.fetch("/__admin/ca.pem");
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { detail: expect.stringContaining("--tls-cert") },
    ]);
  });

  test("serves HTTP and HTTPS from the same state", async () => {
    const secure = await start({ https: true });
    await secure.project("shared").seed({ id: "one", objectTypeProperty: {} });
    expect(await statusOf(`${secure.httpsUrl}/shared/resource/one`, { ca: secure.caCertificate })).toBe(200);
    expect((await fetch(`${secure.url}/shared/resource/one`)).status).toBe(200);
  });

  test("closes both ports", async () => {
    const listening = () => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
    const before = listening();
    const secure = await startResourceMock({ https: true });
    expect(listening()).toBe(before + 2);
    await secure.close();
    await until(() => listening() === before);
  });

  test("closes the port for HTTP if the port for HTTPS is in use", async () => {
    const taken = createServer().listen({ port: 0, host: "127.0.0.1" });
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    await expect(startResourceMock({ https: { port } })).rejects.toMatchObject({ code: "EADDRINUSE" });
    taken.close();
  });

  describeWithTlsTools("clientCa", () => {
    test("accepts clients with a certificate of the CA, over HTTP/1.1 and HTTP/2, and rejects the others", async () => {
      const { caFile, client, stranger } = await clientCertificates(folder);
      const secure = await start({ https: { clientCa: caFile } });
      const url = `${secure.httpsUrl}/p/resource`;
      const ca = secure.caCertificate;
      expect(await statusOf(url, { ca, ...client })).toBe(200);
      await expect(statusOf(url, { ca })).rejects.toThrow(Error);
      await expect(statusOf(url, { ca, ...stranger })).rejects.toThrow(Error);

      const session = connectHttp2(secure.httpsUrl ?? "", { ca, ...client });
      const [headers] = await once(session.request({ ":path": "/p/resource" }), "response");
      expect(headers).toMatchObject({ ":status": 200 });
      session.destroy();
      const refused = connectHttp2(secure.httpsUrl ?? "", { ca });
      refused.on("error", () => {});
      await expect(once(refused.request({ ":path": "/p/resource" }), "response")).rejects.toThrow(Error);
      refused.destroy();
      // Plain HTTP needs no certificate.
      expect((await fetch(`${secure.url}/p/resource`)).status).toBe(200);
    });
  });
});

/** Creates two CAs with one client certificate each. */
async function clientCertificates(folder: string) {
  const pair = async (name: string) => {
    const openssl = (...parameters: string[]) => run("openssl", parameters, folder);
    const [ca, own] = [`${name}-ca`, name];
    const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    await openssl("req", "-x509", ...ec, "-subj", `/CN=${ca}`, "-keyout", `${ca}.key`, "-out", `${ca}.pem`);
    await openssl("req", ...ec, "-subj", `/CN=${own}`, "-keyout", `${own}.key`, "-out", `${own}.csr`);
    await openssl("x509", "-req", "-in", `${own}.csr`, "-CA", `${ca}.pem`, "-CAkey", `${ca}.key`, "-out", `${own}.pem`);
    const read = (file: string) => readFileSync(join(folder, file), "utf8");
    return { caFile: join(folder, `${ca}.pem`), files: { cert: read(`${own}.pem`), key: read(`${own}.key`) } };
  };
  const [client, stranger] = [await pair("client"), await pair("stranger")];
  return { caFile: client.caFile, client: client.files, stranger: stranger.files };
}
