// @module-tag process
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { runCompose } from "../setup/compose.ts";
import { describeWithCompose } from "../setup/requirements.ts";
import { type Consumer, createConsumer, patient } from "./consumer.ts";

/** A bug that the tests of an example must catch: the line to break, and texts in the output of the failed run. */
interface Bug {
  readonly file: string;
  readonly line: string;
  readonly broken: string;
  readonly output: string[];
}

const examples: Readonly<Record<string, { tools: string[]; bug: Bug }>> = {
  vitest: {
    tools: ["vitest", "typescript"],
    bug: {
      file: "src/set-some-property.ts",
      line: "const isConflict = response.status === 409;",
      broken: "const isConflict = false;",
      output: [
        "the service returned 409",
        // The failure report: the requests of the project, and the command to run the test again.
        "resource-mock: project set-some-property-reads-the-resource-again-and-retries-after-",
        "→ 409 (updateResource, ",
        "npx vitest run test/set-some-property.test.ts -t '^reads the resource again",
      ],
    },
  },
  petstore: {
    tools: ["vitest", "typescript"],
    bug: {
      file: "src/pets.ts",
      line: "if (response.status >= 400) throw",
      broken: "if (response.status === 404) throw",
      output: ["fails while the service fails", "→ 500 (listPets, "],
    },
  },
  jest: {
    tools: ["jest", "@jest/globals", "expect", "typescript", "@types/node", "undici-types"],
    bug: {
      file: "src/service-client.js",
      line: "if (response.status === 401) {",
      broken: "if (false) {",
      output: [
        "the service returned 401",
        "resource-mock: project service-client-gets-a-new-token-when-the-old-one-has-expired-",
        "npx jest test/service-client.test.js -t '^gets a new token",
      ],
    },
  },
  "in-process": {
    tools: ["typescript", "@types/node", "undici-types"],
    bug: {
      file: "src/cart-page.ts",
      line: "const response = await fetch(url, { signal: AbortSignal.timeout(patience) });",
      broken: "const response = await fetch(url, {});",
      output: ["shows a page when the cart is slow"],
    },
  },
};

describe.each(Object.entries(examples))("the example %s, with the packed package", (name, { tools, bug }) => {
  let consumer: Consumer;
  beforeAll(async () => {
    consumer = await createConsumer(tools, name);
  });
  afterAll(() => consumer.remove());

  it("passes its tests and the type check", async () => {
    await consumer.run("npm", ["test", "--", ...(patient[name] ?? [])]);
    await consumer.run("tsc", ["--project", "."]);
  });

  it("fails its tests when the bug is added", async () => {
    const source = readFileSync(join(consumer.folder, bug.file), "utf8");
    const broken = source.replace(bug.line, bug.broken);
    expect(broken).not.toBe(source);
    consumer.write(bug.file, broken);

    const failure = await consumer.run("npm", ["test", "--", ...(patient[name] ?? [])]).catch(String);

    for (const text of bug.output) expect(failure).toContain(text);
  });
});

describeWithCompose("the example docker-compose, with the packed package and the image", () => {
  it("passes its tests", async () => {
    const consumer = await createConsumer([], "docker-compose");
    const environment = { RESOURCE_MOCK_IMAGE: inject("image"), COMPOSE_PROJECT_NAME: `resource-mock-${process.pid}` };
    try {
      const output = await runCompose(consumer.folder, ["run", "--rm", "tests"], environment);
      expect(output).toContain("pass 3");
    } finally {
      await runCompose(consumer.folder, ["down", "--volumes"], environment);
      consumer.remove();
    }
  });
});
