import { expect, test } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { useBrowser } from "../setup/browser.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { isLive, shows } from "./dashboards.ts";

describeWithBrowser("the dashboard's connection", () => {
  const browser = useBrowser();

  test("requires the admin token, reports an invalid one, and keeps a valid one in the tab", async () => {
    const mock = await startResourceMock({ adminToken: "sesame" });
    try {
      await mock.fetch("/demo/resource/my-id");
      const page = await browser.open(`${mock.url}/`);
      const token = page.getByLabel("Admin token");
      const open = page.getByRole("button", { name: "Open the dashboard" });
      await token.fill("tomato");
      await open.click();
      await page.getByRole("alert").getByText("Invalid admin token.").waitFor();
      await token.fill("sesame");
      await open.click();
      await page.getByRole("link", { name: "demo" }).click();
      await isLive(page);
      await shows(page, /resource\/my-id/);
      expect(page.url()).not.toContain("sesame");
      await page.reload();
      await shows(page, /resource\/my-id/);
    } finally {
      await mock.close();
    }
  });
});
