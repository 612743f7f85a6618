// @module-tag browser
import { describe, expect, test } from "vitest";
import type { AddedRule } from "../../src/control/client/types.ts";
import { appearances, expectAccessible, setAppearance } from "../setup/axe.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { documentOf, jsonResponse, objectOf } from "../setup/documents.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { bearer } from "../setup/tokens.ts";
import { dashboardOf, isLive, shows } from "./dashboards.ts";

const Berth = objectOf({ number: { type: "integer" }, boat: { type: "string" } });
const text = { type: "string" };
const parameters = [
  { name: "harbour", in: "path", required: true, schema: text },
  { name: "number", in: "path", required: true, schema: { type: "integer" } },
];
const ofHarbour = parameters.slice(0, 1);
const body = { required: true, content: { "application/json": { schema: { allOf: [Berth] } } } };
const security = [{ key: [] }, { basic: [] }, { oauth: ["berths:read"] }];
const tokenUrl = "https://harbour.example.com/token";
const contract = documentOf(
  {
    "/harbours/{harbour}/berths": {
      get: {
        operationId: "listBerths",
        security,
        parameters: ofHarbour,
        responses: { 200: jsonResponse({ type: "array", items: Berth }) },
      },
      post: {
        operationId: "addBerth",
        parameters: ofHarbour,
        requestBody: body,
        responses: { 201: jsonResponse(Berth) },
      },
    },
    "/harbours/{harbour}/berths/{number}": {
      get: {
        operationId: "getBerth",
        security,
        parameters,
        responses: { 200: jsonResponse(Berth), 404: jsonResponse(undefined) },
      },
      put: { operationId: "putBerth", parameters, requestBody: body, responses: { 200: jsonResponse(Berth) } },
    },
  },
  {
    components: {
      securitySchemes: {
        key: { type: "apiKey", in: "header", name: "X-Harbour-Key" },
        basic: { type: "http", scheme: "basic" },
        oauth: { type: "oauth2", flows: { clientCredentials: { tokenUrl, scopes: { "berths:read": "" } } } },
      },
    },
  },
);

describeWithBrowser("mocks and settings of a document on the dashboard", () => {
  const mock = useMock("over a socket", { contract });
  const browser = useBrowser();
  const open = async (project: string, view: string) => {
    const page = await browser.open(dashboardOf(mock, project, view));
    await isLive(page);
    return page;
  };
  const add = (project: string) =>
    mock.fetch(`/${project}/harbours/kiel/berths`, json("POST", { number: 7, boat: "Ada" }));
  const rulesOf = async (project: string) =>
    (await inProject<{ rules: AddedRule[] }>(mock, project, "GET", "/rules")).body.rules.map(({ rule }) => rule);

  test("the sentence begins with the first operation that reads an item, also without requests", async () => {
    const project = newProject();
    const page = await open(project, "mocks");
    await page.getByRole("button", { name: "Operation: GET /harbours/{harbour}/berths/{number}" }).waitFor();
    await page.getByRole("button", { name: "Add rule" }).click();
    await shows(page, "Rule r-1 is added");
    // The document does not name this status.
    const response = await mock.fetch(`/${project}/harbours/kiel/berths/7`);
    expect([response.status, await rulesOf(project)]).toEqual([
      503,
      [{ operation: "getBerth", times: 2, respond: { status: 503 } }],
    ]);
  });

  test("conditions can be for the members of a body that allOf describes", async () => {
    const project = newProject();
    await add(project);
    const page = await open(project, "mocks?rule=new");
    await page.getByRole("button", { name: "Operation: POST" }).waitFor();
    await page.getByRole("button", { name: "Add a condition" }).click();
    expect(await page.getByRole("dialog").getByRole("option").allTextContents()).toEqual([
      "Path parameter harbour",
      "Body member /number",
      "Body member /boat",
    ]);
  });

  test("the settings of a new project are not marked as changed", async () => {
    const page = await open(newProject(), "settings");
    await page.getByRole("combobox", { name: "unknownIds" }).waitFor();
    expect(await page.getByText("changed", { exact: true }).count()).toBe(0);
    expect(await page.getByRole("combobox", { name: "collection" }).inputValue()).toBe("paged");
  });

  test("a token is issued with scopes of the document, and other credentials are named", async () => {
    const project = newProject();
    await inProject(mock, project, "PATCH", "/settings", { auth: "strict" });
    const page = await open(project, "settings");
    await page.getByRole("checkbox", { name: "berths:read" }).and(page.locator(":checked")).waitFor();
    await shows(page, "the header x-harbour-key, the header Authorization: Basic");
    await page.getByRole("button", { name: "Issue a token" }).click();
    const shown = await page.getByText(/^Authorization: Bearer \S+$/).textContent();
    const headers = bearer(shown?.replace("Authorization: Bearer ", "") ?? "");
    expect((await mock.fetch(`/${project}/harbours/kiel/berths`, { headers })).status).toBe(200);
  });

  describe.each(appearances)("in $colorScheme colours, $width px wide", (appearance) => {
    test("are accessible, and never wider than the window", async () => {
      const project = newProject();
      const id = (await add(project)).headers.get("mock-request-id");
      await inProject(mock, project, "PUT", "/scenarios/slow", { times: 1 });
      await inProject(mock, project, "POST", "/rules", { operation: "getBerth", respond: { status: 404 } });
      const page = await open(project, "mocks");
      await setAppearance(page, appearance);
      for (const view of ["mocks", "mocks?scenario=slow", "mocks?rule=new", `mocks?request=${id}`, "settings"]) {
        await page.goto(dashboardOf(mock, project, view));
        await page
          .locator("main")
          .getByRole("button", { name: /Add|Activate|Issue/ })
          .first()
          .waitFor();
        await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
        await expectAccessible(page);
        expect([view, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)]).toEqual([
          view,
          true,
        ]);
      }
      await page.getByRole("button", { name: /^1 active/ }).click();
      await expectAccessible(page);
    });
  });
});

describeWithBrowser("the settings of a document without credentials on the dashboard", () => {
  const mock = useMock("over a socket", { contract: documentOf({ "/berths": { get: { responses: { 200: {} } } } }) });
  const browser = useBrowser();

  test("say that there are no tokens", async () => {
    const page = await browser.open(dashboardOf(mock, newProject(), "settings"));
    await shows(page, "The contract has no bearer tokens.");
    expect(await page.getByRole("button", { name: "Issue a token" }).count()).toBe(0);
  });
});
