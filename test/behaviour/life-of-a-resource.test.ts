import { expect, test } from "vitest";
import { expectError } from "../setup/errors.ts";
import { json, newProject, onAllTransports } from "../setup/mock.ts";
import { draft, read, update, write } from "../setup/resources.ts";

onAllTransports("the life of a resource", {}, (mock) => {
  test("create returns 201 with the draft at version 1 and the location of the resource", async () => {
    const project = newProject();
    const response = await mock.resource(project, "", json("POST", draft));
    expect(response.status).toBe(201);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(response.headers.get("Mock-Source")).toBe("state");
    expect(await response.json()).toEqual({ version: 1, ...draft });

    const location = response.headers.get("Location") ?? "";
    expect(location).toMatch(new RegExp(`^/${project}/resource/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`));
    const found = await mock.fetch(location);
    expect([found.status, await found.json()]).toEqual([200, { version: 1, ...draft }]);
    expect(found.headers.get("Mock-Source")).toBe("state");
  });

  test("Location has the percent-encoded project key", async () => {
    const project = `größe "1/2" ${newProject()}`;
    const response = await mock.resource(project, "", json("POST", draft));
    const location = response.headers.get("Location") ?? "";
    expect(location).toContain(`/${encodeURIComponent(project)}/resource/`);
    expect((await mock.fetch(location)).status).toBe(200);
  });

  test("each create makes a new resource", async () => {
    const project = newProject();
    const first = await write(mock, project);
    const second = await write(mock, project, "POST", { objectTypeProperty: { arrayOfIntExample: [2] } });
    expect(second.id).not.toBe(first.id);
    expect(await read(mock, project, `/${first.id}`)).toEqual({ version: 1, ...draft });
    expect(await read(mock, project, `/${second.id}`)).toMatchObject({ version: 1 });
  });

  test("a read returns the update, and delete returns the last state", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    await mock.resource(project, `/${id}`, update(1));
    expect(await read(mock, project, `/${id}`)).toEqual({ version: 2, ...draft });
    const deleted = await mock.resource(project, `/${id}`, { method: "DELETE" });
    expect([deleted.status, await deleted.json()]).toEqual([200, { version: 2, ...draft }]);
  });

  test.each([
    ["read", {}],
    ["update", update(1)],
    ["delete", { method: "DELETE" }],
  ])("after a delete, %s is 404", async (_name, init) => {
    const project = newProject();
    const { id } = await write(mock, project);
    await mock.resource(project, `/${id}`, { method: "DELETE" });
    const response = await mock.resource(project, `/${id}`, init);
    await expectError(response, "ResourceNotFound", { field: "id", message: expect.stringContaining(id) });
  });

  test("extra fields of a draft are kept with any value", async () => {
    const project = newProject();
    const extra = { season: "SS25", tags: [{ a: null }], constructor: "x", nested: { toString: 1 } };
    const inner = { arrayOfIntExample: [], colour: "camel" };
    const { id, resource } = await write(mock, project, "POST", { ...extra, objectTypeProperty: inner });
    expect(resource).toEqual({ version: 1, objectTypeProperty: inner, ...extra });
    expect(await read(mock, project, `/${id}`)).toEqual(resource);
  });

  test.each(["id", "key", "version", "createdAt", "lastModifiedAt", "createdBy"])(
    "the service sets %s, and ignores it in a draft",
    async (field) => {
      const project = newProject();
      const { id, resource } = await write(mock, project, "POST", { ...draft, [field]: "mine" });
      expect(id).not.toBe("mine");
      expect(resource).toEqual({ version: 1, ...draft });
    },
  );

  test.each([
    ["no objectTypeProperty", {}, "/objectTypeProperty", "is required"],
    ["an array for an object", [], "", "expected object, found an empty array"],
    ["a text for an array", { arrayOfStringExample: "x" }, "/arrayOfStringExample", 'expected array, found "x"'],
    ["a text for an integer", { arrayOfIntExample: [1, "2"] }, "/arrayOfIntExample/1", 'expected integer, found "2"'],
    ["a fraction for an integer", { arrayOfUniqueIntExample: [0.5] }, "/arrayOfUniqueIntExample/0", "found 0.5"],
    ["a number for a string", { arrayOfStringExample: [1] }, "/arrayOfStringExample/0", "expected string, found 1"],
    [
      "a text in an element",
      { arrayOfObjectType: [{ integerExample: "1" }] },
      "/arrayOfObjectType/0/integerExample",
      "expected integer",
    ],
    [
      "an int32 one above its range",
      { arrayOfObjectType: [{ integerExampleInt32: 2147483648 }] },
      "/arrayOfObjectType/0/integerExampleInt32",
      "expected a 32-bit integer (-2147483648 to 2147483647), found 2147483648",
    ],
  ])("a draft with %s is 400 with the location, for each method", async (_name, content, place, part) => {
    const whole = place === "" || place === "/objectTypeProperty";
    const body = whole ? content : { objectTypeProperty: content };
    const field = whole ? place : `/objectTypeProperty${place}`;
    const project = newProject();
    for (const method of ["POST", "PUT", "PATCH"]) {
      const response = await mock.resource(project, "", json(method, body));
      await expectError(response, "InvalidField", { field, message: expect.stringContaining(part) });
    }
  });

  test("rules in the names of the arrays are not enforced, and the limits of int32 are accepted", async () => {
    const content = {
      arrayOfUniqueIntExample: [7, 7],
      arrayOfTwonumbersExample: [1, 2, 3],
      arrayOfFloatExample: [],
      arrayOfIntExample: [1.0, -5, 9007199254740991],
      arrayOfObjectType: [{ integerExampleInt32: 2147483647 }, { integerExampleInt32: -2147483648 }, {}],
    };
    const { resource } = await write(mock, newProject(), "POST", { objectTypeProperty: content });
    expect(resource.objectTypeProperty).toEqual(content);
  });

  test("the response names up to twenty problems of a body", async () => {
    const project = newProject();
    const wrong = (count: number) => ({ objectTypeProperty: { arrayOfIntExample: Array(count).fill("x") } });
    const few = await expectError(await mock.resource(project, "", json("POST", wrong(3))), "InvalidField");
    expect(few.map(({ field }) => field)).toEqual([0, 1, 2].map((n) => `/objectTypeProperty/arrayOfIntExample/${n}`));
    const many = await expectError(await mock.resource(project, "", json("POST", wrong(100))), "InvalidField", {});
    expect(many).toHaveLength(20);
  });
});
