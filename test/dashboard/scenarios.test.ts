// @module-tag browser
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive } from "./dashboards.ts";

describeWithBrowser("the scenarios on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  const statusOf = async (project: string, path = "/my-id") => (await mock.resource(project, path)).status;
  const open = async (project: string, rest = "") => {
    const page = await browser.open(dashboardOf(mock, project, `mocks${rest}`));
    await isLive(page);
    return page;
  };
  const toggle = (page: Page, name: string) => page.getByRole("switch", { name, exact: true });
  const row = (page: Page, name: string) => page.getByRole("listitem").filter({ has: toggle(page, name) });
  const isOn = (page: Page, name: string, on: boolean) =>
    page.locator(`[role="switch"][aria-label="${name}"][aria-checked="${on}"]`).waitFor();
  const head = (page: Page, text: string) => page.getByRole("button", { name: text, exact: true });
  const panel = (page: Page) => page.getByRole("menu", { name: /scenarios$/ });
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  test("a second click on a switch waits until the list shows the result of the first", async () => {
    const project = newProject();
    const page = await open(project);
    const calls: string[] = [];
    page.on("request", (request) => request.method() === "GET" || calls.push(request.method()));
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const put = page.waitForResponse((response) => response.request().method() === "PUT");
    await page.route(/\/scenarios(\?|$)/, (route) => held.then(() => route.continue()));
    await toggle(page, "server-error").click();
    await put;
    await toggle(page, "server-error").click({ force: true });
    release();
    await isOn(page, "server-error", true);
    await head(page, "1 active").waitFor();
    expect(calls).toEqual(["PUT"]);
  });

  test("a switch activates a scenario in one project, and deactivates it; the focus stays", async () => {
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
  });

  test("an open scenario shows its rules, and is activated for some requests, until it is used up", async () => {
    const project = newProject();
    const page = await open(project);
    await page.getByRole("link", { name: "flaky", exact: true }).click();
    const flaky = page.getByRole("region", { name: "Scenario flaky" });
    await flaky.getByText("Every operation resets the connection").waitFor();
    await page.keyboard.press("Escape");
    await flaky.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "flaky", exact: true }).and(page.locator(":focus")).waitFor();

    await page.getByRole("link", { name: "server-error", exact: true }).click();
    const detail = page.getByRole("region", { name: "Scenario server-error" });
    const times = detail.getByRole("spinbutton", { name: "Number of requests" });
    await times.fill("0");
    await button(page, "Activate in this project").click();
    await page.getByRole("alert").getByText("/times: expected at least 1, found 0").waitFor();
    await times.fill("2");
    await button(page, "Activate in this project").click();
    await row(page, "server-error").getByText("0 of 2 used").waitFor();
    expect([await statusOf(project), await statusOf(project), await statusOf(project)]).toEqual([500, 500, 200]);
    await row(page, "server-error").getByText("used up, 2 of 2").waitFor();
    await head(page, "1 used up").waitFor();
    await toggle(page, "not-found").click();
    await head(page, "1 active · 1 used up").waitFor();
    await button(page, "Activate in this project").click();
    await row(page, "server-error").getByText("0 of 2 used").waitFor();
    await head(page, "2 active").waitFor();
  });

  test("J and K open the next and the previous scenario", async () => {
    const page = await open(newProject());
    await page.keyboard.press("j");
    await page.getByRole("region", { name: "Scenario bad-gateway" }).waitFor();
    await page.keyboard.press("j");
    await page.getByRole("region", { name: "Scenario concurrent-writer" }).waitFor();
    await page.keyboard.press("k");
    await page.getByRole("region", { name: "Scenario bad-gateway" }).waitFor();
  });

  test("a scenario for all projects is shown as such in each project, with the uses of the project", async () => {
    const project = newProject();
    const page = await browser.open(`${mock.url}/__admin/ui#/all/mocks`);
    await isLive(page);
    await toggle(page, "not-found").click();
    await isOn(page, "not-found", true);
    expect(await statusOf(project)).toBe(404);

    await page.goto(dashboardOf(mock, project, "mocks"));
    await row(page, "not-found").getByText("all projects").waitFor();
    await isOn(page, "not-found", false);
    await toggle(page, "not-found").click();
    await head(page, "2 active").click();
    await panel(page).getByText("all projects · used 1 time").click();
    await page.waitForURL((url) => url.hash === "#/all/mocks?scenario=not-found");
    await toggle(page, "not-found").click();
    await isOn(page, "not-found", false);
    expect([await statusOf(project), await statusOf(newProject())]).toEqual([404, 200]);
  });

  test("a button in the head of each view lists the active scenarios, also inline ones, and leads to them", async () => {
    const project = newProject();
    const rules = [{ operation: "getResourceById", respond: { status: 503 } }];
    const page = await browser.open(dashboardOf(mock, project, "requests"));
    await isLive(page);
    await inProject(mock, project, "PUT", "/scenarios/own", { description: "Reads fail.", rules, times: 5 });
    expect(await statusOf(project)).toBe(503);
    await head(page, "1 active").click();
    await panel(page).getByText("1 of 5 used").waitFor();
    await panel(page).getByText("own").click();
    const detail = page.getByRole("region", { name: "Scenario own" });
    await detail.getByText("getResourceById returns 503").waitFor();
    await row(page, "own").getByText("inline · 1 of 5 used").waitFor();
    await page.getByRole("switch", { name: "own", exact: true }).click();
    await row(page, "own").waitFor({ state: "detached" });
    await page.getByLabel("Messages").getByRole("button", { name: "Undo" }).click();
    await row(page, "own").getByText("inline · 0 of 5 used").waitFor();
    await toggle(page, "own").click();
    await detail.getByText("No scenario has this name now.").waitFor();
    expect(await statusOf(project)).toBe(200);
  });
});
