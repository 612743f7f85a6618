// @module-tag process
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { runCompose } from "../setup/compose.ts";
import { describeWithBrowser, describeWithCompose } from "../setup/requirements.ts";
import { reservePort } from "../setup/reserve-port.ts";
import { repository } from "../setup/run.ts";
import { type Consumer, createConsumer, patient } from "./consumer.ts";

const browserTools = ["@playwright/test", "playwright", "playwright-core"];

/** A bug that the tests of an example must catch: the line to break, and texts in the output of the failed run. */
interface Bug {
  readonly file: string;
  readonly line: string;
  readonly broken: string;
  readonly output: string[];
}

/** The tools of an example in TypeScript for Node. */
const typescript = ["typescript", "@types/node", "undici-types"];

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
  "github-sdk": {
    tools: ["vitest", "@octokit/rest", "@octokit/openapi", ...typescript],
    bug: {
      file: "src/report-problem.ts",
      line: 'await octokit.paginate(issues.listForRepo, { ...repository, state: "open", per_page: 100 });',
      broken: '(await issues.listForRepo({ ...repository, state: "open", per_page: 100 })).data;',
      output: [
        "expected 121 to be 110",
        "/repos/octo-org/harbour/issues → 201 (issues/create, state)",
        "npx vitest run test/report-problem.test.ts -t '^finds an issue on the second page$'",
      ],
    },
  },
  jest: {
    tools: ["jest", "@jest/globals", "expect", ...typescript],
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
    tools: typescript,
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
    addBug(consumer, bug);

    const failure = await consumer.run("npm", ["test", "--", ...(patient[name] ?? [])]).catch(String);

    for (const text of bug.output) expect(failure).toContain(text);
  });
});

/** Adds a bug to a copy of an example. */
function addBug(consumer: Consumer, { file, line, broken }: Omit<Bug, "output">): void {
  const source = readFileSync(join(consumer.folder, file), "utf8");
  expect(source).toContain(line);
  consumer.write(
    file,
    source.replace(line, () => broken),
  );
}

describeWithBrowser("the example playwright, with the packed package", () => {
  let consumer: Consumer;
  beforeAll(async () => {
    consumer = await createConsumer([...browserTools, ...typescript], "playwright");
    // Other programs of this machine may use the ports of the example.
    const ports = { 3000: await reservePort(), 8080: await reservePort() };
    for (const file of ["playwright.config.ts", "src/server.ts"]) {
      const source = readFileSync(join(consumer.folder, file), "utf8");
      const moved = source
        .replace(/(?<=localhost:|listen\()(3000|8080)/g, (port) => String(ports[port as "3000" | "8080"]))
        .replace("resource-mock --contract", `resource-mock --port ${ports[8080]} --contract`);
      consumer.write(file, moved);
    }
    mockUrl = `http://localhost:${ports[8080]}`;
  });
  afterAll(() => consumer.remove());
  let mockUrl: string;
  /** Runs the tests. An assertion waits for as many milliseconds as `timeout` says. */
  const runTests = (timeout: number) => {
    const limits = `{ timeout: 60000, expect: { timeout: ${timeout} }, reporter: "list" }`;
    const config = `import config from "./playwright.config.ts";\nexport default { ...config, ...${limits} };\n`;
    consumer.write("patient.config.ts", config);
    const environment = { RESOURCE_MOCK_URL: mockUrl, BROWSER_PATH: inject("browser") };
    return consumer.run("npm", ["test", "--", "--config", "patient.config.ts"], environment);
  };

  it("passes its tests and the type check", async () => {
    expect(await runTests(30_000)).toContain("5 passed");
    await consumer.run("tsc", ["--project", "."]);
  });

  it("fails its tests when the bug is added", async () => {
    addBug(consumer, { file: "src/server.ts", line: 'response.ok ? "" : (', broken: 'response ? "" : (' });

    // The message never appears, so a long wait for the message would only take time.
    const failure = await runTests(3000).catch(String);

    expect(failure).toMatch(/failed\n.*shows why the service rejects a pet/);
    expect(failure).toContain("POST /shop/pets → 400 (createPet, error)");
  });
});

describeWithCompose("the example docker-compose, with the packed package and the image", () => {
  let consumer: Consumer;
  const environment = { RESOURCE_MOCK_IMAGE: inject("image"), COMPOSE_PROJECT_NAME: `resource-mock-${process.pid}` };
  beforeAll(async () => {
    consumer = await createConsumer([], "docker-compose");
  });
  afterAll(async () => {
    await runCompose(consumer.folder, ["down", "--volumes"], environment);
    consumer.remove();
  });
  const runTests = () => runCompose(consumer.folder, ["run", "--rm", "tests"], environment);

  it("passes its tests", async () => {
    expect(await runTests()).toContain("pass 4");
  });

  it("fails its tests when the bug is added", async () => {
    addBug(consumer, { file: "src/patient-fetch.js", line: "[429, 503]", broken: "[429]" });

    const failure = await runTests().catch(String);

    expect(failure).toContain("✖ adds a pet once, although the first attempt fails");
  });
});

it.each(["docker-compose", "jest", "playwright"])(
  "the document of the example %s is that of the example petstore",
  (name) => {
    const documentOf = (example: string) =>
      readFileSync(join(repository, "examples", example, "petstore.yaml"), "utf8");
    expect(documentOf(name)).toBe(documentOf("petstore"));
  },
);
