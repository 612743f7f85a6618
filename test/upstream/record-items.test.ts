import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type StartOptions, startResourceMock } from "../../src/index.ts";
import { library } from "../any-contract/documents.ts";
import { documentOf, objectOf, send } from "../setup/documents.ts";
import { folderOf } from "../setup/folder.ts";
import { newProject } from "../setup/mock.ts";
import { slashed } from "../setup/run.ts";
import { openService } from "./services.ts";

async function started(options: StartOptions) {
  const mock = await startResourceMock(options);
  onTestFinished(() => mock.close());
  return mock;
}

function recording(contract: object, upstream: string, recordTo: string) {
  return started({ contract, upstream, recordTo, settings: { upstreamMode: "record" } });
}

function filesIn(folder: string): string[] {
  const paths = (readdirSync(folder, { recursive: true }) as string[]).map(slashed);
  return paths.filter((path) => path.includes(".json")).sort();
}

const seedIn = (folder: string) => JSON.parse(readFileSync(join(folder, "seed.json"), "utf8"));

const text = { type: "string" };
const integer = { type: "integer" };
const json = (schema: object) => ({ content: { "application/json": { schema } } });
const ok = (schema: object) => ({ responses: { 200: { description: "", ...json(schema) } } });

test("the items of recorded reads and lists are the initial items of a later mock, and can be changed", async () => {
  const folder = folderOf({});
  const service = await started({ contract: library });
  const project = newProject();
  const at = (path: string) => `/${project}${path}`;
  for (const title of ["Persuasion", "Sanditon"]) await send(service, `POST ${at("/books")}`, {}, { title, price: 3 });
  for (const slug of ["a b", "c"]) {
    await send(
      service,
      `PUT ${at(`/books/2/notes/${encodeURIComponent(slug.replace(" ", "-"))}`)}`,
      {},
      { text: slug },
    );
  }
  await send(service, `PATCH ${at("/profile")}`, {}, { theme: "light" });
  const recorder = await recording(library, service.url, folder);
  const requests = ["/books?limit=1&page=2", "/books/2", "/books", "/books/2/notes", "/users", "/profile"];
  const recorded = new Map<string, unknown>();
  for (const path of requests) recorded.set(path, (await send(recorder, `GET ${at(path)}`)).body);
  const missing = await send(recorder, `GET ${at("/books/1")}`);
  const country = await send(recorder, `GET ${at("/countries/de")}`);
  expect([missing.status, country.status]).toEqual([404, 200]);

  expect(Object.keys(seedIn(folder))).toEqual(["/books", "/books/2/notes", "/users", "/profile"]);
  expect(seedIn(folder)["/books"].map(({ title }: { title: string }) => title)).toEqual([
    "Persuasion",
    "Emma",
    "Sanditon",
  ]);
  expect(filesIn(folder)).toEqual([
    "getBook/404.recorded-00001.json",
    "getCountry/200.recorded-00002.json",
    "seed.json",
  ]);
  const entries = await recorder.project(project).requests.list();
  expect(entries.find(({ request }) => request.path.endsWith("/books/2"))?.decisions.at(-1)).toBe(
    "the response was not recorded: seed.json has the same items",
  );
  expect(entries.at(-1)?.decisions.at(-1)).toBe("recorded the response as seed.json");
  expect(entries.at(-1)?.upstream?.recorded).toBe("seed.json");

  const replay = await started({ contract: library, fixtures: folder });
  const other = newProject();
  const now = async (path: string) => (await send(replay, `GET /${other}${path}`)).body;
  for (const path of requests.slice(3)) expect(await now(path)).toEqual(recorded.get(path));
  for (const [index, id] of [2, 41, 3].entries())
    expect(await now(`/books/${id}`)).toEqual((await now("/books")).data[index]);
  expect(await now("/books/2")).toEqual(recorded.get("/books/2"));
  await send(replay, `PATCH /${other}/books/2`, {}, { title: "Lady Susan" });
  expect(await now("/books/2")).toMatchObject({ title: "Lady Susan", price: 3 });
  expect((await send(replay, `POST /${other}/books`, {}, { title: "New", price: 1 })).body.id).toBe(4);
});

describe("items in seed.json", () => {
  const schemas = {
    Thing: {
      type: "object",
      required: ["id", "name"],
      properties: { id: integer, name: text, size: integer, tag: text },
    },
  };
  const thing = { $ref: "#/components/schemas/Thing" };
  const short = objectOf({ id: integer, name: text });
  const contract = documentOf(
    {
      "/shops/{shop}/things": {
        get: ok(objectOf({ items: { type: "array", items: short }, total: integer })),
        post: { requestBody: json(thing), ...ok(thing) },
      },
      "/shops/{shop}/things/{id}": {
        get: ok(objectOf({ data: thing })),
        delete: { responses: { 204: { description: "" } } },
      },
    },
    { components: { schemas } },
  );
  let body: unknown;
  const list = (...items: object[]) => ({ items, total: items.length });

  async function recorder(files: Record<string, unknown> = {}) {
    const folder = folderOf(files);
    const service = await openService((_request, response) => {
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    });
    const mock = await recording(contract, service.url, folder);
    const get = async (path: string, answer: unknown) => {
      body = answer;
      await send(mock, `GET /p${path}`);
      return (await mock.project("p").requests.list())[0]?.decisions.at(-1);
    };
    return { folder, get };
  }

  test("have the members of all their reads and lists, with the last values", async () => {
    const { folder, get } = await recorder();
    const things = () => seedIn(folder)["/shops/a%20b/things"];
    await get("/shops/a%20b/things", list({ id: 2, name: "listed" }, { id: 1, name: "one" }));
    await get("/shops/a%20b/things", list({ id: 2, name: "again" }));
    expect(things()).toEqual([
      { id: 2, name: "again" },
      { id: 1, name: "one" },
    ]);
    await get("/shops/a%20b/things/2", { data: { id: 2, name: "read", size: 3 } });
    await get("/shops/a%20b/things", list({ id: 2, name: "short" }));
    expect(things()[0]).toEqual({ id: 2, name: "short", size: 3 });
    await get("/shops/a%20b/things/2", { data: { id: 2, name: "later", tag: "t" } });
    await get("/shops/c/things", list());
    expect(things()).toEqual([
      { id: 2, name: "later", size: 3, tag: "t" },
      { id: 1, name: "one" },
    ]);
    expect(seedIn(folder)["/shops/c/things"]).toEqual([]);
    expect(filesIn(folder)).toEqual(["seed.json"]);
  });

  test("extend the file that exists, whatever it calls the collection", async () => {
    const existing = { "/shops/%61/things": [{ name: "new" }, { id: 1, name: "one", size: 1 }], "/shops/b/things": [] };
    const { folder, get } = await recorder({ "seed.json": existing });
    expect(await get("/shops/a/things", list({ id: 1, name: "one" }, { id: 2, name: "two" }))).toBe(
      "recorded the response as seed.json",
    );
    const items = [...existing["/shops/%61/things"], { id: 2, name: "two" }];
    expect(seedIn(folder)).toEqual({ "/shops/%61/things": items, "/shops/b/things": [] });
  });

  test.each<[why: string, files: Record<string, unknown>, item: object]>([
    ["an item has no id", {}, { id: 0, name: "x" }],
    ['/~1shops~1a~1things/0/size: expected integer, found "large"', {}, { id: 1, name: "x", size: "large" }],
    ["it has no lists by collections", { "seed.json": [{ id: 1, name: "x" }] }, { id: 1, name: "x" }],
    ["it has no lists by collections", { "seed.json": "{" }, { id: 1, name: "x" }],
    [
      "it would have more than 4194304 bytes, or more than 10000 items of /shops/a/things",
      { "seed.json": { "/shops/b/things": [{ id: 1, name: "x".repeat(4 * 1024 * 1024) }] } },
      { id: 1, name: "x" },
    ],
  ])("are a fixture where %s", async (why, files, item) => {
    const { folder, get } = await recorder(files);
    const decision = await get("/shops/a/things", list(item));
    expect(decision).toContain(
      `recorded the response as getShopsByShopThings/200.recorded-00001.json, not in seed.json: ${why}`,
    );
    expect(filesIn(folder).at(0)).toMatch(/seed|^getShops/);
  });

  test("keep the values of a path that they do not show, also after a read", async () => {
    const comment = { $ref: "#/components/schemas/Comment" };
    const comments = documentOf(
      {
        "/issues/{number}/comments": {
          get: ok({ type: "array", items: comment }),
          post: { requestBody: json(objectOf({ words: text })), ...ok(comment) },
        },
        "/issues/comments/{id}": { get: ok(comment), patch: { requestBody: json(comment), ...ok(comment) } },
      },
      { components: { schemas: { Comment: objectOf({ id: integer, words: text }) } } },
    );
    const service = await started({ contract: comments, settings: { start: "empty" } });
    const folder = folderOf({});
    const recording = await started({
      ...{ contract: comments, upstream: service.url, recordTo: folder, settings: { upstreamMode: "record" } },
    });
    for (const number of [1, 2]) await send(recording, `POST /p/issues/${number}/comments`, {}, { words: "w" });
    for (const path of ["1/comments", "comments/1", "comments/1", "2/comments"])
      await send(recording, `GET /p/issues/${path}`);
    const replay = await started({ contract: comments, fixtures: folder });
    const idsOf = async (number: number) =>
      (await send(replay, `GET /p/issues/${number}/comments`)).body.map(({ id }: { id: number }) => id);
    expect([await idsOf(1), await idsOf(2), await idsOf(3)]).toEqual([[1], [2], []]);
  });
});

test("a response whose status the document declares as a range or by default is recorded and replayed", async () => {
  const folder = folderOf({});
  const error = { type: "object", required: ["message"], properties: { message: { type: "string" } } };
  const problem = { description: "", ...json(error) };
  const paths = {
    "/rooms": { get: { operationId: "rooms", responses: { ...ok(integer).responses, "4XX": problem } } },
    "/desks": { get: { operationId: "desks", responses: { ...ok(integer).responses, default: problem } } },
  };
  const contract = documentOf(paths);
  const service = await started({ contract });
  const recorder = await recording(contract, service.url, folder);
  for (const [operation, status] of [
    ["rooms", 404],
    ["desks", 503],
  ] as const) {
    await service.project("default").rule({ operation, respond: { status } });
    await send(recorder, `GET /${operation}`);
  }

  expect(filesIn(folder)).toEqual(["desks/503.recorded-00002.json", "rooms/404.recorded-00001.json"]);
  const replay = await started({ contract, fixtures: folder });
  const recorded = JSON.parse(readFileSync(`${folder}/rooms/404.recorded-00001.json`, "utf8"));
  expect((await send(replay, "GET /rooms", { Prefer: "code=404" })).body).toEqual(recorded);
});
