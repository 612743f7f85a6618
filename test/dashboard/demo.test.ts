// @module-tag browser
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { images } from "../setup/requests.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { isLive, shows } from "./dashboards.ts";

describeWithBrowser("a demo without a backend, by clicks only", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
  const toast = (page: Page, text: string) => page.getByLabel("Messages").getByText(text).waitFor();
  const choose = async (page: Page, name: string, file: { name: string; mimeType: string; buffer: Buffer }) => {
    const chooser = page.waitForEvent("filechooser");
    await button(page, name).click();
    await (await chooser).setFiles(file);
  };
  const create = async (page: Page, project: string) => {
    await button(page, "New project").click();
    await field(page, "Project key").fill(project);
    await button(page, "Create project").click();
    await page.getByRole("heading", { level: 1, name: project, exact: true }).waitFor();
  };

  test("creates a project, a resource and an image, makes calls fail, and moves all of it elsewhere", async () => {
    const [project, other] = [newProject(), newProject()];
    const page = await browser.open(`${mock.url}/__admin/ui`);
    await isLive(page);
    await create(page, project);
    await button(page, "New resource").click();
    await field(page, "key").fill("demo-shirt");
    await field(page, "arrayOfStringExample 1").fill("linen");
    await button(page, "Create").click();
    await page.getByRole("region", { name: /^Resource / }).waitFor();
    await field(page, "arrayOfStringExample 1").fill("cotton");
    await button(page, "Save").click();
    await toast(page, "Saved");
    const resource = page.url();
    await button(page, "Copy link").click();
    await button(page, "Cause a conflict").click();
    await toast(page, "The next update of this resource gets 409");

    const views = page.getByRole("navigation", { name: `Views of ${project}` });
    const read = async (search: string, status: number) => {
      await views.getByRole("link", { name: "API" }).click();
      await page.getByRole("searchbox", { name: "Search operations" }).fill(search);
      await page.getByRole("navigation", { name: "Operations" }).getByRole("link").first().click();
      await field(page, "Stored resource").fill("demo-shirt");
      // The form takes the resource when the field has the whole key, as a click on the suggestion does.
      await expect.poll(() => field(page, "Stored resource").inputValue()).toBe("");
      await button(page, "Send").click();
      await page.getByRole("heading", { name: new RegExp(`^${status} `) }).waitFor();
    };
    await read("updateResource", 409);
    await views.getByRole("link", { name: "Scenarios" }).click();
    await button(page, "Fail the next 2 reads").click();
    await toast(page, "The next 2 reads by id get 503");
    await read("getResourceById", 503);
    await page.getByRole("link", { name: "Open this request" }).click();
    await shows(page, /rule r-\d+/);

    await views.getByRole("link", { name: "State" }).click();
    await page.getByRole("link", { name: "Images", exact: true }).click();
    const png = { name: "a.png", mimeType: "image/png", buffer: Buffer.from(images["image/png"]) };
    await choose(page, "Upload images", png);
    await shows(page, "1 image");
    const download = page.waitForEvent("download");
    await button(page, "Export").click();
    const buffer = await readFile(await (await download).path());
    await create(page, other);
    await choose(page, "Import", { name: "demo.ndjson", mimeType: "", buffer });
    await toast(page, "Restored the project from demo.ndjson");
    await page.goto(resource.replace(project, other));
    await expect.poll(() => field(page, "arrayOfStringExample 1").inputValue()).toBe("cotton");
  });
});
