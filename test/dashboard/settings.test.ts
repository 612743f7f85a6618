import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { configure } from "../setup/resources.ts";
import { bearer } from "../setup/tokens.ts";
import { dashboardOf, isLive, shows, showsNo } from "./dashboards.ts";

/** Waits until the focus is on the element with this accessible name. */
function focusIsOn(page: Page, role: "combobox" | "spinbutton" | "button", name: string): Promise<void> {
  return page.getByRole(role, { name, exact: true }).and(page.locator(":focus")).waitFor();
}

describeWithBrowser("the settings of a project on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();
  const settingsOf = (project: string) => mock.engine.projects.get(project).settings;
  const statusOf = async (project: string) => (await mock.resource(project, "/my-id")).status;
  const changeSettings = (project: string, settings: object) =>
    inProject(mock, project, "PATCH", "/settings", settings);

  async function open(project = newProject()): Promise<{ page: Page; project: string }> {
    const page = await browser.open(dashboardOf(mock, project, "settings"));
    await isLive(page);
    await page.getByRole("combobox", { name: "auth" }).waitFor();
    return { page, project };
  }

  test("each setting has a field with its description and its default", async () => {
    const { page, project } = await open();
    for (const name of Object.keys(settingsOf(project))) {
      const item = page.getByRole("listitem").filter({ has: page.locator(`#setting-${name}`) });
      expect(await item.textContent()).toMatch(/\. Default: .+\.$/);
    }
  });

  test("a choice applies at once, is marked as changed, and a reset restores the default and keeps the focus", async () => {
    const { page, project } = await open();
    await page.getByRole("combobox", { name: "auth" }).selectOption("strict");
    await shows(page, "auth is strict");
    expect(await statusOf(project)).toBe(401);
    const reset = page.getByRole("button", { name: "Reset auth to lenient" });
    await reset.click();
    await reset.waitFor({ state: "detached" });
    expect(settingsOf(project).auth).toBe("lenient");
    await focusIsOn(page, "combobox", "auth");
  });

  test("an invalid number shows the error beside its field, and stays until it is corrected", async () => {
    const { page, project } = await open();
    const size = page.getByRole("spinbutton", { name: "journalSize" });
    await size.fill("-1");
    await size.press("Enter");
    await page.getByRole("listitem").filter({ has: size }).getByRole("alert").getByText("/journalSize").waitFor();
    expect(await size.inputValue()).toBe("-1");
    await size.fill("20");
    await size.press("Enter");
    await shows(page, "journalSize is 20");
    await page.getByRole("alert").waitFor({ state: "detached" });
    expect(settingsOf(project).journalSize).toBe(20);
    await focusIsOn(page, "spinbutton", "journalSize");
  });

  test("forms set the latency and the rate limit", async () => {
    const { page, project } = await open();
    const latency = page.getByRole("combobox", { name: "latency" });
    await latency.selectOption("Uniform");
    await page.getByLabel("From (ms)").fill("2");
    await page.getByLabel("To (ms)").fill("4.5");
    await page.getByRole("button", { name: "Set latency", exact: true }).click();
    await shows(page, "latency is set");
    expect(settingsOf(project).latency).toEqual({ uniform: [2, 4.5] });
    await focusIsOn(page, "combobox", "latency");

    await latency.selectOption("Lognormal");
    await page.getByLabel("Sigma").fill("");
    await page.getByRole("button", { name: "Set latency", exact: true }).click();
    await page.getByRole("alert").getByText("Sigma: expected a number, found none").waitFor();
    await page.getByLabel("Sigma").fill("0.25");
    await page.getByRole("button", { name: "Set latency", exact: true }).click();
    await expect.poll(() => settingsOf(project).latency).toEqual({ lognormal: { median: 100, sigma: 0.25 } });

    await page.getByRole("combobox", { name: "rateLimit" }).selectOption("Limited");
    await page.getByLabel("Requests", { exact: true }).fill("1");
    await page.getByLabel("in milliseconds").fill("60000");
    await page.getByRole("button", { name: "Set rateLimit", exact: true }).click();
    await shows(page, "rateLimit is set");
    await page.getByRole("button", { name: "Reset latency to none" }).click();
    await expect.poll(() => settingsOf(project).latency).toBe(null);
    expect([await statusOf(project), await statusOf(project)]).toEqual([200, 429]);
  });

  test("a change by another client shows at once, and keeps a draft until the user decides", async () => {
    const { page, project } = await open();
    const limit = page.getByRole("spinbutton", { name: "maxBodyBytes" });
    await limit.fill("500");
    await changeSettings(project, { maxBodyBytes: 700, validation: "report", latency: { fixed: 1 } });
    await shows(page, "Changed meanwhile to 700.");
    expect(await page.getByRole("combobox", { name: "validation" }).inputValue()).toBe("report");
    expect(await page.getByLabel("Milliseconds", { exact: true }).inputValue()).toBe("1");
    // Neither the change nor a click elsewhere drops or sends the draft.
    await page.getByRole("heading", { name: "Settings" }).click();
    expect([await limit.inputValue(), settingsOf(project).maxBodyBytes]).toEqual(["500", 700]);
    await page.getByRole("button", { name: "Overwrite" }).click();
    await expect.poll(() => settingsOf(project).maxBodyBytes).toBe(500);

    await page.getByLabel("Milliseconds", { exact: true }).fill("9");
    await changeSettings(project, { latency: { fixed: 3 } });
    await shows(page, "Changed meanwhile to 3 ms.");
    await page.getByRole("button", { name: "Discard my change" }).click();
    await expect.poll(() => page.getByLabel("Milliseconds", { exact: true }).inputValue()).toBe("3");
  });

  test("a draft stays while the user looks at another view", async () => {
    const { page, project } = await open();
    await page.getByRole("combobox", { name: "rateLimit" }).selectOption("Limited");
    await page.getByLabel("Requests", { exact: true }).fill("77");
    const views = page.getByRole("navigation", { name: `Views of ${project}` });
    await views.getByRole("link", { name: "Coverage" }).click();
    await page.getByRole("combobox", { name: "rateLimit" }).waitFor({ state: "detached" });
    await views.getByRole("link", { name: "Settings" }).click();
    await expect.poll(() => page.getByLabel("Requests", { exact: true }).inputValue()).toBe("77");
  });

  test("a button resets all settings after a confirmation", async () => {
    const project = newProject();
    await configure(mock, project, { auth: "off", maxFuzzyLevel: 3 });
    const { page } = await open(project);
    await page.getByRole("button", { name: "Reset all settings" }).click();
    await page.getByRole("button", { name: "Reset settings" }).click();
    await shows(page, "All settings have their defaults");
    expect(settingsOf(project)).toMatchObject({ auth: "lenient", maxFuzzyLevel: 10 });
  });
});

describeWithBrowser("the clock of a project on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();
  const clockOf = (project: string) => mock.engine.projects.get(project).clock;
  const shownTime = async (page: Page) =>
    Date.parse((await page.getByRole("timer").getByRole("time").getAttribute("datetime")) ?? "");

  async function open(): Promise<{ page: Page; project: string }> {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project, "settings"));
    await isLive(page);
    await page.getByRole("timer").waitFor();
    return { page, project };
  }

  test("a clock that runs ticks", async () => {
    const { page } = await open();
    const first = await shownTime(page);
    await expect.poll(() => shownTime(page)).toBeGreaterThan(first);
  });

  test("a frozen clock resumes from its time", async () => {
    const { page, project } = await open();
    await page.getByRole("button", { name: "Freeze" }).click();
    await shows(page, "Frozen");
    const frozenAt = clockOf(project).now();
    expect(await shownTime(page)).toBe(frozenAt);
    // Another client moves the clock. The page may still show the earlier time.
    clockOf(project).advance(3_600_000);
    await page.getByRole("button", { name: "Resume" }).click();
    await shows(page, "Running");
    expect(clockOf(project).now()).toBeGreaterThanOrEqual(frozenAt + 3_600_000);
    await focusIsOn(page, "button", "Freeze");
  });

  test("buttons advance the clock by a usual step, and a form by any time", async () => {
    const { page, project } = await open();
    await page.getByRole("button", { name: "Freeze" }).click();
    await shows(page, "Frozen");
    const frozenAt = clockOf(project).now();
    await page.getByRole("button", { name: "Advance by 1 hour" }).click();
    await shows(page, "The clock is advanced by 1 hour");
    expect(clockOf(project).now()).toBe(frozenAt + 3_600_000);
    const amount = page.getByRole("spinbutton", { name: "Advance by: amount" });
    await amount.fill("1.5");
    await page.getByRole("combobox", { name: "Advance by: unit" }).selectOption("seconds");
    await amount.press("Enter");
    await shows(page, "The clock is advanced by 1.5 seconds");
    expect(clockOf(project).now()).toBe(frozenAt + 3_601_500);

    await amount.fill("");
    await amount.press("Enter");
    await page.getByRole("alert").getByText("Advance by: expected a number of seconds, found none").waitFor();
    await amount.fill("100000000");
    await page.getByRole("combobox", { name: "Advance by: unit" }).selectOption("days");
    await amount.press("Enter");
    await page.getByRole("alert").getByText("/advance").waitFor();
    await expect.poll(() => shownTime(page)).toBe(frozenAt + 3_601_500);
  });

  test("a form sets an exact time, and a frozen clock stays frozen", async () => {
    const { page, project } = await open();
    await page.getByRole("button", { name: "Freeze" }).click();
    await shows(page, "Frozen");
    await page.getByLabel("New time").fill("2031-02-03T04:05:06.789");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await shows(page, "The clock is set");
    const wanted = await page.evaluate(() => new Date("2031-02-03T04:05:06.789").getTime());
    expect([clockOf(project).now(), clockOf(project).frozen]).toEqual([wanted, true]);
    await shows(page, new Date(wanted).toISOString());
  });

  test("a change by another client shows at once", async () => {
    const { page, project } = await open();
    await inProject(mock, project, "PUT", "/clock", { now: "2040-01-01T00:00:00Z", frozen: true });
    await shows(page, "2040-01-01T00:00:00.000Z");
    await shows(page, "Frozen");
    await inProject(mock, project, "PUT", "/clock", { frozen: false });
    await shows(page, "Running");
  });
});

describeWithBrowser("the tokens of a project on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  async function open(): Promise<{ page: Page; project: string }> {
    const project = newProject();
    await configure(mock, project, { auth: "strict" });
    const page = await browser.open(dashboardOf(mock, project, "settings"));
    await isLive(page);
    await page.getByRole("button", { name: "Issue a token" }).waitFor();
    return { page, project };
  }
  async function issuedToken(page: Page): Promise<string> {
    const text = await page.getByText(/^Authorization: Bearer \S+$/).textContent();
    return text?.replace("Authorization: Bearer ", "") ?? "";
  }

  test("a form issues a token that the project accepts, and lists its first six characters only", async () => {
    const { page, project } = await open();
    await page.getByRole("button", { name: "Issue a token" }).click();
    const token = await issuedToken(page);
    expect((await mock.resource(project, "/my-id", { headers: bearer(token) })).status).toBe(200);
    const row = page.getByRole("row", { name: token.slice(0, 6) });
    expect(await row.textContent()).toMatch(/in (1 day|47 hours|2 days)/);
    expect(await page.getByRole("table").textContent()).not.toContain(token.slice(0, 7));

    await page.getByRole("button", { name: "Hide" }).click();
    await showsNo(page, token);
  });

  test("a token has the chosen scopes, lifetime and client", async () => {
    const { page, project } = await open();
    await page.getByRole("checkbox", { name: "manage_test" }).uncheck();
    await page.getByRole("checkbox", { name: "manage_products" }).uncheck();
    await page.getByRole("spinbutton", { name: "Lifetime: amount" }).fill("90");
    await page.getByRole("combobox", { name: "Lifetime: unit" }).selectOption("minutes");
    await page.getByRole("textbox", { name: "Client" }).fill("worker-3");
    await page.getByRole("button", { name: "Issue a token" }).click();
    const token = await issuedToken(page);
    expect(mock.engine.tokens.find(token)).toMatchObject({
      clientId: "worker-3",
      scopes: [`view_test:${project}`],
      expiresIn: 5400,
    });
    await page.getByRole("row", { name: /worker-3 view_test in 1 hour/ }).waitFor();

    await page.getByRole("button", { name: "None" }).click();
    await page.getByRole("button", { name: "Issue a token" }).click();
    await page.getByRole("alert").getByText("Scopes: expected at least one, found none").waitFor();
  });

  test("a token is revoked after a confirmation", async () => {
    const { page, project } = await open();
    await page.getByRole("button", { name: "Issue a token" }).click();
    const token = await issuedToken(page);
    await page.getByRole("button", { name: `Revoke ${token.slice(0, 6)}` }).click();
    await page.getByRole("button", { name: "Revoke token" }).click();
    await shows(page, "No valid tokens.");
    expect((await mock.resource(project, "/my-id", { headers: bearer(token) })).status).toBe(401);
  });

  test("tokens of other clients appear, and disappear when the project's clock passes their end", async () => {
    const { page, project } = await open();
    await inProject(mock, project, "POST", "/tokens", { clientId: "elsewhere", expiresIn: 3600 });
    await page.getByRole("row", { name: /elsewhere/ }).waitFor();
    await inProject(mock, project, "PUT", "/clock", { advance: 3_600_000 });
    await shows(page, "No valid tokens.");
  });
});
