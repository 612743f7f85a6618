import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { ProjectSummary } from "../../src/client/types.ts";
import { projectGroups } from "../../src/dashboard/shell/project-groups.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, setHidden, shows } from "./dashboards.ts";

test("sandboxes are grouped under their project, also if the project itself does not exist", () => {
  const keys = ["b~t1", "a", "b", "a~t/1", "~t1", "x~y~t2", "b~t2"];
  const summaries = keys.map((key) => ({ key }) as ProjectSummary);
  const shown = projectGroups(summaries).map(({ key, project, sandboxes }) => [
    key,
    project?.key,
    sandboxes.map(({ name }) => name),
  ]);
  expect(shown).toEqual([
    ["b", "b", ["t1", "t2"]],
    ["a", "a", []],
    // These are no keys of sandboxes: the name has another character, or there is no project before the tilde.
    ["a~t/1", "a~t/1", []],
    ["~t1", "~t1", []],
    ["x~y", undefined, ["t2"]],
  ]);
});

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

  test("shows the version of the mock, and leads to the API reference", async () => {
    const page = await open();
    await page.getByTitle("Version of the mock").getByText("0.0.0-test").waitFor();
    await page.getByRole("link", { name: "API reference" }).click();
    await page.waitForURL("**/__admin/docs");
  });

  test("lists projects with failures first; the search ignores case and surrounding spaces", async () => {
    const name = newProject();
    const keys = [`${name}-Calm`, `${name}-broken`, `${name}-busy`];
    for (const key of keys) await mock.resource(key, "/my-id");
    await mock.resource(`${name}-broken`, "/my-id", json("POST", {}));
    const page = await open();
    await searchOf(page).fill(`  ${name.toUpperCase()}- `);
    await expect
      .poll(() => listOf(page).locator(".key").allTextContents())
      .toEqual([`${name}-broken`, `${name}-busy`, `${name}-Calm`]);

    // Enter opens the project with this key in any case, and creates no second one.
    await searchOf(page).fill(`${name}-CALM `);
    await searchOf(page).press("Enter");
    await page.getByRole("heading", { level: 1, name: `${name}-Calm` }).waitFor();
    expect(mock.engine.projects.find(`${name}-CALM`)).toBeUndefined();
    expect(await searchOf(page).inputValue()).toBe("");
  });

  test("opens a new project by its key, also if other keys contain it", async () => {
    const name = newProject();
    await mock.resource(`${name}-other`, "/my-id");
    const page = await open();
    await searchOf(page).fill(`${name}-new`);
    await searchOf(page).press("Enter");
    await page.getByRole("heading", { level: 1, name: `${name}-new` }).waitFor();
    await searchOf(page).fill(name);
    await page.getByRole("link", { name: `Open “${name}”` }).click();
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  });

  test("shows sandboxes under their project", async () => {
    const project = newProject();
    for (const sandbox of ["t1", "t2"])
      await mock.resource(project, "/my-id", json("POST", {}, { "Mock-Sandbox": sandbox }));
    const page = await open();
    const group = listOf(page).getByRole("button", { name: `2 sandboxes of ${project}` });
    await group.click();
    expect(await group.textContent()).toContain("2 failed");
    await listOf(page).getByRole("link", { name: "t2", exact: false }).click();
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

  test("shows a project with the longest key at the top of the page, next to a list that scrolls by itself", async () => {
    const name = newProject();
    const long = `${name}-${"long".repeat(50)}`;
    for (let index = 0; index < 60; index++) mock.engine.projects.get(`${name}-${index}`);
    await mock.resource(long, "/my-id");
    const page = await open();
    await page.setViewportSize({ width: 1280, height: 600 });
    await searchOf(page).fill(name);
    const last = listOf(page)
      .getByRole("link", { name: `${name}-0`, exact: false })
      .first();
    await last.scrollIntoViewIfNeeded();
    await last.click();
    expect((await page.getByRole("heading", { level: 1 }).boundingBox())?.y).toBeLessThan(150);
    expect(await page.evaluate("scrollY")).toBe(0);

    await listOf(page).getByTitle(long).click();
    await page.getByRole("heading", { level: 1, name: long }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  });

  test("finds one of 10,000 projects", async () => {
    const name = newProject();
    for (let index = 0; index < 10_000; index++) mock.engine.projects.get(`${name}-${index}`);
    try {
      const page = await open();
      await shows(page, /200 of [\d,]+ projects\. Search to find the others\./);
      await searchOf(page).fill(`${name}-9876`);
      await expect.poll(() => listOf(page).locator(".key").allTextContents()).toEqual([`${name}-9876`]);
    } finally {
      for (let index = 0; index < 10_000; index++) mock.engine.closeProject(`${name}-${index}`);
    }
  });

  test("keys focus the search and list all shortcuts; Escape closes the list and returns the focus", async () => {
    const page = await open(`#/projects/${newProject()}/requests`);
    await page.keyboard.press("/");
    await page.getByRole("searchbox", { name: "Search requests" }).and(page.locator(":focus")).waitFor();
    // In a field, keys are text.
    await page.keyboard.type("p?");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.keyboard.press("p");
    await searchOf(page).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.getByText("Find a project").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test("the first Tab leads to a link that skips to the content", async () => {
    const page = await open(`#/projects/${newProject()}/requests`);
    await page.keyboard.press("Tab");
    await page.getByRole("link", { name: "Skip to content" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("main").and(page.locator(":focus")).waitFor();
    expect(new URL(page.url()).hash).toMatch(/requests$/);
  });

  test("a reset and a deletion need a confirmation; Escape cancels, and the focus returns", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    const size = () => mock.engine.projects.get(project).journal.list().length;
    const reset = page.getByRole("button", { name: "Reset", exact: true });
    await reset.click();
    await page.getByRole("dialog", { name: "Confirm" }).getByText(`Reset ${project} to its initial state?`).waitFor();
    await page.keyboard.press("Escape");
    await reset.and(page.locator(":focus")).waitFor();
    expect(size()).toBe(1);
    await reset.click();
    await page.getByRole("button", { name: "Reset project" }).click();
    await shows(page, "The project is reset");
    await shows(page, "No requests yet");
    expect(size()).toBe(0);

    await page.getByRole("button", { name: "Delete project" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete project" }).click();
    await shows(page, "This project was deleted.");
    await page.getByRole("button", { name: "Open it again" }).and(page.locator(":focus")).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(mock.engine.projects.find(project)).toBeUndefined();
  });

  test("a project that is deleted elsewhere is not created again by its open page", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await browser.open(dashboardOf(mock, project, "settings"));
    await isLive(page);
    // The page reads once more when it is connected.
    await inProject(mock, project, "PATCH", "/settings", { maxFuzzyLevel: 3 });
    await page.getByRole("button", { name: "Reset maxFuzzyLevel to 10" }).waitFor();
    await inProject(mock, project, "PUT", "/clock", { frozen: true });
    await shows(page, "Frozen");
    await inProject(mock, project, "POST", "/tokens", { clientId: "last-read" });
    await shows(page, "last-read");
    await inProject(mock, project, "DELETE", "");
    await shows(page, "This project was deleted.");
    await listOf(page).getByRole("link", { name: project }).waitFor({ state: "detached" });
    expect(mock.engine.projects.find(project)).toBeUndefined();
    await page.getByRole("button", { name: "Open it again" }).click();
    await page.getByRole("combobox", { name: "auth" }).waitFor();
  });

  test("a project that ends with changes, or while the page is hidden, is not created again either", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await browser.open(dashboardOf(mock, project, "settings"));
    await isLive(page);
    await inProject(mock, project, "POST", "/tokens", { clientId: "first-read" });
    await shows(page, "first-read");
    // These events arrive together.
    await page.evaluate(async (url) => {
      const change = { method: "PATCH", headers: { "Content-Type": "application/json" }, body: '{"maxFuzzyLevel":3}' };
      await fetch(`${url}/settings`, change);
      await fetch(url, { method: "DELETE" });
    }, `/__admin/projects/${project}`);
    await shows(page, "This project was deleted.");
    await listOf(page).getByRole("link", { name: project }).waitFor({ state: "detached" });
    expect(mock.engine.projects.find(project)).toBeUndefined();

    await page.getByRole("button", { name: "Open it again" }).click();
    await page.getByRole("combobox", { name: "auth" }).waitFor();
    await setHidden(page, true);
    await expect.poll(() => mock.engine.feed.listeners).toBe(0);
    await inProject(mock, project, "DELETE", "");
    await setHidden(page, false);
    await shows(page, "This project was deleted.");
    await expect.poll(() => mock.engine.feed.listeners).toBe(1);
    expect(mock.engine.projects.find(project)).toBeUndefined();
  });

  test("on a phone, a drawer has the projects, and the open view is visible among the tabs", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await open();
    await page.setViewportSize({ width: 390, height: 844 });
    const button = page.getByRole("button", { name: "Projects" });
    await button.click();
    const drawer = page.getByRole("dialog", { name: "Projects" });
    await drawer.getByRole("link", { name: project }).click();
    await drawer.waitFor({ state: "detached" });
    await page.getByRole("heading", { level: 1, name: project }).waitFor();
    // The page that is open already closes the drawer too.
    await button.click();
    await drawer.getByRole("link", { name: project }).click();
    await drawer.waitFor({ state: "detached" });

    await page.goto(dashboardOf(mock, project, "settings"));
    const tab = page.getByRole("navigation", { name: `Views of ${project}` }).getByRole("link", { name: "Settings" });
    await expect.poll(async () => (await tab.boundingBox())?.x).toBeLessThan(330);
    const headerWidth = await page.locator("header").evaluate((header) => header.scrollWidth - header.clientWidth);
    expect(headerWidth).toBe(0);
  });

  test("on a slow network, there is a skeleton until the content has loaded", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await open();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Network.enable");
    const throttle = (latency: number) =>
      cdp.send("Network.emulateNetworkConditions", {
        offline: false,
        latency,
        downloadThroughput: -1,
        uploadThroughput: -1,
      });
    await throttle(60_000);
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `#/projects/${project}/settings`);
    const main = page.getByRole("main");
    await main.getByRole("status", { name: "Loading" }).first().waitFor();
    expect(await main.textContent()).not.toMatch(/No |undefined/);
    await throttle(0);
    // The requests with a long latency are still waiting.
    await page.reload();
    await page.getByRole("combobox", { name: "auth" }).waitFor();
  });
});
