// @module-tag slow
// @module-tag process
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadService } from "../../src/library/mock.ts";
import type { SweepReport } from "../../src/tools/sweep/sweep-report.ts";
import { canHappen, failureNames } from "../../src/tools/sweep/transient-failures.ts";
import { commandHere } from "../setup/command.ts";
import { documentOf, jsonResponse, objectOf } from "../setup/documents.ts";
import { folderOf } from "../setup/folder.ts";
import { repository } from "../setup/run.ts";
import { stateOf } from "../sweep/scripts.ts";

const Book = objectOf({ id: { type: "integer" }, title: { type: "string" } });
const Loan = objectOf({
  id: { type: "integer" },
  book: { type: "integer" },
  version: { type: "integer", readOnly: true },
});
const body = (schema: object) => ({ requestBody: { required: true, content: { "application/json": { schema } } } });
const noContent = { description: "Done." };

const library = documentOf(
  {
    "/books": {
      get: { operationId: "books/list", responses: { 200: jsonResponse({ type: "array", items: Book }) } },
      post: {
        operationId: "books/create",
        ...body(objectOf({ title: { type: "string" } })),
        responses: { 201: jsonResponse(Book) },
      },
    },
    "/books/{bookId}": {
      get: { operationId: "books/get", responses: { 200: jsonResponse(Book), 404: noContent } },
      put: { operationId: "books/replace", ...body(Book), responses: { 200: jsonResponse(Book), 429: noContent } },
      delete: { operationId: "books/delete", security: [{ key: [] }], responses: { 204: noContent } },
    },
    "/loans": {
      post: { operationId: "lend", ...body(objectOf({ book: { type: "integer" } })), responses: { 405: noContent } },
    },
    "/loans/{loanId}": {
      get: { operationId: "getLoan", responses: { 200: jsonResponse(Loan) } },
      put: { operationId: "changeLoan", ...body(Loan), responses: { 200: jsonResponse(Loan) } },
    },
  },
  { components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "x-key" } } } },
);

/** A client with two planted bugs: it does not repeat a request after 503, and it repeats a create after any broken response. */
const client = `
const headers = { "Content-Type": "application/json" };
exports.createBook = async (send, title) => {
  for (let tries = 0; tries < 3; tries++) {
    try {
      const response = await send("/books", { method: "POST", headers, body: JSON.stringify({ title }) });
      const body = await response.json();
      if (response.ok) return body;
      if (response.status === 503) break;
    } catch {}
  }
  throw new Error("no book");
};
exports.getBook = async (send, id) => {
  for (let tries = 0; tries < 3; tries++) {
    try {
      const response = await send("/books/" + id);
      const body = await response.json();
      if (response.ok) return body;
    } catch {}
  }
  throw new Error("no book " + id);
};
`;

const files = { "library.json": JSON.stringify(library), "client.cjs": client };

function reportIn(folder: string): SweepReport {
  return JSON.parse(readFileSync(join(folder, "resource-mock-sweep", "sweep.json"), "utf8"));
}

const outcomes = (report: SweepReport) =>
  Object.fromEntries(report.runs.map(({ operation, failure, outcome }) => [`${operation} ${failure}`, outcome]));

/** What the sweep finds out about the client. */
const found = {
  "books/create 503-once": "failed",
  "books/create reset-once": "survived",
  "books/create truncated-once": "wrote-twice",
  "books/create slow-once": "survived",
  "books/get 503-once": "survived",
  "books/get reset-once": "survived",
  "books/get truncated-once": "survived",
  "books/get slow-once": "survived",
};

describe("a sweep of a client of a document", () => {
  test("finds its bugs with a server that has the document, in a folder of its own", async () => {
    const script = `
      const { createBook, getBook } = require("../client.cjs");
      const send = (path, init) => fetch(process.env.RESOURCE_MOCK_URL + path, init);
      (async () => {
        const { id } = await createBook(send, "Emma");
        // Other operations with the same body are other requests.
        await send("/loans", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{ "book": 1 }' });
        if ((await getBook(send, id)).title !== "Emma") throw new Error("another title");
      })().catch(({ message }) => { console.log(message); process.exit(1); });`;
    const folder = folderOf({ ...files, "tests/test.cjs": script, "test.sh": "cd tests && node test.cjs" });
    const args = ["--contract", "library.json", "--only", "books/create,books/get", "--jobs", "2"];
    const { code, stdout, stderr } = await commandHere(["sweep", ...args, "--", "bash", "test.sh"], {}, folder);
    expect([code, stderr]).toEqual([0, ""]);
    expect(outcomes(reportIn(folder))).toEqual(found);
    expect(stdout).toMatch(/^operation +503-once +reset-once +truncated-once +slow-once\nbooks\/create +failed/);
    expect(readdirSync(join(folder, "resource-mock-sweep", "runs"))).toEqual(["books%2Fcreate.503-once.txt"]);
    await commandHere(["sweep", ...args, "--failures", "slow", "--", "bash", "test.sh"], {}, folder);
    expect(readdirSync(join(folder, "resource-mock-sweep", "runs"))).toEqual([]);
  });

  test("finds the same in process, with Vitest, and does not disturb mocks of other services", async () => {
    const vitest = `
      import { expect, test } from "vitest";
      import { createBook, getBook } from "./client.cjs";
      import { createResourceMock } from "${repository}src/index.ts";
      test("a book", async () => {
        const mock = await createResourceMock({ contract: "library.json" });
        const other = await createResourceMock();
        const { baseUrl } = mock.project("shop");
        const send = (path, init) => mock.fetch(baseUrl + path, init);
        const { id } = await createBook(send, "Emma");
        expect(await getBook(send, id)).toEqual({ id, title: "Emma" });
        expect((await other.fetch("/shop/resource/namespace-action-with-example")).status).toBe(200);
        await Promise.all([mock.close(), other.close()]);
      });`;
    const folder = folderOf({
      ...files,
      "book.test.mjs": vitest,
      // As a built package, which Vitest does not transform.
      "vitest.config.mjs": "export default { test: { server: { deps: { external: [/.src./] } } } };",
      ...stateOf(
        ["node", `${repository}node_modules/vitest/vitest.mjs`, "run"],
        ["books/create", "books/get", "getCart"],
      ),
    });
    symlinkSync(`${repository}node_modules`, join(folder, "node_modules"));
    const args = ["sweep", "--resume", "--in-process", "--contract", "library.json", "--jobs", "2"];
    const command = ["node", `${repository}node_modules/vitest/vitest.mjs`, "run"];
    const { code, stderr } = await commandHere([...args, "--", ...command], {}, folder);
    expect([code, stderr]).toEqual([0, ""]);
    expect(outcomes(reportIn(folder))).toEqual(found);
  });

  test("without the document, the error names the flag", async () => {
    const folder = folderOf({ "test.cjs": "", ...stateOf(["node", "test.cjs"], ["books/create", "books/get"]) });
    const { code, stderr } = await commandHere(["sweep", "--resume", "--", "node", "test.cjs"], {}, folder);
    expect([code, stderr]).toEqual([
      2,
      "resource-mock: --only and --failures: expected operations of Generic Resource Service that the command calls (books/create, books/get), with failures that they can have, found none. Select others, or pass the document of the mocks with --contract.\n",
    ]);
  });
});

test("operations of a document get the failures that they can have", async () => {
  const { contract } = await loadService({ contract: library });
  const always = ["503-once", "reset-once", "slow-once"];
  const plan = contract.operations.map((operation) => {
    const names = failureNames.filter((name) => canHappen(name, operation, contract));
    expect(names).toEqual(expect.arrayContaining(always));
    return [operation.id, names.filter((name) => !always.includes(name)).join(" ")];
  });
  expect(Object.fromEntries(plan)).toEqual({
    "books/list": "truncated-once",
    "books/create": "truncated-once",
    "books/get": "truncated-once",
    "books/replace": "429-once truncated-once",
    "books/delete": "401-once",
    lend: "truncated-once",
    getLoan: "truncated-once",
    changeLoan: "truncated-once conflict-once",
  });
});
