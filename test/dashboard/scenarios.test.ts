// @module-tag browser
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, shows, showsNo } from "./dashboards.ts";

describeWithBrowser("the scenarios on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  const statusOf = async (project: string, path = "/my-id") => (await mock.resource(project, path)).status;
  const open = async (project: string, rest = "") => {
    const page = await browser.open(dashboardOf(mock, project, `scenarios${rest}`));
    await isLive(page);
    return page;
  };
  const toggle = (page: Page, name: string) => page.getByRole("switch", { name, exact: true });
  const row = (page: Page, name: string) => page.getByRole("listitem").filter({ has: toggle(page, name) });
  const isOn = (page: Page, name: string, on: boolean) =>
    page.locator(`[role="switch"][aria-label="${name}"][aria-checked="${on}"]`).waitFor();
  const chips = (page: Page) => page.getByRole("list", { name: "Active scenarios" });
  const undo = (page: Page) => page.getByLabel("Messages").getByRole("button", { name: "Undo" }).last();
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  test("a second click on a switch or a chip waits until the list shows the result of the first", async () => {
    const project = newProject();
    const page = await open(project);
    const calls: string[] = [];
    page.on("request", (request) => request.method() === "GET" || calls.push(request.method()));
    let release = () => {};
    const hold = async () => {
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(/\/scenarios(\?|$)/, (route) => held.then(() => route.continue()));
    };
    const posted = page.waitForResponse((response) => response.request().method() === "PUT");
    await hold();
    await toggle(page, "server-error").click();
    await posted;
    await page.getByLabel("Messages").getByText("server-error is active").waitFor();
    await toggle(page, "server-error").click({ force: true });
    release();
    await isOn(page, "server-error", true);
    await chips(page).getByText("server-error").waitFor();
    expect(calls).toEqual(["PUT"]);

    await page.unrouteAll();
    await button(page, "Deactivate server-error").dblclick();
    await isOn(page, "server-error", false);
    await page.getByLabel("Messages").getByText("server-error is inactive").waitFor();
    expect(calls).toEqual(["PUT", "DELETE"]);
    expect(await page.getByLabel("Messages").getByText("server-error is inactive").count()).toBe(1);
  });

  test("a switch activates a scenario in one project, and deactivates it with undo; the focus stays", async () => {
    const [project, other] = [newProject(), newProject()];
    const page = await open(project);
    await toggle(page, "server-error").click();
    await isOn(page, "server-error", true);
    expect([await statusOf(project), await statusOf(other)]).toEqual([500, 200]);
    await row(page, "server-error").getByText("used 1 time").waitFor();
    await toggle(page, "server-error").press("Enter");
    await isOn(page, "server-error", false);
    await toggle(page, "server-error").and(page.locator(":focus")).waitFor();
    expect(await statusOf(project)).toBe(200);
    await undo(page).click();
    await isOn(page, "server-error", true);
    expect(await statusOf(project)).toBe(500);
  });

  test("an open scenario shows its rules, and is activated for some requests, until it is used up", async () => {
    const project = newProject();
    const page = await open(project);
    await page.getByRole("link", { name: "flaky", exact: true }).click();
    const detail = page.getByRole("region", { name: "Scenario flaky" });
    await detail.getByText("Every operation resets the connection").waitFor();
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "flaky", exact: true }).and(page.locator(":focus")).waitFor();

    await page.getByRole("link", { name: "server-error", exact: true }).click();
    const times = page.getByRole("spinbutton", { name: "Number of requests" });
    await times.fill("0");
    await button(page, "Activate in this project").click();
    await page.getByRole("alert").getByText("/times: expected at least 1, found 0").waitFor();
    await times.fill("2");
    await page.getByRole("spinbutton", { name: "Probability" }).fill("1");
    await button(page, "Activate in this project").click();
    await row(page, "server-error").getByText("0 of 2 times used, 100 %").waitFor();
    expect([await statusOf(project), await statusOf(project), await statusOf(project)]).toEqual([500, 500, 200]);
    await row(page, "server-error").getByText("used up, 2 of 2").waitFor();
    await chips(page).getByText("used up").waitFor();
    await button(page, "Activate again in this project").click();
    await row(page, "server-error").getByText("0 of 2 times used").waitFor();
  });

  test("the search finds scenarios by name and description, and the URL holds it", async () => {
    const page = await open(newProject());
    const search = page.getByRole("searchbox", { name: "Search scenarios" });
    await search.fill("HTML gateway");
    await expect
      .poll(() => page.getByRole("switch").evaluateAll((all) => all.map((each) => each.getAttribute("aria-label"))))
      .toEqual(["bad-gateway", "gateway-timeout"]);
    await page.reload();
    await expect.poll(() => page.getByRole("switch").count()).toBe(2);
    await search.fill("no scenario has this text");
    await shows(page, "No matching scenarios.");
  });

  test("a scenario for all projects is shown as such in each project, with the uses of the project", async () => {
    const project = newProject();
    const page = await browser.open(`${mock.url}/__admin/ui#/all/scenarios`);
    await isLive(page);
    await toggle(page, "not-found").click();
    await isOn(page, "not-found", true);
    expect(await statusOf(project)).toBe(404);

    await page.goto(dashboardOf(mock, project, "scenarios"));
    await row(page, "not-found").getByText("all projects: used 1 time").waitFor();
    await isOn(page, "not-found", false);
    await chips(page).getByText("all projects · used 1 time").waitFor();
    await toggle(page, "not-found").click();
    await button(page, "Deactivate not-found").waitFor();
    await button(page, "Deactivate not-found for all projects").click();
    await showsNo(page, "all projects: used 1 time");
    expect([await statusOf(project), await statusOf(newProject())]).toEqual([404, 200]);
  });

  test("chips in the header deactivate scenarios, on each view and with undo, also of an inline scenario", async () => {
    const project = newProject();
    const rules = [{ operation: "getResourceById", respond: { status: 503 } }];
    const page = await browser.open(dashboardOf(mock, project, "requests"));
    await isLive(page);
    await inProject(mock, project, "PUT", "/scenarios/own", { description: "Reads fail.", rules, times: 5 });
    expect(await statusOf(project)).toBe(503);
    await chips(page).getByText("1 of 5 times used").waitFor();
    await button(page, "Deactivate own").click();
    await button(page, "Deactivate own").waitFor({ state: "detached" });
    expect(await statusOf(project)).toBe(200);
    await undo(page).click();
    await chips(page).getByText("0 of 5 times used").waitFor();
    expect(await statusOf(project)).toBe(503);

    await chips(page).getByRole("link", { name: "own" }).click();
    const detail = page.getByRole("region", { name: "Scenario own" });
    await detail.getByText("getResourceById returns 503").waitFor();
    await row(page, "own").getByText("inline").waitFor();
    await detail.getByRole("button", { name: "Deactivate in this project" }).click();
    await detail.getByText("No scenario has this name now.").waitFor();
  });
});
