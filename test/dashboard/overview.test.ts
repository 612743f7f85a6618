// @module-tag browser
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, shows } from "./dashboards.ts";

const stale = json("POST", { version: 9, actions: [] });

describeWithBrowser("the overview on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  test("groups failures by operation, status and reason, and sets apart those that a scenario caused", async () => {
    const project = newProject();
    for (const id of ["a", "b", "c"]) await mock.resource(project, `/${id}`, stale);
    await mock.resource(project, "/a", json("POST", { version: "one", actions: [] }));
    await inProject(mock, project, "PUT", "/scenarios/server-error", {});
    await mock.resource(project, "/a");
    const page = await browser.open(dashboardOf(mock, project, "overview"));
    await isLive(page);
    await shows(page, "4 unexpected");
    await shows(page, "and 1 expected failures in 5 requests.");
    const groups = (title: string) => page.getByRole("region", { name: title, exact: true }).getByRole("link");
    expect(await groups("Unexpected failures").allTextContents()).toEqual([
      expect.stringMatching(/^3×409updateResourcethe client sent version 9/),
      expect.stringMatching(/^1×400updateResource/),
    ]);
    expect(await groups("Expected failures").allTextContents()).toEqual([
      expect.stringMatching(/^1×500.*the scenario server-error responded/),
    ]);
    // A group leads to its requests, and a single failure to its request.
    await groups("Unexpected failures").first().click();
    await shows(page, "3 of 5 requests");
    await page.goBack();
    await groups("Expected failures").click();
    await page
      .getByRole("region", { name: /^Request / })
      .getByText("the scenario server-error responded")
      .waitFor();
  });

  test("counts tried failures, and leads to their requests", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    await mock.resource(project, "/my-id", stale);
    const page = await browser.open(dashboardOf(mock, project, "overview"));
    const row = page.getByRole("table", { name: "Tried failures" }).getByRole("row", { name: /^updateResource / });
    await row.getByText("missing").first().waitFor();
    await row.getByRole("link", { name: "1 × updateResource failure 409" }).click();
    await shows(page, "1 of 2 requests");
  });

  test("of all projects leads to those with unexpected failures", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id", stale);
    const page = await browser.open(`${mock.url}/__admin/ui#/all/overview`);
    await page.getByRole("region", { name: "Unexpected failures" }).getByText(project).click();
    await page.getByRole("region", { name: /^Request / }).waitFor();
  });
});
