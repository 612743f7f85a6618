import { documentOf, jsonResponse } from "../setup/documents.ts";

/** A document of a shop's categories: they have a version, a key, and update actions. */

const text = { type: "string" };
const integer = { type: "integer" };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const list = (items: object) => ({ type: "array", items });
const object = (properties: object, required: readonly string[] = []) => ({ type: "object", required, properties });
const time = { ...text, format: "date-time" };
const translated = ref("Translated");

const described = { name: translated, slug: translated, description: translated, orderHint: text, key: text };
const named = { id: text, key: text };
const fields = { type: "object", additionalProperties: true };

/** The members of each update action; the name of the last one does not tell its effect. */
const actions = {
  changeName: object({ name: translated }, ["name"]),
  changeSlug: object({ slug: translated }, ["slug"]),
  setKey: object({ key: text }),
  setDescription: object({ description: translated }),
  changeParent: object({ parent: ref("CategoryIdentifier") }, ["parent"]),
  changeOrderHint: object({ orderHint: text }, ["orderHint"]),
  addAsset: object({ asset: ref("AssetDraft"), position: integer }, ["asset"]),
  removeAsset: object({ assetId: text, assetKey: text }),
  changeAssetName: object({ assetId: text, assetKey: text, name: translated }, ["name"]),
  setCustomType: object({ type: ref("TypeIdentifier"), fields }),
  setCustomField: object({ name: text, value: {} }, ["name"]),
  setAssetCustomField: object({ assetId: text, assetKey: text, name: text, value: {} }, ["name"]),
  changeAssetOrder: object({ assetOrder: list(text) }, ["assetOrder"]),
};
const schemaOf = (action: string) => `Category${action[0]?.toUpperCase()}${action.slice(1)}Action`;

const mapping = Object.fromEntries(Object.keys(actions).map((name) => [name, ref(schemaOf(name)).$ref]));
const actionSchemas = Object.fromEntries(
  Object.entries(actions).map(([name, members]) => [
    schemaOf(name),
    { allOf: [ref("CategoryUpdateAction"), { ...members, properties: { action: text, ...members.properties } }] },
  ]),
);

const schemas = {
  Translated: { type: "object", additionalProperties: text },
  Category: object(
    {
      id: text,
      version: { ...integer, format: "int64" },
      createdAt: time,
      lastModifiedAt: time,
      ...described,
      ancestors: list(ref("CategoryReference")),
      parent: ref("CategoryReference"),
      custom: ref("Custom"),
      assets: list(ref("Asset")),
    },
    ["id", "version", "createdAt", "lastModifiedAt", "name", "slug", "ancestors", "orderHint"],
  ),
  CategoryDraft: object(
    { ...described, parent: ref("CategoryIdentifier"), custom: ref("CustomDraft"), assets: list(ref("AssetDraft")) },
    ["name", "slug"],
  ),
  CategoryPage: object(
    { limit: integer, offset: integer, count: integer, total: integer, results: list(ref("Category")) },
    ["limit", "offset", "count", "results"],
  ),
  CategoryReference: object({ typeId: text, id: text }, ["typeId", "id"]),
  CategoryIdentifier: object({ typeId: text, ...named }, ["typeId"]),
  TypeReference: object({ typeId: text, id: text }, ["typeId", "id"]),
  TypeIdentifier: object({ typeId: text, ...named }, ["typeId"]),
  Custom: object({ type: ref("TypeReference"), fields }, ["type", "fields"]),
  CustomDraft: object({ type: ref("TypeIdentifier"), fields }, ["type"]),
  Asset: object({ ...named, name: translated, sources: list(object({ uri: text }, ["uri"])), custom: ref("Custom") }, [
    "id",
    "name",
    "sources",
  ]),
  AssetDraft: object(
    { key: text, name: translated, sources: list(object({ uri: text }, ["uri"])), custom: ref("CustomDraft") },
    ["name", "sources"],
  ),
  CategoryUpdate: object({ version: integer, actions: list(ref("CategoryUpdateAction")) }, ["version", "actions"]),
  CategoryUpdateAction: { ...object({ action: text }, ["action"]), discriminator: { propertyName: "action", mapping } },
  ...actionSchemas,
  Failure: object({ statusCode: integer, message: text, errors: list(ref("Fault")) }, ["statusCode", "message"]),
  Fault: {
    ...object({ code: text, message: text }, ["code", "message"]),
    discriminator: { propertyName: "code", mapping: { ConcurrentModification: ref("StaleVersion").$ref } },
  },
  StaleVersion: { allOf: [ref("Fault"), object({ code: text, message: text, currentVersion: integer })] },
};

const inPath = (name: string) => ({ in: "path", name, required: true, schema: text });
const inQuery = (name: string, schema: object, required = false) => ({ in: "query", name, required, schema });
const body = (name: string) => ({
  requestBody: { required: true, content: { "application/json": { schema: ref(name) } } },
});
const responses = (status: number, name: string, ...failures: readonly number[]) => ({
  responses: Object.fromEntries([
    [status, jsonResponse(ref(name))],
    ...[400, ...failures].map((failure) => [failure, jsonResponse(ref("Failure"))]),
  ]),
});
const scoped = (scope: string) => ({ security: [{ oauth: [`${scope}_categories:{projectKey}`] }] });

const onItem = (how: string, parameter: string) => ({
  parameters: [inPath("projectKey"), inPath(parameter)],
  get: {
    operationId: `getCategory${how}`,
    ...scoped("view"),
    // As in some published documents, which describe the bodies of all errors but this one.
    responses: { ...responses(200, "Category").responses, 404: { description: "Not found", content: {} } },
  },
  post: {
    operationId: `updateCategory${how}`,
    ...scoped("manage"),
    ...body("CategoryUpdate"),
    ...responses(200, "Category", 404, 409),
  },
  delete: {
    operationId: `deleteCategory${how}`,
    ...scoped("manage"),
    parameters: [inQuery("version", integer, true)],
    ...responses(200, "Category", 404, 409),
  },
});

const paths = {
  "/{projectKey}/categories": {
    parameters: [inPath("projectKey")],
    get: {
      operationId: "queryCategories",
      ...scoped("view"),
      parameters: [
        inQuery("where", list(text)),
        inQuery("sort", list(text)),
        inQuery("limit", integer),
        inQuery("offset", integer),
        inQuery("withTotal", { type: "boolean" }),
      ],
      ...responses(200, "CategoryPage"),
    },
    post: {
      operationId: "createCategory",
      ...scoped("manage"),
      ...body("CategoryDraft"),
      ...responses(201, "Category"),
    },
  },
  "/{projectKey}/categories/{ID}": onItem("WithId", "ID"),
  "/{projectKey}/categories/key={key}": onItem("WithKey", "key"),
};

const scopes = { "view_categories:{projectKey}": "read", "manage_categories:{projectKey}": "write" };
const securitySchemes = {
  oauth: {
    type: "oauth2",
    flows: { clientCredentials: { tokenUrl: "https://auth.shop.example/oauth/token", scopes } },
  },
};

export const categories = documentOf(paths, { components: { schemas, securitySchemes } });
