import { describe, expect, test } from "vitest";
import byId from "../../fixtures/getResourceById/200.json" with { type: "json" };
import byKey from "../../fixtures/getResourceByKey/200.json" with { type: "json" };
import { expectError } from "../setup/errors.ts";
import { newProject, onAllTransports } from "../setup/mock.ts";
import { configure, read, update, write } from "../setup/resources.ts";

onAllTransports("an unknown id or key", {}, (mock) => {
  describe("a resource is created from the fixture at its first use", () => {
    test.each([
      ["id", "/anything", "getResourceById/200.json", byId],
      ["key", "/key=anything", "getResourceByKey/200.json", byKey],
    ])(
      "a read of an unknown %s creates the resource, which becomes part of the state",
      async (_name, path, place, fixture) => {
        const project = newProject();
        const first = await mock.resource(project, path);
        expect(first.headers.get("Mock-Source")).toBe(`fixture:${place}`);
        expect([first.status, await first.json()]).toEqual([200, { ...fixture, version: 1 }]);
        const second = await mock.resource(project, path);
        expect(second.headers.get("Mock-Source")).toBe("state");
        expect(await second.json()).toEqual({ ...fixture, version: 1 });
      },
    );

    test("an update with version 1 creates the resource", async () => {
      const project = newProject();
      const stale = await mock.resource(project, "/a", update(3));
      await expectError(stale, "ConcurrentModification", { currentVersion: 1 });
      expect(await (await mock.resource(project, "/b", update(1))).json()).toEqual({ ...byId, version: 2 });
    });

    test("a delete creates and deletes the resource", async () => {
      const project = newProject();
      const deleted = await mock.resource(project, "/a", { method: "DELETE" });
      expect([deleted.status, await deleted.json()]).toEqual([200, { ...byId, version: 1 }]);
      await expectError(await mock.resource(project, "/a"), "ResourceNotFound", { field: "id" });
    });

    test.each([
      ["id", "/"],
      ["key", "/key="],
    ])(
      "an %s of more than 256 characters creates no resource, and an import rejects such a value",
      async (field, path) => {
        const project = newProject();
        expect((await mock.resource(project, `${path}${"x".repeat(256)}`)).status).toBe(200);
        const response = await mock.resource(project, `${path}${"x".repeat(257)}`);
        await expectError(response, "ResourceNotFound", {
          field,
          message: expect.stringContaining("at most 256 characters"),
        });
      },
    );

    test("queries find the resource after its first use", async () => {
      const project = newProject();
      const found = () =>
        mock.resource(project, `/sorted-query-parameters?${new URLSearchParams({ where: 'id = "a" or key = "k"' })}`);
      expect(await (await found()).json()).toMatchObject({ total: 0 });
      await read(mock, project, "/a");
      await read(mock, project, "/key=k");
      expect(await (await found()).json()).toMatchObject({ total: 2 });
    });
  });

  test.each([
    ["read by id", "/a", {}, "id"],
    ["read by key", "/key=a", {}, "key"],
    ["update", "/a", update(1), "id"],
    ["delete", "/a", { method: "DELETE" }, "id"],
  ])("with unknownIds: not-found, an unknown %s gets 404", async (_name, path, init, field) => {
    const project = newProject();
    await configure(mock, project, { unknownIds: "not-found" });
    await expectError(await mock.resource(project, path, init), "ResourceNotFound", { field });
    // Seeded resources and resources of clients still exist.
    expect(await read(mock, project, "/key=wool-coat-camel")).toMatchObject({ version: 4 });
    expect((await write(mock, project)).resource.version).toBe(1);
  });

  test("a deleted resource is not created again by its id or key", async () => {
    const project = newProject();
    await mock.resource(project, "/d7837e18-cc45-4c00-8db9-da596e263d96", { method: "DELETE" });
    await expectError(await mock.resource(project, "/key=summer-dress-blue"), "ResourceNotFound", { field: "key" });
    await expectError(await mock.resource(project, "/d7837e18-cc45-4c00-8db9-da596e263d96"), "ResourceNotFound");
  });

  test("many first uses at once create one resource", async () => {
    const project = newProject();
    const responses = await Promise.all(Array.from({ length: 20 }, () => mock.resource(project, "/key=one")));
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const where = new URLSearchParams({ where: 'key = "one"' });
    const found = await mock.resource(project, `/sorted-query-parameters?${where}`);
    expect(await found.json()).toMatchObject({ total: 1 });
  });
});
