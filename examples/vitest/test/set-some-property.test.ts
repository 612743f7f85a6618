import { expect, test } from "resource-mock/vitest";
import { setSomeProperty } from "../src/set-some-property.ts";

test("sets the property", async ({ mock }) => {
  await mock.seed({ id: "shirt", objectTypeProperty: {} });

  await setSomeProperty(mock.baseUrl, "shirt", "linen");

  expect(await mock.resources.get("shirt")).toMatchObject({ version: 2, someProperty: "linen" });
});

test("reads the resource again and retries after a conflict", async ({ mock }) => {
  await mock.seed({ id: "shirt", objectTypeProperty: {} });
  await mock.use("concurrent-writer", { times: 1 });

  await setSomeProperty(mock.baseUrl, "shirt", "linen");

  expect(await mock.resources.get("shirt")).toMatchObject({ someProperty: "linen" });
  await expect(mock).toHaveReceivedInOrder([
    { operation: "getResourceById", status: 200 },
    { operation: "updateResource", status: 409 },
    { operation: "getResourceById", status: 200 },
    { operation: "updateResource", status: 200 },
  ]);
});

test("fails after three conflicts", async ({ mock }) => {
  await mock.use("conflict");

  await expect(setSomeProperty(mock.baseUrl, "shirt", "linen")).rejects.toThrow("409");

  await expect(mock).toHaveReceived({ operation: "updateResource" }, { count: 3 });
  await expect(mock).toHaveNoViolations();
});
