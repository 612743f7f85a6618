import { expect, test } from "vitest";
import { createResourceMock } from "../../src/library/resource-mock.ts";
import { documentOf, objectOf, send } from "../setup/documents.ts";

const integer = { type: "integer" };
const text = { type: "string" };
const truth = { type: "boolean" };
const thing = { $ref: "#/components/schemas/Thing" };
const things = { type: "array", items: thing };
const schemas = { Thing: objectOf({ id: integer, name: text, size: integer }) };
const sent = { type: "object", required: ["name"], properties: { name: text, size: integer } };

/** Returns an operation with this response and body. */
function does(response?: object, body?: object, status = 200, parameters: object[] = []): object {
  const content = (schema: object) => ({ content: { "application/json": { schema } } });
  return {
    parameters,
    responses: { [status]: { description: "", ...(response && content(response)) } },
    ...(body && { requestBody: content(body) }),
  };
}

/** The envelopes of an item and of a list in different frameworks. */
const envelopes: readonly (readonly [style: string, item: object, list: object])[] = [
  ["none", thing, things],
  [
    "code and message",
    objectOf({ code: integer, msg: text, data: thing }),
    objectOf({ code: integer, msg: text, rows: things }),
  ],
  [
    "code and message around a page",
    objectOf({ code: integer, data: thing }),
    objectOf({ code: integer, data: objectOf({ list: things, total: integer }) }),
  ],
  [
    "JSend",
    objectOf({ status: text, data: objectOf({ thing }) }),
    objectOf({ status: text, data: objectOf({ things }) }),
  ],
  [
    "a result with errors",
    objectOf({ isSuccess: truth, isFailure: truth, value: thing, error: text }),
    objectOf({ isSuccess: truth, value: things }),
  ],
  [
    "a result with six members",
    objectOf({
      result: thing,
      targetUrl: text,
      success: truth,
      error: objectOf({ code: integer }),
      unauthorized: truth,
      abp: truth,
    }),
    objectOf({ result: objectOf({ items: things, totalCount: integer }), success: truth }),
  ],
  [
    "a page of Spring",
    thing,
    objectOf({
      content: things,
      pageable: objectOf({ paged: truth }),
      totalElements: integer,
      totalPages: integer,
      number: integer,
      size: integer,
      sort: objectOf({ sorted: truth }),
      first: truth,
      last: truth,
      numberOfElements: integer,
      empty: truth,
    }),
  ],
  [
    "a page of Laravel",
    objectOf({ data: thing }),
    objectOf({
      current_page: integer,
      data: things,
      first_page_url: text,
      from: integer,
      last_page: integer,
      path: text,
      per_page: integer,
      to: integer,
      total: integer,
    }),
  ],
  [
    "Hydra",
    thing,
    objectOf({ "@context": text, "@id": text, "@type": text, "hydra:member": things, "hydra:totalItems": integer }),
  ],
  ["OData", thing, objectOf({ "@odata.context": text, "@odata.count": integer, value: things })],
];

test.each(envelopes)("the envelope of %s", async (_style, item, list) => {
  const paths = {
    "/things": { get: does(list), post: does(item, sent) },
    "/things/{id}": { get: does(item), put: does(item, sent), delete: does(undefined, undefined, 204) },
  };
  const contract = documentOf(paths, { components: { schemas } });
  await using mock = await createResourceMock({ contract, settings: { start: "empty" } });
  const call = (request: string, body?: unknown) => send(mock, request.replace(" ", " http://in.process/p"), {}, body);
  const created = await call("POST /things", { name: "Lamp", size: 3 });
  expect(JSON.stringify(created.body)).toContain('"id":1,"name":"Lamp","size":3');
  expect((await call("GET /things/1")).body).toEqual(created.body);
  const listed = await call("GET /things");
  expect([JSON.stringify(listed.body).match(/"Lamp"/g)?.length, listed.isOffContract]).toEqual([1, false]);
  await call("PUT /things/1", { name: "Chair" });
  expect(JSON.stringify((await call("GET /things")).body)).toContain('"id":1,"name":"Chair"');
  expect((await call("DELETE /things/1")).status).toBe(204);
  expect((await call("GET /things/1")).status).toBe(404);
});

const styles = documentOf(
  {
    "/articles": { get: does(things), post: does(thing, sent, 201) },
    "/articles/{id}": { get: does(thing), delete: does(undefined, undefined, 204) },
    "/articles/{id}/comments": {
      get: does({ type: "array", items: objectOf({ id: integer, text }) }),
      post: does(objectOf({ id: integer, text }), objectOf({ text }), 201),
    },
    "/todos": {
      get: does({ type: "array", items: objectOf({ todo: integer, id: integer, label: text }) }),
      post: does(integer, objectOf({ label: text })),
    },
    "/todos/{id}": { get: does(objectOf({ todo: integer, id: integer, label: text })) },
    "/settings": {
      get: does(objectOf({ theme: text })),
      put: does(objectOf({ theme: text }), objectOf({ theme: text })),
    },
    "/settings/{key}": {
      get: does(objectOf({ key: text, value: text })),
      put: does(objectOf({ key: text, value: text }), objectOf({ value: text })),
    },
    "/replies": {
      get: does({ type: "array", items: { $ref: "#/components/schemas/Reply" } }),
      post: does({ $ref: "#/components/schemas/Reply" }, objectOf({ postId: integer, words: text }), 201),
    },
    "/replies/{id}": { get: does({ $ref: "#/components/schemas/Reply" }) },
    "/posts/{postId}/replies": { get: does({ type: "array", items: { $ref: "#/components/schemas/Reply" } }) },
    "/free": {
      get: does({ type: "array", items: { type: "object" } }),
      post: does({ type: "object" }, { type: "object" }, 201),
    },
    "/free/{id}": { get: does({ type: "object" }) },
    "/sorted": {
      get: does(
        things,
        undefined,
        200,
        ["sort", "order"].map((name) => ({ in: "query", name, schema: text })),
      ),
      post: does(thing, sent, 201),
    },
    "/sorted/{id}": { get: does(thing) },
    "/samples": {
      get: {
        responses: {
          200: {
            description: "",
            content: { "application/json": { schema: { type: "array" }, example: [{ id: 1, name: "Ann" }] } },
          },
        },
      },
      post: {
        requestBody: { content: { "application/json": { example: { name: "Ann" } } } },
        responses: { 201: { description: "", content: { "application/json": { example: { id: 1, name: "Ann" } } } } },
      },
    },
    "/plans": {
      get: does({ type: "array", items: { $ref: "#/components/schemas/Plan" } }, undefined, 200, [
        { in: "query", name: "state", schema: { enum: ["open", "done"], default: "open" } },
        {
          in: "query",
          name: "pageable",
          schema: { type: "object", properties: { page: { ...integer, minimum: 0 }, size: integer } },
        },
      ]),
      post: does({ $ref: "#/components/schemas/Plan" }, objectOf({ state: text }), 201),
    },
    "/plans/{id}": {
      get: does({ $ref: "#/components/schemas/Plan" }),
      post: does({ $ref: "#/components/schemas/Plan" }, undefined, 200, [{ in: "query", name: "state", schema: text }]),
    },
    "/notes": {
      post: {
        requestBody: { content: { "application/xml": { schema: objectOf({ id: integer }) } } },
        responses: { 201: { description: "", content: { "application/json": { schema: objectOf({ id: integer }) } } } },
      },
    },
    "/notes/{id}": { get: does(objectOf({ id: integer })) },
    "/dues": { post: does({ $ref: "#/components/schemas/Due" }, { $ref: "#/components/schemas/Due" }, 201) },
    "/dues/{id}": {
      get: does({ $ref: "#/components/schemas/Due" }),
      patch: {
        requestBody: {
          content: Object.fromEntries(
            ["application/json", "application/merge-patch+json"].map((type) => [
              type,
              { schema: { type: "object", properties: { at: { type: ["string", "null"] }, note: text } } },
            ]),
          ),
        },
        responses: {
          200: { description: "", content: { "application/json": { schema: { $ref: "#/components/schemas/Due" } } } },
        },
      },
    },
    "/samples/{id}": {
      get: {
        responses: { 200: { description: "", content: { "application/json": { example: { id: 1, name: "Ann" } } } } },
      },
    },
  },
  {
    components: {
      schemas: {
        ...schemas,
        Reply: objectOf({ id: integer, postId: integer, words: text }),
        Plan: objectOf({ id: integer, state: text }),
        Due: { type: "object", properties: { id: integer, at: { type: ["string", "null"] }, note: text } },
      },
    },
  },
);

test.each<[what: string, steps: readonly (readonly [request: string, body: unknown, expected: unknown])[]]>([
  [
    "items below /articles/{id} have ids of their own",
    [
      ["POST /articles", { name: "A", size: 1 }, { id: 1 }],
      ["POST /articles", { name: "B", size: 1 }, { id: 2 }],
      ["POST /articles/2/comments", { text: "x" }, { id: 1 }],
      ["POST /articles/2/comments", { text: "y" }, { id: 2 }],
      ["GET /articles/2/comments", undefined, [{ id: 1 }, { id: 2 }]],
    ],
  ],
  [
    "a create can return only the id",
    [
      ["POST /todos", { label: "x" }, 1],
      ["GET /todos/1", undefined, { id: 1, label: "x" }],
    ],
  ],
  [
    "a single item and keyed items can have one path",
    [
      ["PUT /settings/lang", { value: "de" }, { key: "lang", value: "de" }],
      ["PUT /settings", { theme: "dark" }, { theme: "dark" }],
      ["GET /settings/lang", undefined, { key: "lang", value: "de" }],
    ],
  ],
  [
    "a list below another path has the items with its values",
    [
      ["POST /replies", { postId: 1, words: "a" }, { postId: 1 }],
      ["POST /replies", { postId: 2, words: "b" }, { postId: 2 }],
      ["GET /posts/2/replies", undefined, [{ words: "b" }]],
    ],
  ],
  [
    "objects of any form are kept whole",
    [
      ["POST /free", { a: { b: 1 } }, { a: { b: 1 } }],
      ["GET /free", undefined, [{ a: { b: 1 } }]],
    ],
  ],
  [
    "sort names the member, and order the direction",
    [
      ["POST /sorted", { name: "a", size: 1 }, {}],
      ["POST /sorted", { name: "b", size: 1 }, {}],
      ["GET /sorted?sort=name&order=desc", undefined, [{ name: "b" }, { name: "a" }]],
    ],
  ],
  [
    "examples stand in for schemas",
    [
      ["POST /samples", { name: "Mine" }, { name: "Mine" }],
      ["GET /samples/1", undefined, { id: 1, name: "Mine" }],
    ],
  ],
])("%s", async (_what, steps) => {
  await using mock = await createResourceMock({ contract: styles, settings: { start: "empty" } });
  for (const [request, body, expected] of steps) {
    const response = await send(mock, request.replace(" ", " http://in.process/p"), {}, body);
    if (typeof expected === "object") expect(response.body).toMatchObject(expected as object);
    else expect(response.body).toBe(expected);
  }
});

async function opened() {
  const mock = await createResourceMock({ contract: styles, settings: { start: "empty" } });
  const call = (request: string, body?: unknown, headers = {}) =>
    send(mock, request.replace(" ", " http://in.process/p"), headers, body);
  return { call, [Symbol.asyncDispose]: () => mock.close() };
}

test("a filter that equals the default of its parameter filters if the client sends it", async () => {
  await using mock = await opened();
  for (const state of ["open", "done"]) await mock.call("POST /plans", { state });
  expect((await mock.call("GET /plans")).body).toHaveLength(2);
  expect((await mock.call("GET /plans?state=open")).body).toEqual([{ id: 1, state: "open" }]);
});

test("the members of an object in the query are parameters of a list", async () => {
  await using mock = await opened();
  for (const state of ["a", "b", "c"]) await mock.call("POST /plans", { state });
  expect((await mock.call("GET /plans?page=1&size=2")).body).toEqual([{ id: 3, state: "c" }]);
});

test("a change without a body has the members in the query", async () => {
  await using mock = await opened();
  await mock.call("POST /plans", { state: "open" });
  expect((await mock.call("POST /plans/1?state=done")).body).toEqual({ id: 1, state: "done" });
  expect((await mock.call("GET /plans/1")).body).toEqual({ id: 1, state: "done" });
});

test("a body that the mock cannot read into an item is named as ignored", async () => {
  await using mock = await opened();
  const { status, headers } = await mock.call("POST /notes", "<note/>", { "Content-Type": "application/xml" });
  expect([status, headers.get("Mock-Ignored")]).toEqual([201, "body"]);
});

test("null is stored if the member can be null, and removes it in a merge patch", async () => {
  await using mock = await opened();
  await mock.call("POST /dues", { at: "May", note: "n" });
  expect((await mock.call("PATCH /dues/1", { at: null })).body).toEqual({ id: 1, at: null, note: "n" });
  const type = { "Content-Type": "application/merge-patch+json" };
  const patched = await mock.call("PATCH /dues/1", JSON.stringify({ at: null, note: null }), type);
  expect([patched.status, patched.body]).toEqual([200, { id: 1 }]);
});

const headers = (examples: Readonly<Record<string, unknown>>) => ({
  headers: Object.fromEntries(Object.entries(examples).map(([name, example]) => [name, { schema: {}, example }])),
});

/** Returns a mock with five items at `/things`, whose list has these parameters and documented headers. */
async function pagesOf(parameters: readonly string[], documented: object = {}, list: object = things) {
  const query = parameters.map((name) => ({ in: "query", name, schema: /cursor|q/.test(name) ? text : integer }));
  const paths = {
    "/things": {
      get: {
        parameters: query,
        responses: { 200: { description: "", content: { "application/json": { schema: list } }, ...documented } },
      },
      post: does(thing, sent, 201),
    },
    "/things/{id}": { get: does(thing) },
  };
  const contract = documentOf(paths, { components: { schemas } });
  const mock = await createResourceMock({ contract, settings: { start: "empty" } });
  const call = (request: string, body?: unknown) => send(mock, request.replace(" ", " http://in.process/p"), {}, body);
  for (const size of [1, 2, 3, 4, 5]) await call("POST /things", { name: "n", size });
  const get = async (url: string) => {
    const response = await send(mock, `GET ${new URL(url, "http://in.process/p/")}`);
    const links = Array.from((response.headers.get("Link") ?? "").matchAll(/<([^<>]+)>; rel="(\w+)"/g));
    return { ...response, links: Object.fromEntries(links.map(([, target = "", rel = ""]) => [rel, target])) };
  };
  return { get, [Symbol.asyncDispose]: () => mock.close() };
}

const base = "http://in.process/p/things";

test.each<[by: string, parameters: string[], request: string, links: Record<string, string>]>([
  [
    "page",
    ["page", "per_page", "q"],
    "things?q=a%20b&per_page=2&page=2",
    {
      next: `${base}?q=a+b&per_page=2&page=3`,
      prev: `${base}?q=a+b&per_page=2&page=1`,
      first: `${base}?q=a+b&per_page=2&page=1`,
      last: `${base}?q=a+b&per_page=2&page=3`,
    },
  ],
  [
    "page, at its start",
    ["page", "per_page"],
    "things?per_page=4",
    {
      next: `${base}?per_page=4&page=2`,
      first: `${base}?per_page=4&page=1`,
      last: `${base}?per_page=4&page=2`,
    },
  ],
  [
    "offset, at its end",
    ["offset", "limit"],
    "things?limit=2&offset=4",
    {
      prev: `${base}?limit=2&offset=2`,
      first: `${base}?limit=2&offset=0`,
      last: `${base}?limit=2&offset=4`,
    },
  ],
  ["cursor", ["cursor", "limit"], "things?limit=2", { next: expect.stringMatching(/things\?limit=2&cursor=\w+$/) }],
  ["page, without a second one", ["page", "per_page"], "things?per_page=5", {}],
  ["page, without items", ["page", "per_page"], "things?per_page=0", {}],
  ["nothing", ["limit"], "things?limit=2", {}],
])("Link has the pages of a list by %s", async (_by, parameters, request, expected) => {
  await using pages = await pagesOf(parameters);
  expect((await pages.get(request)).links).toEqual(expected);
});

test.each([["page"], ["offset"], ["cursor"]])("the links of a list by %s lead to all items once", async (parameter) => {
  await using pages = await pagesOf([parameter, "limit"]);
  const ids: number[] = [];
  for (let url: string | undefined = "things?limit=2"; url; ) {
    const { body, links } = await pages.get(url);
    ids.push(...body.map(({ id }: { id: number }) => id));
    url = links.next;
  }
  expect(ids).toEqual([1, 2, 3, 4, 5]);
});

test("documented headers have the facts of the page, not of an example", async () => {
  const documented = {
    ...{ "X-Total": 99, "X-Total-Pages": 99, "X-Page": 99, "X-Per-Page": 99, "X-Next-Page": 99, "X-Prev-Page": 99 },
    ...{ "Pagination-Count": 99, "X-Has-More": true, "X-Request-Id": "r", Link: "<x>" },
  };
  await using pages = await pagesOf(["page", "per_page"], headers(documented));
  const factsIn = async (request: string) => {
    const response = await pages.get(request);
    return Object.fromEntries(Object.keys(documented).map((name) => [name, response.headers.get(name)]));
  };
  expect(await factsIn("things?per_page=2&page=3")).toEqual({
    ...{
      "X-Total": "5",
      "X-Total-Pages": "3",
      "X-Page": "3",
      "X-Per-Page": "2",
      "X-Next-Page": "",
      "X-Prev-Page": "2",
    },
    ...{ "Pagination-Count": "1", "X-Has-More": "false", "X-Request-Id": "r", Link: expect.stringContaining("page=1") },
  });
  expect(await factsIn("things")).toMatchObject({ "X-Total": "5", "X-Next-Page": "", Link: null });
});

test("a count among the headers is that of all items, if they have no total", async () => {
  await using pages = await pagesOf(["page", "per_page"], headers({ "Pagination-Count": 99, "Pagination-Limit": 1 }));
  const response = await pages.get("things?per_page=2");
  expect([response.headers.get("Pagination-Count"), response.headers.get("Pagination-Limit")]).toEqual(["5", "2"]);
});

test("the next page is a number in an envelope with such a member", async () => {
  const page = {
    type: "object",
    properties: { items: things, next_page: { type: ["integer", "null"] }, prev_page: integer },
  };
  await using pages = await pagesOf(["page", "per_page"], {}, page);
  expect((await pages.get("things?per_page=2&page=2")).body).toMatchObject({ next_page: 3, prev_page: 1 });
  const { body, isOffContract } = await pages.get("things?per_page=3&page=2");
  expect([body.next_page, body.prev_page, isOffContract]).toEqual([null, 1, false]);
});
