import { expect, test } from "vitest";
import { createResourceMock } from "../../src/index.ts";
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
