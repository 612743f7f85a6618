// @module-tag process
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { repository } from "../setup/run.ts";
import { everyTool, useConsumer } from "./consumer.ts";

/** Compiler options of a strict user, which also check declarations. */
const compilerOptions = {
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  target: "es2023",
  lib: ["es2023", "esnext.disposable", "dom", "dom.iterable"],
  types: ["node"],
  // The types of Vitest use types of DOM environments, which do not pass this check.
  paths: { jsdom: ["./dom.d.ts"], "happy-dom": ["./dom.d.ts"] },
};

/** Uses each entry. `@ts-expect-error` marks errors that the types must report. */
const program = `import { expect as jestExpect } from "@jest/globals";
import { ControlError, createResourceMock, type ResourceMock, startResourceMock } from "resource-mock";
import { connectResourceMock, type ProjectControl, VerificationError } from "resource-mock/client";
import { useResourceMock } from "resource-mock/jest";
import JestReporter from "resource-mock/jest/reporter";
import { handlers } from "resource-mock/msw";
import { expect as playwrightExpect, test as playwrightTest } from "resource-mock/playwright";
import { ResourceMockContainer } from "resource-mock/testcontainers";
import { expect, test } from "resource-mock/vitest";
import setupContainer from "resource-mock/vitest/container";
import VitestReporter from "resource-mock/vitest/reporter";
import setupServer from "resource-mock/vitest/server";

export const inProcess: ResourceMock = await createResourceMock({ seed: 1, settings: { auth: "strict" } });
export const project: ProjectControl = connectResourceMock("http://localhost:8080").project("p");
export const used: number = (await project.use("conflict", { times: 1 })).used;
export const id: string = (await project.seed({ objectTypeProperty: { arrayOfIntExample: [1] } })).id;
export const ids: string[] = (await project.seed({ generate: 3 })).map((resource) => resource.id);
export const statuses: number[] = (await project.requests.list()).map(({ response }) => response.status);
export const share: number = (await project.coverage()).summary.failures;
export const reporters = [new VitestReporter({ require: { failures: 50 } }), new JestReporter({}, { report: "reports" })];
// @ts-expect-error: no such requirement
new VitestReporter({ require: { failure: 50 } });
for await (const event of await project.events()) if (event.type === "request") event.data.status.toFixed();
await project.rule({ operation: "getCart", latency: { fixed: 10 }, respond: { status: 503 } });
export const removed: () => void = inProcess.project("p").handle("updateResource", ({ body, path }, { resource }) =>
  body.version === resource?.version ? undefined : { status: 409, headers: { "X-Id": path.id } },
);
inProcess.project("p").handle("getCart", () => new Response("<html>"), { offContract: true });

// @ts-expect-error: the operation does not declare the status
inProcess.project("p").handle("getCart", () => ({ status: 418 }));
// @ts-expect-error: no such member
inProcess.project("p").handle("createResource", ({ body }) => ({ status: 201, body: body.version }));
// @ts-expect-error: an array of numbers
await project.seed({ objectTypeProperty: { arrayOfIntExample: ["1"] } });
await project.verify({ match: { operation: "listPets" } });
inProcess.project("p").handle("listPets", ({ query, path }) => ({ status: 200, body: [query.limit, path.id] }));
// @ts-expect-error: no such setting
await project.settings.set({ autth: "off" });

test("types", async ({ mock, resourceMock }) => {
  await expect(mock).toHaveReceived({ operation: "getCart" }, { atMost: resourceMock.url.length });
});

playwrightTest.use({ mockProject: "shop", mockUrl: "http://localhost:8080", mockOrigins: ["http://shop.test"] });
playwrightTest("types", async ({ page, mock, resourceMock }) => {
  await page.setExtraHTTPHeaders({ ...mock.headers, ...mock.baggage });
  const sandbox: ProjectControl = resourceMock.project("shop").sandbox(mock.name);
  await playwrightExpect(sandbox).toHaveReceived({ operation: "getCart" }, { atLeast: 2 });
  await playwrightExpect(page).not.toHaveTitle("");
});
// @ts-expect-error: not a string
playwrightTest.use({ mockProject: 1 });

const mock = useResourceMock();
await jestExpect(mock).toHaveReceivedInOrder([{ operation: "getCart" }, { status: "4xx" }]);

const container = new ResourceMockContainer().withOptions({ settings: { auth: "strict" } }).withContract("api.yaml");
export const url: string = (await container.start()).project("p").baseUrl;
// @ts-expect-error: no such mode
new ResourceMockContainer().withOptions({ settings: { auth: "sometimes" } });

export const rest = [handlers(inProcess, "https://api.example"), handlers(inProcess), setupContainer, setupServer, startResourceMock];
export const errors = [ControlError, VerificationError];
`;

const required = `import client = require("resource-mock/client");
import jest = require("resource-mock/jest");
import library = require("resource-mock");
import playwright = require("resource-mock/playwright");
import testcontainers = require("resource-mock/testcontainers");

export const project: client.ProjectControl = client.connectResourceMock("http://localhost:8080").project("p");
export const others = [library.createResourceMock, jest.useResourceMock, playwright.test, testcontainers.ResourceMockContainer];
`;

describe("the package's types", () => {
  it.each([
    ["node16", { module: "node16" }],
    ["bundler", { module: "esnext", moduleResolution: "bundler" }],
  ])("pass the check for every entry with moduleResolution %s", async (resolution, options) => {
    const consumer = await useConsumer(everyTool);
    consumer.write("program.mts", program);
    consumer.write(
      "dom.d.ts",
      "export interface ConstructorOptions {}\nexport class Window { constructor(options?: object); }",
    );
    if (resolution !== "bundler") consumer.write("required.cts", required);
    consumer.write("tsconfig.json", JSON.stringify({ compilerOptions: { ...compilerOptions, ...options } }));

    await consumer.run("tsc", ["--project", "."]);
  });

  it("are named interfaces, and together below 150 kB", () => {
    const files = globSync("*.d.mts", { cwd: `${repository}dist` });
    const text = files.map((file) => readFileSync(`${repository}dist/${file}`, "utf8")).join("");
    expect(Buffer.byteLength(text)).toBeLessThan(150_000);
    for (const name of ["Match", "ProjectSummary", "RequestEntry", "ResourceRecord", "Rule"]) {
      expect(text).toContain(`interface ${name} {`);
    }
    expect(text).not.toMatch(/FromSchema<typeof|readonly type: "object"/);
  });
});
