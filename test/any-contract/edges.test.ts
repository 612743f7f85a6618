import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textOf, whyOf } from "../../src/journal/index.ts";
import { createResourceMock, type ResourceMock } from "../../src/library/resource-mock.ts";
import { documentOf, objectOf } from "../setup/documents.ts";
import { json, newProject } from "../setup/mock.ts";

/* Documents that differ from the usual ones in a point that decides what a request does. */

const text = { type: "string" };
const integer = { type: "integer" };
const listOf = (items: object) => ({ type: "array", items });

/** Returns an operation: the schema that it returns, and the one that it accepts. */
function does(status: number, returned?: object, body?: object, more: object = {}): object {
  const content = (schema: object) => ({ content: { "application/json": { schema } } });
  const patches = { "application/json-patch+json": {}, "application/merge-patch+json": {} };
  const headers = { ETag: { schema: text } };
  return {
    responses: {
      [status]: { description: "", ...(returned && content(returned)), ...(status === 202 && { headers }) },
    },
    ...(body && { requestBody: { content: { ...content(body).content, ...patches } } }),
    ...more,
  };
}

/** Returns the schema of an object with these members, which are optional but for those in `required`. */
const some = (properties: Record<string, object>, ...required: string[]) => ({ type: "object", required, properties });

const data = { type: "object", additionalProperties: true };
const created = { ...text, format: "date-time" };
const Note = some({ id: integer, data, tags: listOf(text), createdAt: created }, "id", "data", "tags");
const Row = some({ id: integer, label: text, rowVersion: { ...text, format: "byte", minLength: 4 } }, "id", "label");
const Release = some({ id: integer, version: { ...integer, maximum: 2 }, label: text }, "id", "label");
const File = some({ name: text, etag: text }, "name");
const User = some({ id: integer, key: text, label: text }, "label");
const Pod = some({ name: text, metadata: some({ uid: text, resourceVersion: text }), image: text }, "name");
const Profile = some({ id: integer, colour: text, size: integer });
const NewNote = some({ data, tags: listOf(text) });
const Label = some({ label: text });
const actions = objectOf({ actions: listOf(objectOf({ action: text })) });
const page = [
  { in: "query", name: "first", schema: integer },
  { in: "query", name: "max", schema: integer },
];

const document = documentOf({
  "/notes": { post: does(201, Note, NewNote), get: does(200, listOf(Note), undefined, { parameters: page }) },
  "/notes/{id}": {
    get: does(200, Note),
    patch: does(200, Note, NewNote),
    post: does(200, Note, actions),
    delete: does(204),
  },
  "/rows": { post: does(201, Row, Label) },
  "/rows/{id}": { get: does(200, Row), put: does(200, Row, Row), delete: does(204, undefined, Label) },
  "/releases": { post: does(201, Release, Label) },
  "/releases/{id}": { get: does(200, Release), patch: does(200, Release, Release) },
  "/files/{name}": { get: does(200, File), put: does(202, File, File), delete: does(204) },
  "/users": { post: does(201, User, User), get: does(200, listOf(User)) },
  "/users/{id}": { get: does(200, User), delete: does(204) },
  "/users/key={key}": { get: does(200, User), put: does(201, User, User) },
  "/pods": { post: does(201, Pod, Pod) },
  "/pods/{name}": { get: does(200, Pod), put: does(200, Pod, Pod) },
  "/channels/{channel}/members": { get: does(200, listOf(objectOf({ user: text, role: text }))) },
  "/channels/{channel}/members/{user}": {
    get: does(200, objectOf({ user: text, role: text })),
    put: does(204),
    delete: does(204),
  },
  "/notes/{id}/labels": { get: does(200, listOf(text)) },
  "/notes/{id}/labels/{label}": { put: does(204), delete: does(204) },
  "/profile": { get: does(200, Profile), patch: does(200, Profile, Profile), delete: does(204) },
});

describe("items of a document", () => {
  let mock: ResourceMock;
  beforeAll(async () => {
    mock = await createResourceMock({ contract: document, settings: { start: "empty" } });
  });
  afterAll(() => mock.close());

  /** Returns a function that sends requests to a new project. */
  const open = () => {
    const project = mock.project(newProject());
    return async (line: string, body?: unknown, headers: Record<string, string> = {}) => {
      const [method = "", path = ""] = line.split(" ");
      const sent = body === undefined ? { method } : json(method, body);
      const init = { ...sent, headers: { ...(sent as { headers?: object }).headers, ...headers } };
      const response = await mock.fetch(`${project.baseUrl}${path}`, init);
      const content = await response.text();
      return { status: response.status, headers: response.headers, body: content && JSON.parse(content) };
    };
  };
  const patchType = { "Content-Type": "application/json-patch+json" };

  test("the first patches of a mock, which arrive together, all take effect", async () => {
    const send = open();
    await send("POST /notes", { data: {}, tags: [] });
    const add = (value: string) => send("PATCH /notes/1", [{ op: "add", path: "/tags/-", value }], patchType);
    await Promise.all(["a", "b", "c"].map(add));
    expect((await send("GET /notes/1")).body.tags.toSorted()).toEqual(["a", "b", "c"]);
  });

  test.each([
    [{ op: "add", path: "/data/hasOwnProperty/call", value: 1 }],
    [{ op: "add", path: "/tags/toString/x", value: 1 }],
    [{ op: "replace", path: "/tags/length", value: 0 }],
    [{ op: "replace", path: "/tags/-", value: "x" }],
    [{ op: "add", path: "/data/__proto__/x", value: 1 }],
    [{ op: "add", path: "/data/~2", value: 1 }],
    [{ op: "copy", from: "/id/toString", path: "/data/x" }],
    [{ op: "test", path: "/data" }],
    [{ op: "move", path: "/data/x" }],
    [{ op: "move", from: "/data", path: "/data/x" }],
    [null],
  ])("a patch changes only what an item has: %j", async (operation) => {
    const send = open();
    await send("POST /notes", { data: {}, tags: ["a"] });
    const before = (await send("GET /notes/1")).body;
    expect((await send("PATCH /notes/1", [operation], patchType)).status).toBe(400);
    expect((await send("GET /notes/1")).body).toEqual(before);
    expect([Object.hasOwn(Object.prototype.hasOwnProperty, "call"), "x" in Object.prototype]).toEqual([false, false]);
  });

  test("a patch cannot nest values deeper than a body", async () => {
    const send = open();
    await send("POST /notes", { data: { a: {} }, tags: [] });
    const nesting = Array.from({ length: 300 }, () => [
      { op: "add", path: "/data/b", value: {} },
      { op: "move", from: "/data/a", path: "/data/b/a" },
      { op: "move", from: "/data/b", path: "/data/a" },
    ]);
    expect((await send("PATCH /notes/1", nesting.flat(), patchType)).status).toBe(400);
  });

  test("a patch can have at most 1000 operations", async () => {
    const send = open();
    await send("POST /notes", { data: {}, tags: [] });
    const many = Array.from({ length: 1001 }, () => ({ op: "test", path: "/data", value: {} }));
    expect((await send("PATCH /notes/1", many, patchType)).status).toBe(400);
    expect((await send("PATCH /notes/1", many.slice(1), patchType)).status).toBe(200);
  });

  test("a merge patch adds no nulls", async () => {
    const send = open();
    await send("POST /notes", { data: {}, tags: [] });
    const headers = { "Content-Type": "application/merge-patch+json" };
    const { body } = await send("PATCH /notes/1", { data: { a: { b: null, c: 1 } } }, headers);
    expect(body.data).toEqual({ a: { c: 1 } });
  });

  test("required lists of a new item are empty", async () => {
    const send = open();
    expect((await send("POST /notes", { data: {} })).body.tags ?? []).toEqual([]);
  });

  test("an action cannot change the id and the time of the creation", async () => {
    const send = open();
    const { body: created } = await send("POST /notes", { data: {}, tags: [] });
    const sent = [
      { action: "setId", id: 9 },
      { action: "setCreatedAt", createdAt: "2020-01-01T00:00:00Z" },
    ];
    const { body, headers } = await send("POST /notes/1", { actions: sent });
    expect([body, headers.get("Mock-Ignored")]).toEqual([created, "setId, setCreatedAt"]);
  });

  test("a request can have at most 500 actions", async () => {
    const send = open();
    await send("POST /notes", { data: {}, tags: [] });
    const many = Array.from({ length: 501 }, () => ({ action: "setTags", tags: [] }));
    expect((await send("POST /notes/1", { actions: many })).status).toBe(400);
  });

  test("a version in bytes is a text that its schema allows, and locks the item", async () => {
    const send = open();
    const { body: created } = await send("POST /rows", { label: "a" });
    const response = await send("PUT /rows/1", { ...created, label: "b" });
    expect([response.status, response.headers.get("Mock-Off-Contract")]).toEqual([200, null]);
    expect(response.body.rowVersion).not.toBe(created.rowVersion);
    expect((await send("PUT /rows/1", { ...created, label: "c" })).status).toBe(409);
  });

  test("a number that cannot count changes is no version", async () => {
    const send = open();
    const { body } = await send("POST /releases", { label: "a" });
    const response = await send("PATCH /releases/1", { ...body, label: "b" });
    expect([response.status, response.headers.get("Mock-Off-Contract")]).toEqual([200, null]);
  });

  test("the tag of an item is its member etag, and PUT has it where the document says so", async () => {
    const send = open();
    await send("PUT /files/a", { name: "a" });
    const { body, headers } = await send("GET /files/a");
    expect(headers.get("ETag")).toBe(`"${body.etag}"`);
    expect((await send("GET /files/a", undefined, { "If-None-Match": body.etag })).status).toBe(304);
    const changed = await send("PUT /files/a", { name: "a" }, { "If-Match": body.etag });
    expect([changed.status, changed.headers.get("ETag")]).toEqual([202, `"${changed.body.etag}"`]);
    expect((await send("PUT /files/a", { name: "a" }, { "If-Match": body.etag })).status).toBe(412);
  });

  test("a PUT by a key creates an item with a new id and this key, which no other one can have", async () => {
    const send = open();
    const { body } = await send("PUT /users/key=ann", { label: "Ann" });
    expect(body).toMatchObject({ id: expect.any(Number), key: "ann" });
    expect((await send("GET /users/key=ann")).body).toEqual(body);
    expect((await send("POST /users", { key: "ann", label: "Other" })).status).toBe(409);
  });

  test("a replaced item keeps the uid in its metadata", async () => {
    const send = open();
    const { body } = await send("POST /pods", { name: "web", metadata: {}, image: "a" });
    expect(body.metadata).toEqual({ uid: expect.any(String), resourceVersion: "1" });
    const replaced = await send("PUT /pods/web", { name: "web", metadata: {}, image: "b" });
    expect(replaced.body.metadata).toEqual({ ...body.metadata, resourceVersion: "2" });
  });

  test("a PUT without a body puts an item there that GET and the list show, until DELETE", async () => {
    const send = open();
    const member = "/channels/sea/members/ann";
    expect((await send(`GET ${member}`)).status).toBe(404);
    expect((await send(`PUT ${member}`)).status).toBe(204);
    expect((await send(`GET ${member}`)).body).toMatchObject({ user: "ann" });
    expect((await send("GET /channels/sea/members")).body).toMatchObject([{ user: "ann" }]);
    await send(`DELETE ${member}`);
    expect((await send(`GET ${member}`)).status).toBe(404);
    for (const label of ["red", "blue"]) await send(`PUT /notes/1/labels/${label}`);
    expect((await send("GET /notes/1/labels")).body).toEqual(["red", "blue"]);
  });

  test("a body that a DELETE does not read is named", async () => {
    const send = open();
    await send("POST /rows", { label: "a" });
    expect((await send("DELETE /rows/1", { label: "a" })).headers.get("Mock-Ignored")).toBe("body");
  });

  test("a deleted single item is there again after a change", async () => {
    const send = open();
    await send("DELETE /profile");
    expect((await send("GET /profile")).status).toBe(404);
    expect((await send("PATCH /profile", { colour: "blue" })).status).toBe(200);
    expect((await send("GET /profile")).body).toMatchObject({ colour: "blue" });
  });

  test("another client cannot write before a request that creates the item", async () => {
    const project = mock.project(newProject());
    await project.use("conflict");
    const response = await mock.fetch(`${project.baseUrl}/channels/sea/members/ann`, { method: "PUT" });
    expect(response.status).toBe(204);
  });

  test("first beside max is the number of items before the page", async () => {
    const send = open();
    for (const tag of ["a", "b", "c"]) await send("POST /notes", { data: {}, tags: [tag] });
    const { body } = await send("GET /notes?first=1&max=2");
    expect(body.map((each: { readonly tags: readonly string[] }) => each.tags[0])).toEqual(["b", "c"]);
  });
});

test("pages may read the headers that a document names", async () => {
  const paths = { "/a": { get: { responses: { 200: { description: "", headers: { "X-Total-Count": {} } } } } } };
  await using mock = await createResourceMock({ contract: documentOf(paths) });
  const { headers } = await mock.fetch("http://in.process/p/a", { headers: { Origin: "https://shop.example" } });
  expect(headers.get("Access-Control-Expose-Headers")).toMatch(/Link.*x-total-count/);
});

test("the reason of a 404 names what is missing, without an id that the path does not have", async () => {
  await using mock = await createResourceMock({ contract: document });
  await using project = mock.project(newProject());
  await mock.fetch(`${project.baseUrl}/channels/sea/members/ann`);
  const [entry] = await project.requests.list();
  if (!entry) throw new Error("expected a request in the journal, found none");
  expect(textOf(whyOf(project.key, entry).reason)).toMatch(/^404: no member with the id "ann": it was never created/);
});
