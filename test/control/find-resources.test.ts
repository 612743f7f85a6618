import { expect, test } from "vitest";
import type { ResourceRecord } from "../../src/state/resource-record.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { pausesDuring } from "../setup/meanwhile.ts";
import { newProject, onTransports } from "../setup/mock.ts";

interface Listed {
  resources: ResourceRecord[];
  total: number;
}

onTransports("a search of resources", {}, (mock) => {
  const add = (project: string, body: unknown) => inProject(mock, project, "POST", "/resources", body);
  const find = async (project: string, query: Record<string, string>) => {
    const { status, body } = await inProject<Listed>(mock, project, "GET", `/resources?${new URLSearchParams(query)}`);
    expect([status, body]).toEqual([200, body]);
    return { ids: body.resources.map(({ id }) => id), total: body.total };
  };
  const withShirts = async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/state", { resources: [] });
    await add(project, [
      { id: "Shirt-1", key: "blue", version: 3, objectTypeProperty: { arrayOfIntExample: [1, 2] } },
      { id: "b", key: "Shirt/ü", version: 1, objectTypeProperty: { arrayOfStringExample: ["linen"] } },
      { id: "c", version: 2, objectTypeProperty: { arrayOfIntExample: [2] } },
    ]);
    return project;
  };

  test("finds a part of the id or the key, in any case", async () => {
    const project = await withShirts();
    expect(await find(project, { q: "shirt" })).toEqual({ ids: ["Shirt-1", "b"], total: 2 });
    expect(await find(project, { q: "T/Ü" })).toEqual({ ids: ["b"], total: 1 });
    expect(await find(project, { q: "hat" })).toEqual({ ids: [], total: 0 });
    expect(await find(project, { q: "" })).toMatchObject({ total: 3 });
    expect(await find(project, { q: "__proto__" })).toEqual({ ids: [], total: 0 });
  });

  test("selects by the predicates of the service", async () => {
    const project = await withShirts();
    const where = "objectTypeProperty(arrayOfIntExample contains any (2)) and version > 2";
    expect(await find(project, { where })).toEqual({ ids: ["Shirt-1"], total: 1 });
    expect(await find(project, { where: "key is not defined" })).toEqual({ ids: ["c"], total: 1 });
  });

  test("combines all parameters, and counts all matches", async () => {
    const project = await withShirts();
    expect(await find(project, { q: "shirt", where: "version = 1", key: "Shirt/ü" })).toEqual({ ids: ["b"], total: 1 });
    expect(await find(project, { q: "shirt", key: "none" })).toEqual({ ids: [], total: 0 });
    expect(await find(project, { q: "shirt", limit: "1", offset: "1" })).toEqual({ ids: ["b"], total: 2 });
    expect(await find(project, { where: "version > 0", limit: "0" })).toEqual({ ids: [], total: 3 });
  });

  test("sorts, in either direction", async () => {
    const project = await withShirts();
    expect(await find(project, { sort: "version" })).toMatchObject({ ids: ["b", "c", "Shirt-1"] });
    expect(await find(project, { sort: "version desc", limit: "2" })).toEqual({ ids: ["Shirt-1", "c"], total: 3 });
    expect(await find(project, { sort: "key desc", q: "s" })).toMatchObject({ ids: ["Shirt-1", "b"] });
  });

  test.each([
    ["where", "vershun = 1", 'column 1: expected a field, found "vershun". Did you mean "version"?'],
    ["where", "version = :number", "var.number"],
    ["where", "x".repeat(4097), "expected at most 4096 characters"],
    ["sort", "version up", "column 9"],
    ["limit", "10001", "10000"],
  ])("rejects an invalid %s: %.20s", async (name, text, detail) => {
    const path = `/resources?${new URLSearchParams({ [name]: text })}`;
    const [error] = expectProblem(await inProject(mock, newProject(), "GET", path), 400, "InvalidField", detail);
    expect(error).toMatchObject({ parameter: name });
  });

  test("lets other requests run meanwhile", { tags: ["slow"] }, async () => {
    const project = newProject();
    await add(project, { generate: 5000 });
    const query = new URLSearchParams({
      q: "e",
      where: `${"not(".repeat(20)}version < 5${")".repeat(20)}`,
      sort: "key",
      limit: "1",
    });
    const { response, pauses } = await pausesDuring(mock, () =>
      mock.fetch(`/__admin/projects/${project}/resources?${query}`),
    );
    expect(await response.json()).toMatchObject({ resources: [{ version: 1 }] });
    expect(pauses).toBeGreaterThan(0);
  });
});
