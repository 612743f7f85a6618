import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { configure } from "../setup/resources.ts";
import { answerNext, dashboardOf, isLive, shows, showsNo, update } from "./dashboards.ts";

const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 0x10]);

describeWithBrowser("the dashboard drives the mock", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  const statusOf = async (project: string, path = "/my-id") => (await mock.resource(project, path)).status;

  test("a scenario is turned on and off in one project, for so many requests", async () => {
    const [project, other] = [newProject(), newProject()];
    const page = await browser.open(dashboardOf(mock, project, "scenarios"));
    await isLive(page);
    await page.getByRole("spinbutton", { name: "For how many requests server-error is on" }).fill("2");
    const toggle = page.getByRole("switch", { name: "server-error" });
    await toggle.click();
    await shows(page, "used 0 of 2×");
    expect([await statusOf(project), await statusOf(other)]).toEqual([500, 200]);
    await shows(page, "used 1 of 2×");

    await toggle.click();
    await showsNo(page, /used/);
    expect(await statusOf(project)).toBe(200);
  });

  test("a scenario is turned on for all projects, which each of them says", async () => {
    const project = newProject();
    const page = await browser.open(`${mock.url}/__admin/ui`);
    await page.getByRole("switch", { name: "not-found" }).click();
    await page.locator('[role="switch"][aria-label="not-found"][aria-checked="true"]').waitFor();
    expect(await statusOf(project)).toBe(404);

    await page.goto(dashboardOf(mock, project, "scenarios"));
    await shows(page, "on for all projects");
    await page.getByRole("link", { name: "All projects" }).click();
    await page.getByRole("switch", { name: "not-found" }).click();
    await page.locator('[role="switch"][aria-label="not-found"][aria-checked="false"]').waitFor();
    expect(await statusOf(project)).toBe(200);
  });

  test("a rule is added, refused with its place when it is wrong, and removed", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project, "scenarios"));
    await page.getByText("Add a rule").click();
    const text = page.getByRole("textbox", { name: "Rule" });
    const add = page.getByRole("button", { name: "Add this rule" });

    await text.fill("{ operation");
    await add.click();
    await page.getByRole("alert").getByText("This is not JSON").waitFor();
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

  test("resources are generated, written and deleted", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project, "state"));
    await isLive(page);
    await shows(page, "1–5 of 5");
    await page.getByRole("spinbutton", { name: "How many to generate" }).fill("60");
    await page.getByRole("button", { name: "Generate" }).click();
    await shows(page, "1–50 of 65");
    await page.getByRole("button", { name: "Next" }).click();
    await shows(page, "51–65 of 65");

    await mock.resource(project, "/my-id");
    await page.getByRole("link", { name: "my-id" }).click();
    const text = page.getByRole("textbox", { name: "Version 1" });
    await text.fill((await text.inputValue()).replace('"version": 1', '"version": 7'));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("textbox", { name: "Version 7" }).waitFor();
    await update(mock, project, "my-id", 7);
    await page.getByRole("textbox", { name: "Version 8" }).waitFor();

    const asked = answerNext(page, "yes");
    await page.getByRole("button", { name: "Delete" }).click();
    expect(await asked).toBe("Delete my-id?");
    await page.getByRole("alert").getByText("There is no such thing").waitFor();
    expect(await statusOf(project)).toBe(404);
  });

  test("a state is kept and restored", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project, "state"));
    await page.getByRole("textbox", { name: "Name of a new snapshot" }).fill("before");
    await page.getByRole("button", { name: "Take a snapshot" }).click();
    await shows(page, "5 resources");
    await mock.resource(project, "/my-id");
    await shows(page, "1–6 of 6");
    await page.getByRole("button", { name: "Restore before" }).click();
    await shows(page, "1–5 of 5");
    await page.getByRole("button", { name: "Delete before" }).click();
    await showsNo(page, "5 resources");
  });

  test("images are shown", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project, "state"));
    await isLive(page);
    const headers = { "Content-Type": "image/jpeg" };
    await mock.resource(project, "/images?filename=front.jpg", { method: "POST", headers, body: jpeg });
    await shows(page, "front.jpg · image/jpeg · 6 bytes");
    expect(await page.getByRole("img", { name: "front.jpg" }).getAttribute("src")).toMatch(/^blob:/);
  });

  test("settings are chosen, a number that will not do is refused, and the latency is written", async () => {
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

  test("a token is issued, with which a strict project answers", async () => {
    const project = newProject();
    configure(mock, project, { auth: "strict" });
    const page = await browser.open(dashboardOf(mock, project, "settings"));
    await page.getByRole("button", { name: "Issue a token" }).click();
    const header = await page.getByText(/^Authorization: Bearer \S+$/).textContent();

    const Authorization = header?.replace("Authorization: ", "") ?? "";
    expect((await mock.resource(project, "/my-id", { headers: { Authorization } })).status).toBe(200);
  });

  test("the clock is stopped and goes on by leaps", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project, "settings"));
    await page.getByRole("button", { name: "Freeze" }).click();
    await shows(page, "stands still");
    const before = Date.parse((await page.getByLabel("The project's time").textContent()) ?? "");
    await page.getByRole("button", { name: "On by an hour" }).click();
    await shows(page, new Date(before + 3_600_000).toISOString());
    await page.getByRole("button", { name: "Let it run" }).click();
    await shows(page, "runs");
  });

  test("coverage grows with what is asked", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project, "coverage"));
    await isLive(page);
    await shows(page, "0 of 16");
    await mock.resource(project, "/my-id");
    await shows(page, "1 of 16");
    const row = page.getByRole("row", { name: /^getResourceById / });
    expect((await row.getByRole("cell").allTextContents()).slice(0, 3)).toEqual(["getResourceById", "1", "1"]);
  });

  test("a project is reset and closed once that has been said twice; one that is closed is left alone", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    const size = () => mock.engine.projects.get(project).journal.list().length;

    const refused = answerNext(page, "no");
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await refused;
    expect(size()).toBe(1);
    const accepted = answerNext(page, "yes");
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    await accepted;
    await shows(page, "Nobody has asked anything yet");

    mock.engine.closeProject(project);
    await shows(page, "The project is closed.");
    // Were it read, it would be there again.
    await page.getByRole("navigation", { name: "Projects" }).getByRole("link", { name: project }).waitFor({
      state: "detached",
    });
    await page.getByRole("button", { name: "Open it anew" }).click();
    await shows(page, "Nobody has asked anything yet");
  });
});
