// @module-tag browser
import { expect, test } from "vitest";
import { appearances, setAppearance } from "../setup/axe.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, openProjects, replyToNextDialog, shows, showsProject } from "./dashboards.ts";

describeWithBrowser("the frame of the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();
  const open = async (fragment = "") => {
    const page = await browser.open(`${mock.url}/__admin/ui${fragment}`);
    await isLive(page);
    return page;
  };

  test("shows the version of the mock, and the base URL of a project", async () => {
    const project = newProject();
    const page = await open(`#/projects/${project}`);
    await page.getByTitle("Version of the mock").getByText("0.0.0-test").waitFor();
    await page.getByTitle("The base URL for the client under test").getByText(`${mock.url}/${project}`).waitFor();
    await page.getByRole("button", { name: "Copy the base URL" }).click();
    await shows(page, "Copied");
    await page
      .getByRole("navigation", { name: `Views of ${project}` })
      .getByRole("link", { name: "API" })
      .click();
    await page.waitForURL(`**/__admin/ui#/projects/${project}/api`);
  });

  test("Ctrl+K opens a view, a project, an operation, a scenario or a request by a part of its name", async () => {
    const project = newProject();
    const response = await mock.resource(project, "/my-id");
    const id = response.headers.get("Mock-Request-Id") ?? "";
    const page = await open();
    for (const [text, hash] of [
      [project, `#/projects/${project}/requests`],
      ["sett", `#/projects/${project}/settings`],
      ["updateRes", `#/projects/${project}/api/updateResource`],
      ["server-er", `#/projects/${project}/mocks?scenario=server-error`],
      [id, `#/projects/${project}/requests/${id}`],
    ] as const) {
      await page.keyboard.press("Control+k");
      const palette = page.getByRole("dialog", { name: "Open" });
      await palette.getByRole("combobox").and(page.locator(":focus")).waitFor();
      await page.keyboard.type(text);
      await palette.getByRole("option", { selected: true }).getByText(text).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.hash === hash);
    }
  });

  test("a dialog with a form starts in its first field", async () => {
    const page = await open();
    const { search } = await openProjects(page);
    await search.and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Open…" }).click();
    await page.getByRole("dialog", { name: "Open" }).getByRole("combobox").and(page.locator(":focus")).waitFor();
  });

  test("lists projects with unexpected failures first; the search ignores case and surrounding spaces", async () => {
    const name = newProject();
    const keys = [`${name}-Calm`, `${name}-forced`, `${name}-broken`, `${name}-busy`];
    for (const key of keys) await mock.resource(key, "/my-id");
    await mock.resource(`${name}-broken`, "/my-id", json("POST", {}));
    await inProject(mock, `${name}-forced`, "PUT", "/scenarios/server-error", { times: 2 });
    for (const id of ["a", "b"]) await mock.resource(`${name}-forced`, `/${id}`);
    const page = await open();
    const projects = await openProjects(page);
    await projects.search.fill(`  ${name.toUpperCase()}- `);
    const found = [`${name}-broken`, `${name}-forced`, `${name}-busy`, `${name}-Calm`];
    await expect.poll(projects.keys).toEqual([...found, `New project “${name.toUpperCase()}-”`]);

    // Enter opens the project with this key in any case, and creates no second one.
    await projects.search.fill(`${name}-CALM `);
    await expect.poll(projects.keys).toEqual([`${name}-Calm`, `New project “${name}-CALM”`]);
    await projects.search.press("Enter");
    await showsProject(page, `${name}-Calm`);
    expect(await mock.has(`${name}-CALM`)).toBe(false);
  });

  test("opens a new project by its key, also if other keys contain it, and shows its first request", async () => {
    const name = newProject();
    await mock.resource(`${name}-other`, "/my-id");
    const page = await open();
    const { panel, search } = await openProjects(page);
    await search.fill(name);
    await panel.getByRole("option", { name: `New project “${name}”` }).click();
    await showsProject(page, name);
    await shows(page, `${mock.url}/${name}`);
  });

  test("shows sandboxes as projects, also if the project itself does not exist", async () => {
    const project = newProject();
    for (const sandbox of ["t1", "t2"])
      await mock.resource(project, "/my-id", json("POST", {}, { "Mock-Sandbox": sandbox }));
    const page = await open();
    const { panel, search } = await openProjects(page);
    await search.fill(project);
    await panel.getByRole("option", { name: `${project}~t1` }).waitFor();
    await panel.getByRole("option", { name: `${project}~t2` }).click();
    await showsProject(page, `${project}~t2`);
  });

  test("no project moves under the pointer while the list is open", async () => {
    const name = newProject();
    for (const letter of ["a", "b", "c"]) await mock.resource(`${name}-${letter}`, "/my-id");
    const page = await open();
    const projects = await openProjects(page);
    await projects.search.fill(`${name}-`);
    const keys = (...letters: string[]) => [...letters.map((letter) => `${name}-${letter}`), `New project “${name}-”`];
    await expect.poll(projects.keys).toEqual(keys("c", "b", "a"));
    await mock.resource(`${name}-a`, "/my-id", json("POST", {}));
    await mock.resource(`${name}-d`, "/my-id");
    await expect.poll(projects.keys).toEqual(keys("c", "b", "a", "d"));
    await page.keyboard.press("Escape");
    await openProjects(page);
    await projects.search.fill(`${name}-`);
    await expect.poll(projects.keys).toEqual(keys("a", "d", "c", "b"));
  });

  test("shows 50 projects, and finds the others", async () => {
    const name = newProject();
    for (let index = 0; index <= 60; index++) await mock.resource(`${name}-${index}`, "/my-id");
    const page = await open();
    const { panel, search, keys } = await openProjects(page);
    await expect.poll(() => panel.getByRole("option").count()).toBe(50);
    await panel.getByText(/^[\d,]+ more\. Type to find them\.$/).waitFor();
    await search.fill(`${name}-60`);
    await expect.poll(keys).toEqual([`${name}-60`]);
  });

  test("a reset and a deletion can be undone", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    const menu = page.getByRole("button", { name: "Commands for this project" });
    const command = (name: string) => page.getByRole("menuitem", { name });
    await menu.click();
    await page.keyboard.press("Escape");
    await menu.and(page.locator(":focus")).waitFor();
    await menu.click();
    await command("Reset project").click();
    await shows(page, "The project is reset");
    await shows(page, "No requests yet");
    await page.getByRole("button", { name: "Undo" }).click();
    await shows(page, "Undone");
    await shows(page, "1 request");

    await menu.click();
    await command("Delete project").click();
    await shows(page, "This project was deleted.");
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await mock.has(project)).toBe(false);
    await page.getByRole("button", { name: "Undo" }).last().click();
    await shows(page, "1 request");
  });

  test("a reset of all projects needs a confirmation", async () => {
    const page = await open();
    const menu = page.getByRole("button", { name: "Commands for all projects" });
    await menu.click();
    const question = replyToNextDialog(page, "no");
    await page.getByRole("menuitem", { name: "Reset all projects…" }).click();
    expect(await question).toMatch(/^Reset every project/);
    await menu.and(page.locator(":focus")).waitFor();
  });

  test("on a phone, one bar leads to the projects and to the views", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await open();
    await setAppearance(page, appearances[1]);
    const { panel, search } = await openProjects(page);
    await search.fill(project);
    await panel.getByRole("option", { name: project }).first().click();
    await showsProject(page, project);
    await page.getByRole("button", { name: "View: Requests" }).click();
    await page.getByRole("menuitem", { name: "Settings" }).click();
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  });

  test("a link with a former name of a view leads to the view", async () => {
    const project = newProject();
    for (const [name, title] of Object.entries({ state: "Data", scenarios: "Mocks", overview: "Failures" })) {
      const page = await open(`#/projects/${project}/${name}`);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
    }
  });

  test("a view with a defect shows one line, and leaves the others usable", async () => {
    const project = newProject();
    const page = await open(`#/projects/${project}`);
    // No mock sends this. The page meets it as a value that it does not expect.
    await page.route("**/types?*", (route) => route.fulfill({ json: { types: [null], total: 1 } }));
    const views = page.getByRole("navigation", { name: `Views of ${project}` });
    await views.getByRole("link", { name: "Data" }).click();
    await page
      .getByRole("alert")
      .getByText(/^The view Data has a defect: /)
      .waitFor();
    await page.unroute("**/types?*");
    await views.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    await views.getByRole("link", { name: "Data" }).click();
    await shows(page, "5 items");
  });
});
