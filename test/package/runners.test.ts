// @module-tag process
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { describeWithEngine } from "../setup/requirements.ts";
import { useConsumer } from "./consumer.ts";

const WORKERS = 4;

/** Tests of one worker. They start when all workers have started, and each has its own state, scenarios and settings. */
const concurrentTests = `import { describe, expect } from "vitest";
import { test } from "resource-mock/vitest";

test("waits for the other workers", async ({ resourceMock }) => {
  const meeting = resourceMock.project("meeting");
  console.log("the mock is at", resourceMock.url);
  await fetch(\`\${meeting.baseUrl}/resource/here\`);
  await meeting.requests.wait({}, { count: ${WORKERS}, timeout: 50_000 });
}, 60_000);

describe.concurrent("is isolated from the other workers", () => {
  for (let number = 0; number < 12; number++) {
    test(\`test \${number}\`, async ({ mock, expect }) => {
      const status = [200, 409, 404][number % 3];
      await mock.seed({ id: "shirt", objectTypeProperty: {} });
      if (status === 409) await mock.use("conflict");
      if (status === 404) await mock.settings.set({ unknownIds: "not-found" });
      const address = \`\${mock.baseUrl}/resource/\${status === 404 ? "nobody" : "shirt"}\`;
      const update = (version: number) => fetch(address, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ version, actions: [{ action: "doSomeThing" }] }),
      });

      for (let version = 1; version <= 10; version++) expect((await update(version)).status).toBe(status);

      await expect(mock).toHaveReceived({}, { count: 10 });
      await expect(mock).toHaveReceived({ status }, { count: 10 });
      expect(await mock.resources.get("shirt")).toMatchObject({ version: status === 200 ? 11 : 1 });
    });
  }
});
`;

/** Tests of a page, whose requests have another origin than the mock. */
const pageTests = `import axios from "axios";
import { expect, test } from "resource-mock/vitest";

const update = { version: 1, actions: [{ action: "doSomeThing" }] };

test("fetch", async ({ mock }) => {
  await mock.use("concurrent-writer");
  const response = await fetch(\`\${mock.baseUrl}/resource/shirt\`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(update),
  });
  expect([response.status, response.headers.get("Mock-Source")]).toEqual([409, "error"]);
  await expect(mock).toHaveReceived({ operation: "updateResource" }, { count: 1 });
});

test("XMLHttpRequest and the client", async ({ mock }) => {
  const adapter = typeof XMLHttpRequest === "undefined" ? "http" : "xhr";
  const events = await mock.events();
  const { headers } = await axios.create({ adapter }).post(\`\${mock.baseUrl}/resource\`, { objectTypeProperty: {} });
  expect(headers.location).toContain(\`/\${mock.key}/resource/\`);
  expect((await events.next()).value.data).toMatchObject({ project: mock.key });
  await events.return();
  await mock.requests.wait({ operation: "createResource" }, { timeout: 5000 });
});
`;

describeWithEngine("Vitest workers with a container engine", () => {
  it("share one container and are isolated from each other", async () => {
    const consumer = await useConsumer(["vitest", "testcontainers", "happy-dom", "axios"]);
    consumer.write("package.json", `{ "type": "module" }`);
    const config = { test: { globalSetup: "resource-mock/vitest/container", maxWorkers: WORKERS } };
    consumer.write("vitest.config.js", `export default ${JSON.stringify(config)};`);
    for (let worker = 1; worker <= WORKERS; worker++) consumer.write(`test/worker-${worker}.test.ts`, concurrentTests);
    // The marker is split because Vitest would otherwise apply it to this file.
    consumer.write("test/page.test.ts", `// @vitest-${"environment"} happy-dom\n${pageTests}`);
    const variables = { RESOURCE_MOCK_IMAGE: inject("image"), TESTCONTAINERS_RYUK_DISABLED: "true" };

    const output = await consumer.run("vitest", ["run"], variables);

    expect(output).toContain(`Tests  ${WORKERS * 13 + 2} passed`);
    const urls = new Set(output.match(/(?<=the mock is at )\S+/g));
    expect(urls.size).toBe(1);
    // The container stops after the run.
    for (const url of urls) await expect(fetch(url)).rejects.toThrow("fetch failed");
  });
});

describe("the global setups of Vitest", () => {
  it.each(["server", "container"])("use the mock at RESOURCE_MOCK_URL: %s", async (name) => {
    await using mock = await startResourceMock();
    const consumer = await useConsumer(["vitest", "testcontainers"]);
    consumer.write("package.json", `{ "type": "module" }`);
    consumer.write("vitest.config.js", `export default { test: { globalSetup: "resource-mock/vitest/${name}" } };`);
    consumer.write(
      "a.test.ts",
      `import { expect } from "vitest";
import { test } from "resource-mock/vitest";
test("uses the mock", async ({ mock, resourceMock }) => {
  expect(resourceMock.url).toBe("${mock.url}");
  expect((await fetch(\`\${mock.baseUrl}/resource\`)).status).toBe(200);
});
`,
    );

    await consumer.run("vitest", ["run"], { RESOURCE_MOCK_URL: mock.url });

    expect((await mock.coverage()).requests).toBe(1);
  });
});

describe("the environments of Vitest", () => {
  const variants = [
    { environment: "node", pool: "forks" },
    { environment: "jsdom", pool: "forks" },
    { environment: "jsdom", pool: "vmThreads" },
    { environment: "happy-dom", pool: "forks" },
    { environment: "happy-dom", pool: "vmThreads" },
  ];
  const projects = variants.map((each) => ({ extends: true, test: { ...each, name: Object.values(each).join() } }));

  async function open(globalSetup?: string) {
    const consumer = await useConsumer(["vitest", "axios", "jsdom", "happy-dom"]);
    consumer.write("package.json", `{ "type": "module" }`);
    consumer.write("vitest.config.js", `export default ${JSON.stringify({ test: { globalSetup, projects } })};`);
    consumer.write("page.test.ts", pageTests);
    return consumer;
  }

  it("all run a mock in the process, which reads bodies of the classes of the environment", async () => {
    const consumer = await open();
    consumer.write(
      "library.test.ts",
      `import { expect, test } from "vitest";
import { createResourceMock } from "resource-mock";
test("the library works", async () => {
  await using mock = await createResourceMock();
  const project = mock.project("demo");
  const events = await project.events();
  const form = new URLSearchParams({ grant_type: "client_credentials", client_id: "shop", client_secret: "s" });
  expect((await mock.fetch("/oauth/token", { method: "POST", body: form })).status).toBe(200);
  const image = new Blob([new Uint8Array([0xff, 0xd8, 0xff])], { type: "image/jpeg" });
  expect((await mock.fetch("/demo/resource/images", { method: "POST", body: image })).status).toBe(200);
  expect((await events.next()).value.data).toMatchObject({ project: "demo" });
  await events.return();
});
`,
    );
    expect(await consumer.run("vitest", ["run"])).toContain(`Tests  ${3 * variants.length} passed`);
  });

  it("all reach one mock for all workers, which the environment variables configure", async () => {
    const consumer = await open("resource-mock/vitest/server");
    consumer.write(
      "shared.test.ts",
      `import { expect, inject } from "vitest";
import { test } from "resource-mock/vitest";
test("uses the provided mock", async ({ mock, resourceMock }) => {
  expect(resourceMock.url).toBe(inject("resourceMock").url);
  expect(await (await fetch(\`\${mock.baseUrl}/resource\`)).json()).toMatchObject({ offset: 0 });
});
`,
    );
    const output = await consumer.run("vitest", ["run"], { RESOURCE_MOCK_COLLECTION: "paged" });
    expect(output).toContain(`Tests  ${3 * variants.length} passed`);
  });
});

describe("useResourceMock in Jest", () => {
  const tests = `
const mock = useResourceMock();
const update = async (version) => fetch(\`\${mock.baseUrl}/resource/shirt\`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ version, actions: [{ action: "doSomeThing" }] }),
});

afterEach(() => expect(mock).toHaveNoViolations());

const keys = [];
test("creates a project", async () => {
  keys.push(mock.key);
  await mock.use("conflict", { times: 1 });
  await update(1);
  await update(1);
  await expect(mock).toHaveReceivedInOrder([{ status: 409 }, { status: 200 }]);
  await expect(mock).toHaveNoViolations();
});

test("creates another project for the next test", async () => {
  expect(keys).not.toContain(mock.key);
  expect((await update(1)).status).toBe(200);
  await expect(mock).toHaveReceived({ operation: "updateResource" }, { count: 1 });
});

test("shows the missing request", async () => {
  await expect(expect(mock).toHaveReceived({ operation: "getCart" })).rejects.toThrow("getCart");
});
`;

  /** Tests in jsdom, which has no fetch. */
  const pageTests = `/** @jest-environment jsdom */
const axios = require("axios");
const { useResourceMock } = require("resource-mock/jest");

const mock = useResourceMock();
const client = axios.create({ validateStatus: null });

test("receives requests of XMLHttpRequest", async () => {
  expect([typeof fetch, typeof XMLHttpRequest]).toEqual(["undefined", "function"]);
  await mock.use("concurrent-writer");
  const update = { version: 1, actions: [{ action: "doSomeThing" }] };
  const { status, headers } = await client.post(\`\${mock.baseUrl}/resource/shirt\`, update);
  expect([status, headers["mock-source"]]).toEqual([409, "error"]);
  await expect(mock).toHaveReceived({ operation: "updateResource" }, { count: 1 });
});
`;

  async function open() {
    const consumer = await useConsumer(["jest", "jest-environment-jsdom", "axios"]);
    consumer.write("package.json", `{ "jest": { "testMatch": ["**/*.test.*"] } }`);
    consumer.write("mock.test.js", `const { useResourceMock } = require("resource-mock/jest");${tests}`);
    consumer.write("page.test.js", pageTests);
    return consumer;
  }

  it("works with CommonJS and in jsdom, in process, and calls the functions of a test", async () => {
    const consumer = await open();
    consumer.write(
      "functions.test.js",
      `const { useResourceMock } = require("resource-mock/jest");
const mock = useResourceMock();
test("a function responds", async () => {
  mock.handle("getResourceById", ({ path }) => Response.json({ version: 7, objectTypeProperty: {} }, { headers: { "X-Id": path.id } }));
  const response = await fetch(\`\${mock.baseUrl}/resource/shirt\`);
  expect([response.headers.get("X-Id"), (await response.json()).version]).toEqual(["shirt", 7]);
});
test("a function throws", async () => {
  mock.handle("getCart", () => { throw new Error("no cart"); });
  const response = await fetch(\`\${mock.baseUrl}/resource/namespace-action-with-example\`);
  expect([response.status, (await response.json()).message]).toEqual([500, "function f-1 threw: Error: no cart"]);
});`,
    );

    // The mock itself runs as a module, outside of the context of the test: its errors still have the exported classes.
    consumer.write("invalid/getCart/200.json", "{");
    for (const environment of ["node", "jsdom"]) {
      consumer.write(
        `library-${environment}.test.js`,
        `/** @jest-environment ${environment} */
const { ControlError, createResourceMock, FilesError } = require("resource-mock");
const { connectResourceMock } = require("resource-mock/client");
test("the library works", async () => {
  const mock = await createResourceMock();
  expect((await mock.fetch("/demo/resource/shirt")).status).toBe(200);
  expect(await mock.project("demo").requests.list()).toMatchObject([{ response: { status: 200 } }]);
  await expect(mock.project("demo").use("no-scenario")).rejects.toThrow(ControlError);
  const full = await createResourceMock({ maxProjects: 1 });
  full.project("a").handle("getCart", () => {});
  expect(() => full.project("b").handle("getCart", () => {})).toThrow(ControlError);
  await full.close();
  expect(() => mock.project("demo").handle("getCart")).toThrow(TypeError);
  expect(() => mock.project("demo").handle("getCart")).toThrow("expected a function");
  const form = new URLSearchParams({ grant_type: "client_credentials", client_id: "shop", client_secret: "s" });
  expect((await mock.fetch("/oauth/token", { method: "POST", body: form })).status).toBe(200);
  const events = await mock.project("demo").events();
  await mock.fetch("/demo/resource/shirt");
  expect((await events.next()).value.data).toMatchObject({ project: "demo" });
  await events.return();
  await mock.close();
});
test("errors have their classes", async () => {
  await expect(createResourceMock({ fixtures: "invalid" })).rejects.toThrow(FilesError);
  await expect(createResourceMock({ fixtures: "invalid" })).rejects.toMatchObject({ problems: [{ file: "invalid/getCart/200.json" }] });
  await expect(createResourceMock({ colour: 1 })).rejects.toThrow(TypeError);
});
const withFetch = "${environment}" === "node" ? test : test.skip;
withFetch("the reason why no mock responds is named", async () => {
  await expect(connectResourceMock("http://127.0.0.1:1").health()).rejects.toThrow(/reached: .*(ECONNREFUSED|bad port)/);
});
test("a body that Node cannot read is refused", async () => {
  const mock = await createResourceMock();
  const body = new Blob(["a"], { type: "image/jpeg" });
  const uploaded = mock.fetch("/demo/resource/images", { method: "POST", body });
  await ("${environment}" === "node" ? uploaded : expect(uploaded).rejects.toThrow("found a Blob without arrayBuffer()"));
  await mock.close();
});`,
      );
    }

    await consumer.run("jest", []);
  });

  it("names invalid options, and exits", async () => {
    const consumer = await useConsumer(["jest"]);
    consumer.write(
      "a.test.js",
      `const { useResourceMock } = require("resource-mock/jest");
test("options are checked", () => {
  expect(() => useResourceMock("shop")).toThrow('expected an object of options, found "shop"');
  expect(() => useResourceMock({ projct: "shop" })).toThrow('projct: unknown option. Did you mean "project"?');
});
describe("with a reserved key", () => {
  useResourceMock({ project: "__shop" });
  test("fails", () => {});
});`,
    );
    const failed = await consumer.run("jest", []).catch((error: Error) => error.message);
    expect(failed).toContain("expected a key that is not reserved");
    expect(failed).toMatch(/Tests: +2 passed/);
  });

  it("throws in test.concurrent, before and after another test, and says how to get a project", async () => {
    const consumer = await useConsumer(["jest"]);
    consumer.write(
      "a.test.js",
      `const { startResourceMock } = require("resource-mock");
const { useResourceMock } = require("resource-mock/jest");
const mock = useResourceMock();
const throws = async () => {
  const message = 'With test.concurrent, call project("my-test") of a mock from startResourceMock() instead';
  expect(() => mock.key).toThrow(message);
  expect(() => mock.baseUrl).toThrow(message);
  await expect((async () => mock.use("conflict"))()).rejects.toThrow(message);
  await expect((async () => expect(mock).toHaveReceived({}))()).rejects.toThrow(message);
};
test.concurrent("first", throws);
test.concurrent("second", throws);
describe("after another test", () => {
  test("has its own project", async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(mock.key).toContain("has-its-own-project");
  });
  describe("in a suite", () => {
    test.concurrent("third", throws);
  });
  test.concurrent("uses another mock", async () => {
    const own = await startResourceMock();
    expect((await fetch(own.project("fourth").baseUrl + "/resource")).status).toBe(200);
    await own.close();
  });
});`,
    );
    await consumer.run("jest", []);
  });

  it("works with modules", async () => {
    const consumer = await useConsumer(["jest"]);
    consumer.write("package.json", `{ "jest": { "testMatch": ["**/*.test.*"] } }`);
    const load = `import { afterEach, expect, test } from "@jest/globals";
import { useResourceMock } from "resource-mock/jest";`;
    consumer.write("mock.test.mjs", load + tests);

    await consumer.run("jest", [], { NODE_OPTIONS: "--experimental-vm-modules" });
  });

  it("uses the mock at RESOURCE_MOCK_URL and leaves no project in it", async () => {
    await using mock = await startResourceMock();
    const consumer = await open();

    await consumer.run("jest", [], { RESOURCE_MOCK_URL: mock.url });

    expect((await mock.coverage()).requests).toBe(4);
    expect(await mock.projects()).toEqual([]);
  });
});

describe("projects of a shared mock in Jest", () => {
  it("differ between the projects of Jest that run the same file", async () => {
    await using mock = await startResourceMock();
    const consumer = await useConsumer(["jest"]);
    const projects = ["one", "two"].map((displayName) => ({
      displayName,
      rootDir: ".",
      globals: { resourceMockDisplayName: displayName },
    }));
    consumer.write("jest.config.json", JSON.stringify({ projects }));
    consumer.write(
      "a.test.js",
      `const { useResourceMock } = require("resource-mock/jest");
const mock = useResourceMock();
test("fails", () => fetch(mock.baseUrl + "/resource").then(() => { throw new Error("the test fails"); }));`,
    );
    const output = await consumer.run("jest", [], { RESOURCE_MOCK_URL: mock.url }).catch(String);

    // The mock keeps the projects of failed tests.
    const kept = await mock.projects();
    expect(kept).toMatchObject([{ requests: 1 }, { requests: 1 }]);
    const commands = output.match(/(?<=Run the test again: .*)npx jest .*/g)?.toSorted();
    expect(commands).toEqual(["one", "two"].map((name) => `npx jest a.test.js -t '^fails$' --selectProjects ${name}`));
  });

  it("have an archive each, if a test uses several", async () => {
    await using mock = await startResourceMock();
    const consumer = await useConsumer(["jest"]);
    consumer.write(
      "a.test.js",
      `const { useResourceMock } = require("resource-mock/jest");
const mocks = ["shop", "stock"].map((project) => useResourceMock({ project, archiveFailures: "archives" }));
test("fails", async () => {
  for (const { baseUrl } of mocks) await fetch(baseUrl + "/resource");
  throw new Error("the test fails");
});`,
    );
    const output = await consumer.run("jest", [], { RESOURCE_MOCK_URL: mock.url }).catch(String);

    const paths = [...output.matchAll(/archive: (\S+) \(/g)].map(([, path = ""]) => path);
    const lines = paths.map((path) => readFileSync(join(consumer.folder, path), "utf8"));
    expect(lines.map((text) => /"\/(shop|stock)\/resource"/.exec(text)?.[1])).toEqual(["shop", "stock"]);
  });
});

describe("attempts of a test in Jest", () => {
  it.each([
    ["retryTimes(1)", `throw new Error("the first attempt fails")`],
    ["retryTimes(1, { retryImmediately: true })", "expect.assertions(1)"],
  ])("have a report if they fail, and only the last one is part of the pact: %s", async (retry, failure) => {
    const consumer = await useConsumer(["jest"]);
    consumer.write(
      "a.test.js",
      `const { useResourceMock } = require("resource-mock/jest");
jest.${retry};
const mock = useResourceMock({ pact: { consumer: "shop", dir: "pacts" } });
let attempts = 0;
test("passes at the second attempt", async () => {
  attempts++;
  await fetch(mock.baseUrl + "/resource/" + (attempts === 1 ? "namespace-action-with-example" : "shirt"));
  if (attempts === 1) ${failure};
});`,
    );
    const output = await consumer.run("jest", []);

    expect(output).toMatch(/resource-mock: project a-\S+ received 1 request\n/);
    const pact = JSON.parse(readFileSync(join(consumer.folder, "pacts/shop-generic-resource-service.json"), "utf8"));
    expect(pact.interactions).toMatchObject([{ request: { path: "/shop/resource/shirt" } }]);
  });
});

const runners = [
  {
    runner: "vitest",
    parameters: ["run"],
    load: `import { describe, test } from "vitest";
import { expect, test as it } from "resource-mock/vitest";
const withMock = (name, body, mockProject) => describe(name, () => {
  it.override("mockProject", mockProject);
  it("one", ({ mock }) => body(mock));
  it("two", ({ mock }) => body(mock));
});`,
  },
  {
    runner: "jest",
    parameters: [],
    load: `const { useResourceMock } = require("resource-mock/jest");
const withMock = (name, body, project) => describe(name, () => {
  const mock = useResourceMock({ project });
  test("one", () => body(mock));
  test("two", () => body(mock));
});`,
  },
];

describe.each(runners)("tests of $runner", ({ runner, parameters, load }) => {
  const open = async (body: string) => {
    const consumer = await useConsumer([runner]);
    consumer.write(runner === "vitest" ? "a.test.mjs" : "a.test.js", `${load}\n${body}`);
    return consumer;
  };

  it("spy on a client with a fixed project key", async () => {
    await using service = await startResourceMock();
    const consumer = await open(`
withMock("a client of the shop", async (mock) => {
  const cart = mock.baseUrl.replace(mock.key, "shop") + "/resource/namespace-action-with-example";
  expect((await fetch(cart)).headers.get("Mock-Source")).toBe("upstream");
  await expect(mock).toHaveReceived({ operation: "getCart" }, { count: 1 });
}, "shop");`);
    const variables = { RESOURCE_MOCK_UPSTREAM: service.url, RESOURCE_MOCK_UPSTREAM_MODE: "spy" };

    await consumer.run(runner, parameters, variables);

    expect(await service.project("shop").requests.list({ operation: "getCart" })).toHaveLength(2);
  });

  it("show the line of a failed matcher", async () => {
    const lines = [
      "toHaveReceived({ operation: 'getCart' })",
      "not.toHaveReceived({}, { atMost: 5 })",
      "toHaveReceivedInOrder([{}])",
      "not.toHaveNoViolations()",
      "toHaveReceived({ operatoin: 'getCart' })",
      "toHaveReceived({}, { cuont: 1 })",
    ];
    const tests = lines.map(
      (line, index) => `
  withMock("number ${index}", async (mock) => {
    /* HERE ${index} */ await expect(mock).${line};
  });`,
    );
    const consumer = await open(tests.join(""));
    const failed = await consumer.run(runner, parameters).catch((error: Error) => error.message);
    for (const index of lines.keys()) expect(failed).toMatch(new RegExp(`HERE ${index} .*\\n *\\| +\\^`));
    expect(failed).toMatch(/Tests: +12 failed|Tests +12 failed/);
  });

  it("fail if they do not await a matcher, with the line of the call", async () => {
    const consumer = await open(`
withMock("forgets it", (mock) => {
  expect(mock).toHaveReceived({ operation: "getCart" }); // HERE
});
withMock("awaits it", (mock) => expect(mock).toHaveReceived({}, { count: 0 }));`);
    const failed = await consumer.run(runner, parameters).then(
      () => "passed",
      (error: Error) => error.message,
    );
    expect(failed.match(/expect\(mock\)\.toHaveReceived\(…\) was not awaited/g)?.length).toBeGreaterThanOrEqual(2);
    expect(failed).toContain("// HERE");
    expect(failed).toMatch(/Tests: +2 failed, 2 passed|Tests +2 failed \| 2 passed/);
  });
});

describe("handlers for MSW", () => {
  it("return responses of the packed package, and break connections in scenarios", async () => {
    const consumer = await useConsumer(["msw"]);
    consumer.write(
      "intercept.mjs",
      `import { setupServer } from "msw/node";
import { createResourceMock } from "resource-mock";
import { handlers } from "resource-mock/msw";

const mock = await createResourceMock();
setupServer(...handlers(mock, "https://api.europe.gcp.example")).listen();
const cart = "https://api.europe.gcp.example/shop/resource/namespace-action-with-example";
const { status } = await fetch(cart);
await mock.project("shop").use("connection-reset");
const broken = await fetch(cart).catch((error) => error.name);
console.log(status, broken);
await mock.close();
`,
    );

    expect(await consumer.run("node", ["intercept.mjs"])).toBe("200 TypeError");
  });
});
