// @module-tag browser
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { isLive, openProjects, shows, showsProject } from "./dashboards.ts";

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
    const { panel, search } = await openProjects(page);
    await search.fill(project);
    await panel.getByRole("option", { name: `New project “${project}”` }).click();
    await showsProject(page, project);
    await page.getByRole("link", { name: "Data", exact: true }).click();
  };

  test("creates a project and an item, makes calls fail, and moves all of it elsewhere", async () => {
    const [project, other] = [newProject(), newProject()];
    const page = await browser.open(`${mock.url}/__admin/ui`);
    await isLive(page);
    await create(page, project);
    await button(page, "New Resource").click();
    await field(page, "Id empty: a new one").fill("demo-shirt");
    await button(page, "Create").click();
    await page.getByRole("region", { name: "Item demo-shirt" }).waitFor();
    const text = page.getByRole("textbox", { name: "Item as JSON" });
    await text.fill((await text.inputValue()).replace("{", '{\n  "colour": "blue",'));
    await button(page, "Save").click();
    await toast(page, "Saved");
    const item = page.url();
    await button(page, "Commands for this item").click();
    await page.getByRole("menuitem", { name: "Cause a conflict" }).click();
    await toast(page, "The next update of this item gets a conflict");

    const views = page.getByRole("navigation", { name: `Views of ${project}` });
    const send = async (id: string, status: number) => {
      await page.goto(`${mock.url}/__admin/ui#/projects/${project}/api/${id}`);
      await page.getByLabel(/^id path/).fill("demo-shirt");
      await button(page, "Send").click();
      await page.getByRole("heading", { name: new RegExp(`^${status} `) }).waitFor();
    };
    await send("updateResource", 409);
    await views.getByRole("link", { name: "Mocks" }).click();
    await button(page, "Add rule").click();
    await shows(page, "0 of 2 used");
    await send("updateResource", 503);
    await page.getByRole("link", { name: "Open this request" }).click();
    await page
      .getByRole("region", { name: /^Request / })
      .getByText(/rule r-\d+/)
      .first()
      .waitFor();

    await views.getByRole("link", { name: "Data" }).click();
    const download = page.waitForEvent("download");
    await button(page, "Export").click();
    const buffer = await readFile(await (await download).path());
    await create(page, other);
    await choose(page, "Import", { name: "demo.ndjson", mimeType: "", buffer });
    await toast(page, "Restored the project from demo.ndjson");
    await page.goto(item.replace(project, other));
    await expect.poll(() => text.inputValue()).toContain('"colour": "blue"');
  });
});
