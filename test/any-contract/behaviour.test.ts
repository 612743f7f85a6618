import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createResourceMock } from "../../src/index.ts";
import { loadService } from "../../src/library/mock.ts";
import { commandHere } from "../setup/command.ts";
import { inProject } from "../setup/control.ts";
import { folderOf, writeInto } from "../setup/folder.ts";
import { json, type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";
import { serving } from "../setup/serving.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const content = (schema: object) => ({ content: { "application/json": { schema } } });
const ok = (schema: object, status = 200) => ({ responses: { [status]: { description: "", ...content(schema) } } });
const sends = (schema: object) => ({ requestBody: content(schema) });
const inPath = (...names: string[]) => ({
  parameters: names.map((name) => ({ in: "path", name, required: true, schema: text })),
});
const object = (properties: object) => ({ type: "object", properties });
const hits = object({ hits: { type: "array", items: ref("Doc") }, total: integer });

/** A document in which the paths and schemas say too little. */
const contract = {
  openapi: "3.1.0",
  info: { title: "Desk", version: "1" },
  components: {
    schemas: {
      Doc: object({ id: { ...text, readOnly: true }, slug: text, rev: integer, title: text, author: ref("Author") }),
      Author: object({ name: text }),
      User: object({ id: text, name: text }),
      Order: object({ id: integer, status: { enum: ["open", "cancelled"], readOnly: true }, note: text }),
      Team: object({ lead: object({ login: text }), name: text, size: integer }),
      Post: object({ id: integer, body: text }),
      Report: object({ id: text, text, "odata.rev": integer }),
      Settings: object({ theme: text }),
    },
  },
  paths: {
    "/docs": {
      get: { operationId: "listDocs", ...ok({ type: "array", items: ref("Doc") }) },
      post: { operationId: "createDoc", ...sends(ref("Doc")), ...ok(ref("Doc"), 201) },
    },
    "/docs/{docId}": {
      ...inPath("docId"),
      get: { operationId: "getDoc", ...ok(ref("Doc")) },
      put: { operationId: "putDoc", ...sends(ref("Doc")), ...ok(ref("Doc")) },
      delete: { operationId: "deleteDoc", responses: { 204: { description: "" } } },
    },
    "/docs/search": { post: { ...sends(object({ q: text })), ...ok(hits) } },
    "/docs/{docId}/actions": {
      ...inPath("docId"),
      post: {
        operationId: "updateDoc",
        ...sends(
          object({ version: integer, actions: { type: "array", items: object({ action: text, title: text }) } }),
        ),
        ...ok(ref("Doc")),
      },
    },
    "/users": { post: { operationId: "createUser", ...sends(ref("User")), ...ok(ref("User"), 201) } },
    "/users/{userId}": { ...inPath("userId"), get: { operationId: "getUser", ...ok(ref("User")) } },
    "/users/{userId}/posts": {
      ...inPath("userId"),
      get: { operationId: "listPosts", ...ok({ type: "array", items: ref("Post") }) },
      post: { operationId: "createPost", ...sends(ref("Post")), ...ok(ref("Post"), 201) },
    },
    "/users/{id}/feed": {
      ...inPath("id"),
      get: { operationId: "ownFeed", ...ok({ type: "array", items: ref("Post") }) },
    },
    "/feeds/{language}/{user_id}": {
      ...inPath("language", "user_id"),
      get: { operationId: "feed", ...ok({ type: "array", items: ref("Post") }) },
    },
    "/me": { get: { operationId: "getMe", ...ok(ref("User")) } },
    "/admin": { get: { operationId: "getAdmin", ...ok(ref("User")) } },
    "/lookup": { get: { operationId: "lookup", ...ok(ref("User")) } },
    "/people/{name}": { ...inPath("name"), get: { operationId: "getPerson", ...ok(ref("User")) } },
    "/rename": { post: { operationId: "rename", ...sends(ref("User")), ...ok(ref("User")) } },
    "/remove/{userId}": {
      ...inPath("userId"),
      post: { operationId: "removeUser", responses: { 204: { description: "" } } },
    },
    "/sign-up": { post: { operationId: "signUp", ...sends(ref("User")), ...ok(ref("User"), 201) } },
    "/orders": { post: { operationId: "createOrder", ...sends(ref("Order")), ...ok(ref("Order"), 201) } },
    "/orders/{orderId}": { ...inPath("orderId"), get: { operationId: "getOrder", ...ok(ref("Order")) } },
    "/orders/{orderId}/cancel": {
      ...inPath("orderId"),
      post: { operationId: "cancelOrder", ...sends(object({ reason: text })), ...ok(ref("Order")) },
    },
    "/teams/{a}/{b}": {
      ...inPath("a", "b"),
      get: { operationId: "getTeam", ...ok(ref("Team")) },
      put: { operationId: "putTeam", ...sends(ref("Team")), ...ok(ref("Team"), 201) },
    },
    "/settings": {
      get: { operationId: "getSettings", ...ok(ref("Settings")) },
      put: { operationId: "putSettings", ...sends(ref("Settings")), ...ok(ref("Settings")) },
    },
    "/settings/reset": { post: { operationId: "reset", ...ok(ref("Settings")) } },
    "/ping": { get: { operationId: "ping", ...ok(object({ note: text })) } },
    "/team": { get: { operationId: "ownTeam", ...ok(ref("Team")) } },
    "/account": {
      parameters: ["user", "name"].map((name) => ({ in: "query", name, schema: text })),
      patch: { operationId: "changeAccount", ...ok(ref("User")) },
    },
    "/reports/{reportId}": { ...inPath("reportId"), get: { operationId: "getReport", ...ok(ref("Report")) } },
    "/report": { get: { operationId: "latestReport", ...ok(ref("Report")) } },
    "/health": {
      get: { operationId: "health", ...ok(object({ note: text })) },
      put: { operationId: "setHealth", ...sends(object({ note: text })), ...ok(object({ note: text })) },
    },
  },
};

const behaviour = {
  types: {
    Doc: { id: "slug", version: "rev" },
    "/reports/{reportId}": { version: "odata.rev" },
    "/teams/{lead}/{name}": { id: ["lead.login", "name"] },
  },
  operations: {
    "POST /docs/search": { list: "Doc" },
    updateDoc: { update: "Doc" },
    getMe: { read: "User", id: { header: "X-User" } },
    getAdmin: { read: "User", id: { value: "admin" } },
    lookup: { read: "User", id: { query: "user" } },
    getPerson: { read: "/users" },
    rename: { merge: "/users/{id}", id: { body: "id" } },
    removeUser: { delete: "User" },
    signUp: { create: "User" },
    changeAccount: { merge: "User", id: { query: "user" } },
    latestReport: { read: "/reports/{reportId}", id: { value: "latest" } },
    feed: { list: "Post" },
    ownFeed: { list: "Post" },
    reset: { set: { theme: "light" } },
    cancelOrder: { set: { status: "cancelled" } },
    health: { stateless: true },
    setHealth: { stateless: true },
  },
};

async function responseOf(
  mock: MockUnderTest,
  project: string,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
) {
  const init = body === undefined ? { method } : json(method, body);
  const response = await mock.fetch(`/${project}${path}`, { ...init, headers: { ...init.headers, ...headers } });
  const received = await response.text();
  return {
    status: response.status,
    body: received === "" ? undefined : JSON.parse(received),
    ignored: response.headers.get("Mock-Ignored"),
    reason: response.headers.get("Mock-Reason"),
  };
}

function opening(mock: MockUnderTest) {
  const project = newProject();
  return (method: string, path: string, body?: unknown, headers?: object) =>
    responseOf(mock, project, method, path, body, headers);
}

onTransports("without a behaviour file", { contract }, (mock) => {
  test("the mock knows the items only by what paths and schemas say", async () => {
    const send = opening(mock);
    await send("POST", "/docs", { slug: "a", title: "A" });
    await send("POST", "/users", { id: "ann", name: "Ann" });
    const { body: order } = await send("POST", "/orders", { note: "n" });
    await send("PUT", "/teams/ann/red", { size: 3 });
    expect((await send("GET", "/docs/a")).status).toBe(404);
    expect((await send("POST", "/docs/search", {})).body.hits?.[0]?.title).not.toBe("A");
    expect((await send("GET", "/me", undefined, { "x-user": "ann" })).body.name).not.toBe("Ann");
    await send("POST", `/orders/${order.id}/cancel`, {});
    expect((await send("GET", `/orders/${order.id}`)).body).toEqual(order);
    expect((await send("GET", "/teams/ann/red")).body.name).not.toBe("red");
    await send("PUT", "/health", { note: "mine" });
    expect((await send("GET", "/health")).body).toEqual({ note: "mine" });
  });
});

onTransports("a behaviour file", { service: await loadService({ contract, behaviour }) }, (mock) => {
  test("corrects the id and the version of a type", async () => {
    const send = opening(mock);
    const { body } = await send("POST", "/docs", { slug: "a", title: "A" });
    expect(body).toMatchObject({ slug: "a", title: "A", rev: 1 });
    expect((await send("GET", "/docs/a")).body).toEqual(body);
    expect((await send("PUT", "/docs/a", { slug: "a", title: "B" })).body).toMatchObject({ title: "B", rev: 2 });
    expect((await send("POST", "/docs", { slug: "a" })).status).toBe(409);
    expect([(await send("DELETE", "/docs/a")).status, (await send("GET", "/docs/a")).status]).toEqual([204, 404]);
  });

  test("corrects ids of several parts, by the path of the type", async () => {
    const send = opening(mock);
    expect((await send("PUT", "/teams/ann/red", { size: 3 })).status).toBe(201);
    const { body } = await send("GET", "/teams/ann/red");
    expect(body).toMatchObject({ lead: { login: "ann" }, name: "red", size: 3 });
  });

  test("lets a search with a body list the items, which ignores the body", async () => {
    const send = opening(mock);
    await send("POST", "/docs", { slug: "a", title: "A" });
    const before = (await send("GET", "/docs")).body;
    const { body, ignored, status } = await send("POST", "/docs/search", { q: "A" });
    expect([status, body, ignored]).toEqual([200, { hits: before, total: before.length }, "body"]);
  });

  test("reads the id of an item from a header, the query or another path, or has the id itself", async () => {
    const send = opening(mock);
    for (const id of ["ann", "admin"]) await send("POST", "/users", { id, name: `name of ${id}` });
    expect((await send("GET", "/me", undefined, { "x-user": "ann" })).body).toEqual({ id: "ann", name: "name of ann" });
    expect((await send("GET", "/lookup?user=ann")).body.name).toBe("name of ann");
    expect((await send("GET", "/people/ann")).body.name).toBe("name of ann");
    expect((await send("GET", "/admin")).body.name).toBe("name of admin");
    expect((await send("GET", "/me", undefined, { "x-user": "bob" })).status).toBe(404);
  });

  test.each([
    ["GET", "/me", undefined, "X-User: expected the id of an item, found none"],
    ["GET", "/lookup", undefined, "user: expected the id of an item, found none"],
    ["POST", "/rename", { name: "x" }, "/id: expected the id of an item, found none"],
  ])("a request without an id gets an error that names the missing id: %s %s", async (method, path, body, reason) => {
    expect(await opening(mock)(method, path, body)).toMatchObject({ status: 400, reason });
  });

  test("lets other operations create, change and delete items", async () => {
    const send = opening(mock);
    expect((await send("POST", "/sign-up", { id: "ann", name: "Ann" })).status).toBe(201);
    expect((await send("POST", "/rename", { id: "ann", name: "Eve" })).body).toEqual({ id: "ann", name: "Eve" });
    expect((await send("GET", "/users/ann")).body.name).toBe("Eve");
    expect((await send("POST", "/remove/ann")).status).toBe(204);
    expect((await send("GET", "/users/ann")).status).toBe(404);
    await send("POST", "/docs", { slug: "a", title: "A" });
    const actions = [{ action: "setTitle", title: "B" }];
    expect((await send("POST", "/docs/a/actions", { version: 1, actions })).body).toMatchObject({ title: "B", rev: 2 });
  });

  test("the id in the query is not named as ignored", async () => {
    const send = opening(mock);
    await send("POST", "/users", { id: "ann", name: "Ann" });
    const { body, ignored } = await send("PATCH", "/account?user=ann&name=Eve&mode=x");
    expect([body, ignored]).toEqual([{ id: "ann", name: "Eve" }, "mode"]);
  });

  test("lets the mock keep items that clients only read", async () => {
    const project = newProject();
    const reports = [{ id: "latest", text: "T" }];
    expect((await inProject(mock, project, "POST", "/resources", { Report: reports })).status).toBeLessThan(300);
    expect((await responseOf(mock, project, "GET", "/report")).body).toEqual({ ...reports[0], "odata.rev": 1 });
  });

  test("finds the scope of a type by the place or by the names of its parameters", async () => {
    const send = opening(mock);
    await send("POST", "/users/ann/posts", { body: "of ann" });
    for (const path of ["/feeds/en/ann", "/users/ann/feed"])
      expect((await send("GET", path)).body).toMatchObject([{ body: "of ann" }]);
    for (const path of ["/feeds/ann/bob", "/users/bob/feed"]) expect((await send("GET", path)).body).toEqual([]);
  });

  test("sets members of the item that the path is below, also those that clients cannot set", async () => {
    const send = opening(mock);
    const { body: order } = await send("POST", "/orders", { note: "n" });
    const { body, ignored } = await send("POST", `/orders/${order.id}/cancel`, { reason: "r" });
    expect([body, ignored]).toEqual([{ ...order, status: "cancelled" }, "body"]);
    expect((await send("GET", `/orders/${order.id}`)).body).toEqual(body);
    expect(await send("POST", "/orders/99/cancel", {})).toMatchObject({ status: 404 });
    await send("PUT", "/settings", { theme: "dark" });
    await send("POST", "/settings/reset");
    expect((await send("GET", "/settings")).body).toEqual({ theme: "light" });
  });

  test("takes the state from operations", async () => {
    const send = opening(mock);
    await send("PUT", "/health", { note: "mine" });
    expect((await send("GET", "/health")).body.note).not.toBe("mine");
  });
});

describe("a behaviour file is refused", () => {
  test.each<[object, string]>([
    [{ type: {} }, '/type: unknown member. Did you mean "types"?'],
    [{ types: { Dok: { id: "slug" } } }, '/types/Dok: unknown type. Did you mean "Doc"?'],
    [{ types: { "/dogs/{id}": {} } }, "/types/~1dogs~1{id}: unknown type. Known: "],
    [{ types: { Doc: { id: "slag" } } }, '/types/Doc/id: unknown member. Did you mean "slug"?'],
    [{ types: { Doc: { version: "author.nam" } } }, '/types/Doc/version: unknown member. Did you mean "name"?'],
    [{ types: { Doc: { id: "slug.x" } } }, "/types/Doc/id: unknown member. No member is allowed here."],
    [{ types: { Doc: { id: "author" } } }, "/types/Doc/id: expected a member with one value, found object"],
    [{ types: { Doc: { id: ["slug", "id"] } } }, "/types/Doc/id: expected 1 member, one for each parameter, found 2"],
    [{ operations: { getDok: { stateless: true } } }, '/operations/getDok: unknown operation. Did you mean "getDoc"?'],
    [
      { operations: { "POST /docs/serch": { list: "Doc" } } },
      '/operations/POST ~1docs~1serch: unknown operation. Did you mean "POST /docs/search"?',
    ],
    [
      { operations: { getMe: {} } },
      "/operations/getMe: expected one of list, create, stateless, read, replace, merge, update, delete, set, with id only for one item, and with type only for set, found none",
    ],
    [{ operations: { getMe: { read: "User", list: "User" } } }, "found read and list"],
    [{ operations: { getMe: { read: "User", type: "User" } } }, "with type only for set, found read and type"],
    [
      { operations: { getMe: { list: "User", id: { value: "a" } } } },
      "with id only for one item, and with type only for set, found list and id",
    ],
    [{ operations: { getMe: { raed: "User" } } }, '/operations/getMe/raed: unknown member. Did you mean "read"?'],
    [{ operations: { getMe: { read: "Usr" } } }, '/operations/getMe/read: unknown type. Did you mean "User"?'],
    [
      { operations: { getMe: { read: "User" } } },
      "/operations/getMe/read: expected the path of a single item, or its id, found /me",
    ],
    [
      { operations: { ownTeam: { read: "Team", id: { header: "lead" } } } },
      "/operations/ownTeam/read: expected the path of a single item, or its id, found /team",
    ],
    [
      { operations: { getMe: { read: "User", id: { header: "a", value: "b" } } } },
      "/operations/getMe/id: expected at most 1 of query, header, body, value, found 2",
    ],
    [
      { operations: { feed: { read: "User" } } },
      "/operations/feed/read: expected the path of a single item, or its id, found /feeds/{language}/{user_id}",
    ],
    [
      { operations: { rename: { merge: "User", id: { body: "nam" } } } },
      '/operations/rename/id/body: unknown member. Did you mean "name"?',
    ],
    [
      { operations: { "POST /docs/search": { list: "Post" } } },
      "/operations/POST ~1docs~1search/list: expected a path with the parameters of /users/{userId}/posts, found /docs/search",
    ],
    [
      { operations: { getMe: { list: "Doc" } } },
      "/operations/getMe/list: expected an operation that returns a list, found /me",
    ],
    [
      { operations: { rename: { set: { name: "x" } } } },
      "/operations/rename/set: expected the path of an item, or type, found /rename",
    ],
    [
      { operations: { cancelOrder: { set: { state: "x" } } } },
      '/operations/cancelOrder/set/state: unknown member. Did you mean "status"?',
    ],
  ])("with the content %j", async (given, message) => {
    await expect(createResourceMock({ contract, behaviour: given })).rejects.toThrow(message);
  });

  test("a behaviour file without a contract, or of another type than a path or an object, is refused", async () => {
    await expect(createResourceMock({ behaviour })).rejects.toThrow(
      "behaviour: expected together with contract, found alone",
    );
    await expect(createResourceMock({ contract, behaviour: 5 as never })).rejects.toThrow(
      "behaviour: expected the path of a file or its parsed content, found 5",
    );
    await expect(createResourceMock({ contract, behaviour: "nowhere.yaml" })).rejects.toThrow(
      "nowhere.yaml: expected a file, found none",
    );
  });
});

const yaml = `types:
  Doc: { id: slug, version: rev }
operations:
  cancelOrder: { set: { status: cancelled } }
  health: { stateless: true }
  ping: { stateless: true }
`;

describe("the command check", () => {
  const check = (folder: string) =>
    commandHere(["check", "--contract", join(folder, "desk.json"), "--behaviour", join(folder, "behaviour.yaml")]);

  test("shows what a behaviour file corrects, and what the mock has found out by itself", async () => {
    const { code, stdout } = await check(folderOf({ "desk.json": contract, "behaviour.yaml": yaml }));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^reads .*behaviour\.yaml$/m);
    const because = "the behaviour file says so; by itself:";
    expect(stdout).toContain(
      `cancelOrder  POST /orders/{orderId}/cancel  merges into Order: ${because} no state (a verb at the end of the path)\n`,
    );
    expect(stdout).toContain(
      `health  GET /health  no state: ${because} reads Health (GET on /health, which PUT changes): returns generated`,
    );
    expect(stdout).toMatch(/^ping {2}GET \/ping {2}no state: the behaviour file says so; by itself: no state \(/m);
    expect(stdout).toMatch(/^Doc {2}\/docs {2}collection; id: slug; version: rev;/m);
  });

  test("lists all problems with their lines", async () => {
    const wrong = yaml.replace("slug", "slag").replace("cancelOrder", "cancelOder");
    const { code, stderr } = await check(folderOf({ "desk.json": contract, "behaviour.yaml": wrong }));
    expect(code).toBe(2);
    expect(stderr.split("\n")).toEqual([
      expect.stringMatching(/behaviour\.yaml:2: \/types\/Doc\/id: unknown member\. Did you mean "slug"\?$/),
      expect.stringMatching(
        /behaviour\.yaml:4: \/operations\/cancelOder: unknown operation\. Did you mean "cancelOrder"\?$/,
      ),
      "2 problems",
      "",
    ]);
  });
});

test("an archive names the corrections of its contract", async () => {
  const fingerprintOf = async (corrections?: object) => {
    await using mock = await createResourceMock({ contract, ...(corrections && { behaviour: corrections }) });
    return /"fingerprint":"(\w+)"/.exec(await (await mock.fetch("/__admin/projects/p/archive")).text())?.[1];
  };
  const all = [undefined, { operations: { ownFeed: { list: "Post" } } }, { types: { Doc: { version: "rev" } } }];
  expect(new Set(await Promise.all(all.map(fingerprintOf))).size).toBe(3);
});

test("--watch reloads a changed behaviour file", { tags: ["process"] }, async () => {
  const folder = folderOf({ "desk.json": contract, "behaviour.yaml": "operations: {}" });
  const [document, file] = ["desk.json", "behaviour.yaml"].map((name) => join(folder, name)) as [string, string];
  const server = await serving({ args: ["--contract", document, "--behaviour", file, "--watch", "--log", "off"] });
  const reason = async () => {
    const { operations } = await (await fetch(`${server.url}/__admin/contract/operations`)).json();
    return operations.find(({ id }: { id: string }) => id === "health").reason;
  };
  expect(await reason()).not.toContain("behaviour file");
  const reloaded = server.line(/reloaded/);
  writeInto(folder, "behaviour.yaml", yaml);
  await reloaded;
  expect(await reason()).toContain("the behaviour file says so");
  await server.stop();
});
