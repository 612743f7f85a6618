import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { appearances, expectAccessible, setAppearance } from "../setup/axe.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, shows, update } from "./dashboards.ts";

describeWithBrowser("the coverage on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  const open = async (project: string, rest = "") => {
    const page = await browser.open(dashboardOf(mock, project, `coverage${rest}`));
    await isLive(page);
    return page;
  };
  const rowIn = (page: Page, table: string, operation: string) =>
    page.getByRole("table", { name: table }).getByRole("row", { name: new RegExp(`^${operation} `) });
  const row = (page: Page, operation: string) => rowIn(page, "Responses by operation and status", operation);
  const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

  test("each request counts, and a status of the contract without a response is marked as missing", async () => {
    const project = newProject();
    const page = await open(project);
    await shows(page, "0 of 16");
    await shows(page, "16 missing");
    await mock.resource(project, "/my-id");
    await shows(page, "1 of 16");
    expect((await row(page, "getResourceById").getByRole("cell").allTextContents()).slice(0, 5)).toEqual([
      "1",
      "1",
      "",
      "",
      "–missing",
    ]);
  });

  test("a cell opens its requests", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    await mock.resource(project, "/my-id", json("POST", { version: 9, actions: [] }));
    const page = await open(project);
    await link(page, "1 × updateResource 409").click();
    expect(page.url()).toContain(`/projects/${project}/requests?operation=updateResource&status=409`);
    await shows(page, "1 of 2 requests");
    await page.goBack();
    await row(page, "getResourceById").getByRole("link", { name: "1", exact: true }).click();
    await shows(page, "1 of 2 requests");
  });

  test("a failure opens its requests", async () => {
    const project = newProject();
    await inProject(mock, project, "POST", "/rules", { operation: "getCart", latency: { fixed: 1000 } });
    await mock.resource(project, "/namespace-action-with-example");
    await mock.resource(project);
    const page = await open(project);
    const failures = rowIn(page, "Failures by operation", "getCart");
    expect(await failures.getByText("missing").count()).toBe(8);
    await link(page, "1 × getCart failure slow").click();
    expect(page.url()).toContain("operation=getCart&failure=slow");
    await shows(page, "1 of 2 requests");
  });

  test("a narrow page shows the failures of each operation", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id", json("POST", { version: 9, actions: [] }));
    await mock.resource(project, "/my-id", json("POST", { version: 9, actions: [] }));
    const page = await open(project);
    await setAppearance(page, appearances[2]);
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: /^updateResource$/ }) });
    await card.getByRole("link", { name: "409 2" }).click();
    expect(page.url()).toContain("operation=updateResource&failure=409");
    await shows(page, "2 of 2 requests");
  });

  test("actions, error codes, violations and off-contract responses open their requests", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    await update(mock, project, "my-id", 1);
    await mock.resource(project, "/my-id", json("POST", { version: "one", actions: [] }));
    await inProject(mock, project, "POST", "/rules", { operation: "getCart", raw: { status: 502 } });
    await mock.resource(project, "/namespace-action-with-example");
    for (const name of [/^changeSomeProperty 1$/, /^InvalidField 1$/, /^1 × updateResource$/]) {
      const page = await open(project);
      await page.getByRole("link", { name }).click();
      await shows(page, "1 of 4 requests");
    }
    const page = await open(project);
    await row(page, "getCart").getByRole("cell").last().getByRole("link").click();
    expect(page.url()).toContain("operation=getCart&offContract=true");
    await shows(page, "1 of 4 requests");
  });

  test("“Missing only” leaves out what requests have exercised, and the URL holds it", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await open(project);
    await link(page, "1 × getResourceById 200").waitFor();
    await page.getByRole("button", { name: "Missing only" }).click();
    await link(page, "1 × getResourceById 200").waitFor({ state: "detached" });
    await page.reload();
    await row(page, "getResourceById").getByText("missing").first().waitFor();
    expect(await link(page, "1 × getResourceById 200").count()).toBe(0);
  });

  test("the coverage of all projects leads to the requests of all", async () => {
    await mock.resource(newProject(), "/my-id");
    const page = await browser.open(`${mock.url}/__admin/ui#/all/coverage`);
    await page.getByRole("link", { name: / × getResourceById 200$/ }).click();
    expect(page.url()).toContain("#/all/requests?operation=getResourceById&status=200");
  });

  test("a narrow page shows a card for each operation", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await open(project);
    await setAppearance(page, appearances[2]);
    const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: /^getResourceById \d/ }) });
    await card.getByRole("link", { name: "200 1" }).click();
    await shows(page, "1 of 1 request");
  });

  describe.each(appearances)("$colorScheme, $width pixels wide", (appearance) => {
    test("the view is accessible", async () => {
      const project = newProject();
      await mock.resource(project, "/my-id", json("POST", { version: "one", actions: [] }));
      const page = await open(project);
      await setAppearance(page, appearance);
      await shows(page, "1 of 16");
      await expectAccessible(page, "main");
    });
  });
});
