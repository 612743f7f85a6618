import { describe, expect, test } from "vitest";
import { loadCheck } from "../../src/contract/validator.ts";
import { ObjectTestType } from "../../src/services/generic-resource/schemas.ts";
import type { ResourceRecord } from "../../src/state/resource-record.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { expectError } from "../setup/errors.ts";
import { newProject, onTransports } from "../setup/mock.ts";
import { read } from "../setup/resources.ts";

interface Listed {
  resources: ResourceRecord[];
  total: number;
}

const content = { objectTypeProperty: { arrayOfIntExample: [7] } };

onTransports("the key of a changed resource", {}, (mock) => {
  test.each(["new-key", undefined])("returns 404 for the old key after a change to %s", async (key) => {
    const project = newProject();
    await inProject(mock, project, "POST", "/resources", { id: "r", key: "old-key", objectTypeProperty: {} });
    await inProject(mock, project, "PUT", "/resources/r", { key, objectTypeProperty: {} });
    await expectError(await mock.resource(project, "/key=old-key"), "ResourceNotFound");
    if (key) expect((await mock.resource(project, `/key=${key}`)).status).toBe(200);
    expect((await inProject(mock, project, "GET", "/state")).body).toMatchObject({ deleted: { keys: ["old-key"] } });

    // Another resource can take the old key.
    await inProject(mock, project, "POST", "/resources", { id: "other", key: "old-key", objectTypeProperty: {} });
    expect((await mock.resource(project, "/key=old-key")).headers.get("Mock-Source")).toBe("state");
  });
});

onTransports("resources through the control API", { now: () => Date.parse("2025-06-01T12:00:00Z") }, (mock) => {
  const list = async (project: string, query = "") =>
    (await inProject<Listed>(mock, project, "GET", `/resources${query}`)).body;
  const add = (project: string, body: unknown) => inProject<Listed>(mock, project, "POST", "/resources", body);

  test("a resource is added, with defaults for absent members", async () => {
    const project = `${newProject()} ü/1`;
    const { status, body, headers } = await inProject(mock, project, "POST", "/resources", {
      id: "a b/ü",
      key: "k",
      version: 4,
      colour: "blue",
      ...content,
    });
    const now = "2025-06-01T12:00:00.000Z";
    const record = {
      id: "a b/ü",
      key: "k",
      version: 4,
      createdAt: now,
      lastModifiedAt: now,
      ...content,
      colour: "blue",
    };
    expect([status, body]).toEqual([201, record]);
    const location = headers.get("Location") ?? "";
    expect(location).toBe(`/__admin/projects/${encodeURIComponent(project)}/resources/a%20b%2F%C3%BC`);
    expect(await (await mock.fetch(location)).json()).toEqual(record);
    expect(await read(mock, project, "/key=k")).toEqual({ version: 4, ...content, colour: "blue" });
    expect((await inProject(mock, project, "POST", "/resources", content)).body).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      version: 1,
      createdAt: now,
    });
  });

  test("a replaced resource keeps the time of its creation", async () => {
    const project = newProject();
    const put = async () => (await inProject(mock, project, "PUT", "/resources/r", content)).body;
    const { createdAt } = await put();
    await inProject(mock, project, "PUT", "/clock", { advance: 1000 });
    expect(await put()).toMatchObject({ createdAt, lastModifiedAt: "2025-06-01T12:00:01.000Z" });
  });

  test("several resources are added, all or none", async () => {
    const project = newProject();
    const before = await list(project);
    const good = await add(project, [
      { id: "a", ...content },
      { id: "b", key: "kb", ...content },
    ]);
    expect(good).toMatchObject({ status: 201, body: { resources: [{ id: "a" }, { id: "b" }], total: 2 } });

    const bad = await add(project, [{ ...content }, { id: "b", ...content }, { id: "c", key: "kb", ...content }]);
    const errors = expectProblem(
      bad,
      409,
      "DuplicateValue",
      'expected an unused id, found "b", which another resource has',
    );
    expect(errors.map(({ pointer }) => pointer)).toEqual(["/1/id", "/2/key"]);
    expectProblem(
      await add(project, { id: "a", ...content }),
      409,
      "DuplicateValue",
      '/id: expected an unused id, found "a", which another resource has',
    );

    const repeated = await add(project, [
      { id: "x", ...content },
      { id: "x", ...content },
    ]);
    expect(expectProblem(repeated, 400, "InvalidField")).toMatchObject([{ pointer: "/1/id" }]);
    expect((await list(project)).resources).toEqual([...before.resources, ...good.body.resources]);
  });

  describe("generated resources", () => {
    test("satisfy the contract and depend on the seed", async () => {
      const [project, other] = [newProject(), newProject()];
      const { status, body } = await add(project, { generate: 1000, seed: 7 });
      expect([status, body.total, body.resources.length]).toEqual([201, 1000, 1000]);
      const check = await loadCheck(ObjectTestType);
      expect(body.resources.flatMap((resource) => check(resource))).toEqual([]);
      expect(new Set(body.resources.map(({ id }) => id)).size).toBe(1000);
      expect(new Set(body.resources.map(({ key }) => key)).size).toBe(1000);

      const contents = (listed: Listed) => listed.resources.map(({ objectTypeProperty }) => objectTypeProperty);
      const same = await add(other, { generate: 10, seed: 7 });
      expect(contents(same.body)).toEqual(contents(body).slice(0, 10));
      expect(contents((await add(other, { generate: 10, seed: 8 })).body)).not.toEqual(contents(same.body));
      expect((await list(other)).total).toBe((await list(newProject())).total + 20);
    });

    test("are the same in a project after each reset", async () => {
      const project = newProject();
      const first = await add(project, { generate: 3 });
      await inProject(mock, project, "POST", "/reset");
      expect((await add(project, { generate: 3 })).body).toEqual(first.body);
      expect((await add(newProject(), { generate: 3 })).body).not.toEqual(first.body);
    });

    test.each([
      [{ generate: 0 }, "/generate"],
      [{ generate: 5001 }, "/generate"],
      [{ generate: 3, sead: 1 }, "/sead"],
    ])("are rejected for %j", async (body, pointer) => {
      expect(expectProblem(await add(newProject(), body), 400, "InvalidField")).toMatchObject([{ pointer }]);
    });
  });

  test("are listed in the order of creation, in pages and by key", async () => {
    const project = newProject();
    await add(
      project,
      Array.from({ length: 600 }, (_, index) => ({ id: `r-${index}`, key: `k-${index}`, ...content })),
    );
    const all = await list(project, "?limit=10000");
    expect(all.resources.slice(-600).map(({ id }) => id)).toEqual(
      Array.from({ length: 600 }, (_, index) => `r-${index}`),
    );
    expect(await list(project)).toEqual({ resources: all.resources.slice(0, 500), total: all.total });
    expect(await list(project, "?limit=2&offset=3")).toEqual({
      resources: all.resources.slice(3, 5),
      total: all.total,
    });
    expect(await list(project, "?limit=0")).toEqual({ resources: [], total: all.total });
    expect(await list(project, "?offset=9999")).toEqual({ resources: [], total: all.total });
    expect(await list(project, "?key=k-77")).toMatchObject({ resources: [{ id: "r-77" }], total: 1 });
    expect(await list(project, "?key=none")).toEqual({ resources: [], total: 0 });
  });

  test("a resource is replaced with the given version, or with the next version", async () => {
    const project = newProject();
    const put = (body: object) => inProject(mock, project, "PUT", "/resources/a", body);
    expect(await put(content)).toMatchObject({ status: 201, body: { id: "a", version: 1 } });
    expect(await put({ ...content, key: "k", size: 1 })).toMatchObject({
      status: 200,
      body: { version: 2, key: "k", size: 1 },
    });
    expect((await put({ ...content, version: 9 })).body).toEqual({
      id: "a",
      version: 9,
      createdAt: expect.any(String),
      lastModifiedAt: expect.any(String),
      ...content,
    });
    expect((await put({ ...content, version: 3 })).body).toMatchObject({ version: 3 });
    expect(await read(mock, project, "/a")).toMatchObject({ version: 3 });
  });

  test("a resource cannot take the id or key of another resource", async () => {
    const project = newProject();
    await add(project, { id: "b", key: "kb", ...content });
    const put = (body: object) => inProject(mock, project, "PUT", "/resources/a", body);
    expect(expectProblem(await put({ id: "b", ...content }), 400, "InvalidField")).toMatchObject([{ pointer: "/id" }]);
    expect(expectProblem(await put({ key: "kb", ...content }), 409, "DuplicateValue")).toMatchObject([
      { pointer: "/key" },
    ]);
    expectProblem(
      await inProject(mock, project, "PUT", `/resources/${"x".repeat(257)}`, content),
      400,
      "InvalidField",
      "256",
    );
    expectProblem(await inProject(mock, project, "GET", "/resources/a"), 404, "ResourceNotFound");
  });

  test("a deleted resource is not created from the fixture again", async () => {
    const project = newProject();
    await add(project, { id: "a", ...content });
    expect((await inProject(mock, project, "DELETE", "/resources/a")).status).toBe(204);
    expectProblem(await inProject(mock, project, "DELETE", "/resources/a"), 404, "ResourceNotFound");
    expect((await mock.resource(project, "/a")).status).toBe(404);
  });

  test("reading an unknown resource does not create it from the fixture", async () => {
    const project = newProject();
    expectProblem(await inProject(mock, project, "GET", "/resources/nobody"), 404, "ResourceNotFound", '"nobody"');
    expect((await list(project)).resources.map(({ id }) => id)).not.toContain("nobody");
  });

  test("an invalid resource returns 400 with the location of each violation", async () => {
    const bad = { id: "", key: 3, version: 0, createdAt: "yesterday", objectTypeProperty: { arrayOfObjectType: [1] } };
    const pointers = (
      await add(newProject(), [content, bad]).then((reply) => expectProblem(reply, 400, "InvalidField"))
    ).map(({ pointer }) => pointer);
    expect(pointers.sort()).toEqual([
      "/1/createdAt",
      "/1/id",
      "/1/key",
      "/1/objectTypeProperty/arrayOfObjectType/0",
      "/1/version",
    ]);
  });
});
