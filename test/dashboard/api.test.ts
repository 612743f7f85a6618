// @module-tag browser
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { loadOperations } from "../../src/control/subjects.ts";
import { startResourceMock } from "../../src/index.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { appearances, expectAccessible, setAppearance } from "../setup/axe.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { folderOf } from "../setup/folder.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { exampleRequests } from "../setup/requests.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { configure, stateOf } from "../setup/resources.ts";
import { dashboardOf, replyToNextDialog, shows } from "./dashboards.ts";

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
    const list = page.getByRole("navigation", { name: "Operations" });
    const count = Object.keys(exampleRequests).length + controlOperations.length;
    await expect.poll(() => list.getByRole("link").count()).toBe(count + 1);
    await list.getByRole("searchbox").fill("GET /clock");
    await expect
      .poll(() => list.getByRole("link").allInnerTexts())
      .toEqual([expect.stringMatching(/time of the project/)]);
    await list.getByRole("searchbox").fill("takesnapshot");
    await list.getByRole("link", { name: "snapshot" }).click();
    await shows(page, "/__admin/projects/{projectKey}/snapshots");
    await page.goto(`${mock.url}/__admin/ui#/all/api/nothing`);
    await page.getByRole("alert").getByText("Operation nothing not found.").waitFor();
  });

  test("finds any stored resource, sends it with its version, and says why the second update fails", async () => {
    const project = newProject();
    await inProject(mock, project, "POST", "/resources", { generate: 60, seed: 1 });
    await inProject(mock, project, "POST", "/resources", { key: "the-last-one", objectTypeProperty: {} });
    const page = await open(project);
    await page.getByRole("searchbox", { name: "Search operations" }).fill("update");
    await page.getByRole("link", { name: /Update a resource/ }).click();
    await page.getByLabel("Stored resource").fill("last-one");
    await page.locator('datalist option[value="the-last-one"]').waitFor({ state: "attached" });
    await page.getByLabel("Stored resource").fill("the-last-one");
    await expect.poll(() => page.getByLabel("Stored resource").inputValue()).toBe("");
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
    await expect.poll(() => field(page, /^Bearer token/).inputValue()).not.toBe("");
    expect(await field(page, "Headers").inputValue()).toContain("x-run: 7");
    await sendForm(page, 409);
    await field(page, /^Body/).fill(JSON.stringify({ ...update, version: 2 }));
    await sendForm(page, 200);
    await field(page, "URL").fill(`/${project}/resource/other-id`);
    await page.getByLabel("Method").selectOption("GET");
    await page.getByRole("alert").getByText("Body: a browser sends no body with GET").waitFor();
    await field(page, /^Body/).fill("");
    await sendForm(page, 200);
    await page.goto(dashboardOf(mock, project, "api?request=none"));
    await shows(page, "The journal no longer has the request none.");
  });

  test("issues a token, and selects another response by Prefer", async () => {
    const project = newProject();
    await configure(mock, project, { auth: "strict" });
    const page = await open(project, "/getResourceById");
    await sendForm(page, 401);
    await button(page, "Issue a token").click();
    await expect.poll(() => field(page, /^Bearer token/).inputValue()).not.toBe("");
    await sendForm(page, 200);
    await page.getByRole("combobox", { name: /Prefer/ }).fill("scenario=bad-gateway");
    await sendForm(page, 502);
  });

  test("keeps a form while the user visits other views, separately for each project", async () => {
    const page = await open(newProject(), "/getResourceById");
    const id = field(page, "id path");
    await id.fill("kept-id");
    await page.getByRole("link", { name: "Settings", exact: true }).click();
    await page.goBack();
    expect(await id.inputValue()).toBe("kept-id");
    await page.goto(dashboardOf(mock, newProject(), "api/getResourceById"));
    await expect.poll(() => id.inputValue()).not.toBe("kept-id");
  });

  test("undoes a call that removes data, and asks before a reset of all projects", async () => {
    const project = newProject();
    await inProject(mock, project, "POST", "/resources", { id: "kept", objectTypeProperty: {} });
    const before = await stateOf(mock, project);
    const page = await open(project, "/resetProject");
    await sendForm(page, 204);
    expect(await stateOf(mock, project)).not.toEqual(before);
    await page.getByLabel("Messages").getByRole("button", { name: "Undo" }).click();
    await page.getByLabel("Messages").getByText("Undone").waitFor();
    expect(await stateOf(mock, project)).toEqual(before);
    await page.goto(dashboardOf(mock, project, "api/resetAll"));
    const question = replyToNextDialog(page, "no");
    await button(page, "Send").click();
    expect(await question).toMatch(/^Reset every project/);
    expect(await stateOf(mock, project)).toEqual(before);
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

  test("sends JSON lines: the example, and a file in place of the text", async () => {
    const project = newProject();
    const page = await open(project, "/restoreArchive");
    const example = await field(page, /^Body/).inputValue();
    await sendForm(page, 204);
    await field(page, /^Body/).fill("{}\n{");
    await page.getByText(/^Invalid JSON/).waitFor();
    const buffer = Buffer.from(example.replace('"requests":0', '"requests":7'));
    await page.getByLabel("File instead of the text").setInputFiles({ name: "a.ndjson", mimeType: "", buffer });
    await sendForm(page, 204);
    expect((await inProject(mock, project, "GET", "")).body).toMatchObject({ requests: 7 });
  });

  test("shows events as they arrive, until the user stops", async () => {
    const project = newProject();
    const page = await open(project, "/streamProjectEvents");
    await sendForm(page, 200);
    await mock.resource(project, "/from-test");
    await bodyOf(page)
      .getByText(/from-test/)
      .waitFor();
    await button(page, "Stop").click();
    await shows(page, "Stopped.");
  });

  test("says so when the connection breaks, and when the body is long", async () => {
    const project = newProject();
    await inProject(mock, project, "POST", "/rules", { fault: "CONNECTION_RESET_BY_PEER" });
    const page = await open(project, "/getResourceById");
    await button(page, "Send").click();
    await shows(page, "The connection ended without a complete response.");
    await inProject(mock, project, "POST", "/resources", { generate: 2000, seed: 1 });
    await page.goto(dashboardOf(mock, project, "api/listResources"));
    await field(page, /^limit/).fill("2000");
    await sendForm(page, 200);
    await shows(page, "The page shows its first 256 KiB.");
  });

  test("shows hostile content as text", async () => {
    const hostile = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "javascript:alert(1)"];
    const fixture = { version: 1, objectTypeProperty: { arrayOfStringExample: hostile } };
    const fixtures = folderOf({ "getResourceById/200.json": fixture, "getResourceById/200.__proto__.json": fixture });
    await using other = await startResourceMock({ fixtures });
    const page = await browser.open(`${other.url}/__admin/ui#/all/api/getResourceById`);
    await page.getByText("200", { exact: true }).click();
    const example = page.getByRole("region", { name: "Example of 200: default" });
    expect(JSON.parse((await example.textContent()) ?? "")).toEqual(fixture);
    await field(page, /^id/).fill("of-the-fixture");
    await sendForm(page, 200);
    expect(JSON.parse((await bodyOf(page).textContent()) ?? "")).toEqual(fixture);
    await page.goto(`${other.url}/__admin/ui#/all/api/<img src=x onerror=alert(1)>`);
    await page.getByRole("alert").waitFor();
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
      await page.getByLabel("Stored resource").focus();
      await expectAccessible(page);
      await page.goto(`${mock.url}/__admin/ui#/all/api/uploadImage`);
      await field(page, "Headers").fill("invalid");
      await page.getByRole("alert").waitFor();
      await expectAccessible(page);
    });
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
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await sendForm(page, 204);
    await button(page, "Copy as cURL").click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain("/reset");
    expect(copied).not.toContain("sesame");
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
