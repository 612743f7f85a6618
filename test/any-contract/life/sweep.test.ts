// @module-tag slow
// @module-tag process
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SweepReport } from "../../../src/tools/sweep/sweep-report.ts";
import { commandHere } from "../../setup/command.ts";
import { folderOf } from "../../setup/folder.ts";
import { repository } from "../../setup/run.ts";
import { library, memberId } from "./library.ts";

/** The tests of the team: they read and add books, and renew a loan, which must not undo the change of another client. */
const script = (fixes: object) => `
import assert from "node:assert";
import { libraryClient } from "${repository}test/any-contract/life/client.ts";
const url = process.env.RESOURCE_MOCK_URL;
const control = (path, init) => fetch(url + "/__admin/projects/reading" + path, init).then((response) => response.json());
const loans = [{ $mock: { id: "71" }, bookId: 1, memberId: "${memberId}", renewals: 0 }];
const headers = { "Content-Type": "application/json" };
await control("/resources", { method: "POST", headers, body: JSON.stringify({ Loan: loans }) });
const client = libraryClient(url + "/reading", ${JSON.stringify({ lastPage: true, ...fixes })});
assert.equal((await client.addBook({ title: "Emma", author: "Jane Austen" })).title, "Emma");
assert.deepEqual((await client.allBooks()).map(({ title }) => title).slice(0, 2), ["Middlemarch", "Emma"]);
assert.equal((await client.renew(71)).renewals, 1);
const reads = await control("/requests?operation=getLoan");
const conflicts = await control("/requests?operation=changeLoan&status=409");
assert.equal(reads.total, 1 + conflicts.total);
`;

async function sweepOf(fixes: object): Promise<Record<string, string>> {
  const folder = folderOf({ "test.mjs": script(fixes) });
  const failures = "503-once,truncated-once,conflict-once";
  const args = ["sweep", "--contract", library, "--failures", failures, "--", "node", "test.mjs"];
  expect((await commandHere(args, {}, folder)).stderr).toBe("");
  const report: SweepReport = JSON.parse(readFileSync(join(folder, "resource-mock-sweep/sweep.json"), "utf8"));
  return Object.fromEntries(report.runs.map(({ operation, failure, outcome }) => [`${operation} ${failure}`, outcome]));
}

test("a sweep finds the bugs of the client, and no bugs in the fixed client", async () => {
  expect(await sweepOf({})).toMatchObject({
    "listBooks 503-once": "failed",
    "addBook truncated-once": "wrote-twice",
    "changeLoan conflict-once": "failed",
  });
  expect(await sweepOf({ retries: true, writesOnce: true, readsAgain: true })).toMatchObject({
    "listBooks 503-once": "survived",
    "addBook truncated-once": "survived",
    "changeLoan conflict-once": "survived",
  });
});
