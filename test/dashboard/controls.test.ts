import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { configure } from "../setup/resources.ts";
import { dashboardOf, isLive, replyToNextDialog, shows } from "./dashboards.ts";

describeWithBrowser("the dashboard drives the mock", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  const statusOf = async (project: string, path = "/my-id") => (await mock.resource(project, path)).status;

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
