// @module-tag browser
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { appearances, setAppearance } from "../setup/axe.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, replyToNextDialog, shows } from "./dashboards.ts";

const listOf = (page: Page) => page.getByRole("navigation", { name: "Projects" });
const searchOf = (page: Page) => page.getByRole("searchbox", { name: "Find or open a project" });

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
    await page.getByRole("link", { name: "API reference" }).click();
    await page.waitForURL("**/__admin/ui#/all/api");
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
      ["server-er", `#/projects/${project}/scenarios?scenario=server-error`],
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
    await page.getByRole("button", { name: "New project" }).click();
    const dialog = page.getByRole("dialog", { name: "New project" });
    await dialog.getByRole("textbox", { name: "Project key" }).and(page.locator(":focus")).waitFor();
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
    await searchOf(page).fill(`  ${name.toUpperCase()}- `);
    await expect
      .poll(() => listOf(page).locator(".key").allTextContents())
      .toEqual([`${name}-broken`, `${name}-forced`, `${name}-busy`, `${name}-Calm`]);

    // Enter opens the project with this key in any case, and creates no second one.
    await searchOf(page).fill(`${name}-CALM `);
    await searchOf(page).press("Enter");
    await page.getByRole("heading", { level: 1, name: `${name}-Calm` }).waitFor();
    expect(await mock.has(`${name}-CALM`)).toBe(false);
    expect(await searchOf(page).inputValue()).toBe("");
  });

  test("opens a new project by its key, also if other keys contain it, and shows its first request", async () => {
    const name = newProject();
    await mock.resource(`${name}-other`, "/my-id");
    const page = await open();
    await searchOf(page).fill(name);
    await page.getByRole("link", { name: `Open “${name}”` }).click();
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    await shows(page, new RegExp(`curl ${mock.url}/${name}/resource/my-id`));
  });

  test("shows sandboxes as projects, also if the project itself does not exist", async () => {
    const project = newProject();
    for (const sandbox of ["t1", "t2"])
      await mock.resource(project, "/my-id", json("POST", {}, { "Mock-Sandbox": sandbox }));
    const page = await open();
    await listOf(page)
      .getByRole("link", { name: `${project}~t1` })
      .waitFor();
    await listOf(page)
      .getByRole("link", { name: `${project}~t2` })
      .click();
    await page.getByRole("heading", { level: 1, name: `${project}~t2` }).waitFor();
    await listOf(page).locator("a[aria-current]").getByText("t2").waitFor();
  });

  test("no project moves under the pointer", async () => {
    const name = newProject();
    for (const letter of ["a", "b", "c"]) await mock.resource(`${name}-${letter}`, "/my-id");
    const page = await open();
    await searchOf(page).fill(`${name}-`);
    const keys = () => listOf(page).locator(".key").allTextContents();
    await expect.poll(keys).toEqual(["c", "b", "a"].map((letter) => `${name}-${letter}`));
    await listOf(page).getByText(`${name}-c`).hover();
    await mock.resource(`${name}-a`, "/my-id", json("POST", {}));
    await mock.resource(`${name}-d`, "/my-id");
    await expect.poll(keys).toEqual(["c", "b", "a", "d"].map((letter) => `${name}-${letter}`));
    await page.getByRole("main").hover();
    await expect.poll(keys).toEqual(["a", "d", "c", "b"].map((letter) => `${name}-${letter}`));
  });

  test("shows 200 projects, and finds the others", async () => {
    const name = newProject();
    for (let index = 0; index <= 200; index++) await mock.resource(`${name}-${index}`, "/my-id");
    const page = await open();
    await shows(page, /200 of [\d,]+ projects\. Search to find the others\./);
    await searchOf(page).fill(`${name}-200`);
    await expect.poll(() => listOf(page).locator(".key").allTextContents()).toEqual([`${name}-200`]);
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

  test("on a phone, a drawer has the projects", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await open();
    await setAppearance(page, appearances[1]);
    await page.getByRole("button", { name: "Projects", exact: true }).click();
    const drawer = page.getByRole("dialog", { name: "Projects" });
    await drawer.getByRole("link", { name: project }).click();
    await drawer.waitFor({ state: "detached" });
    await page.getByRole("heading", { level: 1, name: project }).waitFor();
  });
});
