// @module-tag process
// @module-tag smoke
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectResourceMock } from "../../../src/client.ts";
import { folderOf } from "../../setup/folder.ts";
import { repository, run } from "../../setup/run.ts";
import { serving } from "../../setup/serving.ts";
import { libraryClient } from "./client.ts";
import { library, memberId } from "./library.ts";

/** The tests of a team: two pass in parallel sandboxes, and one shows that the client overwrites a change. */
const tests = `
import { describe } from "vitest";
import { expect, test } from "resource-mock/vitest";
import { libraryClient } from "${repository}test/any-contract/life/client.ts";

describe.concurrent("the reading app", () => {
  test.for(["Emma", "Persuasion"])("adds %s to its own library", async (title, { mock }) => {
    const client = libraryClient(mock.baseUrl);
    await client.addBook({ title, author: "Jane Austen" });
    const { items } = await client.ok("GET", "/books");
    expect(items.map((each) => each.title)).toEqual(["Middlemarch", title]);
    await expect(mock).toHaveReceived({ operation: "addBook", body: { title } }, { count: 1 });
    await expect(mock).toHaveNoViolations();
  });
});

test("keeps the change of another client", async ({ mock }) => {
  await mock.seed({ Loan: [{ $mock: { id: "71" }, bookId: 1, memberId: "${memberId}", renewals: 0 }] });
  await mock.use("concurrent-writer");
  const client = libraryClient(mock.baseUrl);
  await client.renew(71);
  const reads = { operation: "getLoan", path: { loanId: "71" } };
  await expect(mock).toHaveReceived(reads, { count: 2 });
});
`;

test("the report of a failed test names types, the conflict and nearest requests, and its archive can be rewound", async () => {
  const alias = { "resource-mock/vitest": `${repository}src/vitest.ts` };
  const env = { RESOURCE_MOCK_ARCHIVE_FAILURES: "archives" };
  const provide = { mockContract: library };
  const folder = folderOf({
    "loans.test.mjs": tests,
    "vitest.config.mjs": `export default ${JSON.stringify({ resolve: { alias }, test: { env, provide, deps: { interopDefault: false } } })};`,
  });
  const vitest = `${repository}node_modules/vitest/vitest.mjs`;
  const environment = { ...process.env, NO_COLOR: "1" };
  const output = await run(process.execPath, [vitest, "run", "--root", folder], folder, environment).catch(String);
  expect(output).toContain("Tests  1 failed | 2 passed");
  const version = "version 2 was written just before by the effect conflict of a rule or scenario";
  for (const line of [
    `why: 409: the client sent version 1; ${version}`,
    "why: The scenario concurrent-writer makes another client write first.",
    "changed: Loan 71 2 → 3",
    'operation: expected "getLoan", found "changeLoan"',
    `open it with \`npx resource-mock --contract ${library} --open archives/loans-keeps-the-change`,
  ]) {
    expect(output).toContain(line);
  }

  const [archive = ""] = readdirSync(join(folder, "archives"));
  const server = await serving({ args: ["--contract", library, "--open", join(folder, "archives", archive)] });
  const mock = connectResourceMock(server.url);
  const [{ key = "" } = {}] = await mock.projects();
  const project = mock.project(key);
  const loan = () => project.resources.get("71", { type: "Loan" });
  expect(await loan()).toMatchObject({ version: 3, renewals: 1 });
  const [overwriting] = await project.requests.list();
  expect(overwriting?.changes).toMatchObject([{ type: "Loan", id: "71", from: 2, to: 3 }]);
  await project.rewind(overwriting?.id ?? "");
  expect(await loan()).toMatchObject({ version: 2, renewals: 0 });

  // The client without the bug keeps the change of the other client.
  const client = libraryClient(project.baseUrl, { readsAgain: true });
  expect(await client.renew(71)).toMatchObject({ version: 3, renewals: 1 });
});
