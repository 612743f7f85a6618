import { describe, expect, test } from "vitest";
import { connectResourceMock } from "../../src/client.ts";
import { createContract } from "../../src/contract/contract.ts";
import type { Schema } from "../../src/contract/json-schema.ts";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { json, newProject, onTransports, useMock } from "../setup/mock.ts";
import { pets, petsAtRoot } from "./pets.ts";

interface Listed {
  readonly resources: readonly { readonly id: number; readonly name: string }[];
  readonly total: number;
}

const bookkeeping = { version: 1, createdAt: expect.any(String), lastModifiedAt: expect.any(String) };

onTransports("the control API of another contract", { service: { contract: pets } }, (mock) => {
  const add = (project: string, body: unknown) => inProject(mock, project, "POST", "/resources", body);
  const names = async (project: string, query = "") =>
    (await inProject<Listed>(mock, project, "GET", `/resources${query}`)).body.resources.map(({ name }) => name);

  test("adds items with the members of the service, and shows the others under $mock", async () => {
    const project = newProject();
    const { status, body, headers } = await add(project, { name: "Rex" });
    expect([status, body]).toEqual([201, { id: 1, name: "Rex", $mock: bookkeeping }]);
    expect(headers.get("Location")).toBe(`/__admin/projects/${project}/resources/1`);
    expect((await add(project, [{ id: 7, name: "Ida" }, { name: "Bo" }])).body).toMatchObject({
      resources: [{ id: 7 }, { id: 3 }],
    });
    expect(await (await mock.fetch(`/${project}/pets/7`)).json()).toEqual({ id: 7, name: "Ida" });
  });

  test("rejects items that the schema does not allow, and identities that are used", async () => {
    const project = newProject();
    expect(expectProblem(await add(project, {}), 400, "InvalidField")).toMatchObject([{ pointer: "/name" }]);
    const twice = [
      { id: 7, name: "Ida" },
      { id: 7, name: "Bo" },
    ];
    expect(expectProblem(await add(project, twice), 400, "InvalidField")).toMatchObject([{ pointer: "/1/id" }]);
    await add(project, { id: 7, name: "Ida" });
    expect(expectProblem(await add(project, { id: 7, name: "Bo" }), 409, "DuplicateValue")).toMatchObject([
      { pointer: "/id" },
    ]);
    const other = await inProject(mock, project, "PUT", "/resources/8", { id: 7, name: "Bo" });
    expect(expectProblem(other, 400, "InvalidField")).toMatchObject([{ pointer: "/id" }]);
  });

  test("replaces, deletes and shows the history of an item", async () => {
    const project = newProject();
    const put = (name: string) => inProject(mock, project, "PUT", "/resources/3", { name });
    expect(await put("Rex")).toMatchObject({ status: 201, body: { id: 3, name: "Rex", $mock: { version: 1 } } });
    expect(await put("Ida")).toMatchObject({ status: 200, body: { id: 3, name: "Ida", $mock: { version: 2 } } });
    expect((await inProject(mock, project, "DELETE", "/resources/3")).status).toBe(204);
    expect((await mock.fetch(`/${project}/pets/3`)).status).toBe(404);
    const { body } = await inProject(mock, project, "GET", "/resources/3/history");
    expect(body).toMatchObject({ versions: [{ version: null }, { version: 2 }, { version: 1, resource: { id: 3 } }] });
    expectProblem(await inProject(mock, project, "GET", "/resources/3"), 404, "ResourceNotFound", "Pet with id");
  });

  test("filters and sorts by the schema; a field without a type is not queryable", async () => {
    const project = newProject();
    await add(project, [
      { name: "Rex", tag: "dog" },
      { name: "Ida", tag: null },
      { name: "Bo", tag: "dog" },
    ]);
    expect(await names(project, `?where=${encodeURIComponent('tag = "dog"')}&sort=name`)).toEqual(["Bo", "Rex"]);
    expect(await names(project, "?where=id%20>%201&sort=id%20desc")).toEqual(["Bo", "Ida"]);
    const reply = await inProject(mock, project, "GET", "/resources?where=anything%20=%201");
    expectProblem(reply, 400, "InvalidField", "expected a queryable field");
  });

  test("generates items from the schema", async () => {
    const project = newProject();
    const generated = await add(project, { generate: 3, seed: 1 });
    expect(generated).toMatchObject({ status: 201, body: { total: 3, resources: [{ id: 1 }, { id: 2 }, { id: 3 }] } });
    expect((await mock.fetch(`/${project}/pets/2`)).status).toBe(200);
  });

  test("exports a state whose import has the same export", async () => {
    const [project, copy] = [newProject(), newProject()];
    await add(project, [{ id: 7, name: "Ida", tag: null }, { name: "Bo" }]);
    await inProject(mock, project, "DELETE", "/resources/7");
    const { body } = await inProject(mock, project, "GET", "/state");
    expect(body).toMatchObject({ collections: { Pet: { items: [{ id: 2, name: "Bo" }], gone: ["id=7"] } } });
    expect((await inProject(mock, copy, "PUT", "/state", body)).status).toBe(204);
    expect((await inProject(mock, copy, "GET", "/state")).body).toEqual(body);
    expect((await mock.fetch(`/${copy}/pets/2`)).status).toBe(200);
    const unknown = await inProject(mock, copy, "PUT", "/state", { collections: { Cat: {} } });
    expect(expectProblem(unknown, 400, "InvalidField")).toMatchObject([{ pointer: "/collections/Cat" }]);
    const twice = {
      collections: {
        Pet: {
          items: [
            { id: 1, name: "a" },
            { id: 1, name: "b" },
          ],
        },
      },
    };
    const repeated = await inProject(mock, copy, "PUT", "/state", twice);
    expect(expectProblem(repeated, 400, "InvalidField")).toMatchObject([{ pointer: "/collections/Pet/items/1/id" }]);
  });

  test("sets up provider states about its items", async () => {
    const project = newProject();
    const set = (state: string, params: object, action = "setup") =>
      control(mock, "POST", "/provider-states", { state, action, params: { project, ...params } });
    expect((await set("a resource exists", { id: 4, tag: "dog" })).body).toMatchObject({ id: "4", version: 1 });
    expect(await (await mock.fetch(`/${project}/pets/4`)).json()).toMatchObject({ id: 4, tag: "dog" });
    await set("resources exist", { count: 2, resource: { name: "Bo" } });
    expect(await names(project)).toHaveLength(3);
    await set("no resource exists", { id: "4" });
    expect((await mock.fetch(`/${project}/pets/4`)).status).toBe(404);
    expectProblem(await set("a namespace action body exists", {}), 404, "ResourceNotFound");
  });

  test("returns a pact of its requests", async () => {
    const project = newProject();
    await add(project, { name: "Rex" });
    await mock.fetch(`/${project}/pets`, json("POST", { name: "Ida" }));
    await mock.fetch(`/${project}/pets/1`);
    await mock.fetch(`/${project}/pets?limit=1`);
    const { body } = await inProject(mock, project, "GET", "/pact?consumer=shop");
    expect(body).toMatchObject({ provider: { name: "pets" } });
    const { interactions } = body as { interactions: { description: string; providerStates?: { name: string }[] }[] };
    const states = interactions.map(({ description, providerStates = [] }) => [
      description.replace(/ \(.*/, ""),
      ...providerStates.map(({ name }) => name),
    ]);
    expect(states).toEqual([
      ["createPet returns 201"],
      ["getPet returns 200", "a resource exists"],
      ["listPets returns 200", "a resource exists"],
    ]);
  });

  test("describes its forms in the document, without the calls of another service", async () => {
    const { body } = await control<{ paths: object; components: { schemas: Record<string, Schema> } }>(
      mock,
      "GET",
      "/openapi.json",
    );
    const { ResourceDraft, Resource, State, Image } = body.components.schemas;
    expect(ResourceDraft).toMatchObject({ required: ["name"], properties: { name: { type: "string" }, $mock: {} } });
    expect(Resource?.required).toEqual(["id", "name", "$mock"]);
    expect([State?.required, Image]).toEqual([["collections"], undefined]);
    expect(Object.keys(body.paths).filter((path) => /images|namespace/.test(path))).toEqual([]);
  });
});

onTransports("items in a scope", { service: { contract: petsAtRoot } }, (mock) => {
  test("are found by the name of their collection, and count for their type", async () => {
    const project = newProject();
    const toys = "?type=Toy/7";
    const { status, body } = await inProject(mock, project, "POST", `/resources${toys}`, {
      id: "t",
      petId: "7",
      label: "ball",
    });
    expect([status, body]).toMatchObject([201, { id: "t", label: "ball" }]);
    expect((await inProject<Listed>(mock, project, "GET", `/resources${toys}`)).body.total).toBe(1);
    expect((await inProject<Listed>(mock, project, "GET", "/resources?type=Toy/8")).body.total).toBe(0);
    expect((await inProject(mock, project, "GET", "/types")).body).toMatchObject({ types: [{}, { count: 1 }] });
    expect(await (await mock.fetch(`/${project}/pets/7/toys`)).json()).toEqual([
      { id: "t", petId: "7", label: "ball" },
    ]);
  });
});

describe("files and singletons of another contract", () => {
  const contract = createContract({
    info: { title: "Files" },
    operations: [],
    types: [
      { name: "File", path: "/files", kind: "files" },
      { name: "Motto", path: "/motto", kind: "singleton" },
    ],
  });

  onTransports("in the control API", { service: { contract } }, (mock) => {
    test("are added, and exported whole", async () => {
      const [project, copy] = [newProject(), newProject()];
      const added = await inProject(mock, project, "POST", "/resources", { title: "a", bytes: "AAEC" });
      expect(added).toMatchObject({ status: 201, body: { title: "a", bytes: 3 } });
      const invalid = await inProject(mock, project, "POST", "/resources", { bytes: "?" });
      expect(expectProblem(invalid, 400, "InvalidField")).toMatchObject([{ pointer: "/bytes" }]);
      await inProject(mock, project, "POST", "/resources?type=Motto", { text: "now" });
      const state = (await inProject(mock, project, "GET", "/state")).body;
      expect(state).toMatchObject({ collections: { File: { items: [{ bytes: "AAEC" }] } } });
      await inProject(mock, copy, "PUT", "/state", state);
      expect((await inProject(mock, copy, "GET", "/state")).body).toEqual(state);
      await mock.inside(
        project,
        (of) => void of.change((draft) => draft.setSingleton("Motto", [1, null], "2024-01-01T00:00:00Z")),
      );
      const list = (await inProject(mock, project, "GET", "/state")).body;
      await inProject(mock, copy, "PUT", "/state", list);
      expect((await inProject(mock, copy, "GET", "/state")).body).toEqual(list);
    });
  });
});

const Tag = {
  type: "object",
  required: ["key"],
  properties: { id: { type: "integer" }, key: { type: "string" } },
} as const;
const tags = createContract({
  info: { title: "Tags" },
  operations: [],
  types: [{ name: "Tag", path: "/tags", kind: "collection", schema: Tag }],
});

describe("the client with a contract whose items have an id and a key that are not unique", () => {
  const mock = useMock("over a socket", { service: { contract: tags } });
  test("lists all items", async () => {
    const project = connectResourceMock(mock.url ?? "").project(newProject());
    await project.seed([{ key: "a" }, { key: "a" }, { id: 1, key: "b" }, { id: 1, key: "c" }] as never);
    expect(await project.resources.list()).toMatchObject([{ key: "a" }, { key: "a" }, { key: "b" }, { key: "c" }]);
  });
});
