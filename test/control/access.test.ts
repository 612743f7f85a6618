import { describe, expect, test } from "vitest";
import { loadOperations } from "../../src/control/subjects.ts";
import { corsOf } from "../../src/http/cors.ts";
import { control, expectProblem } from "../setup/control.ts";
import { json, newProject, onTransports, useMock } from "../setup/mock.ts";
import { draft } from "../setup/resources.ts";

const controlOperations = await loadOperations();

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

  test("does not require the token for health and the service", async () => {
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

describe("in process, with or without a Host header", () => {
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

    test("can change data", async () => {
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
