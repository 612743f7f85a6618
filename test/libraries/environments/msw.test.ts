// @module-tag tools
import { setupServer } from "msw/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createResourceMock, type ResourceMock } from "../../../src/index.ts";
import { handlers } from "../../../src/library/msw.ts";
import { json } from "../../setup/mock.ts";
import { axiosCases } from "./axios-cases.ts";
import { consumerCases } from "./consumer-cases.ts";
import { describeInEnvironment } from "./suite.ts";

describeInEnvironment("handlers for MSW", () => {
  const server = setupServer();
  let mock: ResourceMock;

  beforeAll(async () => {
    mock = await createResourceMock();
    server.listen();
    server.use(
      ...handlers(mock, "https://api.europe.gcp.example"),
      ...handlers(mock, "https://gateway.example/resources/v1/"),
    );
  });
  afterAll(async () => {
    server.close();
    await mock.close();
  });

  consumerCases(() => ({
    project: mock.project,
    address: "https://api.europe.gcp.example",
    fetch: (...request) => fetch(...request),
  }));
  axiosCases(() => ({ project: mock.project, address: "https://api.europe.gcp.example" }));

  test("pass requests of every method to the mock", async () => {
    const address = "https://api.europe.gcp.example/msw/resource/shirt";
    const actions = [{ action: "changeSomeProperty", someProperty: "linen" }];
    await fetch(address, json("POST", { version: 1, actions }));

    expect(await (await fetch(address)).json()).toMatchObject({ version: 2 });
    expect((await fetch("https://api.europe.gcp.example/msw/resource", { method: "HEAD" })).status).toBe(200);
  });

  test("keep each cookie of a response", async () => {
    const project = mock.project("msw-cookies");
    const cookies = ["a=1; Path=/", "b=2"];
    await project.rule({ operation: "getCart", respond: { status: 503, headers: { "Set-Cookie": cookies } } });
    for (const base of ["https://api.europe.gcp.example", "https://gateway.example/resources/v1"]) {
      const response = await fetch(`${base}/msw-cookies/resource/namespace-action-with-example`);
      // As a browser, happy-dom does not show cookies to the page.
      const shown = "happyDOM" in globalThis ? [] : cookies;
      expect([response.status, response.headers.getSetCookie()]).toEqual([503, shown]);
    }
  });

  test("accept a base URL with a path, and keep the query", async () => {
    const query = new URLSearchParams({ where: 'id = "shirt"' });
    const response = await fetch(`https://gateway.example/resources/v1/msw/resource/sorted-query-parameters?${query}`);

    expect(await response.json()).toMatchObject({ count: 1 });
  });

  test("keep a redirect and the address of a new resource below the base URL", async () => {
    const base = "https://gateway.example/resources/v1";
    const draft = json("POST", { objectTypeProperty: { arrayOfStringExample: ["linen"] } });
    const created = await fetch(`${base}/msw-location/resource`, draft);
    const location = created.headers.get("Location") ?? "";

    expect(location).toMatch(/^\/resources\/v1\/msw-location\/resource\/./);
    expect((await fetch(new URL(location, base))).status).toBe(200);
    for (const target of ["/msw-location/resource/x", "/resources/v1/msw-location/resource/x", "//other.example/x"]) {
      const redirect = () => new Response(null, { status: 302, headers: { Location: target } });
      mock.project("msw-location").handle("getCart", redirect, { offContract: true });
      const address = `${base}/msw-location/resource/namespace-action-with-example`;
      const { headers } = await fetch(address, { redirect: "manual" });
      expect(headers.get("Location")).toBe(target.replace(/^\/msw/, "/resources/v1/msw"));
    }
  });

  test.each(["x.example", "https://x.example/?a=1", "ftp://x.example"])("reject the base URL %s", (baseUrl) => {
    const allowed = "an http or https URL without a query, such as https://api.example.com";
    const message = `handlers: baseUrl: expected ${allowed}, found "${baseUrl}"`;
    expect(() => handlers(mock, baseUrl)).toThrow(new TypeError(message));
  });

  describe("handlers without a base URL", () => {
    const responses = { 200: { description: "", content: { "application/json": { example: "pong" } } } };
    const documentOf = (...urls: string[]) => ({
      openapi: "3.1.0",
      servers: urls.map((url) => ({ url })),
      paths: { "/ping": { get: { operationId: "ping", responses } } },
    });

    test("pass the requests to all servers in the contract to the mock", async () => {
      await using ping = await createResourceMock({
        contract: documentOf("https://eu.ping.test/v1", "/relative", "https://us.ping.test"),
      });
      server.use(...handlers(ping));
      expect(ping.servers).toEqual(["https://eu.ping.test/v1", "https://us.ping.test"]);
      for (const address of ["https://eu.ping.test/v1/ping", "https://us.ping.test/p/ping"])
        expect(await (await fetch(address)).json()).toBe("pong");
      expect((await ping.project("default").requests.list()).length).toBe(1);
      await ping.project("p").assertReceived({ operation: "ping" }, { count: 1 });
    });

    test("throw for a contract without a server that has a host", async () => {
      const message = "handlers: baseUrl: expected a URL, as the contract has no server with a host, found nothing";
      await using ping = await createResourceMock({ contract: documentOf("/v1") });
      for (const each of [ping, mock]) expect(() => handlers(each)).toThrow(new TypeError(message));
    });
  });
});
