import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { appearances, expectAccessible, setAppearance } from "../setup/axe.ts";
import { useBrowser } from "../setup/browser.ts";
import { control, inProject } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, shows, showsNo } from "./dashboards.ts";

const hostile = "<img src=x onerror=alert(1)> \u202e\u0007 __proto__ 😀";

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

  test("a switch activates a scenario in one project, and deactivates it with undo; the focus stays", async () => {
    const [project, other] = [newProject(), newProject()];
    const page = await open(project);
    await toggle(page, "server-error").click();
    await isOn(page, "server-error", true);
    expect([await statusOf(project), await statusOf(other)]).toEqual([500, 200]);
    await row(page, "server-error").getByText("used 1 time").waitFor();
    await toggle(page, "server-error").press("Enter");
    await isOn(page, "server-error", false);
    expect(await toggle(page, "server-error").evaluate((element) => element === document.activeElement)).toBe(true);
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
    await detail.getByText("JSON").first().click();
    await detail.getByRole("region", { name: "JSON of rule 1" }).getByText('"probability"').waitFor();
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });
    const flaky = page.getByRole("link", { name: "flaky", exact: true });
    await expect.poll(() => flaky.evaluate((link) => link === document.activeElement)).toBe(true);

    await page.getByRole("link", { name: "server-error", exact: true }).click();
    await page.getByRole("spinbutton", { name: "Number of requests" }).fill("2");
    await page.getByRole("spinbutton", { name: "Probability" }).fill("1");
    await button(page, "Activate in this project").click();
    await row(page, "server-error").getByText("0 of 2 times used, 100 %").waitFor();
    expect([await statusOf(project), await statusOf(project), await statusOf(project)]).toEqual([500, 500, 200]);
    await row(page, "server-error").getByText("used up, 2 of 2").waitFor();
    await chips(page).getByText("used up").waitFor();
    await button(page, "Activate again in this project").click();
    await row(page, "server-error").getByText("0 of 2 times used").waitFor();
    expect(await statusOf(project)).toBe(500);
  });

  test("an invalid limit shows the error beside the button", async () => {
    const page = await open(newProject(), "?scenario=slow");
    await page.getByRole("spinbutton", { name: "Number of requests" }).fill("0");
    await button(page, "Activate in this project").click();
    await page.getByRole("alert").getByText("/times: expected at least 1, found 0").waitFor();
  });

  test("the search finds scenarios by name and description, and the URL holds it", async () => {
    const page = await open(newProject());
    await page.getByRole("searchbox", { name: "Search scenarios" }).fill("proxy html");
    await expect
      .poll(() => page.getByRole("switch").evaluateAll((all) => all.map((each) => each.getAttribute("aria-label"))))
      .toEqual(["bad-gateway", "gateway-timeout"]);
    await page.reload();
    await expect.poll(() => page.getByRole("switch").count()).toBe(2);
    await page.getByRole("searchbox", { name: "Search scenarios" }).fill("nothing like this");
    await shows(page, "No matching scenarios.");
    await page.getByRole("searchbox", { name: "Search scenarios" }).fill("");
    await button(page, "Active").click();
    await shows(page, "No matching scenarios.");
    await button(page, "Active").click();
    await toggle(page, "slow").waitFor();
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
    await chips(page).getByText("all projects · 1×").waitFor();
    await toggle(page, "not-found").click();
    await button(page, "Deactivate not-found").waitFor();
    await button(page, "Deactivate not-found for all projects").click();
    await showsNo(page, "all projects: used 1 time");
    expect([await statusOf(project), await statusOf(newProject())]).toEqual([404, 200]);
  });

  test("chips in the header deactivate scenarios, on each view and with undo, also of an inline scenario", async () => {
    const project = newProject();
    const rules = [{ operation: "getResourceById", respond: { status: 503 } }];
    await inProject(mock, project, "PUT", "/scenarios/own", { description: "Reads fail.", rules, times: 5 });
    await inProject(mock, project, "PUT", "/scenarios/slow", { probability: 0.25 });
    expect(await statusOf(project)).toBe(503);
    const page = await browser.open(dashboardOf(mock, project, "requests"));
    await isLive(page);
    await chips(page).getByText("25 %").waitFor();
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

  test("a change by another client shows at once", async () => {
    const project = newProject();
    const page = await open(project);
    await inProject(mock, project, "PUT", "/scenarios/slow", { times: 3 });
    await row(page, "slow").getByText("0 of 3 times used").waitFor();
    await control(mock, "DELETE", `/projects/${project}/scenarios/slow`);
    await isOn(page, "slow", false);
    await chips(page).waitFor({ state: "detached" });
  });

  test("hostile descriptions and rules are text", async () => {
    const project = newProject();
    const rules = [{ when: { headers: { "x-a": hostile }, body: { __proto__x: hostile } }, latency: { fixed: 0 } }];
    await inProject(mock, project, "PUT", "/scenarios/hostile", { description: hostile, rules });
    const page = await open(project, "?scenario=hostile");
    await page
      .getByRole("region", { name: "Scenario hostile" })
      .getByText("<img src=x onerror=alert(1)>")
      .first()
      .waitFor();
    expect(await page.locator("main img").count()).toBe(0);
  });

  describe.each(appearances)("$colorScheme, $width pixels wide", (appearance) => {
    test.each(["", "?scenario=flaky"])("the view %j is accessible", async (rest) => {
      const project = newProject();
      await inProject(mock, project, "PUT", "/scenarios/slow", { times: 3 });
      await inProject(mock, project, "POST", "/rules", { operation: "getCart", respond: { status: 503 }, times: 1 });
      await inProject(mock, project, "POST", "/rules", { raw: { status: 502 } });
      const page = await open(project, rest);
      await setAppearance(page, appearance);
      await page
        .getByText(rest === "" ? "server-error" : "Every operation returns 503")
        .first()
        .waitFor();
      await chips(page).waitFor();
      await expectAccessible(page, "main");
    });
  });
});
