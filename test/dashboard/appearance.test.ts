// @module-tag browser
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, shows, showsProject, update } from "./dashboards.ts";

describeWithBrowser("the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();
  const filled = async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    await update(mock, project, "my-id", 1);
    const stale = await mock.resource(project, "/my-id", json("POST", { version: 9, actions: [] }));
    await inProject(mock, project, "PUT", "/scenarios/server-error", { times: 1 });
    await mock.resource(project);
    await inProject(mock, project, "POST", "/rules", { operation: "getCart", respond: { status: 404 } });
    return { project, stale: stale.headers.get("Mock-Request-Id") };
  };

  test("shows its states in forced colours", async () => {
    const { project } = await filled();
    const page = await browser.open(dashboardOf(mock, project));
    await page.emulateMedia({ forcedColors: "active" });
    await isLive(page);
    await page.getByRole("button", { name: "4xx" }).click();
    await page.locator("button[aria-pressed=true]").waitFor();
    const outlineOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).outlineStyle);
    for (const selector of [".sections-nav [aria-current]", "button[aria-pressed=true]"])
      expect([selector, await outlineOf(selector)]).toEqual([selector, "solid"]);

    await page.getByRole("link", { name: "Mocks", exact: true }).click();
    const drawn = (name: string) =>
      page.getByRole("switch", { name, exact: true }).evaluate((element) => {
        const { backgroundImage, forcedColorAdjust } = getComputedStyle(element);
        return { backgroundImage, forcedColorAdjust };
      });
    const [on, off] = [await drawn("server-error"), await drawn("flaky")];
    expect(on.backgroundImage).not.toBe(off.backgroundImage);
    expect([on.forcedColorAdjust, off.forcedColorAdjust]).toEqual(["none", "none"]);
  });

  // A window of 1280 × 768 pixels has half of them at 200 %, and one of 1366 × 768 has 911 × 512 at 150 %.
  test.each([
    { zoom: "200 %", width: 640, height: 384 },
    { zoom: "150 %", width: 911, height: 512 },
  ])("cuts nothing off at a zoom of $zoom, in any view", async ({ width, height }) => {
    const { project, stale } = await filled();
    const page = await browser.open(dashboardOf(mock, project));
    await page.setViewportSize({ width, height });
    await isLive(page);
    const views = [
      "requests",
      `requests/${stale}`,
      `requests/${stale}?tab=request`,
      "failures",
      "mocks",
      "mocks?scenario=flaky",
      "mocks?rule=new",
      "data",
      "data/my-id",
      "data?part=snapshots",
      "api",
      "api/updateResource",
      "settings",
    ];
    for (const view of views) {
      await page.goto(dashboardOf(mock, project, view));
      await showsProject(page, project);
      await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
      expect([view, await cutControls(page)]).toEqual([view, []]);
    }
    // The head of the page leaves room for several rows.
    await page.goto(dashboardOf(mock, project));
    await shows(page, "updated the resource to version 2");
    const list = await page.locator(".row-list").boundingBox();
    expect(list?.height).toBeGreaterThan(90);
  });

  test.each([320, 390, 1024])("opens each menu inside a window of %i pixels", async (width) => {
    const { project, stale } = await filled();
    const page = await browser.open(dashboardOf(mock, project));
    await page.setViewportSize({ width, height: 700 });
    await isLive(page);
    const openMenu = async (name: string) => {
      const button = page.getByRole("button", { name, exact: true });
      await button.click();
      const panel = page.locator(".menu-panel");
      // Each field and command is the topmost element at its ends.
      const cut = await panel.evaluate((element) => {
        const isCut = (control: Element) => {
          const { left, right, top, bottom } = control.getBoundingClientRect();
          const isAt = (x: number) => element.contains(document.elementFromPoint(x, (top + bottom) / 2));
          return left < 0 || right > innerWidth || !isAt(left + 1) || !isAt(right - 1);
        };
        const controls = [...element.querySelectorAll("[role=menuitem], input, select")];
        return controls.flatMap((control) => {
          // A long form scrolls.
          control.scrollIntoView({ block: "nearest" });
          return isCut(control) ? [control.outerHTML.slice(0, 200)] : [];
        });
      });
      expect([name, await page.evaluate(() => scrollY)]).toEqual([name, 0]);
      await panel.locator("[role=menuitem], input").first().waitFor();
      expect([name, cut]).toEqual([name, []]);
      await page.keyboard.press("Escape");
      await panel.waitFor({ state: "detached" });
    };
    await openMenu("Commands for this project");
    await openMenu("Filter");
    await openMenu("Commands for these requests");
    await page.goto(dashboardOf(mock, project, `requests/${stale}`));
    await openMenu("Commands for this request");
    await page.goto(dashboardOf(mock, project, "data/my-id"));
    await openMenu("Commands for this item");
  });

  test("shows the first rows of a list on a slow line after the page and one call", async () => {
    const { project } = await filled();
    const page = await browser.open(`${mock.url}/__admin/health`);
    const network = await page.context().newCDPSession(page);
    await network.send("Network.enable");
    await network.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 800,
      downloadThroughput: 50_000,
      uploadThroughput: 50_000,
    });
    const sizes = new Map<string, number>();
    const names = new Map<string, string>();
    network.on("Network.responseReceived", ({ requestId, response }) => {
      names.set(requestId, new URL(response.url).pathname);
    });
    network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      sizes.set(names.get(requestId) ?? "", encodedDataLength);
    });
    await page.goto(dashboardOf(mock, project));
    await shows(page, "updated the resource to version 2");
    // The documents of both APIs, which are the largest responses, are read later.
    expect([...names.values()].filter((name) => name.endsWith(".json"))).toEqual([]);
    // The page of the sources; that of the package has less than 80 kB.
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    expect(total).toBeLessThan(140_000);
  });
});

/** Returns the controls and headings that stand out of the window, except in areas that scroll sideways. */
function cutControls(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      element !== document.documentElement &&
      (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const isCut = (element: Element) => {
      const { left, right, width } = element.getBoundingClientRect();
      const isHidden = width <= 1 || element.matches(".skip");
      const area = element.closest(".tabs, .json-text, .table-area, pre, .row-list");
      return !isHidden && (left < 0 || right > innerWidth + 1) && !scrolls(area);
    };
    const found = [...document.querySelectorAll("button, a, input, select, textarea, h1, h2, h3, label")].filter(isCut);
    const isWider = document.documentElement.scrollWidth > innerWidth;
    return [...found.map((element) => element.outerHTML.slice(0, 200)), ...(isWider ? ["the page is wider"] : [])];
  });
}
