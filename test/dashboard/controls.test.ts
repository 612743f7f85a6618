import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { configure } from "../setup/resources.ts";
import { dashboardOf, isLive, replyToNextDialog, shows, showsNo } from "./dashboards.ts";

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

  test("fields change the settings, and an invalid number shows an error", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project, "settings"));
    await page.getByRole("combobox", { name: "auth" }).selectOption("strict");
    await expect.poll(() => statusOf(project)).toBe(401);

    const size = page.getByRole("spinbutton", { name: "journalSize" });
    await size.fill("-1");
    await size.blur();
    await page.getByRole("alert").getByText("/journalSize").waitFor();

    await page.getByRole("textbox", { name: "latency" }).fill('{ "fixed": 5 }');
    await page.getByRole("button", { name: "Set the latency" }).click();
    await expect.poll(() => mock.engine.projects.get(project).settings.latency).toEqual({ fixed: 5 });
  });

  test("a form issues a token that the project accepts with strict authorization", async () => {
    const project = newProject();
    configure(mock, project, { auth: "strict" });
    const page = await browser.open(dashboardOf(mock, project, "settings"));
    await page.getByRole("button", { name: "Issue a token" }).click();
    const header = await page.getByText(/^Authorization: Bearer \S+$/).textContent();

    const Authorization = header?.replace("Authorization: ", "") ?? "";
    expect((await mock.resource(project, "/my-id", { headers: { Authorization } })).status).toBe(200);
  });

  test("buttons freeze, advance and unfreeze the clock", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project, "settings"));
    await page.getByRole("button", { name: "Freeze" }).click();
    await shows(page, "frozen");
    const before = Date.parse((await page.getByLabel("The project's time").textContent()) ?? "");
    await page.getByRole("button", { name: "Advance by 1 hour" }).click();
    await shows(page, new Date(before + 3_600_000).toISOString());
    await page.getByRole("button", { name: "Unfreeze" }).click();
    await shows(page, "running");
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

  test("a reset requires a confirmation, and the page does not create a closed project again", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    const size = () => mock.engine.projects.get(project).journal.list().length;

    const cancelled = replyToNextDialog(page, "no");
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await cancelled;
    expect(size()).toBe(1);
    const accepted = replyToNextDialog(page, "yes");
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await accepted;
    await shows(page, "No requests yet");

    mock.engine.closeProject(project);
    await shows(page, "The project is closed.");
    // A read by the page would create the project again, and the link would stay.
    await page.getByRole("navigation", { name: "Projects" }).getByRole("link", { name: project }).waitFor({
      state: "detached",
    });
    await page.getByRole("button", { name: "Open it again" }).click();
    await shows(page, "No requests yet");
  });
});
