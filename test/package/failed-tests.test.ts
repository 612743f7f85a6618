// @module-tag process
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { connectResourceMock } from "../../src/client.ts";
import { type StartedResourceMock, startResourceMock } from "../../src/index.ts";
import { archiveIn } from "../setup/archives.ts";
import { useBrowser } from "../setup/browser.ts";
import { json } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { draft } from "../setup/resources.ts";
import { serving } from "../setup/serving.ts";
import { type Consumer, createConsumer } from "./consumer.ts";
import { withBrowser } from "./playwright.ts";

/** The body of a test that fails while PASSES is not set. Each request has a response that can be the cause. */
const body = `
  const cart = mock.baseUrl + "/resource/namespace-action-with-example";
  expect(await mock.requests.list()).toEqual([]);
  await mock.use("concurrent-writer");
  const sent = {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: "Bearer my-secret-token" },
    body: JSON.stringify({ version: 1, actions: [{ action: "doSomeThing" }] }),
  };
  await mock.settings.set({ auth: "off" });
  expect((await fetch(mock.baseUrl + "/resource/shirt", sent)).status).toBe(409);
  await mock.use("maintenance", { times: 1 });
  await fetch(cart);
  await mock.rule({ fault: "CONNECTION_RESET_BY_PEER", times: 1 });
  await fetch(cart).catch(() => {});
  await fetch(cart);
  if (!process.env.PASSES) throw new Error("the test fails");
`;

const reasons = [
  "409: the client sent version 1; version 2 was written just before by the effect conflict of a rule or scenario",
  "The scenario concurrent-writer makes another client write first.",
  "503: the scenario maintenance responded",
  "The scenario maintenance changed settings for this request: auth off, validation off.",
  "Connection broken: rule r-1 resets the connection",
];

/** Returns the values of these lines of the report. */
function found(name: "why" | "dashboard, while the mock runs", output: string): string[] {
  return output.match(new RegExp(`(?<=\\n\\s*${name}: ).*`, "g")) ?? [];
}

/** Tests that end in different ways. Those with the word "archived" fail. */
const shared = `
let attempts = 0;
let runs = 0;
const get = (mock) => fetch(mock.baseUrl + "/resource");
const fail = () => { throw new Error("the test fails"); };
`;

const vitest = {
  name: "Vitest",
  tools: ["vitest"],
  command: ["vitest", "run"],
  file: "cart.test.mjs",
  test: `import { expect, test } from "resource-mock/vitest";
test("shows why", async ({ mock }) => {${body}});`,
  endings: `import { describe } from "vitest";
import { test } from "resource-mock/vitest";
${shared}
test.override("archiveFailures", "archives");
test("passes", ({ mock }) => get(mock));
test("passes at the second attempt", { retry: 1 }, async ({ mock }) => {
  await get(mock);
  if (++attempts === 1) fail();
});
test("archived with the last of two attempts", { retry: 1 }, async ({ mock }) => {
  runs++;
  for (let number = 0; number < runs; number++) await get(mock);
  fail();
});
test("archived because one of its repetitions fails", { repeats: 1 }, async ({ mock, task }) => {
  await get(mock);
  if (task.result.repeatCount === 0) fail();
});
test.fails("fails as expected", ({ mock }) => get(mock).then(fail));
test.fails("archived because it passes unexpectedly", ({ mock }) => get(mock));
describe.concurrent("concurrent tests", () => {
  test.for(["archived a/b", "archived a:b", "passes"])("%s", async (name, { mock }) => {
    await get(mock);
    if (name !== "passes") fail();
  });
});
describe("a hook", () => {
  test.beforeEach(({ mock }) => get(mock));
  test.afterEach(fail);
  test("archived with a failing hook", ({ mock }) => get(mock));
});
describe("a folder that cannot be written", () => {
  test.override("archiveFailures", "package.json");
  test("fails without a file", ({ mock }) => get(mock).then(fail));
});`,
  archived: [
    ["a hook > archived with a failing hook", 2],
    ["archived because it passes unexpectedly", 1],
    ["archived because one of its repetitions fails", 1],
    ["archived with the last of two attempts", 2],
    ["concurrent tests > archived a/b", 1],
    ["concurrent tests > archived a:b", 1],
  ],
};

const jest = {
  name: "Jest",
  tools: ["jest"],
  command: ["jest"],
  file: "cart.test.js",
  test: `const { useResourceMock } = require("resource-mock/jest");
const mock = useResourceMock();
test("shows why", async () => {${body}});`,
  endings: `const { useResourceMock } = require("resource-mock/jest");
${shared}
jest.retryTimes(1);
const mock = useResourceMock({ archiveFailures: "archives" });
test("passes", () => get(mock));
test("passes at the second attempt", async () => {
  await get(mock);
  if (++attempts === 1) fail();
});
test("archived with the last of two attempts", async () => {
  runs++;
  for (let number = 0; number < runs; number++) await get(mock);
  fail();
});
test.failing("fails as expected", () => get(mock).then(fail));
test.failing("archived because it passes unexpectedly", () => get(mock));
test.each(["archived a/b", "archived a:b", "passes"])("%s", async (name) => {
  await get(mock);
  if (name !== "passes") fail();
});
test.each([1, 2, 3])("archived with the name of another test", async (number) => {
  await get(mock);
  if (number < 3) fail();
});
describe("a hook", () => {
  beforeEach(() => get(mock));
  afterEach(fail);
  test("archived with a failing hook", () => get(mock));
});
describe("two mocks", () => {
  const other = useResourceMock({ archiveFailures: "archives" });
  test("archived twice", () => get(mock).then(fail));
});
describe("a folder that cannot be written", () => {
  const other = useResourceMock({ archiveFailures: "package.json" });
  test("archived without the file of the other mock", () => get(mock).then(fail));
});`,
  archived: [
    ["a folder that cannot be written archived without the file of the other mock", 1],
    ["a hook archived with a failing hook", 2],
    ["archived a/b", 1],
    ["archived a:b", 1],
    ["archived because it passes unexpectedly", 1],
    ["archived with the last of two attempts", 2],
    ["archived with the name of another test", 1],
    ["archived with the name of another test", 1],
    ["two mocks archived twice", 0],
    ["two mocks archived twice", 1],
  ],
};

const playwright = {
  name: "Playwright",
  tools: ["@playwright/test", "playwright", "playwright-core"],
  command: ["playwright", "test"],
  file: "cart.spec.js",
  test: `const { expect, test } = require("resource-mock/playwright");
test("shows why", async ({ mock }) => {
  const fetch = (url, sent) => globalThis.fetch(url, { ...sent, headers: { ...sent?.headers, ...mock.headers } });
${body}});`,
};

interface Runner {
  readonly name: string;
  readonly tools: readonly string[];
  readonly command: readonly string[];
  readonly file: string;
  readonly test: string;
  /** A test file with several endings, for runners with archives of failed tests. */
  readonly endings?: string;
  /** The name of each test in `endings` with an archive, and the number of its requests. */
  readonly archived?: readonly (readonly [test: string, requests: number])[];
}

const runners: readonly Runner[] = [vitest, jest, ...(inject("browser") === "" ? [] : [playwright])];

describe.each(runners)("a failed test of $name", ({ tools, command, file, test, endings, archived }) => {
  const [program = "", ...parameters] = command;
  let consumer: Consumer;
  /** The server of the first run, which fails, and the output of the run. */
  let server: StartedResourceMock;
  let output: string;
  const inServer = (more = {}) =>
    run({ RESOURCE_MOCK_URL: server.url, ...(archived && { RESOURCE_MOCK_ARCHIVE_FAILURES: "archives" }), ...more });

  beforeAll(async () => {
    consumer = await createConsumer(tools);
    consumer.write("base.config.mjs", `export default { use: { mockProject: "shop" } };`);
    consumer.write("playwright.config.mjs", withBrowser("./base.config.mjs"));
    consumer.write("package.json", "{}");
    consumer.write(file, test);
    server = await startResourceMock();
    output = await inServer();
  });
  afterAll(async () => {
    consumer.remove();
    await server.close();
  });

  const run = (variables: Record<string, string>, only = file) =>
    consumer.run(program, [...parameters, only], variables).then(
      () => "passed",
      (error: Error) => error.message,
    );
  const archives = () => {
    const folder = join(consumer.folder, "archives");
    return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  };

  it("says why each response failed, without secrets", () => {
    expect(found("why", output)).toEqual(reasons);
    expect(output).not.toContain("my-secret-token");
  });

  describeWithBrowser("in a browser", () => {
    const browser = useBrowser();

    it("has links that lead to the failed requests", async () => {
      const links = found("dashboard, while the mock runs", output);

      expect(links.length).toBe(3);
      for (const [index, reason] of [reasons[0], reasons[2], reasons[4]].entries()) {
        const page = await browser.open(links[index] ?? "");
        await page
          .locator(".request .reason")
          // The head of the request has the status.
          .getByText((reason ?? "").replace(/^\d{3}: /, ""))
          .waitFor();
      }
    });
  });

  if (archived) {
    it("leaves an archive that the command opens, where the next response is that of the test's project", async () => {
      const [path = "", ...others] = archives();
      expect(others).toEqual([]);
      const name = path.slice(consumer.folder.length + 1);
      expect(name).toMatch(/^archives\/cart-shows-why-[0-9a-f]{8}\.ndjson$/);
      expect(output).toContain(`archive: ${name} (open it with \`npx resource-mock --open ${name}\`)`);
      expect(readFileSync(path, "utf8")).not.toContain("my-secret-token");

      const bin = join(consumer.folder, "node_modules/.bin/resource-mock");
      const opened = await serving({ args: ["--open", path, "--log", "off"], file: bin });
      const [project] = await connectResourceMock(opened.url).projects();
      expect(project).toMatchObject({ requests: 4, archive: { test: `${file} > shows why`, file: path } });
      const key = project?.key ?? "";
      await opened.line(new RegExp(`/__admin/ui#/projects/${key}/requests$`));
      for (const address of ["", "/shirt", "/namespace-action-with-example"]) {
        const init = address === "" ? json("POST", draft) : {};
        const responses = await Promise.all(
          [server.url, opened.url].map(async (url) => {
            const response = await fetch(`${url}/${key}/resource${address}`, init);
            const headers = ["location", "mock-request-id", "mock-source"].map((name) => response.headers.get(name));
            return [response.status, headers, await response.text()];
          }),
        );
        expect(responses[0]).toEqual(responses[1]);
      }
      await opened.stop();
    });
  }

  it("is new when it runs again on the same server, and leaves no project and no archive when it passes", async () => {
    expect(found("why", await inServer())).toEqual(reasons);
    expect(await inServer({ PASSES: "yes" })).toBe("passed");

    expect(await server.projects()).toEqual([]);
    expect(archives()).toEqual([]);
  });

  if (endings !== undefined) {
    it("leaves an archive only with the last attempt, in process, and keeps its result if the file cannot be written", async () => {
      consumer.write(`endings.${file}`, endings);
      const output = await run({}, `endings.${file}`);
      const found = archives().map((path): [string, number] => {
        const { source, ...lines } = archiveIn(readFileSync(path, "utf8"));
        const requests = Object.keys(lines).filter((name) => name.startsWith("request/"));
        return [source.test.replace(`endings.${file} > `, ""), requests.length];
      });
      expect(found.sort()).toEqual(archived);
      expect(output).toMatch(/\n\s*archive: package\.json\/endings-.*\.ndjson was not written: ENOTDIR: .*\n/);
      // A link would lead to a mock that has stopped.
      expect(output).not.toContain("dashboard, ");
    });
  }
});
