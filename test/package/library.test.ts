// @module-tag process
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { library, memberId } from "../any-contract/life/library.ts";
import { useConsumer } from "./consumer.ts";

const tests = `
const { expect, test } = require("@jest/globals");
const { useResourceMock } = require("resource-mock/jest");

const mock = useResourceMock({ contract: "library.yaml", archiveFailures: "archives" });
const call = async (method, path, body) => {
  const headers = { "Content-Type": "application/json", "X-API-Key": "reader-key" };
  const response = await fetch(mock.baseUrl + path, { method, headers, body: body && JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
};

test.each(["Emma", "Persuasion"])("adds %s to its own library", async (title) => {
  await call("POST", "/books", { title, author: "Jane Austen" });
  expect((await call("GET", "/books")).body.items.map((each) => each.title)).toEqual(["Middlemarch", title]);
  await expect(mock).toHaveNoViolations();
});

test("keeps the change of another client", async () => {
  const { body: loan } = await call("POST", "/loans", { bookId: 1, memberId: "${memberId}" });
  await mock.use("concurrent-writer");
  const renewed = { ...loan, renewals: 1 };
  await call("PUT", "/loans/" + loan.id, renewed);
  await call("PUT", "/loans/" + loan.id, { ...renewed, version: loan.version + 1 });
  await expect(mock).toHaveReceived({ operation: "getLoan" });
});
`;

it("the report of a failed test in Jest names the types of another contract, and how to open its archive", async () => {
  const consumer = await useConsumer(["jest", "@jest/globals", "expect"]);
  consumer.write("library.yaml", readFileSync(library, "utf8"));
  consumer.write("loans.test.cjs", tests);
  consumer.write("jest.config.cjs", `module.exports = { testMatch: ["**/*.test.cjs"] };`);
  const output = await consumer.run("jest", []).catch(String);
  for (const line of [
    "1 failed, 2 passed, 3 total",
    "changed: Loan 4 created (version 1)",
    "why: 409: the client sent version 1; version 2 was written just before by the effect conflict",
    "changed: Loan 4 2 → 3",
    'operation: expected "getLoan", found "changeLoan"',
    "open it with `npx resource-mock --contract library.yaml --open archives/loans-keeps-the-change",
  ]) {
    expect(output).toContain(line);
  }
});
