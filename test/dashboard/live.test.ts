// @module-tag browser
import { expect, test } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, openProjects, setHidden, shows } from "./dashboards.ts";

describeWithBrowser("the live events of the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  test("a tab that was hidden shows what it missed", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    await setHidden(page, true);
    await mock.resource(project, "/missed");
    await setHidden(page, false);
    await shows(page, /missed/);
  });

  test("requests that come faster than single events arrive too", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    for (let number = 0; number < 400; number++) await mock.resource(project, `/fast-${number}`);
    await shows(page, "400 requests");
    await shows(page, /fast-399/);
  });

  test.each(["requests", "failures", "data", "mocks", "settings"])(
    "the view %s of a project that is deleted elsewhere says so, and does not create the project again",
    async (view) => {
      const project = newProject();
      await mock.resource(project, "/my-id");
      const page = await browser.open(dashboardOf(mock, project, view));
      await isLive(page);
      // The page receives the change and the deletion together, or one after the other.
      await mock.resource(project, "/another-id");
      await inProject(mock, project, "DELETE", "");
      await shows(page, "This project was deleted.");
      // The page handles events in their order, so it has handled those of the deleted project.
      const marker = newProject();
      await mock.resource(marker, "/my-id");
      const { keys, search } = await openProjects(page);
      await search.fill("project-");
      await expect.poll(keys).toContain(marker);
      expect(await keys()).not.toContain(project);
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

  test("says so, keeps what it knew, and shows the requests of the new mock", async () => {
    const first = await startResourceMock();
    await first.fetch("/demo/resource/before");
    const page = await browser.open(`${first.url}/__admin/ui#/projects/demo/requests`);
    await isLive(page);
    await shows(page, /before/);
    await first.close();
    await page
      .getByRole("alert")
      .getByText(/No sign of the mock for \d+ s/)
      .waitFor();
    await shows(page, "not connected");
    // While there is no mock: the page also tries by itself, and the button goes when it has connected.
    await page.getByRole("button", { name: "Retry now" }).click();

    const second = await startResourceMock({ port: first.port });
    try {
      await isLive(page);
      await shows(page, "The mock restarted; its projects were in memory.");
      await shows(page, /before/);
      await page.getByRole("button", { name: "Start again" }).click();
      await shows(page, "No requests yet");
      await second.fetch("/demo/resource/while-away");
      await shows(page, /while-away/);
      await shows(page, "1 request");
      // An open event stream would delay the close of the mock by the whole grace period.
      await page.close();
    } finally {
      await second.close();
    }
  });
});
