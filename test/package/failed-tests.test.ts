import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { type StartedResourceMock, startResourceMock } from "../../src/index.ts";
import { useBrowser } from "../setup/browser.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
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
  "409: the client sent version 1, the stored version is 2",
  "scenario concurrent-writer: another client wrote version 2",
  "503: the scenario maintenance responded",
  "The scenario maintenance changed settings for this request: auth off, validation off.",
  "Connection broken by rule r-1: the connection was reset",
];

/** Returns the values of these lines of the report. */
function found(name: "why" | "dashboard", output: string): string[] {
  return output.match(new RegExp(`(?<=\\n\\s*${name}: ).*`, "g")) ?? [];
}

const vitest = {
  name: "Vitest",
  tools: ["vitest"],
  command: ["vitest", "run"],
  file: "cart.test.mjs",
  test: `import { expect, test } from "resource-mock/vitest";
test("shows why", async ({ mock }) => {${body}});`,
};

const jest = {
  name: "Jest",
  tools: ["jest"],
  command: ["jest"],
  file: "cart.test.js",
  test: `const { useResourceMock } = require("resource-mock/jest");
const mock = useResourceMock();
test("shows why", async () => {${body}});`,
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

const runners = [vitest, jest, ...(inject("browser") === "" ? [] : [playwright])];

describe.each(runners)("a failed test of $name", ({ tools, command: [program = "", ...parameters], file, test }) => {
  let consumer: Consumer;
  beforeAll(async () => {
    consumer = await createConsumer(tools);
    consumer.write("base.config.mjs", `export default { use: { mockProject: "shop" } };`);
    consumer.write("playwright.config.mjs", withBrowser("./base.config.mjs"));
    consumer.write("package.json", "{}");
    consumer.write(file, test);
  });
  afterAll(() => consumer.remove());

  const run = (variables: Record<string, string>) =>
    consumer.run(program, parameters, variables).then(
      () => "passed",
      (error: Error) => error.message,
    );

  async function server(): Promise<StartedResourceMock> {
    const mock = await startResourceMock();
    onTestFinished(() => mock.close());
    return mock;
  }

  it("says why each response failed, without secrets", async () => {
    const output = await run({ RESOURCE_MOCK_URL: (await server()).url });

    expect(found("why", output)).toEqual(reasons);
    expect(output).not.toContain("my-secret-token");
  });

  if (program !== "playwright") {
    it("has no links if the mock runs in the process of the test", async () => {
      const output = await run({});

      expect(found("why", output)).toEqual(reasons);
      expect(output).not.toContain("dashboard: ");
    });
  }

  it("is new when it runs again on the same server, and a test that passes leaves no project", async () => {
    const mock = await server();
    for (const PASSES of ["", "", "yes"]) await run({ PASSES, RESOURCE_MOCK_URL: mock.url });

    expect(await mock.projects()).toEqual([]);
    expect((await mock.coverage()).requests).toBe(12);
  });

  describeWithBrowser("in a browser", () => {
    const browser = useBrowser();

    it("has links that lead to the failed requests", async () => {
      const output = await run({ RESOURCE_MOCK_URL: (await server()).url });
      const links = found("dashboard", output);

      expect(links.length).toBe(3);
      for (const [index, reason] of [reasons[0], reasons[2], reasons[4]].entries()) {
        const page = await browser.open(links[index] ?? "");
        await page
          .locator(".request .why")
          .getByText(reason ?? "")
          .waitFor();
      }
    });
  });
});
