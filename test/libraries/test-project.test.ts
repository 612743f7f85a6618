import { expect, test } from "vitest";
import { createResourceMock } from "../../src/index.ts";
import { matchers } from "../../src/library/testing/matchers.ts";
import { type RunnerTest, startTest } from "../../src/library/testing/test-project.ts";

test.each<[string, boolean, RunnerTest["server"], number]>([
  ["keeps the project of a failed test on a server", true, { url: "http://127.0.0.1" }, 1],
  ["deletes the project of a failed test without a server", true, undefined, 0],
  ["deletes the project of a passed test on a server", false, { url: "http://127.0.0.1" }, 0],
])("%s", async (_name, hasFailed, server, projects) => {
  await using mock = await createResourceMock();
  const project = mock.project("cart");
  const end = await startTest(project, { file: "a.test.ts", name: "a", rerun: [], server, show: async () => {} });
  await mock.fetch(`${project.baseUrl}/resource`);
  await end(hasFailed);
  expect(await mock.projects()).toHaveLength(projects);
});

test("the matchers fail with and without `not` if the journal has dropped requests", async () => {
  await using mock = await createResourceMock({ settings: { journalSize: 1 } });
  const project = mock.project("cart");
  for (const id of ["a", "b"]) await mock.fetch(`${project.baseUrl}/resource/${id}`);
  const order = [{ path: { id: "a" } }, { path: { id: "b" } }];
  expect(await matchers.toHaveReceivedInOrder.call({}, project, order)).toMatchObject({ pass: false });
  const { pass, message } = await matchers.toHaveReceivedInOrder.call({ isNot: true }, project, order);
  expect([pass, message()]).toEqual([true, expect.stringContaining("cannot verify that no matching request")]);
});
