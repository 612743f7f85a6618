// @module-tag browser
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ARCHIVE_TYPE, type Archive, archiveIn, archiveText } from "../setup/archives.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, showsNo } from "./dashboards.ts";

const source = { test: "cart.test.ts > saves the shirt", savedAt: "2026-01-02T03:04:05.006Z" };

describeWithBrowser("archives on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();
  const archiveOf = async (project: string) => (await inProject<Archive>(mock, project, "GET", "/archive")).body;
  const restore = async (project: string, archive: object) =>
    expect((await inProject(mock, project, "PUT", "/archive", archive)).status).toBe(204);
  const open = async (project: string, part?: string) => {
    const page = await browser.open(dashboardOf(mock, project, part));
    await isLive(page);
    return page;
  };
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const toast = (page: Page, text: string) => page.getByLabel("Messages").getByText(text).first().waitFor();
  const choose = async (page: Page, label: string, name: string, content: string) => {
    const chooser = page.waitForEvent("filechooser");
    await button(page, label).click();
    await (await chooser).setFiles({ name, mimeType: ARCHIVE_TYPE, buffer: Buffer.from(content) });
  };
  const statusOf = async (project: string, path: string) => (await mock.resource(project, path)).status;

  test("a project of a failed test says so, until its reset", async () => {
    const project = newProject();
    await statusOf(project, "/shirt");
    const archive = await archiveOf(project);
    const page = await open(project);
    const { format, ...lines } = archive;
    await restore(project, { format, source, ...lines });
    const line = page.getByText("Failed test");
    await line.waitFor();
    expect(await line.textContent()).toMatch(/^Archive Failed test cart\.test\.ts > saves .*, saved .*2026.*, opened /);
    await inProject(mock, project, "POST", "/reset");
    await showsNo(page, "Failed test");
  });

  test("a project is exported as an archive and imported again, with undo", async () => {
    const project = newProject();
    await statusOf(project, "/shirt");
    await inProject(mock, project, "POST", "/rules", {
      operation: "getResourceById",
      respond: { status: 404 },
      times: 1,
    });
    const archive = await archiveOf(project);
    const page = await open(project, "state");
    const download = page.waitForEvent("download");
    await button(page, "Export").click();
    const text = await readFile(await (await download).path(), "utf8");
    expect(archiveIn(text)).toEqual(archive);

    expect(await statusOf(project, "/shirt")).toBe(404);
    const before = await archiveOf(project);
    await choose(page, "Import", "a.ndjson", text);
    await toast(page, "Restored the project from a.ndjson");
    expect(await archiveOf(project)).toEqual(archive);
    await page.getByLabel("Messages").getByRole("button", { name: "Undo" }).last().click();
    await toast(page, "Undone");
    expect(await archiveOf(project)).toEqual(before);
  });

  test("an invalid archive changes nothing, and the page shows the location of the error", async () => {
    const project = newProject();
    await statusOf(project, "/shirt");
    const archive = await archiveOf(project);
    const page = await open(project, "state");
    const alert = (text: string) => page.getByRole("alert").getByText(text).waitFor();
    const core = { ...archive.core, counts: { ...archive.core.counts, requests: -1 } };
    for (const [text, message] of [
      ['{"format":"resource-mock-archive/', "Line 1 is not JSON: "],
      [archiveText({ ...archive, core }), "/core/counts/requests: line 3: expected at least 0, found -1"],
    ] as const) {
      await choose(page, "Import", "invalid.ndjson", text);
      await alert(message);
    }
    expect(await archiveOf(project)).toEqual(archive);
  });
});
