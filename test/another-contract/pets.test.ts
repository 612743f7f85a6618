import { expect, test } from "vitest";
import { createContract } from "../../src/contract/contract.ts";
import { errorForm } from "../../src/contract/error-form.ts";
import { ServiceError } from "../../src/contract/errors.ts";
import type { Schema } from "../../src/contract/json-schema.ts";
import { minimalValue } from "../../src/contract/minimal-value.ts";
import type { Operation } from "../../src/contract/operation-table.ts";
import { OperationTrie } from "../../src/contract/operation-trie.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import { activate, addRule } from "../setup/activation.ts";
import { control, inProject } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { pets, petsAtRoot } from "./pets.ts";

async function answerOf(mock: MockUnderTest, path: string, init?: RequestInit) {
  const response = await mock.fetch(path, init);
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers };
}

const notFound = (title: RegExp) => ({ errors: [{ title: expect.stringMatching(title), status: 404 }] });

onTransports("a contract of three operations", { service: { contract: pets } }, (mock) => {
  const create = (project: string, pet: object) => answerOf(mock, `/${project}/pets`, json("POST", pet));

  test("what a client has created can be read and listed", async () => {
    const project = newProject();
    const created = await create(project, { name: "Rex", tag: null });
    expect([created.status, created.body]).toEqual([201, { id: 1, name: "Rex", tag: null }]);
    expect(created.headers.get("Location")).toBe(`/${project}/pets/1`);
    expect(created.headers.get("Mock-Project")).toBe(project);
    await create(project, { name: "Ida", weight: 4 });
    expect((await answerOf(mock, `/${project}/pets/2`)).body).toEqual({ id: 2, name: "Ida", weight: 4 });
    const { status, body } = await answerOf(mock, `/${project}/pets?limit=1`);
    expect([status, body]).toEqual([200, { data: [{ id: 1, name: "Rex", tag: null }], total_count: 2 }]);
    expect((await answerOf(mock, `/${project}/pets/`)).body.data).toHaveLength(2);
  });

  test("a list is filtered and sorted by the schema of the type", async () => {
    const project = newProject();
    for (const name of ["Rex", "Ida", "Bo"]) await create(project, { name, tag: name === "Bo" ? null : "dog" });
    const where = encodeURIComponent('tag = "dog"');
    const { body } = await answerOf(mock, `/${project}/pets?where=${where}&sort=name`);
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(["Ida", "Rex"]);
    const { status, headers } = await answerOf(mock, `/${project}/pets?sort=anything`);
    expect([status, headers.get("Mock-Ignored")]).toEqual([200, "sort"]);
  });

  test("an unknown pet is 404 in the form of the service, with its reason", async () => {
    const project = newProject();
    const { status, body, headers } = await answerOf(mock, `/${project}/pets/7`);
    expect([status, body]).toEqual([404, notFound(/has no pet with the id "7": it was never created/)]);
    expect(headers.get("Mock-Reason")).toMatch(/has no pet with the id "7"/);
    expect(headers.get("Mock-Off-Contract")).toBeNull();
  });

  test("an id that exists is 409, and 0, null and an empty text are no ids", async () => {
    const project = newProject();
    expect((await create(project, { id: 5, name: "Rex" })).body.id).toBe(5);
    const { status, body } = await create(project, { id: 5, name: "Bo" });
    expect([status, body.errors[0].status]).toEqual([409, 409]);
    expect((await create(project, { id: 0, name: "Ida" })).body.id).toBe(2);
  });

  test("an invalid body is 400, and nothing is stored", async () => {
    const project = newProject();
    const { status, body } = await create(project, { name: 7 });
    expect([status, body.errors[0].title]).toEqual([400, "/name: expected string, found 7"]);
    expect((await answerOf(mock, `/${project}/pets`)).body.data).toEqual([]);
  });

  test("a rule returns a status that the operation does not declare, labelled", async () => {
    const project = newProject();
    await addRule(mock, project, { operation: "getPet", respond: { status: 410 } });
    const { status, body, headers } = await answerOf(mock, `/${project}/pets/7`);
    expect([status, body.errors[0].status, headers.get("Mock-Off-Contract")]).toEqual([410, 410, "true"]);
    expect(headers.get("Mock-Source")).toMatch(/^rule:/);
  });

  test("a rule and Prefer return a declared error without a fixture", async () => {
    const project = newProject();
    const preferred = await answerOf(mock, `/${project}/pets`, { headers: { Prefer: "code=404" } });
    expect([preferred.status, preferred.body.errors[0].status]).toEqual([404, 404]);
    await addRule(mock, project, { operation: "listPets", respond: { status: 409 } });
    const { status, headers } = await answerOf(mock, `/${project}/pets`);
    expect([status, headers.get("Mock-Off-Contract")]).toEqual([409, null]);
  });

  test("the bundled scenarios about every service are there", async () => {
    const project = newProject();
    await activate(mock, project, "server-error");
    const { status, body, headers } = await answerOf(mock, `/${project}/pets`);
    expect([status, body.errors[0].status, headers.get("Mock-Off-Contract")]).toEqual([500, 500, "true"]);
    const { body: list } = await control(mock, "GET", "/scenarios");
    expect(JSON.stringify(list)).not.toContain("paged-query");
  });

  test("an unknown path and a wrong method are errors in the form of the service", async () => {
    const project = newProject();
    await create(project, { name: "Rex" });
    const unknown = await answerOf(mock, `/${project}/dogs`);
    expect([unknown.status, unknown.body]).toEqual([404, notFound(/No operation matches GET .*Nearest: GET/)]);
    const { status, body, headers } = await answerOf(mock, `/${project}/pets`, { method: "DELETE" });
    expect([status, body.errors[0].status, headers.get("Allow")]).toEqual([405, 405, "GET, POST, HEAD"]);
    expect(headers.get("Mock-Off-Contract")).toBe("true");
  });

  test("an error before the request reaches the service has the form of the service too", async () => {
    if (mock.url === undefined) return;
    const client = await openSocket(mock.url);
    client.send(`GET /${newProject()}/pets HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n`);
    const { text } = await client.closed();
    expect(text).toMatch(/^HTTP\/1\.1 417 /);
    expect(text).toMatch(/"errors":\[\{"title":"Expect: expected 100-continue, found \\"200-ok\\"","status":417\}\]/);
    expect(text).toMatch(/Mock-Off-Contract: true/);
  });

  test("a generated pet is valid and the same for the same seed", async () => {
    const project = newProject();
    const generated = () => answerOf(mock, `/${project}/pets/1`, { headers: { Prefer: "dynamic=true, seed=4" } });
    const [first, second] = [await generated(), await generated()];
    expect(first.status).toBe(200);
    expect(first.body).toEqual(second.body);
    expect(first.body).toMatchObject({ id: expect.any(Number), name: expect.any(String) });
  });

  test("the journal, the coverage and verifications know the operations", async () => {
    const project = newProject();
    await create(project, { name: "Rex" });
    await answerOf(mock, `/${project}/pets/1`);
    const { body: verdict } = await inProject(mock, project, "POST", "/requests/verify", {
      match: { operation: "createPet", path: { matches: "/pets$" } },
      count: 1,
    });
    expect(verdict).toMatchObject({ pass: true });
    const { body } = await inProject<{ requests: { operation: string; changes: object[] }[] }>(
      mock,
      project,
      "GET",
      "/requests",
    );
    expect(body.requests.map(({ operation }) => operation)).toEqual(["getPet", "createPet"]);
    expect(body.requests[1]?.changes).toEqual([{ type: "Pet", id: "1", from: null, to: 1 }]);
    const { body: coverage } = await inProject<{ operations: object[] }>(mock, project, "GET", "/coverage");
    expect(coverage.operations).toContainEqual(
      expect.objectContaining({ operation: "createPet", requests: 1, statuses: expect.objectContaining({ 201: 1 }) }),
    );
  });

  test("a rewind, an archive and an export bring pets back", async () => {
    const project = newProject();
    await create(project, { name: "Rex" });
    const { body: archive } = await inProject(mock, project, "GET", "/archive");
    const { body: state } = await inProject(mock, project, "GET", "/state");
    const { headers } = await create(project, { name: "Ida" });
    const listed = async (of: string) => (await answerOf(mock, `/${of}/pets`)).body.total_count;
    expect(await listed(project)).toBe(2);
    const id = headers.get("Mock-Request-Id") ?? "";
    expect((await inProject(mock, project, "POST", `/requests/${id}/rewind`, {})).status).toBe(200);
    expect(await listed(project)).toBe(1);
    const [restored, imported] = [newProject(), newProject()];
    expect((await inProject(mock, restored, "PUT", "/archive", archive)).status).toBe(204);
    expect((await inProject(mock, imported, "PUT", "/state", state)).status).toBe(204);
    for (const each of [restored, imported]) {
      expect((await answerOf(mock, `/${each}/pets/1`)).body).toEqual({ id: 1, name: "Rex" });
    }
    expect((await inProject(mock, imported, "GET", "/state")).body).toEqual(state);
  });

  test("the control API adds, shows, replaces and deletes pets", async () => {
    const project = newProject();
    const added = await inProject(mock, project, "POST", "/resources", { id: 3, name: "Rex" });
    expect([added.status, added.body]).toEqual([201, expect.objectContaining({ id: 3, name: "Rex" })]);
    expect(added.body.$mock).toMatchObject({ version: 1 });
    const refused = await inProject(mock, project, "POST", "/resources", { name: 7 });
    expect(refused.status).toBe(400);
    const put = await inProject(mock, project, "PUT", "/resources/3", { name: "Bo" });
    expect([put.status, put.body]).toEqual([200, expect.objectContaining({ id: 3, name: "Bo" })]);
    expect((await answerOf(mock, `/${project}/pets/3`)).body).toEqual({ id: 3, name: "Bo" });
    const { body: types } = await inProject(mock, project, "GET", "/types");
    expect(types).toMatchObject({ types: [{ name: "Pet", path: "/pets", id: "id", count: 1 }] });
    expect((await inProject(mock, project, "DELETE", "/resources/3")).status).toBe(204);
    expect((await answerOf(mock, `/${project}/pets/3`)).status).toBe(404);
  });
});

onTransports("a contract without a project in its paths", { service: { contract: petsAtRoot } }, (mock) => {
  test("a project comes before the paths, and without one it is the project default", async () => {
    const project = newProject();
    await mock.fetch("/__admin/projects/default", { method: "DELETE" });
    const { status, body, headers } = await answerOf(mock, "/pets", json("POST", { name: "Rex" }));
    expect([status, body, headers.get("Mock-Project")]).toEqual([201, { id: 1, name: "Rex" }, "default"]);
    expect(headers.get("Location")).toBe("/pets/1");
    expect((await answerOf(mock, "/v1/pets")).body.total_count).toBe(1);
    expect((await answerOf(mock, "/default/pets/1")).body.name).toBe("Rex");
    const other = await answerOf(mock, `/${project}/v1/pets`, json("POST", { name: "Ida" }));
    expect(other.headers.get("Location")).toBe(`/${project}/v1/pets/1`);
    expect((await answerOf(mock, `/${project}/pets/1`)).body.name).toBe("Ida");
    expect((await answerOf(mock, "/pets")).body.total_count).toBe(1);
  });

  test("a project cannot have a key with which paths start", async () => {
    for (const key of ["pets", "v1"]) {
      const { status, body } = await control(mock, "PUT", `/projects/${key}/clock`, { frozen: true });
      expect([status, body.detail]).toEqual([400, expect.stringMatching(/paths of the service start with it/)]);
    }
  });

  test("each method is matched by itself: literal, then partial, then parameter", async () => {
    const project = newProject();
    await answerOf(mock, `/${project}/pets`, json("POST", { id: "find", name: "Rex" }));
    const find = await answerOf(mock, `/${project}/pets/find`);
    expect([find.status, find.headers.get("Mock-Source")]).toEqual([200, "generated"]);
    expect((await answerOf(mock, `/${project}/pets/find`, { method: "POST" })).status).toBe(202);
    const photo = await answerOf(mock, `/${project}/pets/7.json`);
    expect([photo.status, photo.body, photo.headers.get("Mock-Source")]).toEqual([
      200,
      { id: 7, name: "Rex" },
      "example:rex",
    ]);
    const { status, headers } = await answerOf(mock, `/${project}/pets/find`, { method: "DELETE" });
    expect(status).toBe(404);
    expect(headers.get("Mock-Reason")).toMatch(/no pet with the id "find"/);
  });

  test("equal paths with other parameter names, an operation without content, and default errors", async () => {
    const project = newProject();
    await answerOf(mock, `/${project}/pets`, json("POST", { name: "Rex" }));
    expect((await answerOf(mock, `/${project}/pets/1`, { method: "DELETE" })).status).toBe(204);
    const gone = await answerOf(mock, `/${project}/pets/1`, { method: "DELETE" });
    expect([gone.status, gone.body]).toEqual([404, notFound(/it was deleted/)]);
    expect((await answerOf(mock, `/${project}/pets`, json("POST", { name: "Ida" }))).body.id).toBe(2);
  });

  test("a rule matches the path of a request, with and without the project and the base path", async () => {
    const project = newProject();
    for (const path of [`/${project}/pets`, `/${project}/v1/pets`]) {
      await addRule(mock, project, { when: { path }, respond: { status: 404 } });
      expect((await answerOf(mock, path)).status).toBe(404);
    }
    const { status } = await inProject(mock, project, "POST", "/rules", {
      when: { path: "/pets" },
      respond: { status: 404 },
    });
    expect(status).toBe(400);
    await addRule(mock, "default", { when: { path: "/v1/pets/" }, times: 1, respond: { status: 404 } });
    expect((await answerOf(mock, "/v1/pets/")).status).toBe(404);
    const body = { match: { path: `/${project}/v1/pets` }, count: 1 };
    expect((await inProject(mock, project, "POST", "/requests/verify", body)).body).toMatchObject({ pass: true });
  });

  test("a type in a scope has a collection for each parent", async () => {
    const project = newProject();
    const add = (pet: string, label: string) => answerOf(mock, `/${project}/pets/${pet}/toys`, json("POST", { label }));
    const ball = await add("1", "ball");
    expect([ball.status, ball.body.label]).toEqual([201, "ball"]);
    await add("2", "bone");
    const labels = async (pet: string) =>
      (await answerOf(mock, `/${project}/pets/${pet}/toys`)).body.map(({ label }: { label: string }) => label);
    expect([await labels("1"), await labels("2"), await labels("3")]).toEqual([["ball"], ["bone"], []]);
    const { status, body } = await add("1", 7 as never);
    expect([status, body.errors[0].status]).toEqual([400, 400]);
  });

  test("a scope of more than 256 characters is 400", async () => {
    const long = "x".repeat(257);
    for (const init of [{}, json("POST", { label: "ball" })]) {
      const { status, body } = await answerOf(mock, `/${newProject()}/pets/${long}/toys`, init);
      expect([status, body.errors?.[0].title ?? body.detail]).toEqual([
        400,
        expect.stringMatching(/^petId: expected at most 256/),
      ]);
    }
  });

  test("a path that no operation has is in the journal of the project default", async () => {
    await mock.fetch("/__admin/projects/default", { method: "DELETE" });
    const { status, headers } = await answerOf(mock, "/v2/animals");
    expect([status, headers.get("Mock-Project")]).toEqual([404, "default"]);
    const { body } = await inProject<{ requests: { request: { path: string } }[] }>(
      mock,
      "default",
      "GET",
      "/requests",
    );
    expect(body.requests.map(({ request }) => request.path)).toEqual(["/v2/animals"]);
  });
});

/** Returns the schema of an error with these members, which are required. */
const errorOf = (properties: { readonly [name: string]: Schema }): Schema => {
  return { type: "object", required: Object.keys(properties), properties };
};
const text = { type: "string" } as const;

test.each<[string, Schema, object]>([
  ["the member with the message", errorOf({ reason: text, errorMessage: text }), { reason: "", errorMessage: "E" }],
  [
    "an unusual member",
    errorOf({ error: errorOf({ code: text, text }) }),
    { error: { code: "ConcurrentModification", text: "E" } },
  ],
  [
    "a message on the third level",
    errorOf({ errors: { type: "array", items: errorOf({ title: text }) } }),
    { errors: [{ title: "E" }] },
  ],
  [
    "the status and the code",
    errorOf({ status: { type: "integer" }, code: text, detail: text }),
    { status: 409, code: "ConcurrentModification", detail: "E" },
  ],
  [
    "the current version",
    errorOf({ message: text, currentVersion: { type: "integer" } }),
    { message: "E", currentVersion: 7 },
  ],
  [
    "the branch whose code names the reason",
    {
      oneOf: [
        errorOf({ code: { const: "Gone" }, message: text }),
        errorOf({ code: { const: "ConcurrentModification" }, message: text, hint: { type: "string", format: "uri" } }),
      ],
    },
    { code: "ConcurrentModification", message: "E", hint: "https://example.com/" },
  ],
  [
    "constants and small values of required members",
    errorOf({ kind: { enum: ["a", "b"] }, message: text, at: { type: "string", format: "date-time" } }),
    { kind: "a", message: "E", at: "2024-01-01T00:00:00.000Z" },
  ],
])("an error fills in %s", (_name, schema, body) => {
  const rule = { description: "", schema };
  const read = petsAtRoot.operations.map((each) => ({ ...each, responses: { 409: rule } }));
  const contract = createContract({ ...petsAtRoot, operations: read });
  const error = new ServiceError({ code: "ConcurrentModification", message: "E", currentVersion: 7 });
  const [operation] = read;
  expect(errorForm(contract, error, operation)).toEqual({ body, mediaType: "application/json", isOffContract: false });
  // Other statuses have the same form, and say that the contract does not declare it.
  expect(errorForm(contract, new ServiceError({ code: "ServiceUnavailable", message: "E" }))).toMatchObject({
    isOffContract: true,
  });
});

test.each<[string, Operation["role"]]>([
  ["expected a type of the contract, found Dog", { does: "create", type: "Dog" }],
  ["expected a parameter of /pets, found id", { does: "read", type: "Pet", by: { parameters: ["id"], member: "id" } }],
])("a role that the contract does not allow: %s", (message, role) => {
  const operations = [{ ...(petsAtRoot.operations[0] as Operation), path: "/pets", role }] as Operation[];
  expect(() => createContract({ ...petsAtRoot, operations })).toThrow(new TypeError(`listPets: ${message}`));
});

test("a response without a body by its status has none, whatever the contract declares", async () => {
  const [list] = pets.operations as [Operation];
  const responses = {
    204: { description: "", schema: errorOf({ message: text }), examples: { one: { message: "" } } },
  };
  const service = { contract: createContract({ ...pets, operations: [{ ...list, responses }] }) };
  for (const collection of ["sample", "paged"] as const) {
    const engine = createEngine({ ...(await readFiles({}, service)), settings: { collection } });
    const response = await createApp(engine, { version: "0", pages }).fetch(new Request("http://in.process/p/pets"));
    expect([response.status, await response.text()]).toEqual([204, ""]);
  }
});

test("without any documented error, an error has problem details (RFC 9457)", () => {
  const contract = createContract({ info: { title: "" }, operations: [] });
  expect(errorForm(contract, new ServiceError({ code: "EndpointNotFound", message: "E" }))).toEqual({
    body: { type: "about:blank", title: "EndpointNotFound", status: 404, detail: "E" },
    mediaType: "application/problem+json",
    isOffContract: true,
  });
});

test("an error with rules that the mock cannot follow is labelled", async () => {
  const [list, ...others] = pets.operations as [Operation, ...Operation[]];
  const strict = { description: "", schema: errorOf({ message: { type: "string", pattern: "^E-\\d+$" } }) };
  const operations = [{ ...list, responses: { ...list.responses, 400: strict } }, ...others];
  const service = { contract: createContract({ ...pets, operations }) };
  const app = createApp(createEngine(await readFiles({}, service)), { version: "0", pages });
  const { status, headers } = await app.fetch(new Request("http://in.process/p/pets?limit=x"));
  expect([status, headers.get("Mock-Off-Contract")]).toEqual([400, "true"]);
});

test("a contract has defaults of settings, which options override", async () => {
  const settingsOf = async (settings?: object) => {
    const engine = createEngine({ ...(await readFiles({}, { contract: pets })), ...(settings && { settings }) });
    return engine.settings;
  };
  expect(await settingsOf()).toMatchObject({ collection: "paged", unknownIds: "auto", auth: "lenient" });
  expect(await settingsOf({ collection: "sample" })).toMatchObject({ collection: "sample", unknownIds: "auto" });
});

test("errors and small values end for schemas that contain themselves or require very much", () => {
  const union: { oneOf: Schema[] } = { oneOf: [] };
  union.oneOf.push(union);
  const wide: { type: "object"; required: string[]; properties: Record<string, Schema> } = {
    type: "object",
    required: ["a", "b", "c"],
    properties: {},
  };
  for (const name of wide.required) wide.properties[name] = wide;
  const long: Schema = { type: "array", minItems: 1e9, items: { type: "string", minLength: 1e9 } };
  const error = new ServiceError({ code: "General", message: "E" });
  for (const schema of [union, wide, long]) {
    const operation = { ...(petsAtRoot.operations[0] as Operation), responses: { 500: { description: "", schema } } };
    const { body } = errorForm(createContract({ ...petsAtRoot, operations: [operation] }), error, operation);
    expect((JSON.stringify(body) ?? "").length).toBeLessThan(100_000);
    expect((JSON.stringify(minimalValue(schema)) ?? "").length).toBeLessThan(100_000);
  }
});

test("a segment with many parameters is matched in one pass", () => {
  const path = `/${Array.from({ length: 12 }, (_, index) => `{p${index}}`).join("-")}`;
  const trie = new OperationTrie([{ method: "GET", path }], false);
  expect(trie.find("GET", ["a-b-c-d-e-f-g-h-i-j-k-l-m"])).toMatchObject({ path: { p0: "a", p10: "k", p11: "l-m" } });
  // With a pattern, this would take years.
  expect(trie.find("GET", [`${"-".repeat(10)}${"x".repeat(5000)}`])).toBeUndefined();
  const file = new OperationTrie([{ method: "GET", path: "/{base}...{head}.json" }], false);
  expect(file.find("GET", ["main...topic.json"])).toMatchObject({ path: { base: "main", head: "topic" } });
  expect(file.find("GET", ["main.json"])).toBeUndefined();
});
