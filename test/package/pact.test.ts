// @module-tag process
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Pact } from "../../src/control/client/types.ts";
import { useConsumer } from "./consumer.ts";

const pact = { consumer: "shop", dir: "pacts", as: "my-project" };

/** The body of a test. Each test file sends the same kind of request, and one of its own. */
const body = (operation: string) => `
  await fetch(mock.baseUrl + "/resource/shirt");
  await fetch(mock.baseUrl + "/resource${operation}", { headers: { Authorization: "Bearer my-secret" } });
  if ("${operation}" === "/only-in-a-failed-test") throw new Error("the test fails");
`;
const operations = [
  "/namespace-action",
  "/namespace-action-with-example",
  "/searchApiPattern",
  "/only-in-a-failed-test",
];

const runners = [
  {
    name: "Vitest",
    tools: ["vitest"],
    command: ["vitest", "run"],
    files: {
      "vitest.config.mjs": `export default { test: { provide: { pact: ${JSON.stringify(pact)} }, maxWorkers: 4 } };`,
      ...Object.fromEntries(
        operations.map((operation, index) => [
          `test/${index}.test.mjs`,
          `import { test } from "resource-mock/vitest";
          test("sends requests", async ({ mock }) => {${body(operation)}});
          test("and again", async ({ mock }) => {${body(operation)}});`,
        ]),
      ),
    },
  },
  {
    name: "Jest",
    tools: ["jest", "@jest/globals"],
    command: ["jest", "--maxWorkers", "4"],
    files: {
      "jest.config.js": "module.exports = {};",
      ...Object.fromEntries(
        operations.map((operation, index) => [
          `test/${index}.test.js`,
          `const { useResourceMock } = require("resource-mock/jest");
          const mock = useResourceMock({ pact: ${JSON.stringify(pact)} });
          test("sends requests", async () => {${body(operation)}});
          test("and again", async () => {${body(operation)}});`,
        ]),
      ),
    },
  },
];

describe.each(runners)("$name with the option pact", ({ tools, command, files }) => {
  it("writes one file for all test files, and only from tests that pass", async () => {
    const consumer = await useConsumer(tools);
    for (const [path, content] of Object.entries(files)) consumer.write(path, content);
    const [program = "", ...args] = command;
    await expect(consumer.run(program, args)).rejects.toThrow("the test fails");

    expect(readdirSync(join(consumer.folder, "pacts"))).toEqual(["shop-generic-resource-service.json"]);
    const text = readFileSync(join(consumer.folder, "pacts/shop-generic-resource-service.json"), "utf8");
    const { interactions }: Pact = JSON.parse(text);
    expect(interactions.map(({ request }) => request.path)).toEqual([
      "/my-project/resource/namespace-action-with-example",
      "/my-project/resource/shirt",
      "/my-project/resource/namespace-action",
      "/my-project/resource/searchApiPattern",
    ]);
    expect(text).not.toContain("my-secret");
  });
});
