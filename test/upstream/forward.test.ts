import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import type { CoverageReport, RequestEntry } from "../../src/control/client/types.ts";
import { inProject } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, onAllTransports } from "../setup/mock.ts";
import { everyOperation, image } from "../setup/requests.ts";
import { draft, update } from "../setup/resources.ts";
import { until } from "../setup/until.ts";
import { bodyOf, forwardingTo, openMockService, openService } from "./services.ts";

const cart = { sum: { centAmount: "12" } };
const object = { id: "r-1", version: 7, objectTypeProperty: { arrayOfStringExample: ["linen"] } };

/** What the service does with the next requests, by path. */
const routes = new Map<string, (response: ServerResponse) => void>();
const service = await openService(async (request, response) => {
  const route = routes.get(request.url?.split("?", 1)[0] ?? "");
  if (route) return route(response);
  const body = await bodyOf(request);
  response.setHeader("X-Body-Bytes", body.length);
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(object));
});
const real = await openMockService();

async function entryOf(mock: MockUnderTest, project: string): Promise<RequestEntry> {
  const { body } = await inProject<{ requests: RequestEntry[] }>(mock, project, "GET", "/requests");
  const [entry] = body.requests;
  if (!entry) throw new Error(`journal of ${project}: expected a request, found none`);
  return entry;
}

onAllTransports("spy", { ...(await forwardingTo(`${service.url}/v2`)), inOneProcess: "tests the memory" }, (mock) => {
  test("forwards the request below the base path and returns the response", async () => {
    const project = newProject();
    const response = await mock.resource(project, "/a%2Fb?stringParameter=one%20two", { headers: { "X-Test": "1" } });
    expect([response.status, await response.json()]).toEqual([200, object]);
    expect(response.headers.get("Mock-Source")).toBe("upstream");
    const sent = service.requests.at(-1);
    expect(sent?.url).toBe(`/v2/${project}/resource/a%2Fb?stringParameter=one%20two`);
    expect(sent?.headers).toMatchObject({ host: `127.0.0.1:${service.port}`, "x-test": "1" });
  });

  test("passes on a header whose name every JavaScript object inherits", async () => {
    const project = newProject();
    await (await mock.resource(project, "/r-1", { headers: [["__proto__", "a"]] })).arrayBuffer();
    const { request } = await entryOf(mock, project);
    // Node's own `fetch` does not send this header.
    const isReceived = Object.hasOwn(request.headers, "__proto__");
    expect(service.requests.at(-1)?.rawHeaders.includes("__proto__")).toBe(isReceived);
  });

  test("does not send headers of the connection and of the mock", async () => {
    const before = service.requests.length;
    const project = newProject();
    await mock.resource(project, "/r-1", {
      headers: {
        "Mock-Sandbox": "t1",
        baggage: "user=1,mock-sandbox=t1",
        Prefer: "return=minimal",
        "X-Forwarded-Host": "evil.example",
        "Accept-Encoding": "br",
        Authorization: "Bearer of-the-client",
      },
    });
    expect(service.requests.length).toBe(before + 1);
    const { headers } = service.requests.at(-1) ?? {};
    expect(headers).toMatchObject({
      baggage: "user=1",
      prefer: "return=minimal",
      "accept-encoding": "br",
      authorization: "Bearer of-the-client",
    });
    expect(Object.keys(headers ?? {}).filter((name) => /^(mock|x-forwarded)-/.test(name))).toEqual([]);
  });

  test("a large response is in the journal before the client has its last byte", async () => {
    const project = newProject();
    const filler = randomBytes(512 * 1024).toString("base64");
    const bytes = gzipSync(JSON.stringify({ ...object, version: "seven", filler }), { level: 1 });
    routes.set(`/v2/${project}/resource/r-1`, (response) =>
      response
        .writeHead(200, {
          "Content-Type": "application/json",
          "Content-Encoding": "gzip",
          "Content-Length": bytes.length,
        })
        .end(bytes),
    );
    await (await mock.resource(project, "/r-1")).arrayBuffer();
    expect((await entryOf(mock, project)).upstream?.violations.response[0]).toMatchObject({ field: "/version" });
  });

  test("sends the body on and reports violations of the request without refusing it", async () => {
    const project = newProject();
    const response = await mock.resource(project, "/r-1", json("POST", { version: "1", actions: 3 }));
    expect(response.status).toBe(200);
    expect(Number(response.headers.get("X-Body-Bytes"))).toBe(27);
    const entry = await entryOf(mock, project);
    expect(entry.source).toBe("upstream");
    expect(entry.violations.map(({ field }) => field)).toEqual(["/version", "/actions"]);
    expect(entry.upstream?.violations).toEqual({ request: entry.violations, response: [] });
    expect(entry.upstream).toMatchObject({
      url: `${service.url}/v2/${project}/resource/r-1`,
      request: { headers: { host: `127.0.0.1:${service.port}` } },
      response: { status: 200 },
    });
    expect(entry.decisions).toContain("forwarded to the upstream, which responded with 200");
  });

  test("counts the update actions that the service accepted, and no others", async () => {
    const project = newProject();
    const update = (id: string, action: string) =>
      mock.resource(project, `/${id}`, json("POST", { version: 1, actions: [{ action }] }));
    routes.set(`/v2/${project}/resource/stale`, (response) =>
      response.writeHead(409, { "Content-Type": "application/json" }).end("{}"),
    );
    await (await update("r-1", "doSomeThing")).text();
    await (await update("stale", "changeSomeProperty")).text();
    const { body } = await inProject<CoverageReport>(mock, project, "GET", "/coverage");
    expect(body.operations.find(({ operation }) => operation === "updateResource")?.actions).toEqual({
      doSomeThing: 1,
      changeSomeProperty: 0,
    });
  });

  test("reports violations of the response, and returns it unchanged", async () => {
    const project = newProject();
    const path = `/v2/${project}/resource/namespace-action-with-example`;
    routes.set(path, (response) =>
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(cart)),
    );
    const response = await mock.resource(project, "/namespace-action-with-example");
    expect(await response.json()).toEqual(cart);
    const { upstream } = await entryOf(mock, project);
    expect(upstream?.violations.request).toEqual([]);
    expect(upstream?.violations.response[0]).toMatchObject({ code: "InvalidResponse" });
    const { body } = await inProject<{ total: number }>(
      mock,
      project,
      "GET",
      "/requests?violations=true&source=upstream",
    );
    expect(body.total).toBe(1);
  });

  test("reports a status that the contract does not declare, and a body that is not JSON", async () => {
    const project = newProject();
    routes.set(`/v2/${project}/resource/r-1`, (response) =>
      response.writeHead(418, { "Content-Type": "text/html" }).end("<h1>teapot</h1>"),
    );
    routes.set(`/v2/${project}/resource/r-2`, (response) =>
      response.writeHead(200, { "Content-Type": "text/html" }).end("<h1>login</h1>"),
    );
    const teapot = await mock.resource(project, "/r-1");
    expect([teapot.status, await teapot.text()]).toEqual([418, "<h1>teapot</h1>"]);
    expect((await entryOf(mock, project)).upstream?.violations.response[0]?.message).toMatch(
      /^The response: The status: /,
    );
    await (await mock.resource(project, "/r-2")).text();
    expect((await entryOf(mock, project)).upstream?.violations.response[0]?.message).toMatch(
      /Content-Type: expected application\/json/,
    );
  });

  test("reports the assumptions that a response contradicts", async () => {
    const project = newProject();
    const path = `/v2/${project}/resource`;
    const page = { limit: 20, offset: 0, count: 0, total: 0, results: [] };
    const list = "/sorted-query-parameters";
    const complex = "/artificially-complex/path/uri-parameter-one=1/2";
    const empty = json("POST", {});
    const respond = (at: string, status: number, body: object, headers = {}) =>
      routes.set(at, (response) =>
        response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body)),
      );
    const error = (statusCode: number, code: string, more = {}) => {
      const message = "Refused";
      return { statusCode, message, errors: [{ code, message, ...more }] };
    };
    const differs = async (init?: RequestInit, below = "/r-1") => {
      await (await mock.resource(project, below, init)).text();
      const { upstream, decisions } = await entryOf(mock, project);
      expect(upstream?.violations).toEqual({ request: [], response: [] });
      const first = upstream?.differs?.[0];
      if (first) {
        const text = `the response differs from the assumption ${first.assumption}: ${first.message}`;
        expect(decisions).toContain(text);
      }
      return upstream?.differs?.map(({ assumption, field }) => `${assumption} ${field}`);
    };
    const created = { ...object, version: 1 };
    respond(path, 201, created);
    expect(await differs(json("POST", draft), "")).toEqual(["location Location"]);
    for (const location of ["/1", `${service.url}${path}/1`, `${path}/1?a=b`, `/v2/${project}-2/resource/1`]) {
      respond(path, 201, created, { Location: location });
      expect(await differs(json("POST", draft), "")).toEqual(["location Location"]);
      expect(await differs(json("PATCH", draft), "")).toEqual(["location Location"]);
    }
    for (const location of [`${path}/1`, `/${project}/resource/1`]) {
      respond(path, 201, created, { Location: location });
      expect(await differs(json("POST", draft), "")).toBeUndefined();
    }
    respond(path, 201, object, { Location: `${path}/1` });
    expect(await differs(json("POST", draft), "")).toEqual(["written-resource /version"]);
    expect(await differs(json("PUT", draft), "")).toBeUndefined();
    respond(`/v2/${project}/resource${complex}`, 201, {});
    expect(await differs(empty, complex)).toEqual(["complex-status status"]);
    respond(`/v2/${project}/resource${complex}`, 200, {});
    expect(await differs(empty, complex)).toBeUndefined();
    respond(path + list, 200, page);
    expect(await differs({}, list)).toBeUndefined();
    expect(await differs({}, `${list}?limit=5&offset=1`)).toEqual(["paging /limit", "paging /offset"]);
    expect(await differs({}, `${list}?withTotal=false`)).toEqual(["paging /total"]);
    respond(path + list, 200, { ...page, limit: 100, count: 1, total: undefined });
    expect(await differs({}, list)).toEqual(["paging /total", "paging /count", "paging /limit"]);
    respond(`${path}/searchApiPattern`, 200, { ...page, total: undefined });
    expect(await differs({}, "/searchApiPattern")).toEqual(["search /total"]);
    respond(path, 200, { items: [] });
    expect(await differs({}, "")).toEqual(["query-body "]);
    respond(`${path}/r-1`, 404, error(404, "EndpointNotFound"));
    expect(await differs()).toEqual(["errors /errors/0/code"]);
    respond(`${path}/r-1`, 404, { ...error(404, "ResourceNotFound"), statusCode: 500 });
    expect(await differs()).toEqual(["errors /statusCode"]);
    respond(`${path}/r-1`, 409, error(409, "ConcurrentModification"));
    expect(await differs(update(1))).toEqual(["errors /errors/0/currentVersion"]);
    respond(`${path}/r-1`, 409, error(409, "ConcurrentModification", { currentVersion: 2 }));
    expect(await differs(update(1))).toBeUndefined();
    respond(`${path}/r-1`, 400, error(400, "InvalidField"));
    expect(await differs()).toEqual(["errors /errors/0/field"]);
    respond(`${path}/r-1`, 401, error(401, "invalid_token"));
    expect(await differs()).toEqual(["errors WWW-Authenticate", "errors /error", "errors /error_description"]);
    const { body } = await inProject<{ total: number }>(mock, project, "GET", "/requests?violations=true");
    expect(body.total).toBe(0);
    const archive = await inProject<string>(mock, project, "GET", "/archive");
    expect(archive.status).toBe(200);
    // The limit of this request is invalid, and so the page cannot have it.
    respond(path + list, 200, page);
    await (await mock.resource(project, `${list}?limit=many`)).text();
    expect((await entryOf(mock, project)).upstream?.differs).toBeUndefined();
  });

  test("passes redirects on, with a location of the upstream as a path of the mock", async () => {
    const project = newProject();
    const locations = [
      [`${service.url}/v2/${project}/resource/1?a=b`, `/${project}/resource/1?a=b`],
      [`/v2/${project}/resource/1`, `/${project}/resource/1`],
      [`//127.0.0.1:${service.port}/v2/x`, "/x"],
      ["https://elsewhere.example/v2/x", "https://elsewhere.example/v2/x"],
      ["/other/x", "/other/x"],
      [`${service.url}/v2//evil.example/x`, "/evil.example/x"],
    ] as const;
    for (const [sent, seen] of locations) {
      routes.set(`/v2/${project}/resource/r-1`, (response) => response.writeHead(307, { Location: sent }).end());
      const response = await mock.resource(project, "/r-1", { redirect: "manual" });
      expect([response.status, response.headers.get("Location")]).toEqual([307, seen]);
    }
  });

  test("passes cookies and unknown headers on, and drops those of the connection", async () => {
    const project = newProject();
    routes.set(`/v2/${project}/resource/r-1`, (response) =>
      response
        .writeHead(200, [
          ...["Set-Cookie", "a=1; Path=/", "Set-Cookie", "b=2", "X-Own", "yes", "Connection", "X-Secret-Hop"],
          ...[
            "X-Secret-Hop",
            "1",
            "Mock-Source",
            "state",
            "Vary",
            "Accept, Mock-Sandbox",
            "Content-Type",
            "application/json",
          ],
          ...["Alt-Svc", 'h2="real.example:443"'],
        ])
        .end(JSON.stringify(object)),
    );
    const response = await mock.resource(project, "/r-1");
    await response.text();
    expect(response.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2"]);
    expect(response.headers.get("X-Own")).toBe("yes");
    expect(response.headers.get("X-Secret-Hop")).toBeNull();
    expect(response.headers.get("Alt-Svc")).toBeNull();
    expect(response.headers.get("Mock-Source")).toBe("upstream");
    expect(response.headers.get("Vary")).toBe("Mock-Sandbox, baggage, Accept");
  });

  test("passes a chunked body on while it arrives", async () => {
    const project = newProject();
    let rest: ServerResponse | undefined;
    routes.set(`/v2/${project}/resource/r-1`, (response) => {
      rest = response.writeHead(200, { "Content-Type": "application/json" });
      response.write('{"id":"r-1",');
    });
    const response = await mock.resource(project, "/r-1");
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toBe('{"id":"r-1",');
    rest?.end('"version":7,"objectTypeProperty":{"arrayOfStringExample":[]}}');
    let text = "";
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
      text += Buffer.from(next.value);
    expect(text).toMatch(/^"version":7/);
    const { response: journaled } = await entryOf(mock, project);
    expect(journaled.body?.json).toMatchObject({ id: "r-1", version: 7 });
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["zstd", zstdCompressSync],
  ] as const)("passes a body in %s on, and decodes it for the check and the journal", async (coding, compress) => {
    const project = newProject();
    const bytes = compress(JSON.stringify({ ...object, version: "seven" }));
    routes.set(`/v2/${project}/resource/r-1`, (response) =>
      response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": coding }).end(bytes),
    );
    const response = await mock.resource(project, "/r-1", { headers: { "Accept-Encoding": coding } });
    expect(response.headers.get("Content-Encoding")).toBe(coding);
    await response.arrayBuffer();
    const entry = await entryOf(mock, project);
    expect(entry.response.body?.json).toEqual({ ...object, version: "seven" });
    expect(entry.upstream?.violations.response[0]).toMatchObject({ field: "/version" });
  });

  test("does not decode a body beyond the limit", async () => {
    const project = newProject();
    await inProject(mock, project, "PATCH", "/settings", { maxBodyBytes: 100_000 });
    const bomb = gzipSync(Buffer.alloc(1_000_000, 32));
    routes.set(`/v2/${project}/resource/r-1`, (response) =>
      response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": "gzip" }).end(bomb),
    );
    await (await mock.resource(project, "/r-1")).arrayBuffer();
    const { upstream } = await entryOf(mock, project);
    expect(upstream?.violations.response[0]?.message).toBe(
      "The response: The decoded body: expected at most 100000 bytes, found more",
    );
  });

  test("sends an encoded body on without parsing it, and reports its coding", async () => {
    const project = newProject();
    const bytes = gzipSync(JSON.stringify(draft));
    const init = json("POST", {}, { "Content-Encoding": "gzip" });
    const response = await mock.resource(project, "", { ...init, body: new Uint8Array(bytes) });
    expect(Number(response.headers.get("X-Body-Bytes"))).toBe(bytes.length);
    await response.text();
    const { violations } = await entryOf(mock, project);
    expect(violations.map(({ field }) => field)).toEqual(["Content-Encoding"]);
  });

  test("sends a body beyond the limit on without validating it", async () => {
    const project = newProject();
    await inProject(mock, project, "PATCH", "/settings", { maxBodyBytes: 1000, maxImageBytes: 1000 });
    const large = JSON.stringify({ ...draft, filler: "x".repeat(300_000) });
    const response = await mock.resource(project, "", { ...json("POST", {}), body: large });
    expect(Number(response.headers.get("X-Body-Bytes"))).toBe(large.length);
    await response.text();
    const entry = await entryOf(mock, project);
    expect(entry.decisions).toContain("the request body was not validated: it has more than 1000 bytes");
    expect(entry.request.body).toMatchObject({ bytes: large.length, cut: true });
    expect(entry.violations).toEqual([]);
    const picture = await mock.resource(project, "/images", image("image/png", new Uint8Array(200_000)));
    expect(Number(picture.headers.get("X-Body-Bytes"))).toBe(200_000);
  });

  test("passes a large response on, and keeps only its start", async () => {
    const project = newProject();
    await inProject(mock, project, "PATCH", "/settings", { maxBodyBytes: 1000 });
    const large = JSON.stringify({ ...object, filler: "x".repeat(300_000) });
    for (const headers of [{ "Content-Length": large.length }, {}]) {
      routes.set(`/v2/${project}/resource/r-1`, (response) =>
        response.writeHead(200, { "Content-Type": "application/json", ...headers }).end(large),
      );
      expect((await (await mock.resource(project, "/r-1")).text()).length).toBe(large.length);
      const entry = await entryOf(mock, project);
      expect(entry.response.body).toMatchObject({ bytes: large.length, cut: true });
      expect(entry.decisions).toContain("the response was not checked: it has more than 1000 bytes");
    }
  });

  test("checks bodies of at most 1 MiB", async () => {
    const project = newProject();
    const text = JSON.stringify({ ...object, filler: "x".repeat(1024 * 1024) });
    routes.set(`/v2/${project}/resource/r-1`, async (response) => {
      expect((await bodyOf(response.req)).length).toBe(text.length);
      response.writeHead(200, { "Content-Type": "application/json" }).end(text);
    });
    const response = await mock.resource(project, "/r-1", { ...json("POST", {}), body: text });
    expect(await response.text()).toBe(text);
    const { decisions } = await entryOf(mock, project);
    expect(decisions).toContain("the request body was not validated: it has more than 1048576 bytes");
    expect(decisions).toContain("the response was not checked: it has more than 1048576 bytes");
  });

  test("keeps at most 64 large bodies for the check at a time", async () => {
    const [project, large] = [newProject(), JSON.stringify({ ...object, filler: "x".repeat(100_000) })];
    const waiting: ServerResponse[] = [];
    routes.set(`/v2/${project}/resource/r-1`, (response) => {
      response.writeHead(200, { "Content-Type": "application/json" }).write(large.slice(0, -1));
      waiting.push(response);
    });
    const readers = await Promise.all(
      Array.from({ length: 66 }, async () => {
        const { body } = await mock.resource(project, "/r-1");
        const pieces = (body as ReadableStream<Uint8Array>).getReader();
        let size = 0;
        while (size < large.length - 1) size += (await pieces.read()).value?.length ?? 0;
        return pieces;
      }),
    );
    for (const response of waiting) response.end(large.slice(-1));
    for (const pieces of readers) while (!(await pieces.read()).done);
    const { body } = await inProject<{ requests: RequestEntry[] }>(mock, project, "GET", "/requests");
    const lastDecisions = body.requests.map(({ decisions }) => decisions.at(-1));
    const unchecked = "the response was not checked: too many others were checked at the same time";
    expect(lastDecisions.filter((decision) => decision === unchecked)).toHaveLength(2);
    expect(lastDecisions).toHaveLength(66);
    await (await mock.resource(project, "/r-2")).text();
  });

  test("rules and scenarios apply before the upstream", async () => {
    const project = newProject();
    const before = service.requests.length;
    await inProject(mock, project, "PUT", "/scenarios/server-error");
    expect((await mock.resource(project, "/r-1")).status).toBe(500);
    await inProject(mock, project, "DELETE", "/scenarios/server-error");
    expect((await mock.resource(project, "/r-1", { headers: { Prefer: "code=404" } })).status).toBe(404);
    await inProject(mock, project, "PATCH", "/settings", { rateLimit: { limit: 1, window: 60_000 } });
    await inProject(mock, project, "PATCH", "/settings", { auth: "strict" });
    expect((await mock.resource(project, "/r-1")).status).toBe(200);
    expect((await mock.resource(project, "/r-1")).status).toBe(429);
    expect(service.requests.length).toBe(before + 1);
  });

  test("the scenario evolved varies the response of the upstream", async () => {
    const project = newProject();
    const bytes = gzipSync(JSON.stringify(object));
    routes.set(`/v2/${project}/resource/r-1`, (response) =>
      response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": "gzip" }).end(bytes),
    );
    await inProject(mock, project, "PUT", "/scenarios/evolved");
    const response = await mock.resource(project, "/r-1");
    expect(response.headers.get("Content-Encoding")).toBeNull();
    expect(await response.json()).not.toEqual(object);
    expect(response.headers.get("Mock-Source")).toBe("scenario:evolved");
  });

  test("a fault breaks the response of the upstream", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/scenarios/truncated-body");
    const response = await mock.resource(project, "/r-1");
    await expect(response.text()).rejects.toThrow();
    const entry = await entryOf(mock, project);
    expect(entry.upstream?.response?.status).toBe(200);
  });

  test.each([
    "/%2e%2e/%2e%2e/admin",
    "/..%2f..%2fadmin",
    "/%252e%252e%252fadmin",
    "/..%5cadmin",
    "/key=a%2f..%2f..%2fadmin",
    "/..;x=1%2fadmin",
    "/..%00",
    "/..%00x%2fadmin",
    "/%00..%2fadmin",
    "/..%09",
    "/.%0d.%2fadmin",
    "/..%20%2fadmin",
    "/..%3fx%2fadmin",
    `/${"%2525252525".repeat(2)}2e%2fadmin`,
    `/${"%25".concat("25".repeat(5), "2e").repeat(2)}/admin`,
    "/%%%%%%%%33333332e.%2fadmin",
  ])("does not forward the path %s", async (path) => {
    const before = service.requests.length;
    const response = await mock.resource(newProject(), path);
    await response.text();
    expect([400, 404]).toContain(response.status);
    expect(service.requests.length).toBe(before);
  });

  test.each(["/..a", "/...", "/a.%252e", "/%25252541", "/%20"])("forwards the path %s", async (path) => {
    const project = newProject();
    expect((await mock.resource(project, path)).status).toBe(200);
    expect(service.requests.at(-1)?.url).toBe(`/v2/${project}/resource${path}`);
  });

  test.each([
    ["GET", "/unknown/path?a=b"],
    ["DELETE", "/resource/images"],
    ["OPTIONS", "/resource"],
  ])("forwards %s %s, which matches no operation, and reports it", async (method, path) => {
    const project = newProject();
    routes.set(`/v2/${project}${path.split("?")[0]}`, (response) =>
      response.writeHead(299).end("more than the contract"),
    );
    const response = await mock.fetch(`/${project}${path}`, { method });
    expect([response.status, await response.text()]).toEqual([299, "more than the contract"]);
    const entry = await entryOf(mock, project);
    expect(entry.operation).toBeUndefined();
    expect(entry.violations.map(({ code }) => code)).toEqual([
      expect.stringMatching(/^(EndpointNotFound|MethodNotAllowed)$/),
    ]);
    expect(entry.upstream?.violations.response).toEqual([]);
  });

  test("the control API cannot set the upstream, and cannot record without a folder", async () => {
    const project = newProject();
    const record = await inProject(mock, project, "PATCH", "/settings", { upstreamMode: "record" });
    expect([record.status, record.body.detail]).toEqual([
      400,
      '/upstreamMode: expected off or spy, found "record". Start the server with --record-to for this mode.',
    ]);
    for (const name of ["upstream", "upstreamCa", "recordTo", "upstreamTimeout"]) {
      const { status, body } = await inProject(mock, project, "PATCH", "/settings", { [name]: "https://evil.example" });
      expect([status, body.detail]).toEqual([400, expect.stringContaining(name)]);
    }
  });
});

onAllTransports("spy on another mock", await forwardingTo(real.url), (mock) => {
  test.each(everyOperation)(
    "the operation %s has the same response, without violations and differences",
    async (_operation, { path, init, status }) => {
      const project = newProject();
      const response = await mock.resource(project, path, init);
      expect([response.status, response.headers.get("Mock-Source")]).toEqual([status, "upstream"]);
      await response.arrayBuffer();
      const { upstream } = await entryOf(mock, project);
      expect(upstream).toMatchObject({ violations: { request: [], response: [] } });
      expect(upstream?.differs).toBeUndefined();
    },
  );

  test("does not repeat the headers that both mocks add", async () => {
    const project = newProject();
    const headers = { "Content-Type": "text/html", Vary: "Accept" };
    const rule = { operation: "getCart", raw: { status: 200, headers, body: "<h1>Shop</h1>" } };
    const added = await fetch(`${real.url}/__admin/projects/${project}/rules`, json("POST", rule));
    expect(added.status).toBe(201);
    const response = await mock.resource(project, "/namespace-action-with-example");
    expect(response.headers.get("Vary")).toBe("Mock-Sandbox, baggage, Accept");
    expect(response.headers.get("Content-Security-Policy")).toBe("sandbox");
  });
});

onAllTransports("a client that disconnects", await forwardingTo(service.url), (mock) => {
  test("ends the request to the upstream", async () => {
    const project = newProject();
    const arrived = new Promise<ServerResponse>((resolve) => routes.set(`/${project}/resource/r-1`, resolve));
    const controller = new AbortController();
    const request = mock.resource(project, "/r-1", { signal: controller.signal }).catch(() => undefined);
    const closed = once(await arrived, "close");
    controller.abort();
    await Promise.all([closed, request]);
    await until(() => mock.inside(project, ({ journal }) => journal.length === 1));
    expect((await entryOf(mock, project)).upstream?.error).toMatch(/the client disconnected/);
  });
});
