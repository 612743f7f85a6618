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

  test("reconnects after a restart of the mock, and shows its new requests", async () => {
    const first = await startResourceMock();
    const page = await browser.open(`${first.url}/__admin/ui#/projects/demo/requests`);
    await isLive(page);
    await first.close();
    await shows(page, "not connected");

    const second = await startResourceMock({ port: first.port });
    try {
      await second.fetch("/demo/resource/while-away");
      await isLive(page);
      await shows(page, /while-away/);
    } finally {
      await second.close();
    }
  });

  test("ends when the page is closed", async () => {
    const mock = await startResourceMock();
    const page = await browser.open(`${mock.url}/__admin/ui`);
    await isLive(page);
    await page.close();
    // An open event stream would delay the close by the whole grace period.
    await mock.close();
  });
});
