import { afterAll, describe, expect } from "vitest";
import type { Pact, ProjectControl } from "../../../src/client.ts";
import { test } from "../../../src/library/vitest/test.ts";
import { json } from "../../setup/mock.ts";
import { describeInEnvironment } from "./suite.ts";

const get = (mock: ProjectControl, path = "") => fetch(`${mock.baseUrl}/resource${path}`);

describeInEnvironment("resource-mock/vitest", () => {
  describe("the project of a test", () => {
    /** Expected hashes by Vitest project, because several Vitest projects may share one mock. */
    const hashes: Readonly<Record<string, string>> = { node: "df565369", jsdom: "0914a622", "happy-dom": "6f17312c" };
    test("has a key from the Vitest project, the file and the name", ({ mock, task }) => {
      const hash = hashes[task.file.projectName ?? ""];
      expect(mock.key).toBe(`vitest-resource-mock-vitest-the-project-of-a-test-has-a-key-${hash}`);
    });

    const keys: string[] = [];
    for (const _copy of [1, 2]) {
      test("is not shared with a test of the same name", ({ mock }) => {
        keys.push(mock.key);
        expect(new Set(keys).size).toBe(keys.length);
      });
    }

    let deleted: string | undefined;
    test("is new in a repeated test", { repeats: 1 }, async ({ mock }) => {
      expect(await mock.resources.list({ key: "seeded" })).toEqual([]);
      await mock.seed({ key: "seeded", objectTypeProperty: {} });
      deleted = mock.key;
    });
    test("is deleted when the test has ended", async ({ resourceMock }) => {
      expect(deleted).toBeDefined();
      expect((await resourceMock.projects()).map(({ key }) => key)).not.toContain(deleted);
    });
  });

  describe("a test with mockProject", () => {
    test.override("mockProject", "shop");
    for (const attempt of [1, 2]) {
      test(`the project of each test has this key, and is new: ${attempt}`, async ({ mock, resourceMock }) => {
        await fetch(`${resourceMock.url}/shop/resource/${attempt}`);
        expect(mock.key).toBe("shop");
        await expect(mock).toHaveReceived({}, { count: 1 });
      });
    }
  });

  describe("the pact file", () => {
    const fs = process.getBuiltinModule("node:fs");
    const dir = fs.mkdtempSync(`${process.getBuiltinModule("node:os").tmpdir()}/resource-mock-test-`);
    afterAll(() => fs.rmSync(dir, { recursive: true }));
    test.override("pact", { consumer: "shop", dir });

    test("has no requests of a running test", async ({ mock }) => {
      await get(mock, "/a");
      expect(fs.readdirSync(dir)).toEqual([]);
    });
    test("has the requests of the tests that have passed", async () => {
      const file = `${dir}/shop-generic-resource-service.json`;
      const { interactions }: Pact = JSON.parse(fs.readFileSync(file, "utf8"));
      expect(interactions.map(({ request }) => request.path)).toEqual(["/shop/resource/a"]);
    });
  });

  test("a function of a test responds, and ends with the test", async ({ mock }) => {
    mock.handle("getCart", () => ({ status: 503 }));
    expect((await get(mock, "/namespace-action-with-example")).status).toBe(503);
  });

  describe.concurrent("concurrent tests", () => {
    for (let number = 0; number < 20; number++) {
      const isOdd = number % 2 === 1;
      test(`are isolated from each other: ${number}`, async ({ mock, expect }) => {
        if (isOdd) await mock.use("conflict");
        await mock.seed({ id: "shirt", objectTypeProperty: {}, number });
        await get(mock, "/shirt");
        const update = json("POST", { version: 1, actions: [{ action: "doSomeThing" }] });
        const { status } = await fetch(`${mock.baseUrl}/resource/shirt`, update);

        expect(status).toBe(isOdd ? 409 : 200);
        expect(await mock.resources.get("shirt")).toMatchObject({ number, version: isOdd ? 1 : 2 });
        await expect(mock).toHaveReceived({}, { count: 2 });
      });
    }
  });

  describe("a matcher without await", () => {
    const promise = (mock: ProjectControl) => expect(mock).toHaveReceived({ operation: "getCart" }, { count: 0 });
    const broken = (mock: ProjectControl) => expect(mock).not.toHaveReceived({}, { count: 0 });
    for (const [name, call] of Object.entries({ promise, broken })) {
      test.fails(`fails the test: ${name}`, ({ mock }) => void call(mock));
      test.fails(`fails the test with expect of its context: ${name}`, ({ mock, expect }) => {
        expect(mock).toHaveNoViolations();
      });
    }
    test("is no failure if the promise is awaited in other ways", async ({ mock }) => {
      await Promise.all([promise(mock), promise(mock)]);
      const later = promise(mock);
      await mock.settings.get();
      await later;
      await promise(mock).then(() => {});
      await broken(mock).catch(() => {});
      await expect(broken(mock)).rejects.toThrow("satisfy it");
      await expect.soft(mock).toHaveNoViolations();
      await expect.poll(() => mock).toHaveNoViolations();
    });
    test("is no failure if the promise is returned", ({ mock }) => promise(mock));
  });

  describe("the matcher", () => {
    test("toHaveReceived counts requests, and shows the nearest ones", async ({ mock }) => {
      await get(mock, "/shirt");

      await expect(mock).toHaveReceived({ operation: "getResourceById" });
      await expect(mock).toHaveReceived({ operation: "getResourceById" }, { count: 1 });
      await expect(mock).not.toHaveReceived({ operation: "getCart" });
      await expect(expect(mock).toHaveReceived({ path: { id: "trousers" } })).rejects.toThrow(/\/path\/id/);
      await expect(expect(mock).not.toHaveReceived({ path: { id: "shirt" } })).rejects.toThrow("/resource/shirt");
    });

    test("toHaveReceivedInOrder verifies the order of requests", async ({ mock }) => {
      await get(mock, "/shirt");
      await get(mock, "/namespace-action");

      const [read, action] = [{ operation: "getResourceById" }, { operation: "readNamespaceAction" }] as const;
      await expect(mock).toHaveReceivedInOrder([read, action]);
      await expect(mock).not.toHaveReceivedInOrder([action, read]);
      await expect(expect(mock).toHaveReceivedInOrder([action, read])).rejects.toThrow("in this order");
      const message = "expected the verification to fail, but the requests satisfy it";
      await expect(expect(mock).not.toHaveReceivedInOrder([read, action])).rejects.toThrow(message);
    });

    const names = ["toHaveReceived", "toHaveReceivedInOrder", "toHaveNoViolations"] as const;
    test.for(names)("the error of the matcher %s names the expected subject", async (name) => {
      const subjects = { nothing: undefined, null: null, "an object": {}, '"shop"': "shop" };
      for (const [found, subject] of Object.entries(subjects)) {
        const message = `${name}: expected a project such as the mock of a test, found ${found}`;
        await expect(expect(subject)[name]([] as never)).rejects.toThrow(message);
        await expect(expect(subject).not[name]([] as never)).rejects.toThrow(message);
      }
    });

    test("toHaveReceivedInOrder expects an array", async ({ mock }) => {
      const message = "toHaveReceivedInOrder: expected an array of matches, found an object";
      await expect(expect(mock).toHaveReceivedInOrder({} as never)).rejects.toThrow(message);
    });

    test("fails with and without `not` when the journal has dropped requests", async ({ mock }) => {
      await mock.settings.set({ journalSize: 1 });
      await get(mock, "/shirt");
      await get(mock, "/trousers");

      const [shirt, trousers] = [{ path: { id: "shirt" } }, { path: { id: "trousers" } }];
      await expect(mock).toHaveReceived(trousers);
      await expect(mock).not.toHaveReceived(trousers, { count: 0 });
      for (const times of [undefined, { atLeast: 1 }, { count: 1 }]) {
        await expect(expect(mock).not.toHaveReceived(shirt, times)).rejects.toThrow("no longer has 1 older request");
      }
      await expect(expect(mock).toHaveReceived(shirt, { count: 0 })).rejects.toThrow("no longer has 1 older request");
      await expect(expect(mock).not.toHaveReceivedInOrder([shirt, trousers])).rejects.toThrow("cannot verify");
    });

    test("toHaveNoViolations shows contract violations, oldest first", async ({ mock }) => {
      await get(mock);
      await expect(mock).toHaveNoViolations();
      const none = "expected a request that violates the contract, found none";
      await expect(expect(mock).not.toHaveNoViolations()).rejects.toThrow(none);

      await get(mock, "?integerParameter=many");
      await get(mock, "?integerParameter=few");
      await expect(mock).not.toHaveNoViolations();
      const expected = "integerParameter: expected a whole number from -2147483648 to 2147483647, found";
      const oldestFirst = new RegExp(`found:\\n[^]*${expected} "many"\\n[^]*${expected} "few"$`);
      await expect(expect(mock).toHaveNoViolations()).rejects.toThrow(oldestFirst);
    });
  });
});
