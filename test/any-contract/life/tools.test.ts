import { expect, onTestFinished, test } from "vitest";
import { readFiles } from "../../../src/library/mock.ts";
import { expectValid } from "../../har/valid-har.ts";
import { agentOf } from "../../mcp/agent.ts";
import { commandHere } from "../../setup/command.ts";
import { send } from "../../setup/documents.ts";
import { libraryClient } from "./client.ts";
import { fill, library, memberId, startLibrary } from "./library.ts";

const everyFix = { retries: true, lastPage: true, writesOnce: true, readsAgain: true };

test("a client without failures shows none of its four bugs, and with failures all of them", async () => {
  const mock = await startLibrary();
  const project = mock.project("bugs");
  await fill(project);
  const buggy = libraryClient(project.baseUrl);
  const mended = libraryClient(project.baseUrl, everyFix);
  const titles = async (client: typeof buggy) => (await client.allBooks()).map(({ title }) => title);
  expect([await titles(buggy), await titles(mended)]).toEqual([
    ["Middlemarch", "Emma"],
    ["Middlemarch", "Emma", "Persuasion"],
  ]);

  await project.use("unavailable-then-ok", { times: 1 });
  await expect(buggy.ok("GET", "/opening-hours")).rejects.toThrow("503");
  await project.use("unavailable-then-ok", { times: 1 });
  expect(await mended.ok("GET", "/opening-hours")).toEqual({ opens: "09:00", closes: "18:00" });

  const writes = async (client: typeof buggy, title: string) => {
    await project.use("truncated-body", { times: 1 });
    await client.addBook({ title, author: "x" });
    return (await titles(mended)).filter((each) => each === title).length;
  };
  expect([await writes(buggy, "Lady Susan"), await writes(mended, "The Watsons")]).toEqual([2, 1]);

  await project.use("concurrent-writer", { times: 1 });
  await buggy.renew(71);
  expect((await project.requests.list({ operation: "getLoan" })).length).toBe(1);
});

test("the HTTP archive of the library is valid, and has no credentials", async () => {
  const mock = await startLibrary();
  const project = mock.project("har");
  await send(
    mock,
    "PUT /har/books/1/cover",
    { "Content-Type": "image/png", "X-API-Key": "s3cr3t" },
    new Uint8Array([1]),
  );
  await send(mock, "PUT /har/opening-hours", { Authorization: "Basic czNjcjN0" }, { opens: "1", closes: "2" });
  await send(mock, "GET /har/books/9");
  const har = await project.requests.har();
  expectValid(har);
  expect(har.log.entries.map(({ response }) => response.status)).toEqual([204, 200, 404]);
  expect(JSON.stringify(har)).not.toMatch(/s3cr3t|czNjcjN0/);
});

test("the gate names the operations of the library without requests, and the failures without a test", async () => {
  const mock = await startLibrary();
  await libraryClient(mock.project("gate").baseUrl).allBooks();
  const gate = await commandHere([
    "coverage",
    "--url",
    mock.url,
    "--require",
    "operations=50,failures=50,violations=0",
  ]);
  expect(gate.code).toBe(1);
  expect(gate.stdout).toContain("1 of 21 operations (4.76 %)");
  expect(gate.stdout).toMatch(/operations: expected at least 50 %, found 4.76 %. Without requests:\n {2}addBook\n/);
  expect(gate.stdout).toMatch(/^ {2}listBooks {2}401\/403 +await mock\.use\("unauthorized"\)$/m);
});

test("an agent seeds by type, switches on a scenario, reads the journal, verifies, and reads the coverage", async () => {
  const mock = await startLibrary();
  const { contract } = await readFiles({ contract: library });
  const agent = await agentOf(mock.url, undefined, contract);
  onTestFinished(() => agent.close());
  const project = "agent";
  const loan = { $mock: { id: "71" }, bookId: 1, memberId };
  const copies = { project, type: "/books/1/copies", resources: [{ barcode: "0042", shelf: "A1" }] };
  for (const seed of [{ project, type: "Loan", resources: [loan] }, copies]) {
    expect((await agent.call("seed", seed)).content).toMatchObject({ added: 1 });
  }
  expect((await send(mock, `GET /${project}/books/1/copies`)).body).toEqual(copies.resources);
  await agent.call("use", { project, scenario: "concurrent-writer" });
  expect((await send(mock, `PUT /${project}/loans/71`, {}, { version: 1, bookId: 1, memberId })).status).toBe(409);
  const { content: journal } = await agent.call("read_journal", { project, status: 409 });
  expect(journal.requests).toMatchObject([
    {
      operation: "changeLoan",
      changes: [{ type: "Loan", id: "71", from: 1, to: 2 }],
      conflict: { sent: 1, stored: 2, writer: { by: "effect" } },
    },
  ]);
  const verify = async (count: number) =>
    (await agent.call("verify", { project, match: { operation: "changeLoan" }, count })).content;
  expect([await verify(1), await verify(2)]).toMatchObject([{ pass: true }, { pass: false }]);
  const { content: coverage } = await agent.call("coverage", { project });
  expect(coverage.totals.operations).toEqual({ exercised: 2, declared: 21 });
});
