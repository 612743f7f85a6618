// @module-tag browser
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { appearances, setAppearance } from "../setup/axe.ts";
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
  const rowIn = (page: Page, table: string, operation: string) =>
    page.getByRole("table", { name: table }).getByRole("row", { name: new RegExp(`^${operation} `) });
  const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

  test("each request counts, and responses that no request received are missing", async () => {
    const project = newProject();
    const page = await open(project);
    await shows(page, "0 of 16");
    await shows(page, "16 missing");
    await mock.resource(project, "/my-id");
    await shows(page, "1 of 16");
    await link(page, "1 × getResourceById 200").waitFor();
    await page.getByRole("button", { name: "Missing only" }).click();
    await link(page, "1 × getResourceById 200").waitFor({ state: "detached" });
    await rowIn(page, "Responses by operation and status", "getResourceById").getByText("missing").first().waitFor();
  });

  test("responses, failures and actions lead to their requests", async () => {
    const project = newProject();
    await mock.resource(project, "/namespace-action-with-example");
    await mock.resource(project, "/my-id", stale);
    await mock.resource(project, "/my-id", json("POST", { version: "one", actions: [] }));
    const page = await open(project);
    const links = ["1 × updateResource 409", "1 × updateResource failure 409", "InvalidField 1", "1 × updateResource"];
    for (const name of links) {
      await link(page, name).first().click();
      await shows(page, "1 of 3 requests");
      await page.goBack();
    }
  });

  test("a narrow page shows the failures of each operation", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id", stale);
    const page = await open(project);
    await setAppearance(page, appearances[1]);
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: /^updateResource$/ }) });
    await card.getByRole("link", { name: "409 1" }).click();
    await shows(page, "1 of 1 request");
  });

  test("the coverage of all projects leads to the requests of all", async () => {
    await mock.resource(newProject(), "/my-id");
    const page = await browser.open(`${mock.url}/__admin/ui#/all/overview`);
    await page.getByRole("link", { name: / × getResourceById 200$/ }).click();
    expect(page.url()).toContain("#/all/requests?operation=getResourceById&status=200");
  });
});
