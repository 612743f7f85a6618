import { expect, test } from "vitest";
import { json } from "../setup/mock.ts";
import { describeClients } from "./clients.ts";

const draft = { objectTypeProperty: {} };

describeClients("a sandbox", (mock) => {
  const { project, call } = mock;
  test("is a project at the base URL of its project, which headers select", async () => {
    const shop = project();
    const sandbox = shop.sandbox("t1");
    expect(sandbox).toMatchObject({
      name: "t1",
      key: `${shop.key}~t1`,
      baseUrl: shop.baseUrl,
      headers: { "Mock-Sandbox": "t1" },
      baggage: { baggage: "mock-sandbox=t1" },
    });
    await sandbox.seed({ id: "shirt", ...draft, colour: "blue" });
    await sandbox.use("conflict", { times: 1 });

    for (const headers of [sandbox.headers, sandbox.baggage]) {
      expect(await (await call(sandbox, "/shirt", { headers })).json()).toMatchObject({ colour: "blue" });
    }
    const update = json("POST", { version: 1, actions: [] }, { ...sandbox.headers });
    expect((await call(sandbox, "/shirt", update)).status).toBe(409);
    expect(await (await call(shop, "/shirt")).json()).not.toHaveProperty("colour");

    await sandbox.assertReceived({ path: { projectKey: shop.key, id: "shirt" } }, { count: 3 });
    await shop.assertReceived({ operation: "getResourceById" }, { count: 1 });
    expect((await sandbox.token({ scopes: ["view_test"] })).scope).toBe(`view_test:${shop.key}`);
  });

  test("is deleted without its project", async () => {
    const shop = project();
    const keys = async () =>
      (await mock.client.projects()).map(({ key }) => key).filter((key) => key.startsWith(shop.key));
    {
      await using sandbox = shop.sandbox("t1");
      await Promise.all([call(shop), call(shop, "", { headers: sandbox.headers })]);
      expect((await keys()).sort()).toEqual([shop.key, `${shop.key}~t1`]);
    }
    expect(await keys()).toEqual([shop.key]);
  });

  test("a sandbox of a sandbox is another sandbox of the same project", () => {
    const shop = project();
    const other = shop.sandbox("t1").sandbox("t2");
    expect([other.key, other.baseUrl]).toEqual([`${shop.key}~t2`, shop.baseUrl]);
  });

  test.each(["", "a b", "a~b", "a/b", "é", "x".repeat(101), "a\n", undefined, null, 5])(
    "rejects the name %j",
    (name) => {
      expect(() => project().sandbox(name as string)).toThrow(
        `sandbox: expected a name of 1 to 100 of the characters A-Z, a-z, 0-9, ".", "_" and "-", found ${JSON.stringify(name)}`,
      );
    },
  );
});
