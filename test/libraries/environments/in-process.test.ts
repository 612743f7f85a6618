// @module-tag tools
import { Window } from "happy-dom";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createResourceMock, type ResourceMock } from "../../../src/index.ts";
import { json, newProject } from "../../setup/mock.ts";
import { draft } from "../../setup/resources.ts";
import { consumerCases } from "./consumer-cases.ts";
import { describeInEnvironment } from "./suite.ts";

describeInEnvironment("a client that calls the fetch of the mock", () => {
  let mock: ResourceMock;
  beforeAll(async () => {
    mock = await createResourceMock();
  });
  afterAll(() => mock.close());

  consumerCases(() => ({ project: mock.project, address: mock.url, fetch: mock.fetch }));

  function open() {
    const project = mock.project(newProject());
    onTestFinished(() => project.delete());
    return { project, url: `${project.baseUrl}/resource` };
  }

  const post = json("POST", draft, { "X-Tenant": "acme" });

  test("receives a Response of its environment", async () => {
    const { url } = open();
    expect(await mock.fetch(url)).toBeInstanceOf(Response);
    expect(await mock.fetch(url, { method: "HEAD" })).toBeInstanceOf(Response);
  });

  test("can pass a Request, a URL or a path", async () => {
    const { project, url } = open();
    expect((await mock.fetch(new Request(url, post))).status).toBe(201);
    expect((await mock.fetch(new URL(url), post)).status).toBe(201);
    expect((await mock.fetch(`/${project.key}/resource`, post)).status).toBe(201);
    await project.assertReceived({ headers: { "x-tenant": "acme" }, body: draft }, { count: 3 });
  });

  test("can override a Request with options", async () => {
    const { project, url } = open();
    const request = new Request(url, post);
    const headers = new Headers({ "Content-Type": "application/json", "X-Tenant": "other" });
    expect((await mock.fetch(request, { method: "PUT", headers })).status).toBe(201);
    await project.assertReceived({ method: "PUT", headers: { "x-tenant": "other" }, body: draft });
  });

  test("can send a File", async () => {
    const { project, url } = open();
    const body = new File([new Uint8Array([0xff, 0xd8, 0xff])], "front.jpg", { type: "image/jpeg" });
    expect((await mock.fetch(`${url}/images`, { method: "POST", body })).status).toBe(200);
    expect(await project.images.list()).toMatchObject([{ contentType: "image/jpeg", bytes: 3 }]);
  });

  describe("a client with the classes of another DOM", () => {
    const other = new Window({ url: "http://localhost:3000" }) as unknown as typeof globalThis;

    test("can pass a Request", async () => {
      const { project, url } = open();
      expect((await mock.fetch(new other.Request(url, post))).status).toBe(201);
      expect((await mock.fetch(new other.Request(url, post), { method: "PUT" })).status).toBe(201);
      await project.assertReceived({ headers: { "x-tenant": "acme" }, body: draft }, { count: 2 });
    });

    test("can pass Headers", async () => {
      const { url } = open();
      expect((await mock.fetch(`${url}/shirt`, { headers: new other.Headers({ Prefer: "code=404" }) })).status).toBe(
        404,
      );
    });

    test.each(["before", "during"])("can abort %s the request", async (when) => {
      const { project, url } = open();
      await project.use("slow");
      const controller = new other.AbortController();
      if (when === "before") controller.abort(new Error("aborted"));
      const response = expect(mock.fetch(url, { signal: controller.signal })).rejects.toThrow("aborted");
      if (when === "during") await expect.poll(async () => (await project.scenarios.list())[0]?.used).toBe(1);
      controller.abort(new Error("aborted"));
      await response;
    });
  });
});
