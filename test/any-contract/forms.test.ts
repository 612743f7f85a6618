import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { createContract } from "../../src/contract/contract.ts";
import { object, type Schema } from "../../src/contract/json-schema.ts";
import type { Operation, Responses } from "../../src/contract/operation-table.ts";
import type { ResourceType, Role } from "../../src/contract/resource-type.ts";
import { inProject } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";
import { repository } from "../setup/run.ts";

/** Roles and types that documents have, as values: wrapped bodies, ids of several parts, ids in the body. */

const text = { type: "string" } as const;
const integer = { type: "integer" } as const;

async function answerOf(mock: MockUnderTest, path: string, init?: RequestInit) {
  const response = await mock.fetch(path, init);
  const body = await response.text();
  return { status: response.status, body: body === "" ? undefined : JSON.parse(body), headers: response.headers };
}

function operation(method: Operation["method"], path: string, role: Role | undefined, responses: Responses): Operation {
  const names = Array.from(path.matchAll(/\{([^{}]+)\}/g), ([, name = ""]) => name);
  const parameters = names.map((name) => ({ in: "path", name, schema: text }) as const);
  const body = { required: false, mediaTypes: ["application/json"] };
  const id = `${method.toLowerCase()}${path.replace(/\W+(\w?)/g, (_all, letter: string) => letter.toUpperCase())}`;
  return { id, summary: id, tag: "all", method, path, parameters, body, responses, ...(role && { role }) };
}

function contractOf(types: readonly ResourceType[], operations: readonly Operation[]) {
  const defaults = { collection: "paged", unknownIds: "auto" };
  return createContract({ info: { title: "Forms" }, types, operations, defaults });
}

const of = (schema: Schema, more: object = {}) => ({ description: "", schema, ...more });

const Repo = object(["name", "owner"], {
  name: text,
  owner: object(["login"], { login: text, kind: text }),
  stars: integer,
  home: { type: "string", format: "uri" },
});
const Summary = object(["name", "score"], { name: text, score: integer });
const Wrapped = object(["data", "took"], { data: Repo, took: integer, note: text });
const repo = { name: "mock", owner: { login: "ann", kind: "user" }, stars: 3 };

const repos: ResourceType = {
  name: "Repo",
  path: "/repos",
  kind: "collection",
  itemPath: "/repos/{owner}/{name}",
  schema: Repo,
  id: { parts: [{ member: ["owner", "login"] }, { member: ["name"] }] },
  samples: { item: "getReposOwnerName" },
};
const byBoth = { parameters: ["owner", "name"], member: "id" };

const ofRepos = contractOf(
  [repos],
  [
    operation(
      "GET",
      "/repos/{owner}/{name}",
      { does: "read", type: "Repo", by: byBoth, response: ["data"] },
      { 200: of(Wrapped, { examples: { one: { data: repo, took: 12, note: "n" } } }) },
    ),
    operation(
      "POST",
      "/users/{owner}/repos",
      {
        does: "create",
        type: "Repo",
        body: ["repo"],
        response: ["data"],
        keeps: [{ parameter: "owner", member: ["owner", "login"] }],
      },
      { 201: of(Wrapped), 409: { description: "" } },
    ),
    operation(
      "POST",
      "/repos",
      { does: "create", type: "Repo", response: null },
      { 202: of(object(["job"], { job: text })) },
    ),
    operation(
      "GET",
      "/users/{owner}/repos",
      {
        does: "list",
        type: "Repo",
        keeps: [{ parameter: "owner", member: ["owner", "login"] }],
        list: { at: [] },
      },
      { 200: of({ type: "array", items: Summary }) },
    ),
    operation("PATCH", "/repos/{owner}/{name}", { does: "merge", type: "Repo", by: byBoth }, { 200: of(Repo) }),
    operation(
      "DELETE",
      "/repos/{owner}/{name}",
      { does: "delete", type: "Repo", by: byBoth },
      { 204: { description: "" } },
    ),
  ],
);

onTransports("ids of several parts and wrapped bodies", { service: { contract: ofRepos } }, (mock) => {
  const open = () => {
    const project = newProject();
    const send = (method: string, path: string, body?: unknown) =>
      answerOf(mock, `/${project}${path}`, body === undefined ? { method } : json(method, body));
    return { project, send, get: (path: string) => send("GET", path) };
  };

  test("ids are at the documented location of the response", async () => {
    const { project, send, get } = open();
    expect((await get("/repos/ann/mock")).body).toEqual({ data: repo, took: 12 });
    const { status, body, headers } = await send("POST", "/users/bob/repos", { repo: { name: "a b", stars: 1, x: 1 } });
    const created = { name: "a b", owner: { login: "bob" }, stars: 1 };
    expect([status, body]).toEqual([201, { data: created, took: 0 }]);
    expect(headers.get("Location")).toBe(`/${project}/repos/bob/a%20b`);
    expect((await get("/repos/bob/a%20b")).body).toEqual({ data: created, took: 12 });
  });

  test("ids can have every character, and a create with an existing id gets 409", async () => {
    const { send, get } = open();
    for (const name of ["a/b", "a,b", "ü ✓", "%2F", "..x"]) {
      expect((await send("POST", "/users/bob/repos", { repo: { name } })).status).toBe(201);
      expect((await get(`/repos/bob/${encodeURIComponent(name)}`)).body.data.name).toBe(name);
    }
    expect((await send("POST", "/users/bob/repos", { repo: { name: "a/b" } })).status).toBe(409);
    expect((await send("POST", "/users/eve/repos", { repo: { name: "a/b" } })).status).toBe(201);
  });

  test.each(["..", ".", "x".repeat(257), "x".repeat(10_000)])("that no path can contain are refused", async (name) => {
    const { send, get } = open();
    const { status, headers } = await send("POST", "/users/bob/repos", { repo: { name } });
    expect([status, headers.get("Mock-Reason")]).toEqual([400, expect.stringMatching(/expected an id of at most 256/)]);
    expect((await get("/users/bob/repos")).body).toEqual([]);
    if (name.length > 2) expect((await get(`/repos/bob/${name}`)).status).toBe(404);
  });

  test("a list filters items by the value of the path, and shows the documented members", async () => {
    const { send, get } = open();
    await send("POST", "/users/bob/repos", { repo: { name: "a" } });
    await send("POST", "/users/eve/repos", { repo: { name: "b" } });
    expect((await get("/users/bob/repos")).body).toEqual([{ name: "a", score: 0 }]);
    expect((await get("/users/ann/repos")).body).toEqual([{ name: "mock", score: 0 }]);
  });

  test("a change of the ids renames an item, also in an archive", async () => {
    const { project, send, get } = open();
    await send("POST", "/users/bob/repos", { repo: { name: "a" } });
    expect((await send("PATCH", "/repos/bob/a", { name: "b/c", owner: { login: "eve" } })).body).toMatchObject({
      ...{ name: "b/c", owner: { login: "eve" } },
    });
    expect([(await get("/repos/bob/a")).status, (await get("/repos/eve/b%2Fc")).status]).toEqual([404, 200]);
    const { body: archive } = await inProject(mock, project, "GET", "/archive");
    const { body: state } = await inProject(mock, project, "GET", "/state");
    const copy = newProject();
    expect((await inProject(mock, copy, "PUT", "/archive", archive as object)).status).toBeLessThan(300);
    expect((await inProject(mock, copy, "GET", "/state")).body).toEqual(state);
    expect((await answerOf(mock, `/${copy}/repos/eve/b%2Fc`)).body.data.name).toBe("b/c");
  });

  test("a create stores the item if its response shows no item", async () => {
    const { send, get } = open();
    const { status, body } = await send("POST", "/repos", { name: "later", owner: { login: "bob" } });
    expect([status, body]).toEqual([202, { job: expect.any(String) }]);
    expect((await get("/repos/bob/later")).status).toBe(200);
  });
});

const Pet = object(["name"], { id: { ...integer, format: "int64" }, name: text });
const pet: ResourceType = {
  name: "Pet",
  path: "/pet",
  kind: "collection",
  itemPath: "/pet/{petId}",
  schema: Pet,
  id: { form: "integer", member: "id" },
};
const onlyErrors = { 405: { description: "Invalid input" } };
const petstore = contractOf(
  [pet],
  [
    operation("POST", "/pet", { does: "create", type: "Pet" }, onlyErrors),
    operation(
      "PUT",
      "/pet",
      { does: "replace", type: "Pet", by: { parameters: [], member: "id", from: [{ in: "body", at: ["id"] }] } },
      onlyErrors,
    ),
    operation(
      "GET",
      "/pet/{petId}",
      { does: "read", type: "Pet", by: { parameters: ["petId"], member: "id" } },
      { 200: of(Pet) },
    ),
    operation(
      "DELETE",
      "/pet/{petId}",
      { does: "delete", type: "Pet", by: { parameters: ["petId"], member: "id" } },
      onlyErrors,
    ),
  ],
);

onTransports("a document of errors only", { service: { contract: petstore } }, (mock) => {
  test("a create gets 201, a change 200 and a delete 204", async () => {
    const project = newProject();
    const send = (method: string, path: string, body?: unknown) =>
      answerOf(mock, `/${project}${path}`, body === undefined ? { method } : json(method, body));
    expect(await send("POST", "/pet", { id: 70, name: "Rex" })).toMatchObject({
      status: 201,
      body: { id: 70, name: "Rex" },
    });
    expect(await send("PUT", "/pet", { id: 70, name: "Ida" })).toMatchObject({
      status: 200,
      body: { id: 70, name: "Ida" },
    });
    expect(await send("GET", "/pet/70")).toMatchObject({ status: 200, body: { id: 70, name: "Ida" } });
    expect((await send("GET", "/pet/070")).status).toBe(200);
    expect((await send("POST", "/pet", { id: 0, name: "Ida" })).body.id).toBeGreaterThan(0);
    for (const body of [{ name: "Ida" }, { id: 0, name: "Ida" }]) {
      const { status, headers } = await send("PUT", "/pet", body);
      expect([status, headers.get("Mock-Reason")]).toEqual([400, "/id: expected the id of an item, found none"]);
    }
    expect((await send("PUT", "/pet", { id: 71, name: "Bo" })).status).toBe(404);
    expect((await send("GET", "/pet/x")).status).toBe(404);
    expect(await send("DELETE", "/pet/70")).toMatchObject({ status: 204, body: undefined });
    expect((await send("GET", "/pet/70")).status).toBe(404);
  });
});

describe("initial items without an example", () => {
  onTransports("are generated", { service: { contract: petstore } }, (mock) => {
    test("initial items have the ids 1 to 3, and are the same in each project and process", async () => {
      const read = async (project: string) =>
        Promise.all([1, 2, 3].map(async (id) => (await answerOf(mock, `/${project}/pet/${id}`)).body));
      const first = await read(newProject());
      expect(first).toMatchObject([{ id: 1, name: expect.any(String) }, { id: 2 }, { id: 3 }]);
      expect(await read(newProject())).toEqual(first);
    });
  });
});

test("two processes derive the same initial items", { tags: ["process"] }, () => {
  const script = `
    import { createResourceMock } from "./src/library/resource-mock.ts";
    import { library } from "./test/any-contract/documents.ts";
    const mock = await createResourceMock({ contract: library, seed: 3 });
    const { baseUrl } = mock.project("a");
    const read = async (path) => (await mock.fetch(baseUrl + path)).text();
    console.log(await read("/books"), await read("/profile"), await read("/users"));
    await mock.close();`;
  const run = () =>
    execFileSync(process.execPath, ["--input-type=module-typescript", "-e", script], { cwd: repository });
  const [first, second] = [run(), run()];
  expect(first.toString()).toContain("Emma");
  expect(second.equals(first)).toBe(true);
});
