import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { relative } from "node:path";
import {
  test as base,
  expect as baseExpect,
  type Expect,
  type MatcherReturnType,
  type Route,
  type TestInfo,
} from "@playwright/test";
import {
  connectResourceMock,
  type ProjectControl,
  type ResourceMockClient,
  type SandboxControl,
} from "../control/client/index.ts";
import { matchers, type ResourceMockMatchers } from "./testing/matchers.ts";
import { projectKeyOf, startTest } from "./testing/test-project.ts";

export type { SandboxControl };

/** Options for `use` in the configuration of Playwright. */
export interface ResourceMockOptions {
  /** The project key in the addresses that the application calls. Required. */
  mockProject: string | undefined;
  /**
   * Further origins of the application, such as `http://api.shop.test`. The origin of `baseURL`, the origin of the mock
   * and every origin on a loopback address belong to the application by default.
   */
  mockOrigins: readonly string[];
}

/** Options for `use` in the configuration of Playwright, which are the same for all tests of a worker. */
export interface ResourceMockWorkerOptions {
  /** The address of the mock: `RESOURCE_MOCK_URL`, or else `http://localhost:8080` by default. */
  mockUrl: string;
  /** The `--admin-token` of the mock: `RESOURCE_MOCK_ADMIN_TOKEN` by default. */
  mockAdminToken: string | undefined;
}

export interface ResourceMockFixtures {
  /** The sandbox of the test. */
  mock: SandboxControl;
}

export interface ResourceMockWorkerFixtures {
  /** The whole mock. */
  resourceMock: ResourceMockClient;
}

/** The matchers in the form of Playwright: functions of the project. */
type PlaywrightMatchers = {
  [Name in keyof ResourceMockMatchers<void>]: (
    mock: ProjectControl,
    ...rest: Parameters<ResourceMockMatchers<void>[Name]>
  ) => Promise<MatcherReturnType>;
};

/** `expect` of Playwright with matchers for the requests that a project or sandbox has received. */
export const expect: Expect<PlaywrightMatchers> = baseExpect.extend(matchers);

/**
 * `test` of Playwright, with a sandbox of the mock for each test. The requests that pages and the fixture `request` send
 * to the application carry the headers `Mock-Sandbox` and `baggage`, so an application that passes W3C baggage on reaches
 * the sandbox of the test. Requests of pages to other origins do not carry them, because their servers could reject the
 * preflight request for unknown headers.
 *
 * `mock` controls the sandbox. If the test fails, its requests are printed and attached to the report, with the reasons
 * for their responses and the archive of the sandbox. After the test, the sandbox is deleted; the mock keeps the sandbox of a failed test until it runs again.
 */
export const test = base.extend<
  ResourceMockFixtures & ResourceMockOptions,
  ResourceMockWorkerFixtures & ResourceMockWorkerOptions
>({
  mockProject: [undefined, { option: true }],
  mockOrigins: [[], { option: true }],
  mockUrl: [process.env.RESOURCE_MOCK_URL || "http://localhost:8080", { option: true, scope: "worker" }],
  mockAdminToken: [process.env.RESOURCE_MOCK_ADMIN_TOKEN, { option: true, scope: "worker" }],

  resourceMock: [
    async ({ mockUrl, mockAdminToken }, use) => {
      await use(connectResourceMock(mockUrl, { adminToken: mockAdminToken }));
    },
    { scope: "worker" },
  ],

  mock: async ({ resourceMock, mockProject }, use, testInfo) => {
    const problem = "expected the project key in the addresses that the application calls, found nothing";
    const hint = 'Set it in playwright.config.ts: use: { mockProject: "shop" }';
    if (!mockProject) throw new TypeError(`mockProject: ${problem}. ${hint}`);
    const mock = resourceMock.project(mockProject).sandbox(sandboxNameOf(testInfo));
    const { titlePath, line, project } = testInfo;
    const [file = "", ...titles] = titlePath;
    const selected = project.name === "" ? [] : ["--project", project.name];
    const end = await startTest(mock, {
      file,
      name: titles.join(" "),
      rerun: ["npx", "playwright", "test", `${file}:${line}`, ...selected],
      server: resourceMock,
      // Playwright often starts the mock itself, so that it ends with the run.
      archive: { folder: relative(process.cwd(), testInfo.outputDir) || ".", name: ARCHIVE },
      show: (report) => attachRequests(mock, report, testInfo),
    });
    await use(mock);
    await end(testInfo.status !== testInfo.expectedStatus);
  },

  // `mock` comes first, so that Playwright closes the pages before it deletes the sandbox.
  context: async ({ mock, context, baseURL, mockUrl, mockOrigins }, use) => {
    const origins = new Set([...(baseURL === undefined ? [] : [baseURL]), mockUrl, ...mockOrigins].map(originOf));
    const isApplication = ({ origin, hostname }: URL) => origins.has(origin) || loopback.test(hostname);
    await context.route(isApplication, (route) => selectSandbox(route, mock));
    await use(context);
  },

  request: async ({ mock, playwright, extraHTTPHeaders }, use) => {
    const headers = { ...extraHTTPHeaders, ...mock.headers, ...mock.baggage };
    const request = await playwright.request.newContext({ extraHTTPHeaders: headers });
    await use(request);
    await request.dispose();
  },
});

/** The name of the archive of a failed test, without its extension, in the output folder of the test. */
const ARCHIVE = "resource-mock";

const loopback = /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function originOf(url: string): string {
  const origin = URL.parse(url)?.origin;
  if (origin !== undefined && origin !== "null") return origin;
  throw new TypeError(`mockOrigins: expected origins such as "http://localhost:3000", found ${JSON.stringify(url)}`);
}

/** Continues the request of a page in the sandbox. Keeps the other members of its baggage. */
async function selectSandbox(route: Route, { name, baggage }: SandboxControl): Promise<void> {
  const sent = route.request().headers();
  const members = sent.baggage ? `${sent.baggage},${baggage.baggage}` : baggage.baggage;
  await route.fallback({ headers: { ...sent, "mock-sandbox": name, baggage: members } });
}

/**
 * Returns the name of the sandbox of a test. It is readable, and the same on every machine, so generated ids are the same
 * too. It differs for each project of Playwright, repetition and retry.
 */
function sandboxNameOf({ titlePath, project, repeatEachIndex, retry }: TestInfo): string {
  const [file = "", ...titles] = titlePath;
  const name = projectKeyOf(project.name === "" ? file : `${project.name}:${file}`, titles.join(" "));
  return [name, repeatEachIndex > 0 && `repeat${repeatEachIndex}`, retry > 0 && `retry${retry}`]
    .filter(Boolean)
    .join("-");
}

/** Prints and attaches the requests of the sandbox: a report to read, and all journal entries as JSON. */
async function attachRequests(mock: SandboxControl, report: string, testInfo: TestInfo): Promise<void> {
  const entries = await mock.requests.list();
  const hint = "No request selected the sandbox of this test. Check that the application passes the header baggage on.";
  const body = entries.length === 0 ? `${report}\n${hint}` : report;
  console.error(body);
  // As a file: reporters for the terminal would repeat the start of a text, and cut its links.
  const path = testInfo.outputPath("resource-mock.txt");
  await writeFile(path, body);
  await testInfo.attach("resource-mock", { path, contentType: "text/plain" });
  const archive = testInfo.outputPath(`${ARCHIVE}.ndjson`);
  if (existsSync(archive))
    await testInfo.attach("resource-mock archive", { path: archive, contentType: "application/x-ndjson" });
  const journal = JSON.stringify(entries, null, 2);
  await testInfo.attach("resource-mock requests", { body: journal, contentType: "application/json" });
}
