import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, shows, showsNo } from "./dashboards.ts";

describeWithBrowser("the dashboard drives the mock", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  const statusOf = async (project: string, path = "/my-id") => (await mock.resource(project, path)).status;

  test("a switch activates a scenario in one project for a number of requests, and deactivates it", async () => {
    const [project, other] = [newProject(), newProject()];
    const page = await browser.open(dashboardOf(mock, project, "scenarios"));
    await isLive(page);
    await page.getByRole("spinbutton", { name: "Number of requests for server-error" }).fill("2");
    const toggle = page.getByRole("switch", { name: "server-error" });
    await toggle.click();
    await shows(page, "used 0 of 2×");
    expect([await statusOf(project), await statusOf(other)]).toEqual([500, 200]);
    await shows(page, "used 1 of 2×");

    await toggle.click();
    await showsNo(page, /used/);
    expect(await statusOf(project)).toBe(200);
  });

  test("a scenario for all projects is active in each project, and each project shows it", async () => {
    const project = newProject();
    const page = await browser.open(`${mock.url}/__admin/ui`);
    await page.getByRole("switch", { name: "not-found" }).click();
    await page.locator('[role="switch"][aria-label="not-found"][aria-checked="true"]').waitFor();
    expect(await statusOf(project)).toBe(404);

    await page.goto(dashboardOf(mock, project, "scenarios"));
    await shows(page, "active for all projects");
    await page.getByRole("link", { name: "All projects" }).click();
    await page.getByRole("switch", { name: "not-found" }).click();
    await page.locator('[role="switch"][aria-label="not-found"][aria-checked="false"]').waitFor();
    expect(await statusOf(project)).toBe(200);
  });

  test("a form reports the location in an invalid rule, adds a valid rule, and removes it", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project, "scenarios"));
    await page.getByText("Add a rule").click();
    const text = page.getByRole("textbox", { name: "Rule" });
    const add = page.getByRole("button", { name: "Add this rule" });

    await text.fill("{ operation");
    await add.click();
    await page.getByRole("alert").getByText("Invalid JSON").waitFor();
    await text.fill('{ "operation": "getCart", "respond": { "status": "away" } }');
    await add.click();
    await page.getByRole("alert").getByText("/respond/status").waitFor();
    await text.fill('{ "operation": "getResourceById", "respond": { "status": 503 } }');
    await add.click();
    await shows(page, "used 0×");
    expect(await statusOf(project)).toBe(503);

    await page.getByRole("button", { name: "Remove r-1" }).click();
    await showsNo(page, "used 1×");
    expect(await statusOf(project)).toBe(200);
  });

  test("each request updates the coverage", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project, "coverage"));
    await isLive(page);
    await shows(page, "0 of 16");
    await mock.resource(project, "/my-id");
    await shows(page, "1 of 16");
    const row = page.getByRole("row", { name: /^getResourceById / });
    expect((await row.getByRole("cell").allTextContents()).slice(0, 3)).toEqual(["getResourceById", "1", "1"]);
  });
});
