import { describe, expect, test } from "vitest";
import { activate, addRule, deactivate, lastDecisions } from "../setup/activation.ts";
import { documentOf, jsonResponse, objectOf, send } from "../setup/documents.ts";
import { type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";
import { categories } from "./categories.ts";
import { configMaps } from "./config-maps.ts";

/** Versions, patches, update actions and flags, which clients of usual services need. */

const text = { type: "string" };
const integer = { type: "integer" };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const list = (items: object) => ({ type: "array", items });
const inPath = (name: string) => ({ in: "path", name, required: true, schema: text });
const body = (schema: object, type = "application/json") => ({
  requestBody: { required: true, content: { [type]: { schema } } },
});
const answers = (...statuses: readonly (readonly [status: number, schema?: object])[]) => ({
  responses: Object.fromEntries(
    statuses.map(([status, schema]) => [status, schema ? jsonResponse(schema) : { description: "No content" }]),
  ),
});

const JSON_PATCH = "application/json-patch+json";
const members = { title: text, pages: { ...integer, minimum: 1 }, tags: list(text), owner: objectOf({ login: text }) };

const schemas = {
  Plan: { ...objectOf({ slug: text, version: integer, ...members }), required: ["slug", "version", "title"] },
  PlanDraft: { ...objectOf({ slug: text, ...members }), required: ["title"] },
  PlanChange: { ...objectOf({ slug: text, version: integer, ...members }), required: ["title"] },
  Patch: { type: "object" },
  Operations: list(objectOf({ op: text, path: text })),
  Failure: objectOf({ message: text, currentVersion: integer }),
  Note: objectOf({ id: integer, text }),
};

const flag = {
  get: answers([204], [404, objectOf({ message: text })]),
  put: answers([204]),
  delete: answers([204]),
};

const paths = {
  "/plans": {
    get: answers([200, list(ref("Plan"))]),
    post: { ...body(ref("PlanDraft")), ...answers([201, ref("Plan")]) },
  },
  "/plans/{slug}": {
    parameters: [inPath("slug")],
    get: answers([200, ref("Plan")]),
    head: answers([200]),
    put: { ...body(ref("PlanChange")), ...answers([200, ref("Plan")], [201, ref("Plan")], [409, ref("Failure")]) },
    patch: { ...body(ref("Patch"), JSON_PATCH), ...answers([200, ref("Plan")], [409, ref("Failure")]) },
    delete: {
      parameters: [{ in: "query", name: "version", schema: integer }],
      ...answers([204], [409, ref("Failure")]),
    },
  },
  "/notes": {
    get: answers([200, list(ref("Note"))]),
    post: { ...body(objectOf({ text })), ...answers([201, ref("Note")]) },
  },
  "/notes/{id}": {
    parameters: [{ ...inPath("id"), schema: integer }],
    get: answers([200, ref("Note")]),
    patch: {
      requestBody: {
        content: { [JSON_PATCH]: { schema: ref("Operations") }, "application/json": { schema: ref("Patch") } },
      },
      ...answers([200, ref("Note")]),
    },
    delete: answers([204]),
  },
  "/user/starred": { get: answers([200, list(ref("Note"))]) },
  "/user/starred/{owner}/{repo}": { parameters: [inPath("owner"), inPath("repo")], ...flag },
  "/gists/{gist_id}": { parameters: [inPath("gist_id")], get: answers([200, ref("Note")]), delete: answers([204]) },
  "/gists/{gist_id}/star": { parameters: [inPath("gist_id")], ...flag },
};

const plans = documentOf(paths, { components: { schemas } });

/** Returns a function that sends a request such as `GET /plans` to a new project. */
function openProject(mock: MockUnderTest) {
  const project = newProject();
  const call = (request: string, content?: unknown, headers?: Record<string, string>) =>
    send(mock, request.replace(" ", ` /${project}`), headers, content);
  const tagOf = async (path: string) => (await call(`GET ${path}`)).headers.get("ETag") ?? "";
  return { project, call, tagOf };
}

const harbour = { slug: "harbour", title: "Harbour", tags: ["sea"] };

onTransports("versions of items", { contract: plans, settings: { start: "empty" } }, (mock) => {
  /** Opens a project with a plan. */
  async function open() {
    const opened = openProject(mock);
    const created = await opened.call("POST /plans", harbour);
    expect(created).toMatchObject({ status: 201, body: { ...harbour, version: 1 } });
    return { ...opened, created, tag: await opened.tagOf("/plans/harbour") };
  }

  describe("a read", () => {
    test("the tag of a read is that of the item, and changes with the item", async () => {
      const { call, tagOf, tag } = await open();
      expect(tag).toMatch(/^"[^"]+"$/);
      expect(await tagOf("/plans/harbour")).toBe(tag);
      await call("POST /plans", { ...harbour, slug: "lake" });
      expect(await tagOf("/plans/harbour")).toBe(tag);
      await call("PUT /plans/harbour", { title: "Port" });
      expect(await tagOf("/plans/harbour")).not.toBe(tag);
    });

    test.each(["the tag", "the weak form of the tag", "a list with the tag", "*"])(
      "a read with %s gets 304",
      async (what) => {
        const { call, tag } = await open();
        const sent: Record<string, string> = {
          ...{
            "the tag": tag,
            "the weak form of the tag": `W/${tag}`,
            "a list with the tag": `"other", ${tag}`,
            "*": "*",
          },
        };
        const response = await call("GET /plans/harbour", undefined, { "If-None-Match": sent[what] ?? "" });
        expect([response.status, response.body, response.headers.get("ETag")]).toEqual([304, "", tag]);
        expect([response.type, response.isOffContract]).toEqual([null, false]);
      },
    );

    test("HEAD returns the tag of GET, and gets 304 with this tag", async () => {
      const { call, tag } = await open();
      const head = (headers = {}) => call("HEAD /plans/harbour", undefined, headers);
      expect((await head()).headers.get("ETag")).toBe(tag);
      expect((await head({ "If-None-Match": tag })).status).toBe(304);
    });

    test("a read with another tag, or of a changed item, gets 200", async () => {
      const { call, tag } = await open();
      const read = (sent: string) => call("GET /plans/harbour", undefined, { "If-None-Match": sent });
      expect((await read('"other"')).status).toBe(200);
      await call("PUT /plans/harbour", { title: "Port" });
      expect(await read(tag)).toMatchObject({ status: 200, body: { title: "Port" } });
    });

    test("a list has a tag, which changes with its items", async () => {
      const { call, tagOf } = await open();
      const tag = await tagOf("/plans");
      const read = () => call("GET /plans", undefined, { "If-None-Match": tag });
      expect(await read()).toMatchObject({ status: 304, body: "" });
      await call("POST /plans", { ...harbour, slug: "lake" });
      expect((await read()).body).toHaveLength(2);
    });
  });

  const changes: readonly (readonly [name: string, request: string, content: unknown, status: number])[] = [
    ["replacement", "PUT /plans/harbour", { title: "Port" }, 200],
    ["patch", "PATCH /plans/harbour", [{ op: "replace", path: "/title", value: "Port" }], 200],
    ["deletion", "DELETE /plans/harbour", undefined, 204],
  ];

  describe.each(changes)("a %s", (_name, request, content, status) => {
    const type = request.startsWith("PATCH") ? JSON_PATCH : "application/json";
    const change = (call: ReturnType<typeof openProject>["call"], headers: Record<string, string>) =>
      call(request, content === undefined ? undefined : JSON.stringify(content), { "Content-Type": type, ...headers });

    test("a change with the current tag in If-Match succeeds; with a stale tag, the request gets 412 and changes nothing", async () => {
      const { call, project, tagOf, tag } = await open();
      await call("PUT /plans/harbour", { title: "Quay" });
      const refused = await change(call, { "If-Match": tag });
      const reasons = (await lastDecisions(mock, project)).join("\n");
      expect(reasons).toMatch(/the client sent version 1; version 2 was written (.* )?by request \S+ \(PUT /);
      expect((await call("GET /plans/harbour")).body).toMatchObject({ title: "Quay", version: 2 });
      const current = await tagOf("/plans/harbour");
      const reason = `If-Match: expected the tag of the item, ${current}, found ${tag}`;
      expect([refused.status, refused.reason]).toEqual([412, expect.stringContaining(reason)]);
      expect((await change(call, { "If-Match": `"other", ${current}` })).status).toBe(status);
    });

    test("a change with If-Match: * succeeds if the item exists", async () => {
      const { call } = await open();
      expect((await change(call, { "If-Match": "*" })).status).toBe(status);
    });

    test("a change with If-Match and an unknown item gets 404 or 412, and creates nothing", async () => {
      const { call } = openProject(mock);
      expect([404, 412]).toContain((await change(call, { "If-Match": "*" })).status);
      expect([404, 412]).toContain((await change(call, { "If-Match": '"1"' })).status);
      expect((await call("GET /plans/harbour")).status).toBe(404);
    });
  });

  test("a PUT with If-None-Match: * creates an item, and refuses to overwrite an item", async () => {
    const { call } = openProject(mock);
    const put = () => call("PUT /plans/harbour", { title: "Port" }, { "If-None-Match": "*" });
    expect((await put()).status).toBe(201);
    const refused = await put();
    expect([refused.status, refused.reason]).toEqual([412, expect.stringContaining("If-None-Match")]);
    expect((await call("GET /plans/harbour")).body.version).toBe(1);
  });

  test("the response to a create or a patch has the tag that the next read has", async () => {
    const { call, created, tag } = await open();
    expect(created.headers.get("ETag")).toBe(tag);
    const patch = JSON.stringify([{ op: "add", path: "/pages", value: 3 }]);
    const patched = await call("PATCH /plans/harbour", patch, { "Content-Type": JSON_PATCH });
    expect(patched.headers.get("ETag")).toBe((await call("GET /plans/harbour")).headers.get("ETag"));
  });

  test("a stale version in the body is 409 with the current one, which then succeeds", async () => {
    const { project, call } = await open();
    expect((await call("PUT /plans/harbour", { title: "Quay", version: 1 })).body.version).toBe(2);
    const refused = await call("PUT /plans/harbour", { title: "Port", version: 1 });
    expect(refused).toMatchObject({ status: 409, isOffContract: false, body: { currentVersion: 2 } });
    expect(refused.reason).toMatch(/version/i);
    expect((await lastDecisions(mock, project)).join("\n")).toMatch(/version 1.*version 2|2.*\b1\b|1.*\b2\b/s);
    expect((await call("GET /plans/harbour")).body).toMatchObject({ title: "Quay", version: 2 });
    expect((await call("PUT /plans/harbour", { title: "Port", version: 2 })).body).toMatchObject({ version: 3 });
    expect((await call("PUT /plans/harbour", { title: "Dock" })).body).toMatchObject({ title: "Dock", version: 4 });
  });

  test("a stale version in the query is 409 with the current one, which then succeeds", async () => {
    const { call } = await open();
    await call("PUT /plans/harbour", { title: "Quay" });
    const refused = await call("DELETE /plans/harbour?version=1");
    expect(refused).toMatchObject({ status: 409, isOffContract: false, body: { currentVersion: 2 } });
    expect((await call("DELETE /plans/harbour?version=2")).status).toBe(204);
    expect((await call("GET /plans/harbour")).status).toBe(404);
  });

  test("a rule and a scenario let another client write first", async () => {
    const { project, call } = await open();
    const put = async (version: number) => (await call("PUT /plans/harbour", { title: "Port", version })).status;
    await addRule(mock, project, { operation: "putPlansBySlug", conflict: true, times: 1 });
    expect([await put(1), await put(2)]).toEqual([409, 200]);
    await activate(mock, project, "concurrent-writer");
    expect(await put(3)).toBe(409);
    await deactivate(mock, project, "concurrent-writer");
    expect(await put((await call("GET /plans/harbour")).body.version)).toBe(200);
  });

  test("an item without a version has a tag all the same", async () => {
    const { call, tagOf } = openProject(mock);
    const { body: note } = await call("POST /notes", { text: "Call" });
    const at = `/notes/${note.id}`;
    const tag = await tagOf(at);
    const change = (sent: string) => call(`PATCH ${at}`, { text: "Write" }, { "If-Match": sent });
    expect((await change(tag)).status).toBe(200);
    expect((await change(tag)).status).toBe(412);
    expect((await call(`GET ${at}`)).body).toEqual({ id: note.id, text: "Write" });
  });
});

interface Patching {
  readonly op: string;
  readonly path?: string;
  readonly from?: string;
  readonly value?: unknown;
}

onTransports("a JSON Patch", { contract: plans, settings: { start: "empty" } }, (mock) => {
  async function open(more: object = {}) {
    const { project, call } = openProject(mock);
    const plan = { ...harbour, pages: 2, owner: { login: "ann" }, ...more };
    await call("POST /plans", plan);
    const patch = (operations: unknown, path = "/plans/harbour") =>
      call(`PATCH ${path}`, JSON.stringify(operations), { "Content-Type": JSON_PATCH });
    return { project, call, patch, plan };
  }

  const effects: readonly (readonly [name: string, operations: readonly Patching[], expected: object])[] = [
    ["adds a member", [{ op: "add", path: "/owner/login", value: "eve" }], { owner: { login: "eve" } }],
    ["inserts an element", [{ op: "add", path: "/tags/0", value: "sky" }], { tags: ["sky", "sea"] }],
    ["appends an element", [{ op: "add", path: "/tags/-", value: "sky" }], { tags: ["sea", "sky"] }],
    ["removes a member", [{ op: "remove", path: "/pages" }], { pages: undefined }],
    ["removes an element", [{ op: "remove", path: "/tags/0" }], { tags: [] }],
    ["replaces a member", [{ op: "replace", path: "/title", value: "Port" }], { title: "Port" }],
    [
      "moves a value",
      [
        { op: "add", path: "/tags/-", value: "b" },
        { op: "move", from: "/tags/1", path: "/tags/0" },
      ],
      { tags: ["b", "sea"] },
    ],
    ["copies a value", [{ op: "copy", from: "/title", path: "/owner/login" }], { owner: { login: "Harbour" } }],
    [
      "applies if a test holds",
      [
        { op: "test", path: "/owner", value: { login: "ann" } },
        { op: "replace", path: "/pages", value: 3 },
      ],
      { pages: 3 },
    ],
    ["without operations changes no member", [], {}],
  ];

  test.each(effects)("%s", async (_name, operations, expected) => {
    const { call, patch, plan } = await open();
    const { status, body: patched, isOffContract } = await patch(operations);
    expect([status, isOffContract]).toEqual([200, false]);
    const { version, ...others } = patched;
    expect(others).toEqual(JSON.parse(JSON.stringify({ ...plan, ...expected })));
    if (operations.length > 0) expect(version).toBe(2);
    expect((await call("GET /plans/harbour")).body).toEqual(patched);
  });

  const rejected: readonly (readonly [
    name: string,
    operations: readonly unknown[],
    statuses: readonly number[],
    place: string,
  ])[] = [
    ["a test that fails", [{ op: "test", path: "/title", value: "Port" }], [409, 422], "/title"],
    [
      "a place that does not exist",
      [{ op: "replace", path: "/owner/name/first", value: 1 }],
      [400],
      "/owner/name/first",
    ],
    ["the removal of a member that does not exist", [{ op: "remove", path: "/nothing" }], [400], "/nothing"],
    ["a source that does not exist", [{ op: "move", from: "/nothing", path: "/title" }], [400], "/nothing"],
    ["an index beyond the end", [{ op: "add", path: "/tags/5", value: "x" }], [400], "/tags/5"],
    ["an invalid pointer", [{ op: "add", path: "title", value: "x" }], [400], "title"],
    ["an unknown operation", [{ op: "swap", path: "/title" }], [400], "swap"],
    ["the removal of a required member", [{ op: "remove", path: "/title" }], [400, 422], "title"],
    ["a value that violates the schema", [{ op: "replace", path: "/pages", value: 0 }], [400, 422], "/pages"],
    ["an operation that is a number", [5], [400], "/1"],
  ];

  test.each(rejected)(
    "a JSON Patch with %s is refused, and changes nothing",
    async (_name, operations, statuses, place) => {
      const { call, patch } = await open();
      const before = (await call("GET /plans/harbour")).body;
      const first = { op: "replace", path: "/owner/login", value: "lost" };
      const { status, reason } = await patch([first, ...operations]);
      expect(statuses).toContain(status);
      expect(reason).toContain(place);
      expect((await call("GET /plans/harbour")).body).toEqual(before);
    },
  );

  test("a JSON Patch can name members with slashes and tildes", async () => {
    const { call, patch } = await open();
    const note = await call("POST /notes", { text: "Call" });
    const operations = [{ op: "replace", path: "/text", value: "~/" }];
    expect((await patch(operations, `/notes/${note.body.id}`)).body.text).toBe("~/");
  });

  test("a JSON Patch of an unknown item gets 404", async () => {
    const { patch } = await open();
    expect((await patch([{ op: "replace", path: "/title", value: "x" }], "/plans/none")).status).toBe(404);
  });
});

onTransports("a version in the metadata", { contract: configMaps }, (mock) => {
  const at = "/api/v1/namespaces/harbour/configmaps";

  test("a version in the metadata is a text that rises with each change, and a stale version gets 409", async () => {
    const { call } = openProject(mock);
    const { body: first } = await call(`POST ${at}`, { metadata: { name: "tides" }, data: { high: "6:00" } });
    const { metadata } = first;
    expect(metadata.resourceVersion).toMatch(/^\d+$/);
    const replace = (data: object, resourceVersion?: string) =>
      call(`PUT ${at}/tides`, { metadata: { ...metadata, resourceVersion }, data });
    const second = await replace({ high: "7:00" }, metadata.resourceVersion);
    expect(second.status).toBe(200);
    expect(Number(second.body.metadata.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion));
    expect((await replace({ high: "lost" }, metadata.resourceVersion)).status).toBe(409);
    expect((await call(`GET ${at}/tides`)).body).toEqual(second.body);
    expect((await replace({ high: "8:00" })).status).toBe(200);
  });

  test("a JSON Patch can test a version in the metadata", async () => {
    const { call } = openProject(mock);
    const { body: created } = await call(`POST ${at}`, {
      metadata: { name: "tides" },
      data: { "a/b": "1", "c~d": "2" },
    });
    const patch = (value: string) => {
      const operations = [
        { op: "test", path: "/metadata/resourceVersion", value },
        { op: "remove", path: "/data/a~1b" },
        { op: "replace", path: "/data/c~0d", value: "3" },
      ];
      return call(`PATCH ${at}/tides`, JSON.stringify(operations), { "Content-Type": JSON_PATCH });
    };
    const { resourceVersion } = created.metadata;
    expect((await patch(resourceVersion)).body.data).toEqual({ "c~d": "3" });
    expect([409, 422]).toContain((await patch(resourceVersion)).status);
  });
});

onTransports("update actions", { contract: categories, settings: { start: "empty" } }, (mock) => {
  const photo = { key: "photo", name: { en: "Photo" }, sources: [] };
  const own = { typeId: "type", id: "own" };
  const boats = { name: { en: "Boats" }, slug: { en: "boats" }, key: "boats", assets: [photo] };

  async function open() {
    const { project, call } = openProject(mock);
    const { body: created } = await call("POST /categories", { ...boats, custom: { type: own, fields: { flag: 1 } } });
    const update = (version: number, ...actions: object[]) =>
      call(`POST /categories/${created.id}`, { version, actions });
    return { project, call, created, update };
  }

  test.each<[object, object]>([
    [{ action: "changeName", name: { en: "Ships" } }, { name: { en: "Ships" } }],
    [{ action: "setKey", key: "ships" }, { key: "ships" }],
    [{ action: "setDescription", description: { en: "Large" } }, { description: { en: "Large" } }],
    [{ action: "addAsset", asset: { ...photo, key: "plan" } }, { assets: [{ key: "photo" }, { key: "plan" }] }],
    [{ action: "removeAsset", assetKey: "photo" }, { assets: [] }],
    [{ action: "changeAssetName", assetKey: "photo", name: { en: "x" } }, { assets: [{ name: { en: "x" } }] }],
    [{ action: "setCustomField", name: "flag", value: 2 }, { custom: { type: own, fields: { flag: 2 } } }],
    [{ action: "setCustomType", type: own, fields: { a: 1 } }, { custom: { type: own, fields: { a: 1 } } }],
  ])("the update action %j changes the item", async (action, expected) => {
    const { call, created, update } = await open();
    const { status, body: updated, headers } = await update(1, action);
    expect([status, headers.get("Mock-Ignored")]).toEqual([200, null]);
    expect(updated).toMatchObject({ id: created.id, version: 2, ...expected });
    expect((await call(`GET /categories/${created.id}`)).body).toEqual(updated);
  });

  test("an update action without a field removes an optional member, but no required member", async () => {
    const { call, created, update } = await open();
    expect((await update(1, { action: "setKey" })).body).not.toHaveProperty("key");
    expect((await update(2, { action: "changeName" })).status).toBe(400);
    expect((await call(`GET /categories/${created.id}`)).body).toMatchObject({ name: { en: "Boats" } });
  });

  test("an update action without an effect raises the version, and the response names the action", async () => {
    const { project, created, update } = await open();
    const { status, body: updated, headers } = await update(1, { action: "changeAssetOrder", assetOrder: ["x"] });
    expect([status, headers.get("Mock-Ignored")]).toEqual([200, expect.stringContaining("changeAssetOrder")]);
    expect(updated).toEqual({ ...created, version: 2, lastModifiedAt: expect.any(String) });
    expect((await lastDecisions(mock, project)).join("\n")).toContain("changeAssetOrder");
  });

  test("that the document does not have are refused, or named as those without an effect", async () => {
    const { update } = await open();
    const { status, headers } = await update(1, { action: "sinkShip", depth: 5 });
    expect(status === 400 || headers.get("Mock-Ignored")?.includes("sinkShip")).toBe(true);
  });

  test("apply all or none, and an empty list changes nothing", async () => {
    const { call, created, update } = await open();
    expect((await update(1)).body).toEqual(created);
    expect((await update(1, { action: "setKey", key: "lost" }, { action: "changeName" })).status).toBe(400);
    expect((await update(1, { action: "setKey", key: "lost" }, { key: "none" })).status).toBe(400);
    expect((await call(`GET /categories/${created.id}`)).body).toEqual(created);
  });

  test("update actions with a stale version get 409 with the current version, also below the key", async () => {
    const { call, update } = await open();
    await update(1, { action: "setKey", key: "ships" });
    const actions = [{ action: "setDescription", description: { en: "Large" } }];
    const refused = await call("POST /categories/key=ships", { version: 1, actions });
    expect(refused).toMatchObject({
      ...{ status: 409, isOffContract: false },
      body: { statusCode: 409, errors: [{ code: "ConcurrentModification", currentVersion: 2 }] },
    });
    expect((await call("POST /categories/key=ships", { version: 2, actions })).body.version).toBe(3);
    expect((await call("DELETE /categories/key=ships?version=2")).status).toBe(409);
    expect((await call("DELETE /categories/key=ships?version=3")).status).toBe(200);
    expect((await call("GET /categories/key=ships")).status).toBe(404);
  });
});

onTransports("flags", { contract: plans, settings: { start: "empty" } }, (mock) => {
  test.each(["/user/starred/acme/app", "/gists/7/star"])("at %s are set, read and removed", async (path) => {
    const { call } = openProject(mock);
    const statuses = async (...methods: string[]) => {
      const all: number[] = [];
      for (const method of methods) all.push((await call(`${method} ${path}`)).status);
      return all;
    };
    expect(await statuses("GET", "PUT", "GET", "PUT", "GET")).toEqual([404, 204, 204, 204, 204]);
    expect(await statuses("DELETE", "GET", "DELETE")).toEqual([204, 404, expect.any(Number)]);
  });

  test("the flags of other items and projects stay absent", async () => {
    const { call } = openProject(mock);
    await call("PUT /user/starred/acme/app");
    expect((await call("GET /user/starred/acme/app")).status).toBe(204);
    for (const path of ["/user/starred/acme/lib", "/user/starred/other/app", "/gists/acme/star"]) {
      expect((await call(`GET ${path}`)).status).toBe(404);
    }
    expect((await openProject(mock).call("GET /user/starred/acme/app")).status).toBe(404);
  });

  test("responses of flags have no body, and are within the contract", async () => {
    const { call } = openProject(mock);
    for (const method of ["PUT", "GET", "DELETE"]) {
      const response = await call(`${method} /gists/7/star`);
      expect([response.status, response.body, response.isOffContract]).toEqual([204, "", false]);
    }
  });
});
