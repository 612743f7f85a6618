import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { useBrowser } from "../setup/browser.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, setHidden, shows } from "./dashboards.ts";

describeWithBrowser("the live events of the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();
  const streams = () => mock.engine.feed.listeners;

  test("seven tabs share one stream, and another tab takes it over when its tab closes or is hidden", async () => {
    const project = newProject();
    const first = await browser.open(dashboardOf(mock, project));
    await isLive(first);
    const tabs = [first];
    while (tabs.length < 7) {
      const tab = await first.context().newPage();
      await tab.goto(dashboardOf(mock, project));
      tabs.push(tab);
    }
    await Promise.all(tabs.map(isLive));
    expect(streams()).toBe(1);
    await mock.resource(project, "/to-all");
    await Promise.all(tabs.map((tab) => shows(tab, /to-all/)));

    await first.close();
    const [second, third, ...others] = tabs.slice(1) as [Page, Page, ...Page[]];
    await mock.resource(project, "/after-close");
    await Promise.all([second, third, ...others].map((tab) => shows(tab, /after-close/)));
    await setHidden(second, true);
    await mock.resource(project, "/after-hide");
    await Promise.all([third, ...others].map((tab) => shows(tab, /after-hide/)));
    await expect.poll(streams).toBe(1);
  });

  test("there is no stream while all tabs are hidden; a tab that is shown again has missed nothing", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    await setHidden(page, true);
    await expect.poll(streams).toBe(0);
    await mock.resource(project, "/while-hidden");
    await setHidden(page, false);
    await shows(page, /while-hidden/);
    await expect.poll(streams).toBe(1);
  });

  test("a new project that is hidden and shown again is not taken for a deleted one", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    await setHidden(page, true);
    await expect.poll(streams).toBe(0);
    await setHidden(page, false);
    await expect.poll(streams).toBe(1);
    await mock.resource(project, "/first");
    await shows(page, /first/);
  });

  test("a page without Web Locks has its own stream", async () => {
    const project = newProject();
    const page = await browser.open(`${mock.url}/__admin/ui`);
    // Browsers have no Web Locks for pages from an address such as http://mock:8080.
    await page.context().addInitScript(() => {
      Object.defineProperty(navigator, "locks", { value: undefined });
    });
    await page.goto(dashboardOf(mock, project));
    await page.reload();
    const other = await page.context().newPage();
    await other.goto(dashboardOf(mock, project));
    await Promise.all([page, other].map(isLive));
    // The server notices a moment later that the page before the reload has left.
    await expect.poll(streams).toBe(2);
    await mock.resource(project, "/to-both");
    await Promise.all([page, other].map((tab) => shows(tab, /to-both/)));
  });

  test("requests that come faster than single events arrive too", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    for (let number = 0; number < 400; number++) await mock.resource(project, `/fast-${number}`);
    await shows(page, "400 requests");
    await shows(page, /fast-399/);
  });

  test("a project that is opened or closed elsewhere appears and disappears at once", async () => {
    const project = newProject();
    const page = await browser.open(`${mock.url}/__admin/ui`);
    await isLive(page);
    mock.engine.projects.get(project);
    const link = page.getByRole("navigation", { name: "Projects" }).getByRole("link", { name: project });
    await link.waitFor();
    mock.engine.closeProject(project);
    await link.waitFor({ state: "detached" });
  });

  test("a project that is deleted elsewhere stays deleted, and the page says so", async () => {
    for (const view of ["requests", "scenarios", "state", "coverage", "settings"]) {
      const project = newProject();
      await mock.resource(project, "/my-id");
      const page = await browser.open(dashboardOf(mock, project, view));
      await isLive(page);
      await page.getByRole("link", { name: "Requests", exact: true }).waitFor();
      await mock.resource(project, "/another-id");
      mock.engine.closeProject(project);
      await shows(page, "This project was deleted.");
      // Another project shows that the page has handled the events until now.
      const marker = newProject();
      mock.engine.projects.get(marker);
      await page.getByRole("navigation", { name: "Projects" }).getByRole("link", { name: marker }).waitFor();
      expect([view, mock.engine.projects.find(project)]).toEqual([view, undefined]);
      await page.close();
    }
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
    } finally {
      await second.close();
    }
  });

  test("does not delay the close of the mock after the page was closed", async () => {
    const mock = await startResourceMock();
    const page = await browser.open(`${mock.url}/__admin/ui`);
    await isLive(page);
    await page.close();
    // An open event stream would delay the close by the whole grace period.
    await mock.close();
  });
});
