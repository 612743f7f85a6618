// @module-tag browser
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Har, RequestEntry } from "../../src/control/client/types.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, shows, showsNo } from "./dashboards.ts";

describeWithBrowser("the dashboard shows requests", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  test("the server's root URL leads to the requests of all projects, and a link to those of one", async () => {
    const [project, other] = [newProject(), newProject()];
    await mock.resource(project, "/my-id");
    await mock.resource(other, "/another-id");
    const page = await browser.open(`${mock.url}/`);
    await shows(page, /another-id/);

    await page.getByRole("button", { name: /^Project: / }).click();
    await page.getByRole("option", { name: project }).click();
    await showsNo(page, /another-id/);
    await shows(page, /my-id/);
    expect(await page.title()).toContain(project);
  });

  test("a URL fragment that changes during the start of the page takes effect", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await browser.open(`${mock.url}/__admin/ui`);
    // Changes the fragment after the first rendering, before the page listens for changes.
    await page.addInitScript(
      (hash) => {
        new MutationObserver((_changes, observer) => {
          if (!document.querySelector("main")) return;
          observer.disconnect();
          location.hash = hash;
        }).observe(document, { childList: true, subtree: true });
      },
      new URL(dashboardOf(mock, project)).hash,
    );
    await page.reload();
    await page.getByRole("link", { name: /GET.*\/resource\/my-id/ }).waitFor();
  });

  test("the list shows the server's time, also with a frozen clock", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/clock", { now: "2030-01-02T00:00:00Z", frozen: true });
    for (const id of ["a", "b"]) await mock.resource(project, `/${id}`);
    const { body } = await inProject<{ requests: RequestEntry[] }>(mock, project, "GET", "/requests");
    const times = body.requests.map(({ timings }) => timings.serverTime);
    const page = await browser.open(dashboardOf(mock, project));
    await shows(page, /resource\/a/);
    const shown = page.getByRole("list", { name: "Requests" }).getByRole("time");
    expect(await shown.evaluateAll((all) => all.map((time) => time.getAttribute("datetime")))).toEqual(times);
  });

  test("Save as HAR saves the requests of the current filter as an HTTP archive", async () => {
    const project = newProject();
    await mock.resource(project, "/a");
    await mock.resource(project, "", json("POST", {}));
    const page = await browser.open(`${dashboardOf(mock, project)}?status=2xx`);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Commands for these requests" }).click();
    await page.getByRole("menuitem", { name: "Save as HAR" }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe(`${project}.har`);
    const { log }: Har = JSON.parse(await readFile(await saved.path(), "utf8"));
    expect(log.entries.map(({ request }) => request.url)).toEqual([`${mock.url}/${project}/resource/a`]);
  });

  test("an empty project shows its base URL, and sends a first request", async () => {
    const project = newProject();
    const page = await browser.open(dashboardOf(mock, project));
    await shows(page, "No requests yet");
    await page.getByRole("main").getByText(`${mock.url}/${project}`, { exact: true }).first().waitFor();
    await shows(page, `curl ${mock.url}/${project}/resource`);
    await page.getByRole("button", { name: "Send a first request" }).click();
    const details = page.getByRole("region", { name: /^Request / });
    await details.getByText(/the fixture queryResources/).waitFor();
  });
});
