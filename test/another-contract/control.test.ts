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
    expect(expectProblem(await add(project, { name: 5 }), 400, "InvalidField")).toMatchObject([{ pointer: "/name" }]);
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

  test("fills in required members that a draft lacks", async () => {
    const project = newProject();
    expect((await add(project, { tag: "dog" })).body).toMatchObject({ id: 1, name: expect.any(String), tag: "dog" });
    expect((await mock.fetch(`/${project}/pets/1`)).status).toBe(200);
    expect((await add(project, [{ name: "Rex" }, { id: 2, name: "Ida" }])).body).toMatchObject({
      resources: [{ id: 3 }, { id: 2 }],
    });
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
    expect((await set("a resource exists", { id: "4", resource: { tag: "dog" } })).body).toMatchObject({
      id: "4",
      version: 1,
    });
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
    expect(ResourceDraft).toMatchObject({ required: [], properties: { name: { type: "string" }, $mock: {} } });
    expect(Resource?.required).toEqual(["id", "name", "$mock"]);
    expect([State?.required, Image]).toEqual([["collections"], undefined]);
    expect(Object.keys(body.paths).filter((path) => /images|namespace/.test(path))).toEqual([]);
  });
});

onTransports("items in a scope", { service: { contract: petsAtRoot } }, (mock) => {
  test("items in a scope are found by the name of their collection, and count for their type", async () => {
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

onTransports("collections by their paths", { service: { contract: petsAtRoot } }, (mock) => {
  const call = (project: string, method: string, path: string, body?: unknown) =>
    inProject<Record<string, unknown>>(mock, project, method, path, body);
  const problemOf = async (type: string) => {
    const reply = await call(newProject(), "GET", `/resources?type=${encodeURIComponent(type)}`);
    return expectProblem(reply, 400, "InvalidField")[0]?.detail;
  };

  test("a collection is read by its path, encoded or not, and by the name of its type", async () => {
    const project = newProject();
    await call(project, "POST", "/resources?type=/pets/a%2520b%252Fc/toys", { id: "t", label: "ball" });
    for (const type of ["/pets/a b%2Fc/toys", "/pets/a%20b%2Fc/toys", "Toy/a b%2Fc", "Toy/a%20b%2fc"]) {
      const { body } = await call(project, "GET", `/resources/t?type=${encodeURIComponent(type)}`);
      expect([type, body]).toMatchObject([type, { id: "t", label: "ball" }]);
    }
    expect((await mock.fetch(`/${project}/pets/a%20b%2Fc/toys`)).status).toBe(200);
    await call(project, "POST", "/resources?type=/pets", { name: "Rex" });
    expect((await call(project, "GET", "/resources")).body.total).toBe(1);
  });

  test("an unknown collection is refused, and the error names the nearest collections", async () => {
    expect(await problemOf("/petz")).toBe(
      'type: expected the path of a collection, found "/petz". Nearest: /pets, /pets/{petId}/toys',
    );
    expect(await problemOf("/pets/7")).toBe(
      'type: expected the path of a collection, such as /pets, found the path of an item, "/pets/7"',
    );
    expect(await problemOf("Pett")).toBe('type: unknown type. Did you mean "Pet"?');
    for (const type of ["Toy", "Toy/", "Toy/1/2"]) {
      expect(await problemOf(type)).toBe(
        `type: expected values for the parameters of /pets/{petId}/toys, found "${type}"`,
      );
    }
    expect(await problemOf("Pet/7")).toBe('type: expected Pet, found "Pet/7"');
    expect(await problemOf(`/pets/${"x".repeat(2100)}/toys`)).toContain("expected the name of a collection of at most");
  });

  test("lists of several collections are seeded together: all items or none", async () => {
    const project = newProject();
    const seed = {
      "/pets/7/toys": [{ label: "ball" }, { id: "t", label: "rope" }],
      Pet: [{ name: "Rex" }],
      "/pets": [],
    };
    const { Pet, ...others } = seed;
    expect(expectProblem(await call(project, "POST", "/resources", seed), 400, "InvalidField")).toMatchObject([
      { pointer: "/~1pets" },
    ]);
    const added = await call(project, "POST", "/resources", { ...others, "/pets": Pet });
    expect([added.status, added.body]).toMatchObject([
      201,
      { "/pets/7/toys": [{ label: "ball" }, { id: "t", label: "rope" }], "/pets": [{ id: 1, name: "Rex" }] },
    ]);
    const invalid = { "/pets": [{ name: "Ida" }, { name: 5 }], "/pets/7/toyz": [], Toy: [] };
    expect(expectProblem(await call(project, "POST", "/resources", invalid), 400, "InvalidField")).toMatchObject([
      { pointer: "/~1pets/1/name" },
      { pointer: "/~1pets~17~1toyz" },
      { pointer: "/Toy" },
    ]);
    const used = { "/pets": [{ name: "Ida" }], "Toy/7": [{ id: "t" }] };
    expect(expectProblem(await call(project, "POST", "/resources", used), 409, "DuplicateValue")).toMatchObject([
      { pointer: "/Toy~17/0/id" },
    ]);
    expect((await call(project, "GET", "/resources?type=/pets")).body.total).toBe(1);
  });

  test("the client seeds and reads a collection by its path", async () => {
    if (mock.url === undefined) return;
    const project = connectResourceMock(mock.url).project(newProject());
    const type = "/pets/7/toys";
    const added = await project.seed({ [type]: [{ id: "a/b", label: "ball" }], "/pets": [] });
    expect(added).toMatchObject({ [type]: [{ id: "a/b" }], "/pets": [] });
    expect(await project.resources.list({ type })).toHaveLength(1);
    expect(await project.resources.get("a/b", { type })).toMatchObject({ label: "ball" });
    await project.resources.put("a/b", { label: "rope" } as never, { type });
    expect(await project.resources.history("a/b", { type })).toMatchObject([{ version: 2 }, { version: 1 }]);
    await project.resources.delete("a/b", { type });
    expect(await project.resources.list({ type })).toEqual([]);
    const types = await project.types();
    expect(types).toMatchObject([
      { name: "Pet", paging: ["limit"], readBack: true },
      { name: "Toy", count: 0 },
    ]);
  });
});

const repositories = createContract({
  info: { title: "Repositories" },
  operations: [],
  types: [
    {
      name: "Repo",
      path: "/repos",
      itemPath: "/repos/{owner}/{repo}",
      kind: "collection",
      schema: {
        type: "object",
        required: ["name", "owner"],
        properties: {
          name: { type: "string" },
          owner: { type: "object", required: ["login"], properties: { login: { type: "string" } } },
        },
      },
      id: { parts: [{ member: ["owner", "login"] }, { member: ["name"] }] },
    },
  ],
});

onTransports("ids of several parts", { service: { contract: repositories } }, (mock) => {
  test("the id of an item with several parts has the values of the members, and names the item in paths", async () => {
    const project = newProject();
    const call = (method: string, path: string, body?: unknown) =>
      inProject<Record<string, unknown>>(mock, project, method, `/resources${path}`, body);
    const own = { owner: { login: "acme" }, name: "a/b" };
    const added = await call("POST", "", own);
    expect(added.body).toMatchObject({ ...own, $mock: { id: "acme,a%2Fb", version: 1 } });
    expect(added.headers.get("Location")).toBe(`/__admin/projects/${project}/resources/acme%2Ca%252Fb`);
    expect(expectProblem(await call("POST", "", own), 409, "DuplicateValue")).toMatchObject([{ pointer: "/name" }]);
    const path = "/acme,a%252Fb?type=/repos";
    expect((await call("GET", path)).body).toEqual(added.body);
    const put = await call("PUT", path, { owner: {}, stars: 5 });
    expect(put.body).toMatchObject({
      owner: { login: "acme" },
      name: "a/b",
      $mock: { version: 2, hidden: { stars: 5 } },
    });
    expect((await call("DELETE", path)).status).toBe(204);
    expect((await call("GET", path)).status).toBe(404);
    expect((await call("POST", "", { name: "x", $mock: { id: "y,x" } })).body).toMatchObject({ $mock: { id: "y,x" } });
    expect((await call("GET", "?type=/repos/acme/app")).body.detail).toContain("found the path of an item");
    expect((await inProject(mock, project, "GET", "/types")).body).toMatchObject({
      types: [{ id: "owner.login,name" }],
    });
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
