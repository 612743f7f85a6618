// @module-tag browser
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Settings } from "../../src/state/settings-schema.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { configure } from "../setup/resources.ts";
import { bearer } from "../setup/tokens.ts";
import { dashboardOf, isLive, shows } from "./dashboards.ts";

describeWithBrowser("the settings view of a project on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();
  const settingsOf = async (project: string) => (await inProject<Settings>(mock, project, "GET", "/settings")).body;
  const statusOf = async (project: string, init?: RequestInit) => (await mock.resource(project, "/my-id", init)).status;
  const clockOf = async (project: string) => {
    const { body } = await inProject<{ now: string; frozen: boolean }>(mock, project, "GET", "/clock");
    return { time: Date.parse(body.now), frozen: body.frozen };
  };
  const shownTime = async (page: Page) =>
    Date.parse((await page.getByRole("timer").getByRole("time").getAttribute("datetime")) ?? "");

  async function open(project = newProject()): Promise<{ page: Page; project: string }> {
    const page = await browser.open(dashboardOf(mock, project, "settings"));
    await isLive(page);
    await page.getByRole("combobox", { name: "auth" }).waitFor();
    await page.getByRole("timer").waitFor();
    return { page, project };
  }

  const save = (page: Page, name: string) => page.getByRole("button", { name: `Save ${name}` }).click();
  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });

  test("each setting has a title, a field with its description, and its default", async () => {
    const { page, project } = await open();
    for (const name of Object.keys(await settingsOf(project))) {
      const item = page.locator(".setting").filter({ has: field(page, name) });
      expect(await item.textContent()).toMatch(new RegExp(`^[A-Z][A-Za-z ]+ ${name} .+\\. Default: .+\\.`));
    }
  });

  test("the explanation of a choice is below it", async () => {
    const { page } = await open();
    await shows(page, "No credentials, but tokens that the mock has issued must be valid");
    await field(page, "auth").selectOption("strict");
    await shows(page, "Like present, but the mock must have issued the token");
    await page
      .locator(".setting")
      .filter({ has: field(page, "auth") })
      .getByText("changed")
      .waitFor();
  });

  test("a choice is stored at once, with undo, and a button restores a default", async () => {
    const project = newProject();
    await configure(mock, project, { journalSize: 3 });
    const { page } = await open(project);
    await page.getByRole("button", { name: "Reset journalSize to 1000" }).click();
    await shows(page, "journalSize is set");
    expect((await settingsOf(project)).journalSize).toBe(1000);
    await field(page, "auth").selectOption("strict");
    await shows(page, "auth is set");
    expect(await statusOf(project)).toBe(401);
    await page.getByText("auth is set").getByRole("button", { name: "Undo" }).click();
    await shows(page, "Undone");
    expect(await settingsOf(project)).toMatchObject({ auth: "lenient", journalSize: 1000 });
    await expect.poll(() => field(page, "auth").inputValue()).toBe("lenient");
  });

  test("an invalid number shows the error, and stays until it is corrected or discarded", async () => {
    const { page, project } = await open();
    const size = field(page, "journalSize");
    await size.fill("-1");
    await size.press("Enter");
    await page.getByRole("alert").getByText("/journalSize").waitFor();
    expect(await size.inputValue()).toBe("-1");
    await size.fill("20");
    await size.press("Enter");
    await shows(page, "journalSize is set");
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect((await settingsOf(project)).journalSize).toBe(20);
    await size.fill("30");
    await page.getByRole("button", { name: "Discard" }).click();
    expect(await size.inputValue()).toBe("20");
  });

  test("text that is typed while a value is stored stays", async () => {
    const { page, project } = await open();
    const { promise, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/settings$/, async (route) => {
      if (route.request().method() !== "GET") await promise;
      await route.continue();
    });
    const size = field(page, "journalSize");
    await size.fill("20");
    await size.press("Enter");
    await size.fill("200");
    release();
    await shows(page, "journalSize is set");
    expect([await size.inputValue(), (await settingsOf(project)).journalSize]).toEqual(["200", 20]);
  });

  test("fields from the schema set the latency and the rate limit", async () => {
    const { page, project } = await open();
    await field(page, "latency").selectOption({ label: "uniform" });
    await field(page, "uniform").fill("[-2, 4.5]");
    await save(page, "latency");
    await page.getByRole("alert").getByText("/latency").waitFor();
    await field(page, "uniform").fill("[2, 4.5]");
    await save(page, "latency");
    await shows(page, "latency is set");
    expect((await settingsOf(project)).latency).toEqual({ uniform: [2, 4.5] });

    await field(page, "rateLimit").selectOption({ label: "limit, window" });
    await field(page, "limit").fill("1");
    await field(page, "window").fill("60000");
    await save(page, "rateLimit");
    await shows(page, "rateLimit is set");
    expect([await statusOf(project), await statusOf(project)]).toEqual([200, 429]);
  });

  test("a change by another client shows at once, and keeps a draft until the user decides", async () => {
    const { page, project } = await open();
    const limit = field(page, "maxBodyBytes");
    await limit.fill("500");
    await configure(mock, project, { maxBodyBytes: 700, validation: "report" });
    await expect.poll(() => field(page, "validation").inputValue()).toBe("report");
    expect([await limit.inputValue(), (await settingsOf(project)).maxBodyBytes]).toEqual(["500", 700]);
    // Other views keep the draft too.
    const views = page.getByRole("navigation", { name: `Views of ${project}` });
    await views.getByRole("link", { name: "Requests" }).click();
    await limit.waitFor({ state: "detached" });
    await views.getByRole("link", { name: "Settings" }).click();
    await expect.poll(() => limit.inputValue()).toBe("500");
    await save(page, "maxBodyBytes");
    await shows(page, "maxBodyBytes is set");
    expect((await settingsOf(project)).maxBodyBytes).toBe(500);
    await limit.fill("600");
    await configure(mock, project, { maxBodyBytes: 800 });
    await page.getByRole("button", { name: "Discard" }).click();
    await expect.poll(() => limit.inputValue()).toBe("800");
  });

  test("the clock ticks, and is frozen, advanced and resumed by buttons", async () => {
    const { page, project } = await open();
    const first = await shownTime(page);
    await expect.poll(() => shownTime(page)).toBeGreaterThan(first);
    await page.getByRole("button", { name: "Freeze" }).click();
    await shows(page, "Frozen");
    const { time: frozenAt } = await clockOf(project);
    await page.getByRole("button", { name: "Advance", exact: true }).click();
    await shows(page, "The clock is advanced by 1 hour");
    expect((await clockOf(project)).time).toBe(frozenAt + 3_600_000);

    const amount = page.getByRole("spinbutton", { name: "Advance by: amount" });
    await amount.fill("");
    await amount.press("Enter");
    await page.getByRole("alert").getByText("/advance: expected").waitFor();
    await amount.fill("1.5");
    await page.getByRole("combobox", { name: "Advance by: unit" }).selectOption("seconds");
    await amount.press("Enter");
    await shows(page, "The clock is advanced by 1.5 seconds");
    await expect.poll(() => shownTime(page)).toBe(frozenAt + 3_601_500);

    await page.getByRole("button", { name: "Resume" }).click();
    await shows(page, "Running");
    expect((await clockOf(project)).time).toBeGreaterThanOrEqual(frozenAt + 3_601_500);
  });

  test("a form sets an exact time, and a change by another client shows at once", async () => {
    const { page, project } = await open();
    await page.getByRole("button", { name: "Freeze" }).click();
    await shows(page, "Frozen");
    await page.getByLabel("New time").fill("2031-02-03T04:05:06.789");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await shows(page, "The clock is set");
    const wanted = await page.evaluate(() => new Date("2031-02-03T04:05:06.789").getTime());
    expect(await clockOf(project)).toEqual({ time: wanted, frozen: true });
    await inProject(mock, project, "PUT", "/clock", { now: "2040-01-01T00:00:00Z", frozen: true });
    await shows(page, "2040-01-01T00:00:00.000Z");
    await inProject(mock, project, "PUT", "/clock", { frozen: false });
    await shows(page, "Running");
  });

  async function issuedToken(page: Page): Promise<string> {
    await page.getByRole("button", { name: "Issue a token" }).click();
    const text = await page.getByText(/^Authorization: Bearer \S+$/).textContent();
    return text?.replace("Authorization: Bearer ", "") ?? "";
  }

  test("a form issues a token", async () => {
    const project = newProject();
    await configure(mock, project, { auth: "strict" });
    const { page } = await open(project);
    expect(await statusOf(project, { headers: bearer(await issuedToken(page)) })).toBe(200);
  });

  test("a token has the chosen scopes", async () => {
    const { page, project } = await open();
    for (const each of await page.getByRole("group", { name: "Scopes" }).getByRole("checkbox").all())
      await each.uncheck();
    await page.getByRole("checkbox", { name: "view_test" }).check();
    const token = await issuedToken(page);
    const deletion = { method: "DELETE", headers: bearer(token) };
    expect([await statusOf(project, { headers: bearer(token) }), await statusOf(project, deletion)]).toEqual([
      200, 403,
    ]);
  });
});
