import { describe, expect, test } from "vitest";
import type { Pact } from "../../../src/control/client/types.ts";
import { failuresOf } from "../../pact/replay.ts";
import { inProject } from "../../setup/control.ts";
import { documentOf, jsonResponse, objectOf, send } from "../../setup/documents.ts";
import { folderOf } from "../../setup/folder.ts";
import { type MockUnderTest, newProject, useMock } from "../../setup/mock.ts";
import { configure } from "../../setup/resources.ts";
import { repository, run } from "../../setup/run.ts";
import { library, memberId } from "./library.ts";

const key = { "X-API-Key": "s3cr3t-key" };
const desk = { Authorization: "Basic YTpzM2NyM3Q=" };

/** Requests of a reading app, with each kind of response that the library documents. */
async function useLibrary(mock: MockUnderTest, project: string): Promise<void> {
  const call = async (request: string, headers: Record<string, string> = key, body?: unknown) =>
    (await send(mock, request.replace(" ", ` /${project}`), headers, body)).body;
  const { body: token } = await inProject<{ access_token: string }>(mock, project, "POST", "/tokens", {});
  const staff = { Authorization: `Bearer ${token.access_token}` };
  await call("GET /books");
  const { id } = await call("POST /books", key, { title: "Emma", author: "Jane Austen" });
  await call("POST /books", key, { title: "Persuasion", author: "Jane Austen", genre: "novel" });
  await call("GET /v1/books?author=Jane%20Austen&limit=1&offset=1&sort=title");
  await call("GET /books?genre=poetry");
  for (const unknown of ["", "9"]) await call(`GET /books/${id}${unknown}`);
  await call(`PUT /books/${id}`, key, { title: "Emma II", author: "Jane Austen" });
  await call(`PUT /books/${id}`, key, { title: 5 });
  await call(`PUT /books/${id}/cover`, { ...key, "Content-Type": "image/png" }, new Uint8Array([1, 2, 3]));
  const copies = `/books/${id}/copies`;
  await call(`POST ${copies}`, key, { barcode: "a/b,c", shelf: "A1" });
  for (const path of [copies, `${copies}/a%2Fb%2Cc`, "/books/77/copies", "/books/77/copies/x"])
    await call(`GET ${path}`);
  await call(`DELETE ${copies}/a%2Fb%2Cc`);
  await call("POST /members", key, { name: "Ann", pin: "1234" });
  const loan = await call("POST /loans", staff, { bookId: id, memberId });
  await call(`GET /loans/${loan.id}`);
  for (const renewals of [1, 2]) await call(`PUT /loans/${loan.id}`, staff, { ...loan, renewals });
  await call(`PUT /loans/${loan.id}`, { ...staff, "If-Match": '"old"' }, { bookId: id, memberId });
  await call(`PUT /loans/${loan.id}`, { ...staff, "If-Match": '"2"' }, { bookId: id, memberId });
  await call("PUT /loans/4711", staff, { bookId: id, memberId });
  await call(`POST /loans/${loan.id}/renew`, staff);
  const patch = { ...key, "Content-Type": "application/merge-patch+json" };
  const reservation = await call("POST /reservations", key, { bookId: id, status: "waiting", note: "please" });
  await call("GET /reservations?status=waiting");
  await call(`PATCH /reservations/${reservation.id}`, patch, JSON.stringify({ note: null }));
  await call("GET /opening-hours", {});
  await call("PUT /opening-hours", desk, { opens: "10:00", closes: "12:00" });
  for (const _ of [1, 2]) await call(`DELETE /books/${id}`);
  await call(`GET ${copies}`);
  await configure(mock, project, { auth: "present" });
  await call("GET /books", {});
  await call("PUT /opening-hours", {}, { opens: "10:00", closes: "12:00" });
  await inProject(mock, project, "PUT", "/scenarios/unavailable-then-ok");
  await call("GET /books");
  await inProject(mock, project, "PUT", "/scenarios/rate-limited", { times: 1 });
  await call("GET /books");
}

async function pactOf(mock: MockUnderTest, project: string): Promise<Pact> {
  return (await inProject<Pact>(mock, project, "GET", "/pact?consumer=reading-app")).body;
}

/** Returns the states of the interactions by operation and status, without their project. */
function statesIn({ interactions }: Pact): Record<string, unknown[]> {
  const entries = interactions.map(({ description, providerStates = [] }) => {
    const states = providerStates.map(({ name, params: { project: _project, ...params } = {} }) => [name, params]);
    return [description.replace(/ \(.*/, ""), states] as const;
  });
  return Object.fromEntries(entries);
}

describe("the pact of the library", () => {
  const mock = useMock("in process", { contract: library });
  const fresh = useMock("in process", { contract: library, settings: { auth: "strict" } });

  test("names types, ids and versions in its states, and is accepted by a strict mock without items, twice", async () => {
    const project = newProject();
    await useLibrary(mock, project);
    const pact = await pactOf(mock, project);
    expect(JSON.stringify(pact)).not.toMatch(new RegExp(`s3cr3t|YTpz|/${project}/`));
    expect(pact.metadata["resource-mock"].omitted).toEqual([
      "changeLoan 200: the entity tags of the provider are unknown",
      "listBooks 429: the response is off-contract",
    ]);
    const apiKey = ["credentials exist", { name: "x-api-key" }];
    const token = ["a token exists", {}];
    const book = ["a resource exists", { type: "Book", id: "2" }];
    const copies = { type: "/books/2/copies" };
    const copy = { barcode: "a/b,c", shelf: "A1" };
    const hours = { opens: "10:00", closes: "12:00" };
    expect(statesIn(pact)).toMatchObject({
      "addCopy returns 201": [apiKey, book, ["no resource exists", { ...copies, id: "a/b,c" }]],
      "changeLoan returns 200": [token, ["a resource exists", { type: "Loan", id: "4", resource: { version: 1 } }]],
      "changeLoan returns 404": [token, ["no resource exists", { type: "Loan", id: "4711" }]],
      "changeLoan returns 409": [token, ["a resource exists", { type: "Loan", id: "4", resource: { version: 2 } }]],
      "changeLoan returns 412": [token, ["a resource exists", { type: "Loan", id: "4" }]],
      "getBook returns 404": [apiKey, ["no resource exists", { type: "Book", id: "29" }]],
      "getCopy returns 200": [apiKey, book, ["a resource exists", { ...copies, id: "a/b,c", resource: copy }]],
      "listBooks returns 401": [["a token is required", {}]],
      "listBooks returns 503": [apiKey, ["unavailable-then-ok", { times: 1 }]],
      "listBooks returns 200": [apiKey, ["no resource exists", { type: "Book" }]],
      "listCopies returns 404": [apiKey, ["no resource exists", { type: "Book", id: "2" }]],
      "setOpeningHours returns 200": [
        ["credentials exist", { name: "authorization" }],
        ["a resource exists", { type: "OpeningHours", resource: hours }],
      ],
      "uploadCover returns 204": [apiKey, book],
    });
    for (const _ of [1, 2]) expect(await failuresOf(fresh, pact)).toEqual([]);
  });

  test("needs as many items as the page", async () => {
    const project = newProject();
    for (const title of ["a", "b", "c"]) await send(mock, `POST /${project}/books`, {}, { title, author: "x" });
    await send(mock, `GET /${project}/books?limit=2&offset=2`);
    const state = { type: "Book", count: 3, resource: { id: 3, title: "b", author: "x" } };
    expect(statesIn(await pactOf(mock, project))["listBooks returns 200"]).toEqual([["resources exist", state]]);
  });
});

const text = { type: "string" };
const note = objectOf({ id: text, text });
/** Nothing in a tag has the second part of its id. */
const tag = objectOf({ scope: text, colour: text });
const notes = objectOf({ data: { type: "array", items: note }, next: text });
const created = { 201: jsonResponse(note) };
const ok = { 200: jsonResponse(note) };
const body = (mediaType: string, schema: object) => ({ requestBody: { content: { [mediaType]: { schema } } } });
const edges = documentOf(
  {
    "/notes": {
      get: {
        operationId: "listNotes",
        parameters: [{ name: "cursor", in: "query", schema: text }],
        responses: { 200: jsonResponse(notes) },
      },
      post: {
        operationId: "addNote",
        ...body("application/json", note),
        responses: { ...created, 409: { description: "" } },
      },
    },
    "/tags/{scope}/{name}": {
      put: { operationId: "putTag", ...body("application/json", tag), responses: { 201: jsonResponse(tag) } },
      get: { operationId: "getTag", responses: { 200: jsonResponse(tag), 404: { description: "" } } },
    },
    "/notes/{id}": {
      get: { operationId: "getNote", responses: ok },
      patch: { operationId: "patchNote", ...body("application/json-patch+json", { type: "array" }), responses: ok },
    },
  },
  {
    security: [{ query: [] }, { cookie: [] }],
    components: {
      securitySchemes: {
        query: { type: "apiKey", in: "query", name: "code" },
        cookie: { type: "apiKey", in: "cookie", name: "session" },
      },
    },
  },
);

const edgy = useMock("in process", { contract: edges });
const strict = useMock("in process", { contract: edges, settings: { auth: "strict" } });

test("a pact has API keys in the query and in cookies, a conflict of ids, and reasons for what no state leads to", async () => {
  const project = newProject();
  const at = (path: string) => `/${project}/notes${path}`;
  await send(edgy, `POST ${at("?code=s3cr3t")}`, {}, { id: "n", text: "a" });
  await send(edgy, `POST ${at("?code=s3cr3t")}`, {}, { id: "n", text: "b" });
  await send(edgy, `GET ${at("/n")}`, { Cookie: "other=1; session=s3cr3t" });
  await send(edgy, `GET ${at("?code=s3cr3t&cursor=n")}`);
  await send(edgy, `GET ${at("?code=s3cr3t")}`);
  for (const name of ["new", "other"]) {
    const path = `/${project}/tags/global/${name}?code=s3cr3t`;
    if (name === "new") await send(edgy, `PUT ${path}`, {}, { scope: "global", colour: "red" });
    await send(edgy, `GET ${path}`);
  }
  const patch = JSON.stringify([{ op: "replace", path: "/text", value: "c" }]);
  await send(edgy, `PATCH ${at("/n")}`, { "Content-Type": "application/json-patch+json" }, patch);
  const pact = await pactOf(edgy, project);
  expect(JSON.stringify(pact)).not.toContain("s3cr3t");
  expect(statesIn(pact)).toMatchObject({
    "addNote returns 201": [
      ["credentials exist", { name: "code" }],
      ["no resource exists", { id: "n" }],
    ],
    "addNote returns 409": [
      ["credentials exist", { name: "code" }],
      ["a resource exists", { id: "n" }],
    ],
    "getNote returns 200": [
      ["credentials exist", { name: "session" }],
      ["a resource exists", { id: "n" }],
    ],
  });
  expect(pact.metadata["resource-mock"].omitted).toEqual([
    "listNotes 200: no provider state leads to a cursor",
    "patchNote 200: the changes of a JSON Patch depend on the earlier item",
  ]);
  expect(await failuresOf(strict, pact)).toEqual([]);
});

describe("the verifier of Pact", { tags: ["process", "slow"] }, () => {
  const recorded = useMock("in process", { contract: library });
  const provider = useMock("over a socket", { contract: library, settings: { auth: "strict" } });

  test("accepts the pact against another mock of the library, and rejects a mock that deviates", async () => {
    await useLibrary(recorded, "reading");
    const folder = folderOf({ "pact.json": await pactOf(recorded, "reading") });
    const verify = () =>
      run(process.execPath, [`${repository}test/pact/verify.ts`, `${folder}/pact.json`, provider.url ?? ""]);
    await verify();
    await verify();
    const respond = { status: 200, body: { id: 2, title: "Emma" } };
    await inProject(provider, "default", "POST", "/rules", { operation: "getBook", raw: respond });
    await inProject(provider, "default", "POST", "/rules", { operation: "lend", raw: { status: 200, body: {} } });
    const failure = await verify().catch((error: Error) => error.message);
    expect(failure).toMatch(/1\) .*getBook returns 200.*2\) .*lend returns 201/s);
  });
});
