/**
 * The SDK of commercetools, with a document in the style of that service: versions, keys and update actions.
 * @module-tag tools
 */
import {
  type Category,
  type CategoryDraft,
  type CategoryUpdateAction,
  createApiBuilderFromCtpClient,
} from "@commercetools/platform-sdk";
import { ClientBuilder } from "@commercetools/ts-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StartedResourceMock, startResourceMock } from "../../src/library/resource-mock.ts";
import { categories as contract } from "./categories.ts";

let mock: StartedResourceMock;
beforeAll(async () => {
  mock = await startResourceMock({ contract, settings: { auth: "strict", start: "empty" } });
});
afterAll(() => mock.close());

const credentials = { clientId: "web", clientSecret: "secret" };

/** Returns the categories of a project, with a client that gets its token from the mock. */
function open(projectKey: string, rights = ["view", "manage"], prepare = (builder: ClientBuilder) => builder) {
  const host = mock.url ?? "";
  const scopes = rights.map((right) => `${right}_categories:${projectKey}`);
  const builder = new ClientBuilder()
    .withClientCredentialsFlow({ host, projectKey, credentials, scopes, httpClient: fetch })
    .withHttpMiddleware({ host, httpClient: fetch });
  const root = createApiBuilderFromCtpClient(prepare(builder).build());
  const categories = root.withProjectKey({ projectKey }).categories();
  return {
    project: mock.project(projectKey),
    categories,
    create: async (draft: CategoryDraft) => (await categories.post({ body: draft }).execute()).body,
    read: async (ID: string) => (await categories.withId({ ID }).get().execute()).body,
    /** Updates a category with its version. Returns the whole response. */
    update: ({ id: ID, version }: Category, ...actions: CategoryUpdateAction[]) =>
      categories.withId({ ID }).post({ body: { version, actions } }).execute(),
  };
}

const boats: CategoryDraft = { name: { en: "Boats" }, slug: { en: "boats" }, key: "boats" };
const asset = { key: "photo", name: { en: "Photo" }, sources: [{ uri: "https://shop.example/boat.jpg" }] };
const own = { typeId: "type" as const, id: "own-fields" };

test("a category is created, and read by its id and by its key", async () => {
  const { categories, create, read } = open("create");
  const created = await create({ ...boats, orderHint: "0.5", assets: [asset] });
  expect(created).toMatchObject({ ...boats, version: 1, orderHint: "0.5" });
  expect(created.assets).toMatchObject([{ ...asset, id: expect.any(String) }]);
  expect(await read(created.id)).toEqual(created);
  expect((await categories.withKey({ key: "boats" }).get().execute()).body).toEqual(created);
});

test("a draft without a name is refused", async () => {
  const draft = { slug: { en: "boats" } } as unknown as CategoryDraft;
  const failure = { statusCode: 400, body: { statusCode: 400, message: expect.any(String) } };
  await expect(open("refused").create(draft)).rejects.toMatchObject(failure);
});

test("a second category with the same key is refused", async () => {
  const { create } = open("unique");
  await create(boats);
  await expect(create(boats)).rejects.toMatchObject({ statusCode: expect.any(Number) });
});

test("categories are found by a predicate, sorted, and listed page by page", async () => {
  const { categories, create } = open("list");
  const { id } = await create({ ...boats, orderHint: "0.1" });
  const children = { sails: "0.3", oars: "0.2", masts: "0.4" };
  for (const [key, orderHint] of Object.entries(children)) {
    await create({ name: { en: key }, slug: { en: key }, key, orderHint, parent: { typeId: "category", id } });
  }
  const query = async (queryArgs: Query) => (await categories.get({ queryArgs }).execute()).body;
  const keys = async (queryArgs: Query) => (await query(queryArgs)).results.map(({ key }) => key);
  expect(await keys({ where: 'key = "oars"' })).toEqual(["oars"]);
  expect(await keys({ where: ['key in ("oars", "boats")'], sort: "orderHint asc" })).toEqual(["boats", "oars"]);
  expect(await keys({ where: "parent is not defined" })).toEqual(["boats"]);
  expect(await keys({ where: `parent(id = "${id}")`, sort: "orderHint desc" })).toEqual(["masts", "sails", "oars"]);
  expect(await keys({ where: [`parent(id = "${id}")`, 'orderHint > "0.2"'] })).toEqual(["sails", "masts"]);
  const page = { limit: 2, offset: 1, sort: ["orderHint asc"] };
  expect(await query(page)).toMatchObject({ limit: 2, offset: 1, count: 2, total: 4 });
  expect(await keys(page)).toEqual(["oars", "sails"]);
  expect(await query({ ...page, withTotal: false })).not.toHaveProperty("total");
  await expect(query({ where: "key = " })).rejects.toMatchObject({ statusCode: 400 });
});

type Query = {
  where?: string | string[];
  sort?: string | string[];
  limit?: number;
  offset?: number;
  withTotal?: boolean;
};

type Update = readonly [CategoryUpdateAction["action"], object, object];

test.each<Update>([
  ["changeName", { name: { en: "Ships", de: "Schiffe" } }, { name: { en: "Ships", de: "Schiffe" } }],
  ["changeSlug", { slug: { en: "ships" } }, { slug: { en: "ships" } }],
  ["setKey", { key: "ships" }, { key: "ships" }],
  ["setKey", {}, { key: undefined }],
  ["setDescription", { description: { en: "Large" } }, { description: { en: "Large" } }],
  ["setDescription", {}, { description: undefined }],
  ["changeParent", { parent: { typeId: "category", id: "root" } }, { parent: { typeId: "category", id: "root" } }],
  ["changeOrderHint", { orderHint: "0.9" }, { orderHint: "0.9" }],
  ["addAsset", { asset: { ...asset, key: "plan" } }, { assets: [{ key: "photo" }, { key: "plan" }] }],
  ["addAsset", { asset: { ...asset, key: "plan" }, position: 0 }, { assets: [{ key: "plan" }, { key: "photo" }] }],
  ["removeAsset", { assetKey: "photo" }, { assets: [] }],
  ["changeAssetName", { assetKey: "photo", name: { en: "Plan" } }, { assets: [{ ...asset, name: { en: "Plan" } }] }],
  ["setCustomType", { type: own, fields: { crew: 3 } }, { custom: { type: own, fields: { crew: 3 } } }],
  ["setCustomType", {}, { custom: undefined }],
  [
    "setCustomField",
    { name: "sails", value: ["main"] },
    { custom: { type: own, fields: { sails: ["main"], flag: 1 } } },
  ],
  ["setCustomField", { name: "flag" }, { custom: { type: own, fields: {} } }],
])("the update action %s with %j changes the category", async (action, fields, expected) => {
  const { create, update, read } = open("actions");
  const draft = { ...boats, key: undefined, description: { en: "Small" }, assets: [asset] };
  const before = await create({ ...draft, custom: { type: own, fields: { flag: 1 } } });
  const { body, headers } = await update(before, { action, ...fields } as CategoryUpdateAction);
  expect(headers?.["mock-ignored"]).toBeUndefined();
  const { version, lastModifiedAt: _time, ...after } = body;
  const { version: _version, lastModifiedAt: _before, ...others } = before;
  expect(version).toBe(2);
  for (const [name, value] of Object.entries(expected)) {
    if (value === undefined) expect(after).not.toHaveProperty(name);
    else expect(after).toMatchObject({ [name]: value });
  }
  const unchanged = Object.entries(others).filter(([name]) => !Object.hasOwn(expected, name));
  expect(after).toMatchObject(Object.fromEntries(unchanged));
  expect(await read(before.id)).toEqual(body);
});

test("applies the actions of an update in order, including actions that select an asset by id", async () => {
  const { create, update } = open("several");
  const created = await create({ ...boats, assets: [{ ...asset, custom: { type: own, fields: { pages: 1 } } }] });
  const assetId = created.assets?.[0]?.id ?? "";
  const { body, headers } = await update(
    created,
    { action: "setKey", key: "first" },
    { action: "setKey", key: "last" },
    { action: "changeAssetName", assetId, name: { en: "Plan" } },
    { action: "setAssetCustomField", assetId, name: "pages", value: 2 },
  );
  expect(headers?.["mock-ignored"]).toBeUndefined();
  expect(body).toMatchObject({ version: 2, key: "last" });
  expect(body.assets).toMatchObject([
    { id: assetId, name: { en: "Plan" }, custom: { type: own, fields: { pages: 2 } } },
  ]);
  expect((await update(body, { action: "removeAsset", assetId })).body).toMatchObject({ version: 3, assets: [] });
});

test("the SDK recognizes the 404 of an unknown category, also where the document describes no body for it", async () => {
  const { categories, read } = open("unknown");
  await expect(read("none")).rejects.toMatchObject({ statusCode: 404 });
  await expect(categories.withKey({ key: "none" }).get().execute()).rejects.toMatchObject({ statusCode: 404 });
});

test("a key that an update has set is the one of the next request", async () => {
  const { categories, create, update } = open("keys");
  const created = await create(boats);
  await update(created, { action: "setKey", key: "ships" });
  const at = (key: string) => categories.withKey({ key });
  expect((await at("ships").get().execute()).body.id).toBe(created.id);
  await expect(at("boats").get().execute()).rejects.toBeDefined();
  const name = { en: "Ships" };
  const body = { version: 2, actions: [{ action: "changeName" as const, name }] };
  expect((await at("ships").post({ body }).execute()).body).toMatchObject({ name, version: 3 });
  expect(
    (
      await at("ships")
        .delete({ queryArgs: { version: 3 } })
        .execute()
    ).body.id,
  ).toBe(created.id);
});

test("an action without an effect raises the version, and is named in the header and in the decisions", async () => {
  const { project, create, update } = open("ignored");
  const created = await create({ ...boats, assets: [asset] });
  const order: CategoryUpdateAction = { action: "changeAssetOrder", assetOrder: [created.assets?.[0]?.id ?? ""] };
  const { body, headers } = await update(created, { action: "setKey", key: "ships" }, order);
  expect(body).toMatchObject({ key: "ships", version: 2, assets: created.assets });
  expect(headers?.["mock-ignored"]).toContain("changeAssetOrder");
  const [last] = await project.requests.list({ operation: "updateCategoryWithId" });
  expect(last?.decisions.join("\n")).toContain("changeAssetOrder");
});

const stale = (currentVersion: number) => ({
  statusCode: 409,
  body: { statusCode: 409, errors: [{ code: "ConcurrentModification", message: expect.any(String), currentVersion }] },
});

test("an update with a stale version fails with the current one, which then succeeds", async () => {
  const { create, update, read } = open("stale");
  const created = await create(boats);
  const { body: second } = await update(created, { action: "setKey", key: "ships" });
  await expect(update(created, { action: "setKey", key: "lost" })).rejects.toMatchObject(stale(2));
  expect(await read(created.id)).toEqual(second);
  const { body: third } = await update({ ...created, version: 2 }, { action: "setKey", key: "yachts" });
  expect(third).toMatchObject({ key: "yachts", version: 3 });
});

test("the client of the SDK that repeats an update with the current version succeeds", async () => {
  const { create, update } = open("repeated", undefined, (builder) => builder.withConcurrentModificationMiddleware());
  const created = await create(boats);
  await update(created, { action: "setKey", key: "ships" });
  const { body } = await update(created, { action: "changeName", name: { en: "Ships" } });
  expect(body).toMatchObject({ key: "ships", name: { en: "Ships" }, version: 3 });
});

test("a rule lets another client write first, once", async () => {
  const { project, create, update } = open("conflict");
  const created = await create(boats);
  await project.rule({ operation: "updateCategoryWithId", conflict: true, times: 1 });
  const rename: CategoryUpdateAction = { action: "changeName", name: { en: "Ships" } };
  await expect(update(created, rename)).rejects.toMatchObject(stale(2));
  const { body } = await update({ ...created, version: 2 }, rename);
  expect(body).toMatchObject({ name: { en: "Ships" }, version: 3 });
});

test("the bundled scenario of a concurrent writer applies to updates and deletes of categories", async () => {
  const { project, categories, create, update } = open("writer");
  const created = await create(boats);
  await project.use("concurrent-writer");
  await expect(update(created, { action: "setKey", key: "ships" })).rejects.toMatchObject({ statusCode: 409 });
  await project.scenarios.off("concurrent-writer");
  const { body } = await categories.withId({ ID: created.id }).get().execute();
  expect(body.version).toBeGreaterThan(1);
});

test("a deletion needs the current version; then the category is not found", async () => {
  const { categories, create, update, read } = open("delete");
  const created = await create(boats);
  await update(created, { action: "setKey", key: "ships" });
  const remove = (version: number) =>
    categories.withId({ ID: created.id }).delete({ queryArgs: { version } }).execute();
  await expect(remove(1)).rejects.toMatchObject(stale(2));
  expect((await remove(2)).body).toMatchObject({ id: created.id, key: "ships" });
  const notFound = { statusCode: 404, body: { statusCode: 404, message: expect.any(String) } };
  await expect(read(created.id)).rejects.toBeDefined();
  await expect(remove(2)).rejects.toMatchObject(notFound);
  await expect(update(created, { action: "setKey", key: "again" })).rejects.toMatchObject(notFound);
  expect((await categories.get().execute()).body).toMatchObject({ count: 0, total: 0, results: [] });
});

test("a client needs a token with the scopes of the operation", async () => {
  const { project } = open("tokens");
  const response = await fetch(`${project.baseUrl}/categories`);
  expect([response.status, response.headers.get("WWW-Authenticate")]).toEqual([401, expect.stringMatching(/^Bearer/)]);
  const { categories, create } = open("tokens", ["view"]);
  expect((await categories.get().execute()).statusCode).toBe(200);
  await expect(create(boats)).rejects.toMatchObject({ statusCode: 403 });
});
