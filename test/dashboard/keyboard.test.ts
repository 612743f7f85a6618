// @module-tag browser
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { isLive, shows, showsProject } from "./dashboards.ts";

/** Presses Tab until the element has the focus, as a user without a pointer does. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.first().waitFor();
  for (let presses = 0; presses < 200; presses++) {
    if (await wanted.first().evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`tabTo: expected to reach ${wanted} by Tab, found it out of reach`);
}

describeWithBrowser("the dashboard without a pointer", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  test("a demo from start to end: a project, a scenario, a request, its explanation, the clock, and a reset", async () => {
    const project = newProject();
    const page = await browser.open(`${mock.url}/`);
    await isLive(page);
    const press = (key: string) => page.keyboard.press(key);
    const open = async (view: string) => {
      await tabTo(page, page.getByRole("navigation", { name: /^Views of / }).getByRole("link", { name: view }));
      await press("Enter");
    };

    await press("p");
    await page.keyboard.type(project);
    await page.getByRole("option", { name: `New project “${project}”` }).waitFor();
    await press("Enter");
    await showsProject(page, project);

    await open("Mocks");
    const scenario = page.getByRole("switch", { name: "not-found" });
    await tabTo(page, scenario);
    await press("Space");
    await scenario.and(page.locator('[aria-checked="true"]:focus')).waitFor();

    await open("API");
    await page.getByRole("searchbox", { name: "Search operations" }).waitFor();
    await press("/");
    await page.keyboard.type("getResourceById");
    await press("ArrowDown");
    await page.locator(".operation-rows a:focus").waitFor();
    await press("Enter");
    await tabTo(page, page.getByRole("button", { name: "Send", exact: true }));
    await press("Enter");
    await page.getByRole("heading", { name: /^404 / }).and(page.locator(":focus")).waitFor();

    await open("Requests");
    await page.getByRole("list", { name: "Requests" }).getByRole("link").first().waitFor();
    await press("j");
    await page
      .getByRole("region", { name: /^Request / })
      .getByText("the scenario not-found responded")
      .first()
      .waitFor();
    await press("Escape");
    await page.getByRole("region", { name: /^Request / }).waitFor({ state: "detached" });

    await open("Settings");
    await tabTo(page, page.getByRole("button", { name: "Freeze" }));
    await press("Enter");
    await shows(page, "Frozen");
    await press("Enter");
    await shows(page, "Running");

    await tabTo(page, page.getByRole("button", { name: "Commands for this project" }));
    await press("Enter");
    await page.getByRole("menuitem", { name: "Reset project" }).and(page.locator(":focus")).waitFor();
    await press("Enter");
    await shows(page, "The project is reset");
    await open("Requests");
    await shows(page, "No requests yet");
  });

  test("keys focus the search and open the palette, which lists them, and are text in a field", async () => {
    const page = await browser.open(`${mock.url}/__admin/ui#/projects/${newProject()}/requests`);
    await isLive(page);
    await page.keyboard.press("/");
    const search = page.getByRole("searchbox", { name: "Search requests" });
    await search.and(page.locator(":focus")).waitFor();
    await page.keyboard.type("p?");
    expect(await search.inputValue()).toBe("p?");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog", { name: "Open" });
    await dialog.getByText("P finds a project").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test("the first Tab leads to a link that skips to the content", async () => {
    const page = await browser.open(`${mock.url}/__admin/ui#/projects/${newProject()}/requests`);
    await isLive(page);
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Skip to content" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("main").and(page.locator(":focus")).waitFor();
  });
});
