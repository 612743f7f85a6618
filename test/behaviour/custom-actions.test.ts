import { describe, expect, test } from "vitest";
import cart from "../../fixtures/getCart/200.json" with { type: "json" };
import readFixture from "../../fixtures/readNamespaceAction/200.json" with { type: "json" };
import writeFixture from "../../fixtures/writeNamespaceAction/200.json" with { type: "json" };
import { expectError } from "../setup/errors.ts";
import { json, newProject, onAllTransports } from "../setup/mock.ts";

onAllTransports("the custom actions", {}, (mock) => {
  test("return their fixtures as JSON", async () => {
    const project = newProject();
    const write = await mock.resource(project, "/namespace-action", { method: "POST" });
    expect([write.status, await write.json()]).toEqual([200, writeFixture]);
    const read = await mock.resource(project, "/namespace-action");
    expect([read.status, await read.json()]).toEqual([200, readFixture]);
    expect(read.headers.get("Mock-Source")).toBe("fixture:readNamespaceAction/200.json");
  });

  test.each([
    ["an object", { points: 120, __proto__: null }],
    ["null", null],
  ])("readNamespaceAction returns %s that writeNamespaceAction stored", async (_name, body) => {
    const project = newProject();
    const write = await mock.resource(project, "/namespace-action", json("POST", body));
    expect([write.status, await write.json()]).toEqual([200, writeFixture]);
    const read = await mock.resource(project, "/namespace-action");
    expect(read.headers.get("Mock-Source")).toBe("state");
    expect([read.status, await read.json()]).toEqual([200, body]);
  });

  test("the last body wins; a POST without a body or with invalid JSON changes nothing", async () => {
    const project = newProject();
    await mock.resource(project, "/namespace-action", json("POST", { points: 1 }));
    await mock.resource(project, "/namespace-action", json("POST", { points: 2 }));
    await mock.resource(project, "/namespace-action", { method: "POST" });
    const broken = await mock.resource(project, "/namespace-action", { ...json("POST", 0), body: "{" });
    await expectError(broken, "InvalidJsonInput");
    expect(await (await mock.resource(project, "/namespace-action")).json()).toEqual({ points: 2 });
  });

  test("a project does not see the body of another project", async () => {
    await mock.resource(newProject(), "/namespace-action", json("POST", { points: 1 }));
    expect(await (await mock.resource(newProject(), "/namespace-action")).json()).toEqual(readFixture);
  });

  describe("the cart", () => {
    test("the cart is the fixture", async () => {
      const response = await mock.resource(newProject(), "/namespace-action-with-example");
      expect([response.status, await response.json()]).toEqual([200, cart]);
      expect(response.headers.get("Mock-Source")).toBe("fixture:getCart/200.json");
    });
  });
});
