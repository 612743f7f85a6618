// @module-tag process
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { ResourceMockContainer } from "../../src/library/testcontainers.ts";
import { folderOf } from "../setup/folder.ts";
import { describeWithEngine } from "../setup/requirements.ts";
import { repository, run } from "../setup/run.ts";
import { type Consumer, createConsumer } from "./consumer.ts";

const petstore = `${repository}examples/petstore/petstore.yaml`;
const environment = { RESOURCE_MOCK_CONTRACT: "petstore.yaml" };

const body = `async ({ mock = global.mock, expect = global.expect } = {}) => {
  const pets = await (await fetch(\`\${mock.baseUrl}/pets\`)).json();
  expect(pets.map(({ name }) => name)).toEqual(["Rex", "Tom"]);
  await expect(mock).toHaveReceived({ operation: "listPets" }, { count: 1 });
}`;

/** A document of two files. */
const parted = {
  "api.yaml": `openapi: 3.0.3
info: { title: Pets, version: "1" }
paths:
  /pets:
    get:
      operationId: listPets
      responses: { "200": { $ref: "responses.yaml#/Pets" } }
`,
  "responses.yaml": `Pets:
  description: The pets.
  content: { application/json: { example: [{ name: Rex }] } }
`,
};

describe("RESOURCE_MOCK_CONTRACT", () => {
  let consumer: Consumer;
  beforeAll(async () => {
    process.env.TESTCONTAINERS_RYUK_DISABLED = "true";
    consumer = await createConsumer(["vitest", "jest", "@jest/globals", "expect", "testcontainers"]);
    consumer.write("petstore.yaml", readFileSync(petstore, "utf8"));
    consumer.write("vitest/pets.test.mjs", `import { test } from "resource-mock/vitest";\ntest("pets", ${body});`);
    consumer.write(
      "jest/pets.test.cjs",
      `const { expect, test } = require("@jest/globals");
global.mock = require("resource-mock/jest").useResourceMock();
global.expect = expect;
test("pets", ${body.replace("{ mock = global.mock, expect = global.expect } = {}", "")});`,
    );
  });
  afterAll(() => consumer.remove());

  it("names the contract of a mock in each worker of Vitest, and of one mock for all workers", async () => {
    for (const globalSetup of [[], ["resource-mock/vitest/server"]]) {
      consumer.write("vitest.config.mjs", `export default { test: { globalSetup: ${JSON.stringify(globalSetup)} } };`);
      expect(await consumer.run("vitest", ["run", "vitest"], environment)).toContain("Tests  1 passed");
    }
  });

  it("names the contract of the mock in Jest", async () => {
    consumer.write("jest.config.cjs", `module.exports = { testMatch: ["**/*.test.cjs"] };`);
    await consumer.run("jest", [], environment);
  });

  it("the library loads the packages for documents only for a mock with a contract", async () => {
    const program = `const { createResourceMock } = await import("resource-mock");
const { registerHooks } = process.getBuiltinModule("node:module");
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url.replace(/.*\\//, "")); return next(url, context); } });
await (await createResourceMock()).fetch("/p/resource");
const before = loaded.splice(0);
await (await createResourceMock({ contract: "petstore.yaml" })).fetch("/p/pets");
console.log(JSON.stringify([before, loaded]));`;
    consumer.write("loaded.mjs", program);
    const [before, after] = JSON.parse(await consumer.run("node", ["loaded.mjs"]));
    const ofDocuments = /^(openapi|js-yaml|ajv|2020)\b/;
    expect(before.filter((name: string) => ofDocuments.test(name))).toEqual([]);
    expect(after).toContain("js-yaml.mjs");
  });

  describeWithEngine("with a container engine", () => {
    const image = inject("image");
    const docker = (...parameters: string[]) => run("docker", parameters);
    it("the image uses a mounted file as its contract", async () => {
      const mounted = ["--volume", `${petstore}:/petstore.yaml:ro`, "--env", "RESOURCE_MOCK_CONTRACT=/petstore.yaml"];
      const id = await docker("run", "--detach", "--read-only", "--publish", "127.0.0.1::8080", ...mounted, image);
      try {
        await expect.poll(() => docker("logs", id)).toContain("listening");
        const response = await fetch(`http://${await docker("port", id, "8080/tcp")}/pets`);
        expect(await response.json()).toHaveLength(2);
      } finally {
        await docker("rm", "--force", id);
      }
    });

    it("is copied into the container of Vitest", async () => {
      consumer.write(
        "vitest.config.mjs",
        'export default { test: { globalSetup: "resource-mock/vitest/container" } };',
      );
      const variables = { ...environment, RESOURCE_MOCK_IMAGE: image, TESTCONTAINERS_RYUK_DISABLED: "true" };
      expect(await consumer.run("vitest", ["run", "vitest"], variables)).toContain("Tests  1 passed");
    });

    it("is copied into a container of CommonJS", async () => {
      const program = `const { ResourceMockContainer } = require("resource-mock/testcontainers");
(async () => {
  const container = await new ResourceMockContainer("${image}").withContract("petstore.yaml").start();
  console.log((await (await fetch(container.baseUrl("p") + "/pets")).json()).length);
  await container.stop();
})();`;
      consumer.write("container.cjs", program);
      expect(await consumer.run("node", ["container.cjs"], { TESTCONTAINERS_RYUK_DISABLED: "true" })).toBe("2");
    });

    const file = () => join(folderOf(parted), "api.yaml");
    const object = {
      openapi: "3.1.0",
      paths: {
        "/pets": { get: { responses: { 200: { content: { "application/json": { example: [{ name: "Rex" }] } } } } } },
      },
    };
    it.each<[string, () => ResourceMockContainer]>([
      ["a file that refers to another one", () => new ResourceMockContainer(image).withContract(file())],
      ["a parsed document", () => new ResourceMockContainer(image).withContract(object)],
      ["the option of withOptions", () => new ResourceMockContainer(image).withOptions({ contract: file() })],
    ])("is copied into the container: %s", async (_name, create) => {
      const container = await create().start();
      try {
        expect(await (await fetch(`${container.baseUrl("p")}/pets`)).json()).toEqual([{ name: "Rex" }]);
      } finally {
        await container.stop();
      }
    });

    it("ends the start with the place of a mistake", async () => {
      const broken = join(folderOf({ "a.yaml": "a: [1,\n" }), "a.yaml");
      await expect(new ResourceMockContainer(image).withContract(broken).start()).rejects.toThrow(
        "a.yaml:2:1: invalid YAML",
      );
    });
  });
});
