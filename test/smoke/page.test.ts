// @module-tag tools
// @module-tag smoke
// @module-tag browser
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";

describeWithBrowser("the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  test("shows a request that failed, and the reason", async () => {
    const stale = json("POST", { version: 9, actions: [{ action: "doSomeThing" }] });
    expect((await mock.resource(newProject(), "/my-id", stale)).status).toBe(409);
    const page = await browser.open(`${mock.url}/__admin/ui`);
    await page.getByRole("link", { name: /409.*my-id/ }).click();
    await page
      .getByRole("region", { name: /^Request / })
      .getByText("the client sent version 9, the stored version is 1")
      .waitFor();
  });
});
