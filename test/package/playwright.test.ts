// @module-tag process
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT } from "@opentelemetry/api";
import { W3CBaggagePropagator } from "@opentelemetry/core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type StartedResourceMock, startResourceMock } from "../../src/index.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { type Consumer, createConsumer } from "./consumer.ts";
import { withBrowser } from "./playwright.ts";

const tools = ["@playwright/test", "playwright", "playwright-core"];

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const propagator = new W3CBaggagePropagator();

/** Returns the headers for a request that an incoming request causes, as OpenTelemetry passes them on. */
function passedOn({ headers }: IncomingMessage): Record<string, string> {
  const outgoing: Record<string, string> = {};
  propagator.inject(propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter), outgoing, defaultTextMapSetter);
  return outgoing;
}

/**
 * Starts an application: a page that shows a property of a resource, and reads it from its own origin. `page` is HTML to
 * insert into the page.
 */
function serveApplication(mock: StartedResourceMock, { page = "", passesBaggageOn = true } = {}): Promise<number> {
  return serve(async (request, response) => {
    if (request.url === "/shirt") {
      const headers = passesBaggageOn ? passedOn(request) : {};
      const shirt = await fetch(`${mock.url}/shop/resource/shirt`, { headers });
      response.setHeader("Content-Type", "application/json");
      response.end(await shirt.text());
      return;
    }
    response.setHeader("Content-Type", "text/html");
    response.end(`<output></output>${page}<script type="module">
const response = await fetch("/shirt", { headers: { baggage: "userId=alice" } });
document.querySelector("output").textContent = (await response.json()).colour ?? "none";
</script>`);
  });
}

interface Run {
  readonly consumer: Consumer;
  readonly mock: StartedResourceMock;
  readonly port: number;
  readonly workers?: number;
  readonly browserArguments?: readonly string[];
}

/** Runs a file of tests with Playwright. Returns its output; throws with the output if a test fails. */
async function runTests({ consumer, mock, port, workers = 1, browserArguments }: Run, spec: string): Promise<string> {
  const use = { baseURL: `http://127.0.0.1:${port}`, mockProject: "shop" };
  consumer.write("base.config.mjs", `export default ${JSON.stringify({ workers, fullyParallel: true, use })};`);
  consumer.write("playwright.config.mjs", withBrowser("./base.config.mjs", browserArguments));
  consumer.write("shop.spec.ts", spec);
  return consumer.run("playwright", ["test"], { RESOURCE_MOCK_URL: mock.url });
}

describeWithBrowser("Playwright with resource-mock/playwright", () => {
  let consumer: Consumer;
  beforeAll(async () => {
    consumer = await createConsumer(tools);
  });
  afterAll(() => consumer.remove());

  async function open(options: Parameters<typeof serveApplication>[1] = {}) {
    const mock = await startResourceMock();
    onTestFinished(() => mock.close());
    return { mock, consumer, port: await serveApplication(mock, options) };
  }

  test.each([
    ["modules", "module"],
    ["CommonJS", "commonjs"],
  ])("two workers use one application at the same time without cross-talk (%s)", async (_kind, type) => {
    const run = await open();
    consumer.write("package.json", JSON.stringify({ type }));
    const output = await runTests(
      { ...run, workers: 2 },
      `import { expect, test } from "resource-mock/playwright";

for (const colour of ["blue", "red"]) {
  test(\`shows the shirt in \${colour}\`, async ({ page, mock, resourceMock }, { workerIndex }) => {
    const meetings = resourceMock.project("meetings");
    /** Waits until the test of the other worker has arrived here too. */
    const meet = async (place: number) => {
      await fetch(\`\${meetings.baseUrl}/resource/\${place}-\${workerIndex}\`);
      await meetings.requests.wait({ path: { id: { matches: \`^\${place}-\` } } }, { count: 2, timeout: 60_000 });
    };
    await mock.seed({ id: "shirt", objectTypeProperty: {}, colour });
    for (const round of [1, 2, 3]) {
      await meet(round);
      await page.goto("/");
      await expect(page.getByRole("status")).toHaveText(colour);
    }
    await meet(4);
    await expect(mock).toHaveReceived({ operation: "getResourceById", path: { id: "shirt" } }, { count: 3 });
    await expect(mock).not.toHaveReceived({ operation: "deleteResource" });
    await expect(mock).toHaveNoViolations();
  });
}
`,
    );
    expect(output).toMatch(/Running 2 tests using 2 workers/);
    expect(output).toMatch(/2 passed/);
    // The application has sent no request without a sandbox, and each test has closed its sandbox.
    expect((await run.mock.projects()).map(({ key }) => key)).toEqual(["meetings"]);
  });

  test("failed tests have their requests and the test that repeats them in the report, and retries use other sandboxes", async () => {
    const run = await open();
    const spec = `import { expect, test } from "resource-mock/playwright";
test("finds a blue shirt", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("status")).toHaveText("none");
  expect(1).toBe(2);
});
test.describe("without mockProject", () => {
  test.use({ mockProject: "" });
  test("opens a page", async ({ page }) => page.goto("/"));
});
test.describe("with retries", () => {
  test.describe.configure({ retries: 1 });
  test("is flaky", async ({ request, mock, resourceMock }, { retry }) => {
    await fetch(\`\${resourceMock.project("names").baseUrl}/resource/\${mock.name}\`);
    if (retry === 0) throw new Error("the first attempt fails");
  });
});
`;
    const failure = await runTests(run, spec).then(() => "passed", String);
    expect(failure).toMatch(/resource-mock: project shop~shop-finds-a-blue-shirt-[0-9a-f]{8} received 1 request/);
    expect(failure).toMatch(/GET \/shop\/resource\/shirt → 200 \(getResourceById, fixture:/);
    expect(failure).toContain(`RESOURCE_MOCK_URL=${run.mock.url} npx playwright test shop.spec.ts:2`);
    // Playwright often ends the mock with the run, so the report has an archive too.
    const archive = /archive: (\S+resource-mock\.ndjson) \(open it with/.exec(failure)?.[1] ?? "none";
    await run.mock.project("opened").restoreArchive(readFileSync(join(consumer.folder, archive), "utf8"));
    expect(await run.mock.project("opened").requests.list()).toMatchObject([{ operation: "getResourceById" }]);
    expect(failure).toContain("mockProject: expected the project key in the addresses that the application calls");
    expect(failure).toMatch(/2 failed\n[\s\S]*1 flaky/);
    const names = (await run.mock.project("names").requests.list()).map(({ request }) => request.pathParameters.id);
    expect(names.reverse()).toEqual([
      expect.stringMatching(/^shop-with-retries-is-flaky-[0-9a-f]{8}$/),
      expect.stringMatching(/^shop-with-retries-is-flaky-[0-9a-f]{8}-retry1$/),
    ]);
  });

  test("a failed test whose requests did not reach its sandbox has a hint in the report", async () => {
    const run = await open({ passesBaggageOn: false });
    const spec = `import { expect, test } from "resource-mock/playwright";
test("uses the sandbox", async ({ page, mock }) => {
  await page.goto("/");
  await expect(page.getByRole("status")).toHaveText("none");
  await expect(mock).toHaveReceived({ operation: "getResourceById" });
});
`;
    const failure = await runTests(run, spec).then(() => "passed", String);
    expect(failure).toContain("Check that the application passes the header baggage on.");
  });

  test("only requests to the application carry the headers, and those of the fixture request", async () => {
    const received: string[] = [];
    const otherPort = await serve(({ headers, url }, response) => {
      received.push(`${url} ${headers.baggage ?? "no baggage"} ${headers["mock-sandbox"] ?? "no sandbox"}`);
      response.setHeader("Access-Control-Allow-Origin", "*");
      response.setHeader("Content-Type", "text/javascript");
      response.end();
    });
    const run = await open({ page: `<script crossorigin src="http://other.test:${otherPort}/script.js"></script>` });
    const spec = `import { expect, test } from "resource-mock/playwright";
test("loads a script of another origin", async ({ page, request, mock }) => {
  await page.goto("/");
  await expect(page.getByRole("status")).toHaveText("none");
  await request.get("/shirt");
  await expect(mock).toHaveReceived({ operation: "getResourceById" }, { count: 2 });
  await mock.assertReceived({ headers: { baggage: { matches: "userId=alice" } } }, { count: 1 });
});
test.describe("with a further origin", () => {
  test.use({ mockOrigins: ["http://other.test:${otherPort}"] });
  test("shows the page", async ({ page }) => {
    await page.goto("/");
    await expect(page.getByRole("status")).toHaveText("none");
  });
});
`;
    await runTests({ ...run, browserArguments: ["--host-resolver-rules=MAP other.test 127.0.0.1"] }, spec);
    expect(received).toEqual([
      "/script.js no baggage no sandbox",
      expect.stringMatching(/^\/script\.js mock-sandbox=(shop-[\w-]+) \1$/),
    ]);
  });
});
