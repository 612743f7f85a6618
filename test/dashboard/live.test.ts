// @module-tag browser
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, setHidden, shows } from "./dashboards.ts";

describeWithBrowser("the live events of the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  /** Opens this number of tabs in one browser context, and waits until they receive events. */
  async function openTabs(count: number, url: string): Promise<[Page, ...Page[]]> {
    const first = await browser.open(url);
    const tabs: [Page, ...Page[]] = [first];
    while (tabs.length < count) tabs.push(await first.context().newPage());
    await Promise.all(tabs.slice(1).map((tab) => tab.goto(url)));
    await Promise.all(tabs.map(isLive));
    return tabs;
  }

  test("seven tabs of a browser are live, also after some of them close or are hidden", async () => {
    const project = newProject();
    // With a stream for each tab, a seventh tab would wait for one of the six connections of the browser.
    const [first, ...tabs] = await openTabs(7, dashboardOf(mock, project));
    const [second, ...others] = tabs as [Page, ...Page[]];
    await mock.resource(project, "/to-all");
    await Promise.all([first, ...tabs].map((tab) => shows(tab, /to-all/)));

    await first.close();
    await mock.resource(project, "/after-close");
    await Promise.all(tabs.map((tab) => shows(tab, /after-close/)));
    await setHidden(second, true);
    await mock.resource(project, "/after-hide");
    await Promise.all(others.map((tab) => shows(tab, /after-hide/)));
    await setHidden(second, false);
    await shows(second, /after-hide/);
  });

  test("a page without Web Locks has its own stream", async () => {
    const project = newProject();
    const page = await browser.open(`${mock.url}/__admin/ui`);
    // Browsers have no Web Locks for pages from an address such as http://mock:8080.
    await page.context().addInitScript(() => {
      Object.defineProperty(navigator, "locks", { value: undefined });
    });
    const tabs = [await page.context().newPage(), await page.context().newPage()];
    await Promise.all(tabs.map((tab) => tab.goto(dashboardOf(mock, project))));
    await Promise.all(tabs.map(isLive));
    await mock.resource(project, "/to-both");
    await Promise.all(tabs.map((tab) => shows(tab, /to-both/)));
  });

  test("requests that come faster than single events arrive too", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    for (let number = 0; number < 400; number++) await mock.resource(project, `/fast-${number}`);
    await shows(page, "400 requests");
    await shows(page, /fast-399/);
  });

  test.each(["requests", "scenarios", "state", "coverage", "settings"])(
    "the view %s of a project that is deleted elsewhere says so, and does not create the project again",
    async (view) => {
      const project = newProject();
      await mock.resource(project, "/my-id");
      const page = await browser.open(dashboardOf(mock, project, view));
      await isLive(page);
      const link = page.getByRole("navigation", { name: "Projects" }).getByRole("link", { name: project });
      await link.waitFor();
      // The page receives the change and the deletion together, or one after the other.
      await mock.resource(project, "/another-id");
      await inProject(mock, project, "DELETE", "");
      await shows(page, "This project was deleted.");
      await link.waitFor({ state: "detached" });
      // The page handles events in their order, so it has handled those of the deleted project.
      const marker = newProject();
      await mock.resource(marker, "/my-id");
      await page.getByRole("navigation", { name: "Projects" }).getByRole("link", { name: marker }).waitFor();
      expect(await mock.has(project)).toBe(false);
    },
  );

  test("a project that is deleted while the page is hidden is not created again", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await browser.open(dashboardOf(mock, project, "settings"));
    await isLive(page);
    await setHidden(page, true);
    await inProject(mock, project, "DELETE", "");
    await setHidden(page, false);
    await shows(page, "This project was deleted.");
    expect(await mock.has(project)).toBe(false);
    await page.getByRole("button", { name: "Open it again" }).click();
    await page.getByRole("combobox", { name: "auth" }).waitFor();
  });
});

describeWithBrowser("a page whose mock restarts", () => {
  const browser = useBrowser();

  test("reconnects, and shows the requests of the new mock", async () => {
    const first = await startResourceMock();
    await first.fetch("/demo/resource/before");
    const page = await browser.open(`${first.url}/__admin/ui#/projects/demo/requests`);
    await isLive(page);
    await shows(page, /before/);
    await first.close();
    await shows(page, "not connected");

    const second = await startResourceMock({ port: first.port });
    try {
      await second.fetch("/demo/resource/while-away");
      await isLive(page);
      await shows(page, /while-away/);
      await shows(page, "1 request");
      // An open event stream would delay the close of the mock by the whole grace period.
      await page.close();
    } finally {
      await second.close();
    }
  });
});
