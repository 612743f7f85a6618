import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { loadOperations } from "../../src/control/subjects.ts";
import { corsOf } from "../../src/http/cors.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { control, expectProblem } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, onAllTransports, onTransports, useMock } from "../setup/mock.ts";
import { draft } from "../setup/resources.ts";

const controlOperations = await loadOperations(controls);

onTransports("the control API with an admin token", { adminToken: "t0ken~+/==" }, (mock) => {
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  test("accepts calls with the token", async () => {
    expect((await control(mock, "GET", "/projects", undefined, bearer("t0ken~+/=="))).status).toBe(200);
    expect((await control(mock, "POST", "/reset", undefined, bearer("t0ken~+/=="))).status).toBe(204);
  });

  const missing = 'Authorization: expected "Bearer <admin token>", found no bearer token';
  const wrong = "Authorization: expected the admin token, found another token";
  test.each<[string, Record<string, string>, string]>([
    ["nothing", {}, missing],
    ["another token", bearer("t0ken"), wrong],
    ["an empty token", { Authorization: "Bearer" }, missing],
    ["a token without a scheme", { Authorization: "t0ken~+/==" }, missing],
    ["text after the token", { Authorization: "Bearer t0ken~+/== more" }, missing],
  ])("rejects %s with 401", async (_name, headers, detail) => {
    const project = newProject();
    const guarded = controlOperations
      .filter(({ id }) => !["getHealth", "getCaCertificate", "getDashboard", "getDocs"].includes(id))
      .map(({ method, path }) => [method, path.replace("{projectKey}", project).replace(/\{\w+\}/, "x")] as const);
    for (const [method, path] of [...guarded, ["DELETE", "/__admin/projects"], ["GET", "/__admin/nowhere"]] as const) {
      const reply = await control(mock, method, path.replace("/__admin", ""), undefined, headers);
      expectProblem(reply, 401, "invalid_token", detail);
      expect(reply.headers.get("WWW-Authenticate")).toBe('Bearer realm="resource-mock admin"');
    }
    expect(await mock.has(project)).toBe(false);
  });

  test("health and the service need no token", async () => {
    expect((await control(mock, "GET", "/health")).body).toMatchObject({ status: "ok", version: "0.0.0-test" });
    expect((await mock.resource(newProject())).status).toBe(200);
  });
});

const origin = { Origin: "https://evil.example" };

onTransports("without CORS", {}, (mock) => {
  test("the error contains at most 200 characters of the origin, and the flag that allows it", async () => {
    const long = `https://${"a".repeat(192)}`;
    const reply = await control(mock, "POST", "/reset", undefined, { Origin: `${long}bc`, Host: "mock" });
    const detail = `found "${long}…". To allow an origin, use --cors or the option cors`;
    expectProblem(reply, 403, "CrossOriginRequest", detail);
  });
});

describe("a mock in process, with or without a Host header", () => {
  const mock = useMock("in process", { cors: corsOf("https://shop.example", undefined) });

  test.each<Record<string, string>>([
    {},
    origin,
    // Browsers send the origin in lower case, but the host as in the address.
    { Origin: "http://localhost:8080", Host: "LOCALHOST:8080" },
  ])("a request with the headers %j can change data", async (headers) => {
    expect((await control(mock, "POST", "/reset", undefined, headers)).status).toBe(204);
  });
});

describe.each([
  ["one origin", "https://shop.example", "https://shop.example", undefined],
  ["every origin, and an admin token", "*", "*", "t0ken"],
])("with CORS for %s", (_name, cors, allowed, adminToken) => {
  onTransports("a page of this origin", { cors: corsOf(cors, adminToken), adminToken }, (mock) => {
    const authorization: Record<string, string> =
      adminToken === undefined ? {} : { Authorization: `Bearer ${adminToken}` };
    const headers = { Origin: "https://shop.example", ...authorization };

    test("can read the responses of the service and the control API, including errors", async () => {
      const project = newProject();
      for (const [path, init] of [
        [`/${project}/resource`, { headers }],
        [`/${project}/resource`, json("POST", draft, headers)],
        [`/${project}/resource`, { method: "HEAD", headers }],
        [`/${project}/resource`, { method: "DELETE", headers }],
        [`/${project}/nowhere`, { headers }],
        ["/oauth/token", { method: "POST", headers }],
        ["/__admin/health", { headers }],
        ["/__admin/projects", { headers }],
        ["/__admin/nowhere", { headers }],
        ["/__admin/contract.json", { headers }],
        ["/__admin/events", { headers }],
        ["/__admin/reset", { method: "POST", headers }],
      ] as const) {
        const response = await mock.fetch(path, init);
        expect([path, response.headers.get("Access-Control-Allow-Origin")]).toEqual([path, allowed]);
        expect(response.headers.get("Access-Control-Expose-Headers")?.split(",")).toEqual(
          expect.arrayContaining(["Location", "Mock-Request-Id", "Mock-Source"]),
        );
        const vary = response.headers.get("Vary")?.split(", ") ?? [];
        expect([path, vary.includes("Origin")]).toEqual([path, cors !== "*"]);
        expect([path, vary.includes("Mock-Sandbox")]).toEqual([path, !path.startsWith("/__admin/")]);
        await response.body?.cancel();
      }
    });

    test.each(["/p/resource", "/p/resource/a", "/__admin/projects/p/settings"])(
      "can send a preflight request to %s",
      async (path) => {
        const preflight = {
          ...headers,
          "Access-Control-Request-Method": "PATCH",
          "Access-Control-Request-Headers": "content-type,authorization,prefer",
        };
        const response = await mock.fetch(path, { method: "OPTIONS", headers: preflight });
        expect([response.status, response.headers.get("Access-Control-Allow-Origin")]).toEqual([204, allowed]);
        expect(response.headers.get("Access-Control-Allow-Methods")?.split(",")).toContain("PATCH");
        expect(response.headers.get("Access-Control-Allow-Headers")).toBe("content-type,authorization,prefer");
        expect(await mock.has("p")).toBe(false);
      },
    );

    test("a page of this origin can change data", async () => {
      const reply = await control(mock, "POST", "/reset", undefined, { ...headers, Host: "mock" });
      expect(reply.status).toBe(204);
    });

    test("does not allow pages of other origins", async () => {
      const response = await mock.fetch("/p/resource", { headers: { Origin: "https://evil.example" } });
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe(cors === "*" ? "*" : null);
      const reply = await control(mock, "POST", "/reset", undefined, {
        ...authorization,
        Origin: "https://evil.example",
        Host: "mock",
      });
      if (cors !== "*") expectProblem(reply, 403, "CrossOriginRequest");
      else expect(reply.status).toBe(204);
    });
  });
});

onTransports("with CORS for every origin, and no admin token", { cors: corsOf("*", undefined) }, (mock) => {
  test("any page can call the service", async () => {
    const response = await mock.fetch("/p/resource", { headers: { Origin: "https://shop.example" } });
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  });

  test.each(["https://shop.example", "null"])("the control API rejects the page %s", async (origin) => {
    const headers = { Origin: origin, Host: "127.0.0.1:8080" };
    expectProblem(await control(mock, "POST", "/reset", undefined, headers), 403, "CrossOriginRequest");
    const { headers: received } = await control(mock, "GET", "/projects", undefined, headers);
    expect(received.get("Access-Control-Allow-Origin")).toBeNull();
  });

  test.each(["http://localhost:3000", "http://127.0.0.1:3000", "http://[::1]:3000", "https://shop.localhost"])(
    "the control API accepts the page %s of this machine",
    async (origin) => {
      const headers = { Origin: origin, Host: "127.0.0.1:8080" };
      const reply = await control(mock, "POST", "/reset", undefined, headers);
      expect([reply.status, reply.headers.get("Access-Control-Allow-Origin")]).toEqual([204, origin]);
    },
  );
});

/** Returns a `fetch` that sends the header `Host` as given. That of Node replaces it. */
function withHost(mock: MockUnderTest): Pick<MockUnderTest, "fetch"> {
  const send = async (path: string, { method, headers, body }: RequestInit = {}) => {
    const sent = request(mock.url + path, { method, headers: headers as Record<string, string> });
    sent.end(body?.toString());
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const { statusCode: status = 0, headers: received } = response;
    const content = await text(response);
    return new Response(status === 204 ? null : content, { status, headers: received as Record<string, string> });
  };
  return { fetch: mock.url === undefined ? mock.fetch : send };
}

/** What identifies a request of a browser: each member alone. */
const browsers: Record<string, string>[] = [
  { Origin: "http://rebind.example:8080" },
  { "Sec-Fetch-Site": "same-origin" },
  { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" },
];
const controlCalls = [
  ["GET", "/health"],
  ["GET", "/health?verbose"],
  ["GET", "/ui"],
  ["GET", "/docs"],
  ["GET", "/ca.pem"],
  ["GET", "/openapi.json"],
  ["GET", "/projects"],
  ["GET", "/projects/p/requests"],
  ["GET", "/events"],
  ["GET", "/nowhere"],
  ["PUT", "/projects"],
  ["POST", "/reset"],
] as const;

onTransports("without an admin token, a browser", { allowedHosts: ["Mock.shop.test"] }, (mock) => {
  test.each([
    "rebind.example:8080",
    "mock.shop.test.evil",
    "a.mock.shop.test",
    "127.0.0.1.nip.io",
    "localhost.evil.test",
  ])("cannot call the control API and open the dashboard at the host %s, which another site can have", async (Host) => {
    const detail = `Host: expected an IP address, localhost, a name without a dot, or an allowed name, found "${Host}". To allow a name, use --allowed-host or the option allowedHosts`;
    for (const [method, path] of controlCalls) {
      for (const browser of browsers) {
        const reply = await control(withHost(mock), method, path, undefined, { ...browser, Host });
        expectProblem(reply, 403, "CrossOriginRequest", detail);
      }
    }
  });

  test.each([
    ...["127.0.0.1:8080", "[::1]:8080", "192.168.1.7", "localhost:8080", "LOCALHOST", "app.localhost", "localhost.:80"],
    ...["mock", "resource-mock:8080", "mock.shop.test:8080", "MOCK.SHOP.TEST"],
  ])("can call the control API at the host %s", async (Host) => {
    for (const browser of browsers.slice(1)) {
      for (const path of ["/health", "/projects", "/docs"]) {
        const response = await withHost(mock).fetch(`/__admin${path}`, {
          headers: { ...browser, Host },
          redirect: "manual",
        });
        expect(response.status).toBe(path === "/docs" ? 302 : 200);
      }
      expect((await control(withHost(mock), "POST", "/reset", undefined, { ...browser, Host })).status).toBe(204);
    }
    const own = { Origin: `http://${Host.toLowerCase()}`, Host };
    expect((await control(withHost(mock), "POST", "/reset", undefined, own)).status).toBe(204);
  });

  test("can call the service at any host", async () => {
    for (const browser of browsers) {
      const headers = { ...browser, Host: "api.shop.example" };
      expect((await withHost(mock).fetch(`/${newProject()}/resource`, { headers })).status).toBe(200);
      const form = { ...headers, "Content-Type": "application/x-www-form-urlencoded" };
      const token = {
        method: "POST",
        headers: form,
        body: "grant_type=client_credentials&client_id=a&client_secret=b",
      };
      expect((await withHost(mock).fetch("/oauth/token", token)).status).toBe(200);
    }
  });

  test("is asked, and other clients are not", async () => {
    for (const agent of ["curl/8.5.0", "Go-http-client/1.1"]) {
      const sent = { "User-Agent": agent, Host: "host.docker.internal:8080" };
      expect((await control(withHost(mock), "GET", "/projects", undefined, sent)).status).toBe(200);
      expect((await control(withHost(mock), "POST", "/reset", undefined, sent)).status).toBe(204);
    }
  });
});

onTransports("with an admin token, a browser", { adminToken: "t0ken" }, (mock) => {
  test("can use any host, because a page of another site lacks the token", async () => {
    const headers = { Authorization: "Bearer t0ken", "Sec-Fetch-Site": "same-origin", Host: "mock.shop.example" };
    expect((await control(withHost(mock), "GET", "/projects", undefined, headers)).status).toBe(200);
  });
});

onTransports("a page with an allowed origin", { cors: corsOf("http://shop.example", undefined) }, (mock) => {
  test("can use any host, and other pages cannot", async () => {
    const Host = "mock.shop.example";
    const statusFor = async (Origin: string) =>
      (await control(withHost(mock), "GET", "/projects", undefined, { Origin, Host })).status;
    expect([await statusFor("http://shop.example"), await statusFor("http://mock.shop.example")]).toEqual([200, 403]);
  });
});

onAllTransports("a page with the host of the server and another scheme", {}, (mock) => {
  test("is one of another origin, unless the browser says that the origin is the same", async () => {
    const url = new URL(mock.httpsUrl ?? mock.url ?? "http://localhost:8080");
    const reset = (scheme: string, more = {}) =>
      control(mock, "POST", "/reset", undefined, {
        Origin: `${scheme}//${url.host}`,
        ...(mock.httpsUrl === undefined && { Host: url.host }),
        ...more,
      });
    const other = url.protocol === "http:" ? "https:" : "http:";
    expectProblem(await reset(other), 403, "CrossOriginRequest");
    expectProblem(await reset(other, { "Sec-Fetch-Site": "cross-site" }), 403, "CrossOriginRequest");
    expect((await reset(url.protocol)).status).toBe(204);
    // As behind a proxy that ends TLS.
    expect((await reset(other, { "Sec-Fetch-Site": "same-origin" })).status).toBe(204);
  });
});
