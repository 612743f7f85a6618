import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createResourceMock, type ResourceMock, startResourceMock } from "../../src/index.ts";
import { json } from "../setup/mock.ts";

/** Opens each kind of mock with the same options, and returns how to send it a request. */
const kinds = {
  createResourceMock: async (options: { cors?: string | false }) => {
    const mock = await createResourceMock(options);
    return { mock, send: (path: string, init?: RequestInit) => mock.fetch(path, init) };
  },
  startResourceMock: async (options: { cors?: string | false }) => {
    const mock = await startResourceMock(options);
    return { mock, send: (path: string, init?: RequestInit) => fetch(`${mock.url}${path}`, init) };
  },
};

const shop = "https://shop.example";
const allowOrigin = (response: Response) => response.headers.get("Access-Control-Allow-Origin");

describe.each(Object.entries(kinds))("%s", (_name, open) => {
  describe("the default of cors", () => {
    let mock: ResourceMock;
    let send: (path: string, init?: RequestInit) => Promise<Response>;
    beforeAll(async () => {
      ({ mock, send } = await open({}));
    });
    afterAll(() => mock.close());

    test.each([
      ["a resource", "/p/resource/shirt", undefined],
      ["an error", "/p/resource", json("POST", {})],
      ["an unknown path", "/p/nowhere", undefined],
      ["a token", "/oauth/token", { method: "POST", body: new URLSearchParams({ grant_type: "client_credentials" }) }],
    ])("every origin may read %s and the headers of the mock", async (_kind, path, init) => {
      const response = await send(path, { ...init, headers: { ...init?.headers, Origin: shop } });
      expect(allowOrigin(response)).toBe("*");
      expect(response.headers.get("Access-Control-Expose-Headers")?.split(",")).toEqual([
        ...[
          "Allow",
          "ETag",
          "Link",
          "Location",
          "Mock-Ignored",
          "Mock-Off-Contract",
          "Mock-Project",
          "Mock-Reason",
          "Mock-Request-Id",
          "Mock-Source",
        ],
        ...["Preference-Applied", "Retry-After", "WWW-Authenticate"],
        ...["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"],
      ]);
    });

    test("a preflight succeeds and creates no project", async () => {
      const headers = {
        Origin: shop,
        "Access-Control-Request-Method": "PATCH",
        "Access-Control-Request-Headers": "authorization,content-type,prefer,x-tenant",
      };
      const response = await send("/preflight/resource/shirt", { method: "OPTIONS", headers });
      expect([response.status, allowOrigin(response)]).toEqual([204, "*"]);
      expect(response.headers.get("Access-Control-Allow-Methods")).toBe("GET,HEAD,POST,PUT,PATCH,DELETE");
      expect(response.headers.get("Access-Control-Max-Age")).toBe("600");
      expect(response.headers.get("Access-Control-Allow-Headers")).toBe(headers["Access-Control-Request-Headers"]);
      expect((await mock.projects()).map(({ key }) => key)).not.toContain("preflight");
    });

    test.each(["http://localhost:3000", "http://127.0.0.1:5173", "http://[::1]:80", "https://app.localhost"])(
      "the control API accepts calls from %s",
      async (origin) => {
        const headers = { Origin: origin, Host: "127.0.0.1:1" };
        const read = await send("/__admin/projects", { headers });
        expect([read.status, allowOrigin(read)]).toEqual([200, origin]);
        const written = await send("/__admin/projects/p/settings", json("PATCH", {}, headers));
        expect([written.status, allowOrigin(written)]).toEqual([200, origin]);
        expect(written.headers.get("Vary")).toBe("Origin");
      },
    );

    test.each([shop, "null", "http://localhost.shop.example"])(
      "the control API rejects calls from %s",
      async (origin) => {
        const headers = { Origin: origin, Host: "127.0.0.1:1" };
        expect(allowOrigin(await send("/__admin/projects", { headers }))).toBeNull();
        const written = await send("/__admin/projects/p/settings", json("PATCH", { auth: "strict" }, headers));
        expect([written.status, allowOrigin(written)]).toEqual([403, null]);
        expect(await written.json()).toMatchObject({ detail: expect.stringContaining(`found "${origin}"`) });
        const preflight = { ...headers, "Access-Control-Request-Method": "PATCH" };
        expect(
          allowOrigin(await send("/__admin/projects/p/settings", { method: "OPTIONS", headers: preflight })),
        ).toBeNull();
      },
    );
  });

  async function opened(cors: string | false) {
    const { mock, send } = await open({ cors });
    onTestFinished(() => mock.close());
    return send;
  }

  test("cors: false allows no origin", async () => {
    const send = await opened(false);
    for (const origin of [shop, "http://localhost:3000"]) {
      const headers = { Origin: origin, Host: "127.0.0.1:1" };
      expect(allowOrigin(await send("/p/resource", { headers }))).toBeNull();
      expect((await send("/p/resource", { method: "OPTIONS", headers })).status).toBe(405);
      expect((await send("/__admin/reset", { method: "POST", headers })).status).toBe(403);
    }
  });

  test("cors: an origin may call everything, with credentials", async () => {
    const send = await opened(shop);
    for (const path of ["/p/resource", "/__admin/projects"]) {
      const response = await send(path, { headers: { Origin: shop } });
      expect([allowOrigin(response), response.headers.get("Access-Control-Allow-Credentials")]).toEqual([shop, "true"]);
      expect(allowOrigin(await send(path, { headers: { Origin: "http://localhost:3000" } }))).toBeNull();
    }
    const reset = await send("/__admin/reset", { method: "POST", headers: { Origin: shop, Host: "127.0.0.1:1" } });
    expect(reset.status).toBe(204);
  });

  test("cors: * allows every origin to call the service, and pages of this machine the control API", async () => {
    const send = await opened("*");
    const headers = { Origin: shop, Host: "127.0.0.1:1" };
    expect(allowOrigin(await send("/p/resource", { headers }))).toBe("*");
    expect((await send("/__admin/reset", { method: "POST", headers })).status).toBe(403);
    const local = { ...headers, Origin: "http://localhost:3000" };
    expect((await send("/__admin/reset", { method: "POST", headers: local })).status).toBe(204);
  });
});

test("cors: * with an admin token allows every origin to call the control API with the token", async () => {
  const mock = await startResourceMock({ cors: "*", adminToken: "t0ken" });
  onTestFinished(() => mock.close());
  const headers = { Origin: shop, Authorization: "Bearer t0ken" };
  const reset = await fetch(`${mock.url}/__admin/reset`, { method: "POST", headers });
  expect([reset.status, allowOrigin(reset)]).toEqual([204, "*"]);
});
