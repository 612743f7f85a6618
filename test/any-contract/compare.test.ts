import type { RequestListener } from "node:http";
import { describe, expect, test } from "vitest";
import { isObject, jsonValue } from "../../src/contract/index.ts";
import { loadContract } from "../../src/openapi/index.ts";
import { type Answer, type Deviate, startDeviating } from "../compare/deviations/service.ts";
import { compareAt, httpUpstream } from "../compare/upstreams.ts";
import { commandHere } from "../setup/command.ts";
import { inProject } from "../setup/control.ts";
import { folderOf } from "../setup/folder.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { library } from "./documents.ts";

const text = { type: "string" };
const json = (schema: object) => ({ content: { "application/json": { schema } } });
const Problem = {
  type: "object",
  required: ["title", "status"],
  properties: { title: text, status: { type: "integer" }, detail: text },
};
const refused = (...statuses: readonly number[]) => {
  const problem = { description: "A problem.", content: { "application/problem+json": { schema: Problem } } };
  return Object.fromEntries(statuses.map((status) => [status, problem]));
};
const Berth = {
  type: "object",
  required: ["id", "name", "metres", "version"],
  properties: {
    id: { ...text, readOnly: true },
    name: { ...text, minLength: 1 },
    metres: { type: "integer", minimum: 1 },
    version: { type: "integer", readOnly: true },
  },
};
const NewBerth = { ...Berth, required: ["name", "metres"] };
const ok = (schema: object, more: object = {}) => ({ description: "OK", ...json(schema), ...more });
const Visit = {
  type: "object",
  required: ["id", "boat"],
  properties: { id: { type: "integer", readOnly: true }, boat: text },
};
const id = { in: "path", name: "berthId", required: true, schema: text };
const body = { required: true, ...json(NewBerth) };

/** A harbour: berths with a version, and the visits below each. */
const harbour = {
  openapi: "3.1.0",
  info: { title: "Harbour", version: "1" },
  components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
  security: [{ key: [] }],
  paths: {
    "/berths": {
      get: {
        operationId: "listBerths",
        parameters: [
          { in: "query", name: "limit", schema: { type: "integer", minimum: 1 } },
          { in: "cookie", name: "language", required: true, schema: { ...text, default: "en" } },
        ],
        responses: { 200: ok({ type: "array", items: Berth }), ...refused(400, 401) },
      },
      post: {
        operationId: "createBerth",
        requestBody: body,
        responses: { 201: ok(Berth, { headers: { Location: { schema: text } } }), ...refused(401, 415, 422) },
      },
    },
    "/berths/{berthId}": {
      parameters: [id],
      get: { operationId: "getBerth", responses: { 200: ok(Berth), ...refused(401, 404) } },
      put: {
        operationId: "replaceBerth",
        requestBody: {
          required: true,
          ...json({ ...Berth, properties: { ...Berth.properties, version: { type: "integer" } } }),
        },
        responses: { 200: ok(Berth), ...refused(400, 401, 404, 409) },
      },
      delete: { operationId: "deleteBerth", responses: { 204: { description: "Deleted." }, ...refused(401, 404) } },
    },
    "/berths/{berthId}/visits": {
      parameters: [id],
      get: { operationId: "listVisits", responses: { 200: ok({ type: "array", items: Visit }), ...refused(404) } },
      post: {
        operationId: "createVisit",
        requestBody: { required: true, ...json(Visit) },
        responses: { 201: ok(Visit) },
      },
    },
    "/berths/{berthId}/visits/{visitId}": {
      parameters: [id, { in: "path", name: "visitId", required: true, schema: { type: "integer" } }],
      get: { operationId: "getVisit", responses: { 200: ok(Visit), ...refused(404) } },
      delete: {
        operationId: "deleteVisit",
        requestBody: {
          required: true,
          ...json({ type: "object", required: ["reason"], properties: { reason: text } }),
        },
        responses: { 204: { description: "Deleted." }, ...refused(400, 404) },
      },
    },
  },
};

const { contract } = await loadContract(harbour);
const credentials = { token: "s3cret-key" };

function jsonOf({ body: bytes }: { readonly body: Buffer }): Record<string, unknown> {
  return JSON.parse(bytes.toString() || "null");
}

/** Changes the JSON of the successes of a request such as `GET /berths/{id}`. */
function changes(method: string, path: RegExp, change: (value: Record<string, unknown>) => unknown): Deviate {
  return at(method, path, (answer) =>
    answer.status < 300 ? { ...answer, body: Buffer.from(JSON.stringify(change(jsonOf(answer)))) } : answer,
  );
}

function at(method: string, path: RegExp, change: (answer: Answer) => Answer): Deviate {
  return async (call, next) => {
    const answer = await next();
    return call.method === method && path.test(call.path) ? change(answer) : answer;
  };
}

const one = /\/berths\/[^/]+$/;
const all = /\/berths$/;
const html = { "content-type": "text/html" };

/** What a service does, and the checks that report it. */
const deviations: Readonly<Record<string, readonly [deviate: Deviate, ...reported: string[]]>> = {
  "a create returns 200": [
    at("POST", all, (answer) => ({ ...answer, status: answer.status === 201 ? 200 : answer.status })),
    "createBerth: the status of success is 201",
  ],
  "a read lacks a member": [
    changes("GET", one, ({ metres: _metres, ...berth }) => berth),
    "getBerth: the body is valid",
    "replaceBerth: a read shows the content that was sent",
  ],
  "a list has a member of another type": [
    changes("GET", all, (berths) => (berths as unknown as object[]).map((berth) => ({ ...berth, metres: "7" }))),
    "listBerths: the body is valid",
  ],
  "a read is HTML": [
    at("GET", one, (answer) => (answer.status < 300 ? { ...answer, headers: html } : answer)),
    "getBerth: a success has a documented media type",
  ],
  "a create stores another name": [
    (call, next) =>
      call.method === "POST" && all.test(call.path) && call.body.includes("resource-mock-compare")
        ? next({ body: Buffer.from(call.body.toString().replace(/"name":"[^"]*"/, '"name":"Another"')) })
        : next(),
    "createBerth: returns the content that was sent",
    "getBerth: shows the content that was sent",
  ],
  "a list lacks new items": [
    changes("GET", all, (berths) => (berths as unknown as object[]).slice(0, 1)),
    "listBerths: shows a new resource",
  ],
  "a list ignores its limit": [
    async (call, next) => next(call.query.has("limit") ? { query: new URLSearchParams() } : {}),
    "listBerths: limit=1 returns at most one resource",
    "listBerths: limit=abc is 400",
  ],
  "a create needs no name": [
    async (call, next) => {
      const isWhole = call.method === "POST" && all.test(call.path) && call.body.includes("}");
      const members = isWhole ? jsonOf(call) : {};
      return "metres" in members && !("name" in members)
        ? next({ body: Buffer.from(JSON.stringify({ ...members, name: "None" })) })
        : next();
    },
    "createBerth: a body without name is 422",
  ],
  "the version does not matter": [
    async (_call, next) => {
      const answer = await next();
      return answer.status === 409 ? next({ method: "GET", body: Buffer.alloc(0) }) : answer;
    },
    "replaceBerth: a stale version is 409",
  ],
  "a delete has no effect": [
    async (call, next) =>
      call.method === "DELETE" && one.test(call.path) ? { status: 204, headers: {}, body: Buffer.alloc(0) } : next(),
    "deleteBerth: a deleted resource is 404",
    "getBerth: a deleted resource is 404",
    "replaceBerth: a deleted resource is 404",
    "deleteBerth: a missing token is 401",
    "deleteBerth: an unknown berthId is 404",
  ],
  "a read needs no key": [
    (call, next) =>
      next(call.method === "GET" && one.test(call.path) ? { headers: { ...call.headers, "x-key": "any" } } : {}),
    "getBerth: a missing token is 401",
  ],
  "an error has another form": [
    async (_call, next) => {
      const answer = await next();
      return answer.status === 404 ? { ...answer, body: Buffer.from('{"error":"no"}') } : answer;
    },
    "deleteBerth: errors have the documented form",
    "deleteVisit: errors have the documented form",
    "getBerth: errors have the documented form",
    "getVisit: errors have the documented form",
    "replaceBerth: errors have the documented form",
  ],
};

describe("a comparison with a document", () => {
  const mock = useMock("over a socket", { contract: harbour, settings: { auth: "present" }, checkResponses: false });

  /** Starts the service with this deviation. It knows its keys, which a mock does not. */
  const open = (deviate: Deviate) =>
    startDeviating(mock.url ?? "", (call, next) => {
      const { "x-key": key, ...headers } = call.headers;
      const known = key === "resource-mock-compare" ? { ...call, headers } : call;
      return deviate(known, (changed) => next({ ...known, ...changed }));
    });

  async function compared(deviate: Deviate, more: object = {}) {
    const project = newProject();
    await using service = await open(deviate);
    const found = await compareAt(`${service.url}/${project}`, { contract, project: undefined, credentials, ...more });
    return { ...found, project };
  }

  test("passes against the mock, skips only one check, and leaves no resources behind", async () => {
    const { results, leftOver, project } = await compared((_call, next) => next());
    const others = results.filter(({ outcome }) => outcome !== "pass").map(({ name, why }) => `${name}: ${why}`);
    expect(others).toEqual(["listVisits: errors have the documented form: needs a response to judge"]);
    expect(leftOver).toEqual([]);
    const { body: state } = await inProject<{ total: number }>(mock, project, "GET", "/resources?type=/berths");
    const names = JSON.stringify(state);
    expect(names).not.toContain("resource-mock-compare");
  });

  test.each(Object.entries(deviations))(
    "%s: the checks of this claim report it",
    async (_name, [deviate, ...reported]) => {
      const { results } = await compared(deviate);
      const found = results.filter(({ outcome }) => outcome === "fail" || outcome === "differs");
      const names = found.map(({ name, seen }) => (reported.includes(name) ? name : `${name} (${seen})`));
      expect(names.toSorted()).toEqual(reported.toSorted());
    },
  );

  test("a comparison with --read-only sends no writes, and reads the first item of each list", async () => {
    const methods = new Set<string>();
    const { results } = await compared(
      (call, next) => {
        methods.add(call.method);
        return next();
      },
      { readOnly: true },
    );
    expect([...methods]).toEqual(["GET"]);
    const outcomeOf = (name: string) => results.find((each) => each.name === name)?.outcome;
    expect(outcomeOf("getBerth: the body is valid")).toBe("pass");
    expect(outcomeOf("createBerth: a valid request succeeds")).toBe("skipped");
  });

  test("the command compares without a project, and --parameter names an item", async () => {
    const folder = folderOf({ "harbour.json": JSON.stringify(harbour) });
    await using service = await open((_call, next) => next());
    const flags = ["compare", "--contract", `${folder}/harbour.json`, "--upstream", service.url, "--token", "k"];
    const { code, stdout } = await commandHere([...flags, "--only", "getVisit,getBerth"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^getVisit +[1-9]/m)]);
    const named = await commandHere([...flags, "--read-only", "--parameter", "berthId=no-such-berth"]);
    expect(named.stdout).toContain("pass --parameter berthId=VALUE");
    const unknown = await commandHere([...flags, "--parameter", "birthId=1"]);
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      'resource-mock: --parameter: expected the name of a parameter, found "birthId". Did you mean "berthId"?\n',
    ]);
    const noValue = await commandHere([...flags, "--parameter", "berthId"]);
    expect(noValue.stderr).toContain('--parameter: expected NAME=VALUE, found "berthId"');
  });
});

describe("a comparison with a service whose items no operation creates", () => {
  const Account = { type: "object", required: ["id", "owner"], properties: { id: text, owner: text } };
  const inPath = { in: "path", name: "id", required: true, schema: text };
  const change = {
    requestBody: { required: true, ...json(Account) },
    responses: { 200: ok(Account), ...refused(400) },
  };
  const bank = {
    openapi: "3.1.0",
    info: { title: "Bank", version: "1" },
    paths: {
      "/accounts": {
        get: { operationId: "listAccounts", responses: { 200: ok({ type: "array", items: Account }) } },
        delete: { operationId: "deleteAccounts", responses: { 204: { description: "Deleted." } } },
      },
      "/accounts/{id}": {
        parameters: [inPath],
        get: { operationId: "getAccount", responses: { 200: ok(Account) } },
        put: { operationId: "replaceAccount", ...change },
        patch: { operationId: "changeAccount", ...change },
        delete: { operationId: "deleteAccount", responses: { 204: { description: "Deleted." } } },
      },
      "/accounts/{id}/close": { post: { operationId: "closeAccount", parameters: [inPath], ...change } },
      "/accounts/{id}/cards": { post: { operationId: "addCard", parameters: [inPath], ...change } },
      "/terms": { patch: { operationId: "changeTerms", ...change } },
    },
  };
  const mock = useMock("over a socket", { contract: bank });

  test.each<[string, object]>([
    ["", {}],
    [", with the id of one", { parameters: { id: "1" } }],
  ])("a comparison changes and deletes no item of this service%s", async (_name, more) => {
    const sent = new Set<string>();
    await using service = await startDeviating(mock.url ?? "", (call, next) => {
      if (call.method !== "GET") sent.add(`${call.method} ${call.path.replace(/\/accounts\/[^/]+/, "/accounts/{id}")}`);
      return next();
    });
    const { contract: own } = await loadContract(bank);
    const { results } = await compareAt(service.url, { contract: own, project: undefined, ...more });
    expect([...sent]).toEqual([]);
    expect(results.find(({ name }) => name === "getAccount: the body is valid")?.outcome).toBe("pass");
  });
});

describe("a comparison with a document of other forms", () => {
  const mock = useMock("over a socket", { contract: library });

  test("passes against the mock", async () => {
    const { results, report } = await compareAt(`${mock.url}/forms`, {
      contract: (await loadContract(library)).contract,
      project: undefined,
    });
    const others = results.filter(({ outcome }) => outcome === "fail").map(({ name, seen }) => `${name}: ${seen}`);
    expect(others).toEqual([]);
    expect(report.summary.pass).toBeGreaterThan(80);
  });
});

describe("a comparison with a service of a few lines", () => {
  /** Compares the service with a document. Returns the results other than `pass`, and the requests. */
  async function compared(paths: object, answer: (sent: Record<string, unknown>) => unknown, etag = "") {
    const requests: string[] = [];
    const url = await httpUpstream(async (request, response) => {
      requests.push(`${request.method} ${request.url}`);
      const sent = jsonValue((await Array.fromAsync(request)).join(""));
      const isStale = request.method === "DELETE" && etag !== "" && request.headers["if-match"] !== etag;
      const status = isStale ? 412 : request.method === "POST" ? 201 : 200;
      response.writeHead(status, { "content-type": "application/json", ...(etag && { etag }) });
      const value = answer(isObject(sent) ? sent : {});
      response.end(typeof value === "string" ? value : JSON.stringify(value));
    });
    const info = { title: "Few", version: "1" };
    const { contract: ofPaths } = await loadContract({ openapi: "3.1.0", info, paths });
    const { results, leftOver } = await compareAt(url, { contract: ofPaths, project: undefined });
    const others = results.filter(({ outcome }) => outcome !== "pass").map(({ name, seen }) => [name, seen]);
    return { requests, leftOver, others };
  }

  test("a check has the name of its operation, whose id can have colons", async () => {
    const operationId = "links: read: all";
    const { others } = await compared(
      { "/links": { get: { operationId, responses: { 200: ok({ type: "object" }) } } } },
      () => [],
    );
    expect(others).toEqual([[`${operationId}: the body is valid`, expect.stringContaining("found an empty array")]]);
  });

  test.each([
    ["spaceDelimited", "1%202"],
    ["pipeDelimited", "1%7C2"],
    ["form", "1%2C2"],
  ])("separates the items of a list in the style %s", async (style, sent) => {
    const schema = { type: "array", items: { type: "integer" }, default: [1, 2] };
    const parameters = [{ in: "query", name: "n", required: true, style, explode: false, schema }];
    const { requests } = await compared({ "/links": { get: { parameters, responses: { 200: ok({}) } } } }, () => ({}));
    expect(requests).toEqual([`GET /links?n=${sent}`]);
  });

  test("the report says that compare cannot read a number above 2^53", async () => {
    const paths = { "/links": { get: { operationId: "read", responses: { 200: ok({ type: "object" }) } } } };
    const { others } = await compared(paths, () => '{"id":9007199254740993}');
    expect(others).toEqual([["read: the body is valid", expect.stringMatching(/: .* or has a number above 2\^53$/)]]);
  });

  test("deletes resources with the entity tag that a read shows", async () => {
    const Link = { type: "object", required: ["id", "to"], properties: { id: text, to: text } };
    const at = { in: "path", name: "id", required: true, schema: text };
    const tag = { in: "header", name: "If-Match", required: true, schema: text };
    const post = {
      requestBody: { required: true, ...json({ properties: { to: text } }) },
      responses: { 201: ok(Link) },
    };
    const remove = {
      operationId: "cut",
      parameters: [at, tag],
      responses: { 204: { description: "" }, ...refused(412) },
    };
    const get = { parameters: [at], responses: { 200: ok(Link) } };
    let count = 0;
    const { leftOver, requests } = await compared(
      { "/links": { post }, "/links/{id}": { get, delete: remove } },
      () => ({ id: `l${++count}`, to: "a" }),
      '"7"',
    );
    expect(requests.some((each) => each.startsWith("DELETE"))).toBe(true);
    expect(leftOver).toEqual([]);
  });

  test("accepts another form of a URL that was sent", async () => {
    const to = { ...text, format: "uri", example: "https://Example.com" };
    const Link = { type: "object", required: ["id", "to"], properties: { id: text, to } };
    const NewLink = { type: "object", required: ["to"], properties: { to } };
    const post = { requestBody: { required: true, ...json(NewLink) }, responses: { 201: ok(Link) } };
    const item = { parameters: [{ in: "path", name: "id", required: true, schema: text }] };
    const paths = { "/links": { post }, "/links/{id}": { ...item, get: { responses: { 200: ok(Link) } } } };
    const { others } = await compared(paths, () => ({ id: "l1", to: "https://example.com/" }));
    expect(others.filter(([, seen]) => seen !== "")).toEqual([]);
  });
});

/** Items of a service by their ids: those of others, and those that the run has created. */
function itemsOf(newId: (number: number) => unknown) {
  const own = new Set<string>();
  const ofOthers = ["xyz", "10", "00000000-0000-4000-8000-000000000000"];
  const items = new Map<string, object>(ofOthers.map((id) => [id, { id, name: "of others" }]));
  /** The requests that change what the run has not created. */
  const foreign: string[] = [];
  const listener: RequestListener = async (request, response) => {
    const { method = "", url = "" } = request;
    const value: unknown = jsonValue((await Array.fromAsync(request)).join(""));
    const sent = isObject(value) ? value : {};
    const [, , segment, action] = url.split("/");
    const [inPath, inBody] = [segment && decodeURIComponent(segment), sent.id === undefined ? "" : String(sent.id)];
    const isCreate = method === "POST" && !segment;
    const made = isCreate ? (inBody ? sent.id : newId(own.size)) : undefined;
    const id = String(made ?? inPath ?? inBody);
    const isNew = isCreate || (method === "PUT" && !action && !items.has(id));
    const target = isCreate ? inBody : id;
    const isForeign =
      (items.has(target) && !own.has(target)) || (method === "DELETE" && !segment) || !url.startsWith("/docs");
    if (method !== "GET" && isForeign) foreign.push(`${method} ${url} ${inBody}`.trim());
    const before = items.get(id);
    if (isNew && !before) own.add(id);
    if (method === "DELETE") items.delete(id);
    else if (method !== "GET" && (isNew || before)) items.set(id, { ...before, ...sent, id: made ?? id });
    const status = isNew ? 201 : segment && !before ? 404 : method === "DELETE" ? 204 : 200;
    response.writeHead(status, { "content-type": "application/json", ...(isCreate && { location: `/docs/${id}` }) });
    response.end(JSON.stringify(segment || isCreate ? items.get(id) : [...items.values()]));
  };
  return { listener, foreign };
}

describe("a run changes and deletes only what it has created", () => {
  const ten = { type: "integer", example: 10 };
  const three = { ...text, pattern: "^[a-z]{3}$", example: "xyz" };
  const Doc = { type: "object", required: ["id", "name"], properties: { id: text, name: text } };
  const NewDoc = { type: "object", required: ["name"], properties: { name: text } };
  const at = (schema: object) => [{ in: "path", name: "docId", required: true, schema }];
  const change = (operationId: string, schema: object = NewDoc) => ({
    [operationId.slice(0, operationId.indexOf("Doc"))]: {
      ...{ operationId, requestBody: { required: true, ...json(schema) } },
      responses: { ...(operationId === "postDoc" ? { 201: ok(Doc) } : { 200: ok(Doc) }), ...refused(400, 404) },
    },
  });
  const read = { get: { responses: { 200: ok(Doc), ...refused(404) } } };
  const remove = { delete: { responses: { 204: { description: "Deleted." }, ...refused(404) } } };
  const list = { get: { responses: { 200: ok({ type: "array", items: Doc }) } } };
  const nameOf = { in: "path", name: "name", required: true, schema: { ...text, example: "of others" } };
  const done = { post: { responses: { 200: ok({}) } } };
  const item = (schema: object, ...operations: object[]) =>
    Object.assign({ parameters: at(schema) }, read, remove, ...operations);

  test.each<[name: string, paths: object, newId: (number: number) => unknown, more?: object]>([
    [
      "if ids are not as the path parameter says",
      { "/docs": { ...list, ...change("postDoc") }, "/docs/{docId}": item(three, change("putDoc")) },
      (number) => `xyz${number}`,
    ],
    [
      "if ids are dots",
      { "/docs": { ...list, ...change("postDoc") }, "/docs/{docId}": item(text) },
      (number) => (number % 2 === 0 ? ".." : "."),
    ],
    [
      "if --parameter names an item",
      { "/docs": { ...list, ...change("postDoc") }, "/docs/{docId}": item(text, change("putDoc"), change("patchDoc")) },
      (number) => `d${number}`,
      { parameters: { docId: "xyz" } },
    ],
    [
      "if a create returns an item that was there before",
      { "/docs": change("postDoc"), "/docs/{docId}": item(text, change("putDoc")) },
      () => "xyz",
    ],
    [
      "if PUT creates the items",
      {
        "/docs": list,
        "/docs/{docId}": item(text, { put: { ...change("putDoc", Doc).put, responses: { 201: ok(Doc) } } }),
      },
      (number) => `d${number}`,
      { parameters: { docId: "xyz" } },
    ],
    [
      "if PUT creates items whose ids have a form",
      { "/docs/{docId}": item(three, { put: { ...change("putDoc", Doc).put, responses: { 201: ok(Doc) } } }) },
      (number) => `d${number}`,
    ],
    [
      "if bodies have ids",
      {
        "/docs": change("postDoc", { ...Doc, properties: { id: ten, name: text } }),
        "/docs/{docId}": item({ type: "integer" }, change("putDoc", { ...Doc, properties: { id: ten, name: three } })),
      },
      (number) => `d${number}`,
    ],
    [
      "if bodies have ids of a pattern",
      { "/docs": change("postDoc", { ...Doc, properties: { id: three, name: text } }), "/docs/{docId}": item(text) },
      (number) => `d${number}`,
    ],
    [
      "if bodies have ids that are UUIDs",
      {
        "/docs": change("postDoc", { ...Doc, properties: { id: { ...text, format: "uuid" }, name: text } }),
        "/docs/{docId}": item({ ...text, format: "uuid" }),
      },
      (number) => `d${number}`,
    ],
    [
      "if a PUT of the collection has the id in its body, and responses show it only in Location",
      {
        "/docs": {
          post: { ...change("postDoc").post, responses: { 201: { description: "Created." } } },
          ...change("putDoc", { ...Doc, properties: { id: ten, name: text } }),
        },
        "/docs/{docId}": { parameters: at({ type: "integer" }), ...remove, get: { responses: { 200: ok(NewDoc) } } },
      },
      (number) => 70 + number,
    ],
    [
      "if a path names items by another member, which responses do not show",
      {
        "/docs": { post: { ...change("postDoc").post, responses: { 201: ok({ properties: { id: text } }) } } },
        "/docs/{docId}": { parameters: at(text), get: { responses: { 200: ok(Doc) } }, ...remove },
        "/docs/name={name}": {
          parameters: [nameOf],
          ...{ get: { responses: { 200: ok(Doc) } }, ...remove, ...change("putDoc") },
        },
      },
      (number) => `d${number}`,
      { parameters: { name: "of others" } },
    ],
    [
      "if a path goes on below the collection in another way",
      {
        "/docs": { ...list, ...change("postDoc") },
        "/docs/{docId}": item(text),
        "/docs/{kind}/{name}": {
          parameters: [{ in: "path", name: "kind", required: true, schema: three }, nameOf],
          ...{ ...remove, ...change("putDoc") },
        },
      },
      (number) => `d${number}`,
      { parameters: { kind: "xyz", name: "of others" } },
    ],
    [
      "if a POST acts on items that no operation creates",
      {
        "/docs/{docId}/close": { parameters: at(three), ...done },
        "/docs/{docId}/end": { parameters: at(text), ...done },
      },
      (number) => `d${number}`,
      { parameters: { docId: "xyz" } },
    ],
    [
      "if a POST changes a singleton",
      { "/settings": { ...read, ...change("putDoc"), post: { ...change("putDoc").put, operationId: "set" } } },
      (number) => `d${number}`,
    ],
  ])("%s", async (_name, paths, newId, more = {}) => {
    const { contract: ofDocs } = await loadContract({ openapi: "3.1.0", info: { title: "Docs", version: "1" }, paths });
    const { listener, foreign } = itemsOf(newId);
    await compareAt(await httpUpstream(listener), { contract: ofDocs, project: undefined, ...more });
    expect(foreign).toEqual([]);
  });
});
