import { describe, expect, onTestFinished, test } from "vitest";
import type { ProjectControl } from "../../../src/control/client/types.ts";
import { json, newProject } from "../../setup/mock.ts";
import { draft } from "../../setup/resources.ts";

/** Access to the mock for a test and for the client under test. */
export interface Access {
  /** Opens the project of the test. */
  project(key: string): ProjectControl;
  /** Address of the service for the client, without the project key. */
  readonly address: string;
  /** The `fetch` of the client. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
}

const jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 16];

/** Defines tests of a client. They pass in Node, jsdom and happy-dom: in process, over a socket and through MSW. */
export function consumerCases(access: () => Access): void {
  /** Returns a project for the running test, and a `fetch` for paths below `/{projectKey}/resource`. */
  function open() {
    const { project, address, fetch } = access();
    const mock = project(newProject());
    onTestFinished(() => mock.delete());
    const url = (path = "") => `${address}/${mock.key}/resource${path}`;
    return { mock, url, send: (path: string, init?: RequestInit) => fetch(url(path), init) };
  }

  describe("the method and the body arrive", () => {
    test.each(["POST", "PUT", "PATCH"])("%s creates a resource", async (method) => {
      const { send, mock } = open();

      const response = await send("", json(method, draft));

      expect([response.status, await response.json()]).toEqual([201, { version: 1, ...draft }]);
      const id = response.headers.get("Location")?.split("/").at(-1) ?? "";
      expect(await mock.resources.get(id)).toMatchObject(draft);
      await mock.assertReceived({ method, body: draft, headers: { "content-type": "application/json" } });
    });

    test("POST updates, a stale version returns 409, and DELETE deletes", async () => {
      const { send } = open();
      const actions = [{ action: "changeSomeProperty", someProperty: "linen" }];

      const updated = await send("/shirt", json("POST", { version: 1, actions }));
      expect([updated.status, await updated.json()]).toMatchObject([200, { version: 2 }]);
      const stale = await send("/shirt", json("POST", { version: 1, actions }));
      expect([stale.status, await stale.json()]).toMatchObject([409, { errors: [{ currentVersion: 2 }] }]);
      expect((await send("/shirt", { method: "DELETE" })).status).toBe(200);
      expect((await send("/shirt")).status).toBe(404);
    });

    test("the headers of a sandbox arrive", async () => {
      const { send, mock } = open();
      await using sandbox = mock.sandbox("t1");
      await sandbox.use("server-error");

      expect((await send("/shirt", { headers: sandbox.headers })).status).toBe(500);
      expect((await send("/shirt", { headers: sandbox.baggage })).status).toBe(500);
      expect((await send("/shirt")).status).toBe(200);
      await sandbox.assertReceived({ operation: "getResourceById" }, { count: 2 });
    });

    test("bytes arrive unchanged", async () => {
      const { send, mock } = open();
      const body = new Uint8Array(jpeg);

      const response = await send("/images", { method: "POST", headers: { "Content-Type": "image/jpeg" }, body });

      expect(response.status).toBe(200);
      const [image] = await mock.images.list();
      const stored = await mock.images.get(image?.id ?? "");
      expect([...new Uint8Array(await stored.arrayBuffer())]).toEqual(jpeg);
    });

    test("text beyond ASCII arrives unchanged", async () => {
      const { send, mock } = open();
      const body = { objectTypeProperty: { arrayOfStringExample: ["Größe", "合計", "👗"] } };
      expect((await send("", json("POST", body))).status).toBe(201);
      await mock.assertReceived({ body });
    });

    test("a large body arrives complete", async () => {
      const { send } = open();
      const body = { objectTypeProperty: { arrayOfStringExample: ["linen".repeat(200_000)] } };
      expect(await (await send("", json("POST", body))).json()).toEqual({ version: 1, ...body });
    });
  });

  test("repeated query parameters arrive", async () => {
    const { send, mock } = open();
    const query = new URLSearchParams([
      ["where", 'id = "shirt"'],
      ["where", "version = 1"],
    ]);
    await mock.seed({ id: "shirt", objectTypeProperty: {} });

    expect(await (await send(`/sorted-query-parameters?${query}`)).json()).toMatchObject({ count: 1 });
    const [received] = await mock.requests.list();
    expect(received?.request.query).toEqual({ where: ['id = "shirt"', "version = 1"] });
  });

  describe("headers arrive in upper and lower case", () => {
    const cases: [string, (name: string, value: string) => HeadersInit][] = [
      ["an object", (name, value) => ({ [name]: value })],
      ["pairs", (name, value) => [[name, value]]],
      ["Headers", (name, value) => new Headers({ [name]: value })],
    ];

    test.each(cases)("Prefer in %s selects the status", async (_kind, headers) => {
      const { send } = open();
      const response = await send("/shirt", { headers: headers("Prefer", "code=404") });
      expect([response.status, response.headers.get("Preference-Applied")]).toEqual([404, "code=404"]);
    });

    test.each(cases)("a rule matches a header in %s", async (_kind, headers) => {
      const { send, mock } = open();
      await mock.rule({ when: { headers: { "x-tenant": "acme" } }, respond: { status: 503 } });
      expect((await send("/shirt", { headers: headers("X-Tenant", "acme") })).status).toBe(503);
      expect((await send("/shirt", { headers: headers("X-Tenant", "other") })).status).toBe(200);
      await mock.assertReceived({ headers: { "X-TENANT": "acme" }, status: 503 });
    });

    test("a token is validated", async () => {
      const { send, mock } = open();
      await mock.settings.set({ auth: "strict" });
      const { access_token } = await mock.token({ scopes: [`view_test:${mock.key}`] });
      expect((await send("/shirt")).status).toBe(401);
      expect((await send("/shirt", { headers: { Authorization: `Bearer ${access_token}` } })).status).toBe(200);
    });

    test("values of a repeated header are joined", async () => {
      const { send, mock } = open();
      const headers = new Headers({ "X-Tag": "a" });
      headers.append("x-tag", "b");
      await send("/shirt", { headers });
      await mock.assertReceived({ headers: { "x-tag": "a, b" } });
    });
  });

  describe("responses", () => {
    test("to HEAD have headers and no body", async () => {
      const { send, mock } = open();
      const found = await send("", { method: "HEAD" });
      expect([found.status, found.headers.has("Mock-Source"), await found.text()]).toEqual([200, true, ""]);
      await mock.use("empty-head");
      const missing = await send("", { method: "HEAD" });
      expect([missing.status, await missing.text()]).toEqual([404, ""]);
    });

    test("have headers with their source and request id", async () => {
      const { send, mock } = open();
      const response = await send("/shirt");
      expect(response.headers.get("Mock-Source")).toBe("fixture:getResourceById/200.json");
      const [received] = await mock.requests.list();
      expect(response.headers.get("Mock-Request-Id")).toBe(received?.id);
      expect(response.headers.get("Content-Type")).toBe("application/json");
    });

    test("have Retry-After and WWW-Authenticate", async () => {
      const { send, mock } = open();
      await mock.use("rate-limited", { times: 1 });
      expect((await send("/shirt")).headers.get("Retry-After")).toMatch(/^\d+$/);
      await mock.use("unauthorized", { times: 1 });
      expect((await send("/shirt")).headers.get("WWW-Authenticate")).toMatch(/^Bearer/);
    });

    test("come from a function until it is removed", async () => {
      const { send, mock } = open();
      await mock.seed({ id: "shirt", objectTypeProperty: {}, version: 4 });
      const remove = mock.handle("updateResource", async ({ body, path }, { resource }) => ({
        status: 409,
        headers: { "X-Id": path.id, "X-Sent": body.version, "X-Stored": resource?.version ?? "none" },
      }));
      const request = json("POST", { version: 1, actions: [] });
      const { status, headers } = await send("/shirt", request);
      expect([status, ...["X-Id", "X-Sent", "X-Stored"].map((name) => headers.get(name))]).toEqual([
        409,
        "shirt",
        "1",
        "4",
      ]);
      remove();
      expect((await send("/shirt", json("POST", { version: 4, actions: [] }))).status).toBe(200);
    });

    test("arrive in chunks", async () => {
      const { send, mock } = open();
      await mock.rule({ chunkedDribbleDelay: { numberOfChunks: 3, totalDuration: 3 } });
      expect(await (await send("/shirt")).json()).toMatchObject({ version: 1 });
    });
  });

  describe("a broken connection", () => {
    test.each(["CONNECTION_RESET_BY_PEER", "EMPTY_RESPONSE", "RANDOM_DATA_THEN_CLOSE"] as const)(
      "with %s rejects fetch, and the next request succeeds",
      async (fault) => {
        const { send, mock } = open();
        await mock.rule({ fault, times: 1 });
        await expect(send("/shirt")).rejects.toThrow();
        expect((await send("/shirt")).status).toBe(200);
      },
    );

    test.each(["TRUNCATED_BODY", "MALFORMED_RESPONSE_CHUNK"] as const)(
      "with %s rejects reading the body",
      async (fault) => {
        const { send, mock } = open();
        await mock.rule({ fault });
        await expect(send("/shirt").then((response) => response.text())).rejects.toThrow();
      },
    );
  });

  describe("a signal that aborts", () => {
    test("before the request prevents it", async () => {
      const { send, mock } = open();
      await expect(send("/shirt", { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
      expect(await mock.requests.list()).toEqual([]);
    });

    test("during the request ends it", async () => {
      const { send, mock } = open();
      await mock.use("slow");
      const controller = new AbortController();
      const response = expect(send("/shirt", { signal: controller.signal })).rejects.toMatchObject({
        name: "AbortError",
      });
      await expect.poll(async () => (await mock.scenarios.list())[0]?.used).toBe(1);
      controller.abort();
      await response;
    });
  });
}
