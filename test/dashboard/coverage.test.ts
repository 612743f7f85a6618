// @module-tag browser
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, shows } from "./dashboards.ts";

const stale = json("POST", { version: 9, actions: [] });

describeWithBrowser("the failures and the coverage on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  const open = async (project: string) => {
    const page = await browser.open(dashboardOf(mock, project, "overview"));
    await isLive(page);
    return page;
  };
  const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

  test("a failure that a client got counts and leads to its requests; others are missing", async () => {
    const project = newProject();
    const page = await open(project);
    await shows(page, "No operation has requests yet.");
    await mock.resource(project, "/my-id");
    await mock.resource(project, "/my-id", stale);
    const tried = link(page, "1 × updateResource failure 409");
    await tried.click();
    await shows(page, "1 of 2 requests");
    await page.goBack();
    const row = page.getByRole("row", { name: /^updateResource / });
    await row.getByText("missing").first().waitFor();
  });

  test("the coverage of all projects leads to the requests of all", async () => {
    await mock.resource(newProject(), "/my-id", stale);
    const page = await browser.open(`${mock.url}/__admin/ui#/all/overview`);
    await page.getByRole("link", { name: / × updateResource failure 409$/ }).click();
    expect(page.url()).toContain("#/all/requests?operation=updateResource&failure=409");
  });
});
