// @module-tag browser
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, shows } from "./dashboards.ts";

const stale = json("POST", { version: 9, actions: [] });

describeWithBrowser("the failures on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  test("are in groups by operation, status and reason, apart from those that a scenario caused", async () => {
    const project = newProject();
    for (const id of ["a", "b", "c"]) await mock.resource(project, `/${id}`, stale);
    await mock.resource(project, "/a", json("POST", { version: "one", actions: [] }));
    await inProject(mock, project, "PUT", "/scenarios/server-error", {});
    await mock.resource(project, "/a");
    const page = await browser.open(dashboardOf(mock, project, "failures"));
    await isLive(page);
    await shows(page, "4 unexpected");
    const groups = (title: string) => page.getByRole("list", { name: title, exact: true }).getByRole("link");
    expect(await groups("Unexpected failures").allTextContents()).toEqual([
      expect.stringMatching(/^3×409POST\/resource\/\{id\}the client sent version 9/),
      expect.stringMatching(/^1×400POST\/resource\/a/),
    ]);
    expect(await groups("Caused by scenario server-error").allTextContents()).toEqual([
      expect.stringMatching(/^1×500GET.*the scenario server-error responded/),
    ]);
    // A group leads to its requests, and a single failure to its request.
    await groups("Unexpected failures").first().click();
    await shows(page, "3 of 5 requests");
    await page.goBack();
    await groups("Caused by scenario server-error").click();
    await page
      .getByRole("region", { name: /^Request / })
      .getByText("the scenario server-error responded")
      .waitFor();
  });

  test("begin with failed verifications, which lead to requests and leave when they pass", async () => {
    const project = newProject();
    const verify = () =>
      inProject(mock, project, "POST", "/requests/verify", { match: { operation: "getResourceById" }, count: 2 });
    await mock.resource(project, "/my-id");
    const page = await browser.open(dashboardOf(mock, project, "failures"));
    await isLive(page);
    await shows(page, "No failures in 1 request.");
    await verify();
    await shows(page, "1 failed verification");
    const list = page.getByRole("list", { name: "Failed verifications" });
    await list.getByText("Expected exactly 2 requests to match, found 1 among 1 request.").waitFor();
    await list.getByText("Expected, and the nearest requests").click();
    await list.getByText('operation: "getResourceById"').waitFor();
    await list.getByRole("link").click();
    await shows(page, "1 of 1 request");
    await page.goBack();
    await mock.resource(project, "/my-id");
    await verify();
    await shows(page, "No failures in 2 requests.");
  });

  test("of all projects are in groups by project", async () => {
    const [project, other] = [newProject(), newProject()];
    await mock.resource(project, "/my-id", stale);
    await mock.resource(other, "/my-id");
    await inProject(mock, other, "POST", "/requests/verify", { match: { method: "DELETE" } });
    const page = await browser.open(`${mock.url}/__admin/ui#/all/failures`);
    const of = (key: string) => page.getByRole("region", { name: `Failures of ${key}` });
    await of(other).getByText("1 failed verification").waitFor();
    await of(other).getByRole("link", { name: other }).click();
    await of(other).getByText("Expected at least 1 request to match, found 0 among 1 request.").click();
    await page.getByRole("region", { name: /^Request / }).waitFor();
    await page.goBack();
    await page.goBack();
    await of(project)
      .getByRole("link", { name: /the client sent version 9/ })
      .click();
    await page.getByRole("region", { name: /^Request / }).waitFor();
  });
});
