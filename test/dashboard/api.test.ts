// @module-tag browser
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { loadOperations } from "../../src/control/subjects.ts";
import { startResourceMock } from "../../src/index.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { appearances, expectAccessible, setAppearance } from "../setup/axe.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { documentOf, jsonResponse, objectOf } from "../setup/documents.ts";
import { folderOf } from "../setup/folder.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { exampleRequests } from "../setup/requests.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { configure } from "../setup/resources.ts";
import { dashboardOf, shows } from "./dashboards.ts";

const controlOperations = await loadOperations(controls);

/** A PNG with one pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const field = (page: Page, name: string | RegExp) => page.getByRole("textbox", { name });
const responseOf = (page: Page) => page.getByRole("region", { name: "Response" });
const bodyOf = (page: Page) => page.getByRole("region", { name: "Response body" });

/** Returns the number of operations in all groups of the list. */
async function sizesOf(page: Page): Promise<number> {
  const texts = await page.getByRole("list", { name: "Operations" }).locator(".count").allTextContents();
  return texts.reduce((sum, text) => sum + Number(text), 0);
}

/** Waits until the status of the response is shown beside the form, and has the focus. */
async function responds(page: Page, status: number): Promise<void> {
  const heading = responseOf(page).getByRole("heading", { name: new RegExp(`^${status}\\b`) });
  await heading.and(page.locator(":focus")).waitFor();
}

/** Sends the request in the form, and waits for the response. */
async function sendForm(page: Page, status: number): Promise<void> {
  await button(page, "Send").click();
  await responds(page, status);
}

describeWithBrowser("the API view of the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();
  const open = (project: string, part = "") => browser.open(dashboardOf(mock, project, `api${part}`));

  test("is where the address of the API reference leads, with the operations of both APIs", async () => {
    const page = await browser.open(`${mock.url}/__admin/docs`);
    expect(page.url()).toBe(`${mock.url}/__admin/ui#/all/api`);
    const list = page.getByRole("list", { name: "Operations" });
    await expect.poll(() => list.getByRole("link").count()).toBe(Object.keys(exampleRequests).length);
    await page.getByRole("link", { name: "Control API" }).click();
    await expect.poll(() => sizesOf(page)).toBe(controlOperations.length);
    await page.getByRole("searchbox").fill("GET /clock");
    await expect
      .poll(() => list.getByRole("link").allInnerTexts())
      .toEqual([expect.stringMatching(/time of the project/)]);
    await page.getByRole("searchbox").fill("takesnapshot");
    await list.getByRole("link", { name: "snapshot" }).click();
    await page.getByRole("heading", { name: "snapshot" }).waitFor();
    expect(await field(page, "URL").inputValue()).toBe("/__admin/projects/default/snapshots");
    await page.goto(`${mock.url}/__admin/ui#/all/api/nothing`);
    await shows(page, "Operation nothing not found.");
  });

  test("suggests the ids of earlier requests, and says why the second update fails", async () => {
    const project = newProject();
    const { body: created } = await inProject<{ id: string }>(mock, project, "POST", "/resources", {
      objectTypeProperty: {},
    });
    await mock.resource(project, `/${created.id}`);
    const page = await open(project);
    await page.getByRole("searchbox", { name: "Search operations" }).fill("update");
    await page.getByRole("link", { name: /Update a resource/ }).click();
    const item = page.getByRole("combobox", { name: /^id path/ });
    await page.locator(`datalist option[value="${created.id}"]`).waitFor({ state: "attached" });
    await item.fill(created.id);
    await field(page, "URL").press("Control+Enter");
    await responds(page, 200);
    await sendForm(page, 409);
    const reason = /409: the client sent version 1; version 2 was written \d+ ms earlier by request/;
    await page.getByRole("region", { name: "Why" }).getByText(reason).waitFor();
    await page.getByRole("link", { name: "Open this request" }).click();
    await page
      .getByRole("region", { name: /^Request / })
      .getByText(/the client sent version 1; version 2 was written \d+ ms earlier by/)
      .first()
      .waitFor();
  });

  test("opens a recorded request, changes its URL and body, and sends it again", async () => {
    const project = newProject();
    await configure(mock, project, { auth: "strict" });
    const { body: token } = await inProject<{ access_token: string }>(mock, project, "POST", "/tokens");
    const headers = { Authorization: `Bearer ${token.access_token}`, "X-Run": "7" };
    const update = { version: 1, actions: [{ action: "doSomeThing" }] };
    await mock.resource(project, "/my-id", json("POST", update, headers));
    const { body } = await inProject<{ requests: { id: string }[] }>(mock, project, "GET", "/requests");
    const page = await open(project, `?request=${body.requests[0]?.id}`);
    expect(await field(page, "Headers").inputValue()).toContain("x-run: 7");
    await button(page, "Issue a token").click();
    await expect.poll(() => field(page, "Headers").inputValue()).toContain("Authorization: Bearer");
    await sendForm(page, 409);
    await field(page, /^Body/).fill(JSON.stringify({ ...update, version: 2 }));
    await sendForm(page, 200);
    await field(page, "URL").fill(`/${project}/resource/other-id`);
    await sendForm(page, 409);
    await page.goto(dashboardOf(mock, project, "api?request=none"));
    await shows(page, "The journal no longer has the request none.");
  });

  test("issues a token, and selects another response by Prefer", async () => {
    const project = newProject();
    await configure(mock, project, { auth: "strict" });
    const page = await open(project, "/getResourceById");
    await sendForm(page, 401);
    await button(page, "Issue a token").click();
    const headers = field(page, "Headers");
    await expect.poll(() => headers.inputValue()).toContain("Authorization: Bearer");
    await sendForm(page, 200);
    await headers.fill(`${await headers.inputValue()}\nPrefer: scenario=bad-gateway`);
    await sendForm(page, 502);
  });

  test("keeps a form while the user visits other views, separately for each project", async () => {
    const page = await open(newProject(), "/getResourceById");
    const id = page.getByLabel("id path");
    await id.fill("kept-id");
    await page.getByRole("link", { name: "Settings", exact: true }).click();
    await page.goBack();
    expect(await id.inputValue()).toBe("kept-id");
    await page.goto(dashboardOf(mock, newProject(), "api/getResourceById"));
    await expect.poll(() => id.inputValue()).not.toBe("kept-id");
  });

  test("uploads an image, and shows an image in a response", async () => {
    const project = newProject();
    const page = await open(project, "/uploadImage");
    await page
      .getByLabel("File", { exact: true })
      .setInputFiles({ name: "a.png", mimeType: "image/png", buffer: pixel });
    expect(await page.getByLabel("Content type").inputValue()).toBe("image/png");
    await sendForm(page, 200);
    const { body } = await inProject<{ images: { id: string }[] }>(mock, project, "GET", "/images");
    expect(body.images).toMatchObject([{ contentType: "image/png" }]);

    await page.goto(dashboardOf(mock, project, "api/readImage"));
    await field(page, /^id/).fill(String(body.images[0]?.id));
    await sendForm(page, 200);
    const shown = page.getByRole("img", { name: "The body of the response" });
    await expect.poll(() => shown.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBe(1);
  });

  test("sends an archive from a file", async () => {
    const project = newProject();
    const archive = await (await mock.fetch(`/__admin/projects/${project}/archive`)).text();
    const page = await open(project, "/restoreArchive");
    const buffer = Buffer.from(archive.replace('"requests":0', '"requests":7'));
    await page.getByLabel("Content type").selectOption("application/x-ndjson");
    await page.getByLabel("File", { exact: true }).setInputFiles({ name: "a.ndjson", mimeType: "", buffer });
    await sendForm(page, 204);
    expect((await inProject(mock, project, "GET", "")).body).toMatchObject({ requests: 7 });
  });

  test("shows the status of an event stream, until the user stops it", async () => {
    const page = await open(newProject(), "/streamProjectEvents");
    await sendForm(page, 200);
    await button(page, "Stop").click();
    await shows(page, "Stopped.");
  });

  test("says so when the connection breaks", async () => {
    const project = newProject();
    await inProject(mock, project, "POST", "/rules", { fault: "CONNECTION_RESET_BY_PEER" });
    const page = await open(project, "/getResourceById");
    await button(page, "Send").click();
    await shows(page, "The connection ended without a complete response.");
  });

  test("shows hostile content as text", async () => {
    const hostile = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "javascript:alert(1)"];
    const fixture = { version: 1, objectTypeProperty: { arrayOfStringExample: hostile } };
    const fixtures = folderOf({ "getResourceById/200.json": fixture, "getResourceById/200.__proto__.json": fixture });
    await using other = await startResourceMock({ fixtures });
    const page = await browser.open(`${other.url}/__admin/ui#/all/api/getResourceById`);
    await page.getByText("200", { exact: true }).click();
    await page.getByText("Example", { exact: true }).click();
    const example = page.getByRole("region", { name: "Example of 200: default" });
    expect(JSON.parse((await example.textContent()) ?? "")).toEqual(fixture);
    await page.getByLabel("id path").fill("of-the-fixture");
    await sendForm(page, 200);
    expect(JSON.parse((await bodyOf(page).textContent()) ?? "")).toEqual(fixture);
    await page.goto(`${other.url}/__admin/ui#/all/api/<img src=x onerror=alert(1)>`);
    await shows(page, "Operation <img src=x onerror=alert(1)> not found.");
    expect(await page.locator("main img, main script").count()).toBe(0);
  });

  test("shows the assumptions of the mock", async () => {
    const page = await open(newProject(), "/queryWithSortedParameters");
    await page.getByRole("heading", { name: "Assumptions" }).waitFor();
    await shows(page, /with at most 4 different values/);
  });

  describe.each(appearances)("in $colorScheme, $width pixels wide", (appearance) => {
    test("is accessible with open parts, errors and responses", async () => {
      const page = await open(newProject(), "/updateResource");
      await setAppearance(page, appearance);
      await field(page, "Headers").fill("Prefer: code=409");
      await sendForm(page, 409);
      for (const each of await page.locator("summary").all()) await each.click();
      await page.getByLabel("id path").focus();
      await expectAccessible(page);
      await page.goto(`${mock.url}/__admin/ui#/all/api/uploadImage`);
      await field(page, "Headers").fill("invalid");
      await page.getByRole("alert").waitFor();
      await expectAccessible(page);
    });
  });
});

/** Returns a document with this number of operations, in 20 tags, and a shop whose items the mock keeps. */
function shopWith(count: number): object {
  const properties = { title: { type: "string" }, amount: { type: "integer", minimum: 1 } };
  const order = objectOf(properties);
  const body = { required: true, content: { "application/json": { schema: order } } };
  const whole = objectOf({ id: { type: "string" }, ...properties });
  const problem = objectOf({ message: { type: "string" } });
  const more = Array.from({ length: count }, (_, index) => [
    `/areas/{area}/parts/${index}`,
    { get: { operationId: `part${index}`, summary: `Get part ${index}`, tags: [`area ${index % 20}`], responses: {} } },
  ]);
  const shop = {
    "/shops/{shop}/orders": {
      post: {
        ...{ operationId: "orders/create", summary: "Create an order", tags: ["orders"], requestBody: body },
        ...{
          description: Array.from({ length: 40 }, (_, index) => `Line ${index}.`).join("\n\n"),
          security: [{ key: [] }],
        },
        responses: { 201: jsonResponse(whole), 422: jsonResponse(problem) },
      },
    },
    "/shops/{shop}/orders/{orderId}": {
      get: {
        ...{ operationId: "orders/get", summary: "Get an order", tags: ["orders"], deprecated: true },
        parameters: Array.from({ length: 7 }, (_, index) => ({ name: `q${index}`, in: "query", schema: {} })),
        responses: { 200: jsonResponse(whole), 404: jsonResponse(problem) },
      },
    },
  };
  const key = { type: "apiKey", in: "header", name: "X-Key" };
  return documentOf({ ...Object.fromEntries(more), ...shop }, { components: { securitySchemes: { key } } });
}

describeWithBrowser("the API view of a document with 1,200 operations", () => {
  const browser = useBrowser();
  const mock = useMock("over a socket", { contract: shopWith(1200) });
  const open = (project: string, part = "") => browser.open(dashboardOf(mock, project, `api${part}`));
  const rows = (page: Page) => page.getByRole("list", { name: "Operations" }).getByRole("listitem");

  test("shows closed groups, finds operations by words, and renders only the visible rows", async () => {
    const page = await open(newProject());
    await expect.poll(() => rows(page).count()).toBe(21);
    expect(await sizesOf(page)).toBe(1202);
    await page.getByRole("searchbox").fill("GET /areas");
    await page.getByText("1,200 operations found").waitFor({ state: "attached" });
    expect(await rows(page).count()).toBeLessThan(100);
    await page.getByRole("searchbox").fill("get part 1199");
    await expect
      .poll(() => rows(page).allTextContents())
      .toEqual(["area 19 1", expect.stringContaining("Get part 1199")]);
  });

  test("is used with the keyboard: from the search to the rows, and into an operation", async () => {
    const page = await open(newProject());
    await rows(page).first().waitFor();
    const focused = page.locator(":focus");
    await page.keyboard.press("/");
    await page.keyboard.type("areas");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused.textContent()).toContain("Get part 0");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused.textContent()).toContain("Get part 100");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Get part 100", exact: true }).waitFor();
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "Get part 0", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Get part 0", exact: true }).waitFor({ state: "detached" });
  });

  test("names the missing values, and marks the invalid ones", async () => {
    const project = newProject();
    const page = await open(project, "/orders%2Fcreate");
    await shows(page, "Fill in shop to send the request.");
    expect(await button(page, "Send").isDisabled()).toBe(true);
    expect(await field(page, "URL").inputValue()).toBe(`/${project}/shops/{shop}/orders`);
    await shows(page, "Needs the API key X-Key (header).");
    await page.getByRole("article", { name: "Description" }).getByText("Line 39.").waitFor();
    await page.getByLabel("shop path").fill("north");
    await field(page, "Headers").fill("X-Key: secret");
    const sample = await field(page, "Body").inputValue();
    expect(JSON.parse(sample)).toEqual({ title: "text", amount: 1 });
    await field(page, "Body").fill('{\n  "title": "a",\n  "amount": 0\n}');
    await sendForm(page, 422);
    await page.getByRole("button", { name: "Line 3" }).waitFor();
    await field(page, "Body").fill(sample.replace("text", "12345678901234567890"));
    await page.getByRole("button", { name: "Line 3" }).waitFor({ state: "detached" });
    await sendForm(page, 201);
    const shown = (await bodyOf(page).textContent()) ?? "";
    const { id } = JSON.parse(shown);
    expect(shown).toBe(JSON.stringify(JSON.parse(shown), undefined, 2));
    const { body } = await inProject<{ requests: { request: { headers: object } }[] }>(
      mock,
      project,
      "GET",
      "/requests",
    );
    expect(body.requests[0]?.request.headers).toMatchObject({ "x-key": "secret" });

    await page.goto(dashboardOf(mock, project, "api/orders%2Fget"));
    await shows(page, "Yes: clients should not use it.");
    await page.getByLabel("shop path").fill("north");
    await page.getByLabel("orderId path").fill(id);
    await field(page, "q6 query").fill("a b");
    expect(await field(page, "URL").inputValue()).toBe(`/${project}/shops/north/orders/${id}?q6=a%20b`);
    await sendForm(page, 200);
    await page.goto(dashboardOf(mock, project, "api"));
    await page.reload();
    await rows(page).getByText("Used in this project").waitFor();
  });

  test("opens a recorded request to an unknown operation, and sends it again", async () => {
    const project = newProject();
    // The first request of a project must match an operation.
    await mock.fetch(`/${project}/areas/a/parts/1`);
    await mock.fetch(`/${project}/nowhere?a=1`, { method: "PUT", body: "text", headers: { "X-Run": "7" } });
    const { body } = await inProject<{ requests: { id: string }[] }>(mock, project, "GET", "/requests");
    const page = await open(project, `?request=${body.requests[0]?.id}`);
    expect(await field(page, "URL").inputValue()).toBe(`/${project}/nowhere?a=1`);
    expect(await field(page, "Headers").inputValue()).toContain("x-run: 7");
    await sendForm(page, 404);
  });

  test.each(appearances)("is accessible in $colorScheme, $width pixels wide", async (appearance) => {
    const page = await open(newProject());
    await setAppearance(page, appearance);
    await page.getByRole("button", { name: "area 3" }).click();
    await expectAccessible(page);
    await page.getByRole("searchbox").fill("part 43");
    await page.getByRole("link", { name: "Get part 43", exact: false }).first().click();
    await page.getByRole("heading", { name: "Get part 43", exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Close this operation" }).click();
    await rows(page).first().waitFor();
  });
});

describeWithBrowser("the API view with an admin token", () => {
  const browser = useBrowser();
  const mock = useMock("over a socket", { adminToken: "sesame" });

  test("sends the token, and does not show it", async () => {
    const page = await browser.open(`${mock.url}/__admin/docs`);
    await page.getByLabel("Admin token").fill("sesame");
    await page.getByRole("button", { name: "Open the dashboard" }).click();
    await page.goto(`${mock.url}/__admin/ui#/all/api/resetProject`);
    await sendForm(page, 204);
    expect(await page.content()).not.toContain("sesame");
  });
});

describe("the address of the API reference", () => {
  const mock = useMock("over a socket");

  test("tells clients without a browser where the page and the documents are", async () => {
    const response = await mock.fetch("/__admin/docs", { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([302, "/__admin/ui#/all/api"]);
    expect(await response.text()).toContain("/__admin/contract.json");
  });
});
