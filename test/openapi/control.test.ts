import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createResourceMock, startResourceMock } from "../../src/library/resource-mock.ts";
import { activate, addRule } from "../setup/activation.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { documentOf, jsonResponse, objectOf, send } from "../setup/documents.ts";
import { folderOf, writeInto } from "../setup/folder.ts";
import { newProject, onTransports } from "../setup/mock.ts";
import { serving } from "../setup/serving.ts";

const closed = { status: 404, body: { message: "closed" } };
const ok = (example: object) => ({
  responses: { 200: jsonResponse({}, example), 404: jsonResponse(objectOf({ message: { type: "string" } })) },
});
const tables = documentOf({
  "/tables": {
    get: { operationId: "tables/list", ...ok({ tables: 1 }) },
    post: { operationId: "tables/list", ...ok({ made: true }) },
  },
  "/tables/{tableId}/seats": { get: ok({ seats: 4 }), put: { operationId: "seat", ...ok({ seats: 5 }) } },
});

onTransports("a document in the control API", { contract: tables }, (mock) => {
  test("operations are listed and returned by their ids, also with a slash or made of method and path", async () => {
    const { body } = await send(mock, "GET /__admin/contract/operations");
    const ids: string[] = body.operations.map(({ id }: { id: string }) => id);
    expect([ids, body.total]).toEqual([["tables/list", "postTables", "getTablesByTableIdSeats", "seat"], 4]);
    expect(body.operations[0]).toMatchObject({ method: "GET", path: "/tables" });
    const page = await send(mock, "GET /__admin/contract/operations?limit=1&offset=2");
    expect(page.body.operations).toEqual([expect.objectContaining({ id: "getTablesByTableIdSeats" })]);
    for (const id of ids) {
      const one = await send(mock, `GET /__admin/contract/operations/${encodeURIComponent(id)}`);
      expect([id, one.status, Object.keys(one.body.paths)]).toEqual([id, 200, [expect.stringMatching(/^\/tables/)]]);
    }
    const unknown = await send(mock, "GET /__admin/contract/operations/seats");
    expect([unknown.status, unknown.body.detail]).toEqual([404, expect.stringContaining('"seat"')]);
    const whole = await send(mock, "GET /__admin/contract.json");
    expect(Object.keys(whole.body.paths)).toEqual(["/tables", "/tables/{tableId}/seats"]);
  });

  test("a contract without security has no credentials and no scopes", async () => {
    const { body } = await send(mock, "GET /__admin/contract/security");
    expect(body).toEqual({ credentials: [], scopes: [] });
  });

  test("the journal, the coverage, rules and scenarios name operations by these ids", async () => {
    const project = newProject();
    await send(mock, `GET /${project}/tables`);
    await send(mock, `GET /${project}/tables/7/seats`);
    const { body } = await inProject(mock, project, "GET", "/requests?operation=tables/list");
    expect(body.requests).toEqual([expect.objectContaining({ operation: "tables/list", source: "example:default" })]);
    const { body: coverage } = await inProject(mock, project, "GET", "/coverage");
    for (const operation of ["tables/list", "getTablesByTableIdSeats"])
      expect(coverage.operations).toContainEqual(expect.objectContaining({ operation, requests: 1 }));
    await addRule(mock, project, { operation: "tables/list", times: 1, respond: closed });
    expect(await send(mock, `GET /${project}/tables`)).toMatchObject({ ...closed, isOffContract: false });
    expect((await send(mock, `GET /${project}/tables`)).status).toBe(200);
    const refused = await inProject(mock, project, "POST", "/rules", { operation: "tables", respond: closed });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining("tables/list")]);
    const rule = { operation: "getTablesByTableIdSeats", when: { path: { tableId: "1" } }, respond: closed };
    await activate(mock, project, "seats", { rules: [rule] });
    expect((await send(mock, `GET /${project}/tables/1/seats`)).body).toEqual(closed.body);
    expect((await send(mock, `GET /${project}/tables/2/seats`)).body).toEqual({ seats: 4 });
  });
});

/** A tree of a document: a schema that contains itself, with required members. */
const Node = {
  type: "object",
  required: ["id", "label", "author"],
  properties: {
    id: { type: "integer" },
    label: { type: "string" },
    author: objectOf({ name: { type: "string" }, age: { type: "integer" } }),
    below: { type: "array", items: { $ref: "#/components/schemas/Node" } },
  },
};
const node = { $ref: "#/components/schemas/Node" };
const trees = {
  ...documentOf({
    "/users/{user}/nodes": {
      get: { responses: { 200: jsonResponse({ type: "array", items: node }) } },
      post: {
        requestBody: { content: { "application/json": { schema: node } } },
        responses: { 201: jsonResponse(node) },
      },
    },
    "/users/{user}/nodes/{nodeId}": { get: { responses: { 200: jsonResponse(node) } } },
  }),
  components: { schemas: { Node } },
};

onTransports("items of a document whose schema contains itself, in the control API", { contract: trees }, (mock) => {
  test("are seeded with a part of their members, exported, imported and documented", async () => {
    const [project, copy] = [newProject(), newProject()];
    const path = "/users/ann/nodes";
    const seed = { [path]: [{ label: "a", author: { name: "Ann" }, below: [{ label: "b" }], note: 1 }] };
    const added = await inProject<Record<string, object[]>>(mock, project, "POST", "/resources", seed);
    expect([added.status, added.body]).toMatchObject([
      201,
      {
        [path]: [
          { id: 1, label: "a", author: { name: "Ann", age: expect.any(Number) }, $mock: { hidden: { note: 1 } } },
        ],
      },
    ]);
    const { $mock: _mock, ...content } = (added.body[path]?.[0] ?? {}) as { $mock?: object };
    expect(await send(mock, `GET /${project}${path}/1`)).toMatchObject({ status: 200, body: content });
    const invalid = { [path]: [{ label: "a", below: [{ label: 7 }] }] };
    const refused = await inProject(mock, project, "POST", "/resources", invalid);
    expectProblem(refused, 400, "InvalidField", "/~1users~1ann~1nodes/0/below/0/label: expected string, found 7");
    const { body: state } = await inProject(mock, project, "GET", "/state");
    expect((await inProject(mock, copy, "PUT", "/state", state)).status).toBe(204);
    expect((await inProject(mock, copy, "GET", "/state")).body).toEqual(state);
    expect((await inProject(mock, project, "GET", `/resources?type=${path}&where=label="a"`)).body.total).toBe(1);
    expect((await send(mock, "GET /__admin/openapi.json")).status).toBe(200);
    expect((await inProject(mock, project, "GET", "/types")).body).toMatchObject({
      types: [{ path: "/users/{user}/nodes", id: "id", count: 1, readBack: true }],
    });
  });

  test("10,000 collections are counted at once", async () => {
    const project = newProject();
    const names = Array.from({ length: 10_000 }, (_, index) => [`/users/u${index}/nodes`, [{ id: 1 }]]);
    for (const half of [names.slice(0, 5000), names.slice(5000)]) {
      expect((await inProject(mock, project, "POST", "/resources", Object.fromEntries(half))).status).toBe(201);
    }
    expect((await inProject(mock, project, "GET", "/types")).body.types).toMatchObject([{ count: 10_000 }]);
  });
});

const key = { type: "apiKey", in: "header", name: "X-Key" };
const secured = {
  ...documentOf({
    "/seats": { get: { responses: { 200: jsonResponse({ $ref: "#/components/schemas/a~1b%7Bc%7D" }) } } },
  }),
  security: [{ key: [] }],
  components: { schemas: { "a/b{c}": { type: "string" } }, securitySchemes: { key, other: key } },
};

onTransports("one operation of a document", { contract: secured }, (mock) => {
  test("has its id, its security, and what its encoded references lead to", async () => {
    const { body } = await send(mock, "GET /__admin/contract/operations/getSeats");
    expect(body).toMatchObject({ security: [{ key: [] }], paths: { "/seats": { get: { operationId: "getSeats" } } } });
    expect(body.components).toEqual({ schemas: { "a/b{c}": { type: "string" } }, securitySchemes: { key } });
  });
});

test("fixtures and scenarios of a document are in the folders of the user, one level deeper for an id with a slash", async () => {
  const folder = folderOf({
    "fixtures/tables/list/200.json": { tables: 3 },
    "fixtures/tables/list/200.full.json": { tables: 99 },
    "fixtures/seat/404.json": { message: "no seat" },
    "scenarios/closed.json": { description: "None", rules: [{ operation: "tables/list", respond: closed }] },
  });
  const folders = { fixtures: join(folder, "fixtures"), scenarios: join(folder, "scenarios") };
  const mock = await createResourceMock({ contract: tables, ...folders });
  expect((await send(mock, "GET /tables")).body).toEqual({ tables: 3 });
  expect((await send(mock, "GET /tables", { Prefer: "example=full" })).body).toEqual({ tables: 99 });
  expect((await send(mock, "PUT /tables/1/seats", { Prefer: "code=404" })).body).toEqual({ message: "no seat" });
  expect((await send(mock, "GET /tables", { Prefer: "scenario=closed" })).body).toEqual({ message: "closed" });
  await mock.close();
  writeInto(folder, "fixtures/seat/404.json", { message: 7 });
  await expect(createResourceMock({ contract: tables, ...folders })).rejects.toThrow("seat/404.json");
});

test("a response is recorded once in the nested folder of its operation, also after a restart, and replayed", async () => {
  const folder = folderOf({});
  const real = await startResourceMock({ contract: tables });
  const settings = { upstreamMode: "record" } as const;
  for (const _run of [1, 2]) {
    const mock = await createResourceMock({ contract: tables, upstream: real.url, recordTo: folder, settings });
    expect((await send(mock, "GET /tables")).body).toEqual({ tables: 1 });
    await mock.close();
  }
  await real.close();
  const files = (readdirSync(folder, { recursive: true }) as string[]).filter((file) => file.endsWith(".json"));
  expect(files).toEqual([join("tables", "list", "200.recorded-00001.json")]);
  const replay = await createResourceMock({ contract: tables, fixtures: folder });
  expect((await send(replay, "GET /tables")).headers.get("Mock-Source")).toMatch(
    /^fixture:tables\/list\/200\.recorded/,
  );
  await replay.close();
});

test("--watch serves a changed document, and keeps the last valid one", { tags: ["process"] }, async () => {
  const folder = folderOf({ "kitchen.json": tables });
  const file = join(folder, "kitchen.json");
  const server = await serving({ args: ["--contract", file, "--watch", "--dynamic", "--log", "off"] });
  const mock = { fetch: (path: string, init?: RequestInit) => fetch(server.url + path, init) };
  expect((await send(mock, "GET /chairs")).status).toBe(404);
  expect((await send(mock, "GET /tables")).headers.get("Mock-Source")).toBe("generated");
  const reloaded = server.line(/reloaded/);
  writeInto(folder, "kitchen.json", documentOf({ "/chairs": { get: ok({ chairs: 1 }) } }));
  await reloaded;
  expect((await send(mock, "GET /chairs")).status).toBe(200);
  expect((await send(mock, "GET /tables")).status).toBe(404);
  const kept = server.line(/kept the last valid/);
  writeInto(folder, "kitchen.json", '{"openapi": "3.1.0",');
  await kept;
  expect(server.output()).toContain("kitchen.json:1:");
  expect((await send(mock, "GET /chairs")).status).toBe(200);
  await server.stop();
});
