// @module-tag browser
import { expect, test } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { useBrowser } from "../setup/browser.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { isLive, openProjects, shows } from "./dashboards.ts";

describeWithBrowser("the dashboard's connection", () => {
  const browser = useBrowser();

  test("requires the admin token, reports an invalid one, and keeps a valid one in the tab", async () => {
    const mock = await startResourceMock({ adminToken: "sesame" });
    try {
      await mock.fetch("/demo/resource/my-id");
      const page = await browser.open(`${mock.url}/`);
      const token = page.getByLabel("Admin token");
      const open = page.getByRole("button", { name: "Open the dashboard" });
      await token.fill("s€same");
      await open.click();
      await page.getByRole("alert").getByText("expected printable ASCII characters").waitFor();
      await token.fill("tomato");
      await open.click();
      await page.getByRole("alert").getByText("Invalid admin token.").waitFor();
      await token.fill("sesame");
      await open.click();
      await isLive(page);
      await (await openProjects(page)).panel.getByRole("option", { name: "demo" }).click();
      await shows(page, /resource\/my-id/);
      expect(page.url()).not.toContain("sesame");
      await page.reload();
      await shows(page, /resource\/my-id/);
    } finally {
      await mock.close();
    }
  });

  test("asks again if the mock restarts with another token, and keeps the route and drafts", async () => {
    const first = await startResourceMock({ adminToken: "sesame" });
    const page = await browser.open(`${first.url}/__admin/ui#/projects/demo/settings`);
    const token = page.getByLabel("Admin token");
    await token.fill("sesame");
    await token.press("Enter");
    await isLive(page);
    await page.getByLabel("journalSize", { exact: true }).fill("77");
    await first.close();

    const second = await startResourceMock({ port: first.port, adminToken: "tomato" });
    try {
      await token.fill("sesame");
      await token.press("Enter");
      await page.getByRole("alert").getByText("Invalid admin token.").waitFor();
      await token.fill("tomato");
      await token.press("Enter");
      await token.waitFor({ state: "detached" });
      await isLive(page);
      expect(await page.getByLabel("journalSize", { exact: true }).inputValue()).toBe("77");
      expect(new URL(page.url()).hash).toBe("#/projects/demo/settings");
      await page.getByRole("button", { name: "Save journalSize" }).click();
      await shows(page, "journalSize is set");
    } finally {
      await second.close();
    }
  });

  test.each(["requests", "failures"])("is broken: the banner says so, and the view %s shows no error", async (view) => {
    const mock = await startResourceMock();
    const page = await browser.open(`${mock.url}/__admin/ui#/projects/demo/${view}`);
    await isLive(page);
    await shows(page, "No requests yet");
    await mock.close();
    await page.getByRole("alert").getByText("No sign of the mock").waitFor();
    await page.getByRole("link", { name: "Failures", exact: true }).click();
    expect(await page.getByRole("alert").allTextContents()).toEqual([expect.stringContaining("No sign of the mock")]);
  });
});
