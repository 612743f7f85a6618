// @module-tag browser
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { loadOperations } from "../../src/control/subjects.ts";
import { startResourceMock } from "../../src/index.ts";
import { appearances, expectAccessible, setAppearance } from "../setup/axe.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { folderOf } from "../setup/folder.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { exampleRequests } from "../setup/requests.ts";
import { describeWithBrowser } from "../setup/requirements.ts";

const controlOperations = await loadOperations();

/** A PNG with one pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Sends the request in the form, and waits until the page shows the status of the response. */
async function sendForm(page: Page, status: number): Promise<void> {
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("heading", { name: new RegExp(`^Response: ${status}\\b`) }).waitFor();
}

const textOf = async (locator: Locator) => (await locator.textContent()) ?? "";
const bodyOf = (page: Page) => page.getByRole("group", { name: "Response body" });
const field = (page: Page, name: string | RegExp) => page.getByRole("textbox", { name });

describeWithBrowser("the API reference", () => {
  const browser = useBrowser();
  const mock = useMock("over a socket");
  const open = (route = "") => browser.open(`${mock.url}/__admin/docs#/${route}`);
  /** Opens the form of an operation with a project of this test. */
  async function openForm(route: string): Promise<{ page: Page; project: string }> {
    const page = await open(route);
    const project = newProject();
    await field(page, /^projectKey/).fill(project);
    return { page, project };
  }

  test("lists the operations of both APIs, and finds them by name, method and path", async () => {
    const page = await open();
    const links = page.getByRole("main").locator(".overview a");
    await expect.poll(() => links.count()).toBe(Object.keys(exampleRequests).length + controlOperations.length);
    const list = page.getByRole("navigation", { name: "Operations" });
    await list.getByRole("searchbox").fill("GET /clock");
    await expect
      .poll(() => list.getByRole("link").allInnerTexts())
      .toEqual([expect.stringMatching(/time of the project/)]);
    await list.getByRole("searchbox").fill("takesnapshot");
    await list.getByRole("link", { name: "snapshot" }).click();
    await page.getByText("/__admin/projects/{projectKey}/snapshots", { exact: true }).waitFor();
    await page.goto(`${mock.url}/__admin/docs#/service/nothing`);
    await page.getByRole("alert").getByText("Operation nothing not found.").waitFor();
  });

  test("sends a request to an operation of the service, and links to the decisions behind the response", async () => {
    const { page, project } = await openForm("service/createResource");
    await sendForm(page, 201);
    expect(JSON.parse(await textOf(bodyOf(page)))).toMatchObject({ version: 1 });
    const href = await page.getByRole("link", { name: "Show the decisions" }).getAttribute("href");
    expect(href).toMatch(new RegExp(`^/__admin/ui#/projects/${project}/requests/.`));

    await field(page, "Headers").fill("mock-sandbox: t1");
    await sendForm(page, 201);
    await page.locator(`a[href*="/projects/${project}~t1/requests/"]`).waitFor();
    await field(page, /^Body/).fill("{");
    await page.getByText(/^Invalid JSON/).waitFor();
    await field(page, "Headers").fill("");
    await sendForm(page, 400);
  });

  test("uploads an image, and shows an image in a response", async () => {
    const { page, project } = await openForm("service/uploadImage");
    await page
      .getByLabel("File", { exact: true })
      .setInputFiles({ name: "a.png", mimeType: "image/png", buffer: pixel });
    expect(await page.getByLabel("Content type").inputValue()).toBe("image/png");
    await sendForm(page, 200);
    const { body } = await inProject<{ images: { id: string }[] }>(mock, project, "GET", "/images");
    expect(body.images).toMatchObject([{ contentType: "image/png" }]);

    await page.goto(`${mock.url}/__admin/docs#/control/readImage`);
    await field(page, /^id/).fill(String(body.images[0]?.id));
    await sendForm(page, 200);
    const shown = page.getByRole("img", { name: "The body of the response" });
    await expect.poll(() => shown.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBe(1);
  });

  test("sends JSON lines: the example, and a file in place of the text", async () => {
    const { page, project } = await openForm("control/restoreArchive");
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
    const { page, project } = await openForm("control/streamProjectEvents");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("heading", { name: /^Response: 200/ }).waitFor();
    await mock.resource(project, "/from-test");
    await bodyOf(page)
      .getByText(/from-test/)
      .waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
  });

  test("says so when the connection breaks, and when the body is long", async () => {
    const { page, project } = await openForm("service/getResourceById");
    await mock.fetch(`/__admin/projects/${project}/rules`, json("POST", { fault: "CONNECTION_RESET_BY_PEER" }));
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("The connection ended without a complete response.").waitFor();

    await mock.fetch(`/__admin/projects/${project}/resources`, json("POST", { generate: 2000, seed: 1 }));
    await page.goto(`${mock.url}/__admin/docs#/control/listResources`);
    await field(page, /^limit/).fill("2000");
    await sendForm(page, 200);
    await page.getByText("The page shows its first 256 KiB.").waitFor();
  });

  test("shows hostile content as text", async () => {
    const hostile = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "javascript:alert(1)"];
    const fixture = { version: 1, objectTypeProperty: { arrayOfStringExample: hostile } };
    const fixtures = folderOf({ "getResourceById/200.json": fixture, "getResourceById/200.__proto__.json": fixture });
    const other = await startResourceMock({ fixtures });
    try {
      const page = await browser.open(`${other.url}/__admin/docs#/service/getResourceById`);
      const example = page.getByRole("group", { name: "Example of 200: default" });
      expect(JSON.parse(await textOf(example))).toEqual(fixture);
      await field(page, /^id/).fill("of-the-fixture");
      await sendForm(page, 200);
      expect(JSON.parse(await textOf(bodyOf(page)))).toEqual(fixture);
      await page.goto(`${other.url}/__admin/docs#/service/<img src=x onerror=alert(1)>`);
      await page.getByRole("alert").waitFor();
      expect(await page.locator("main img, main script").count()).toBe(0);
    } finally {
      await other.close();
    }
  });

  describe.each(appearances)("in $colorScheme, $width pixels wide", (appearance) => {
    test("is accessible in every view", async () => {
      const page = await open();
      await setAppearance(page, appearance);
      await page.getByRole("heading", { name: "API reference" }).waitFor();
      await expectAccessible(page);

      await page.goto(`${mock.url}/__admin/docs#/service/updateResource`);
      await field(page, "Headers").fill("Prefer: code=409");
      await sendForm(page, 409);
      for (const each of await page.locator("summary").all()) await each.click();
      await expectAccessible(page);

      await page.goto(`${mock.url}/__admin/docs#/service/uploadImage`);
      await page.getByLabel("File", { exact: true }).waitFor();
      await field(page, "Headers").fill("invalid");
      await page.getByRole("alert").waitFor();
      await expectAccessible(page);

      await page.goto(`${mock.url}/__admin/docs#/control/addRule`);
      await page.getByRole("heading", { name: "Add a rule to the project" }).waitFor();
      await expectAccessible(page);
      if (appearance.width > 800) return;
      await page.getByRole("button", { name: "Operations" }).click();
      await page.getByRole("searchbox").waitFor();
      await expectAccessible(page);
    });
  });
});

describeWithBrowser("the API reference with an admin token", () => {
  const browser = useBrowser();
  const mock = useMock("over a socket", { adminToken: "sesame" });

  test("prompts for the token, reports an invalid one, and keeps a valid one in the tab", async () => {
    const page = await browser.open(`${mock.url}/__admin/docs#/control/resetProject`);
    const token = page.getByLabel("Admin token");
    const submit = page.getByRole("button", { name: "Open the API reference" });
    await token.fill("töken");
    await submit.click();
    await page.getByRole("alert").getByText("Invalid admin token.").waitFor();
    await expectAccessible(page);
    await token.fill("sesame");
    await submit.click();
    await sendForm(page, 204);
    expect(page.url()).not.toContain("sesame");
    await page.getByText("Show as cURL").click();
    expect(await page.getByRole("group", { name: "The request as cURL" }).textContent()).not.toContain("sesame");

    await page.reload();
    await page.goto(`${mock.url}/__admin/docs#/service/getResourceById`);
    await page.getByRole("button", { name: "Issue a token" }).click();
    await expect.poll(() => field(page, /^Bearer token/).inputValue()).not.toBe("");
    await sendForm(page, 200);

    await page.getByRole("button", { name: "Forget the admin token" }).click();
    await token.waitFor();
    await page.reload();
    await token.waitFor();
  });
});
