import { expect, test } from "vitest";
import type { RequestEntry } from "../../src/journal/entry.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { run } from "../setup/run.ts";
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

    await page.getByRole("navigation", { name: "Projects" }).getByRole("link", { name: project }).click();
    await showsNo(page, /another-id/);
    await shows(page, /my-id/);
    expect(await page.title()).toContain(project);
  });

  test("an open request shows the decisions and violations behind its response", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id", json("POST", { version: "one", actions: [] }));
    const page = await browser.open(dashboardOf(mock, project));
    await page.getByRole("link", { name: /POST/ }).click();

    const details = page.getByRole("region", { name: /^Request / });
    await details.getByText("no Authorization header, which lenient allows").waitFor();
    await details
      .getByText(/\/version: expected/)
      .first()
      .waitFor();
    expect(await details.locator("pre:not(.command)").allTextContents()).toEqual([
      expect.stringContaining('"version": "one"'),
      expect.stringContaining('"statusCode": 400'),
    ]);
    // The URL of the open request works in another tab.
    const other = await browser.open(page.url());
    await other.getByRole("heading", { name: "Contract violations" }).waitFor();
    await details.getByRole("link", { name: "Close this request" }).click();
    await details.waitFor({ state: "detached" });
  });

  test("the curl command of an open request sends the request again", async () => {
    const project = newProject();
    const value = `it's "50 %" & more`;
    const query = `?objectParameter=${encodeURIComponent('{"a":"b c"}')}&queryParameterTwo=${encodeURIComponent(value)}`;
    await mock.resource(project, `/images?filename=${encodeURIComponent(value)}`, {
      method: "POST",
      body: new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0]),
      headers: { "Content-Type": "image/jpeg" },
    });
    await mock.resource(project, "", json("POST", { objectTypeProperty: {}, value }, { Prefer: "code=400" }));
    await mock.resource(project, `/key=${encodeURIComponent(value)}`, { method: "HEAD" });
    await mock.resource(project, query);
    const requestsSent = async () => {
      const { body } = await inProject<{ requests: RequestEntry[] }>(mock, project, "GET", "/requests");
      return body.requests.reverse();
    };
    const essence = ({ request: { headers, ...request }, response }: RequestEntry) => ({
      ...request,
      type: headers["content-type"],
      preference: headers.prefer,
      status: response.status,
    });
    const first = await requestsSent();

    const page = await browser.open(`${mock.url}/__admin/ui`);
    for (const { id } of first) {
      await page.goto(dashboardOf(mock, project, `requests/${id}`));
      const details = page.getByRole("region", { name: `Request ${id}` });
      await details.getByText("curl command").click();
      await run("sh", ["-c", (await details.locator(".command").textContent()) ?? ""]);
    }
    expect((await requestsSent()).slice(first.length).map(essence)).toEqual(first.map(essence));
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
    await page.getByRole("link", { name: "GET /resource/my-id" }).waitFor();
  });

  test("markup in a request appears as text", async () => {
    const project = '<img src=x onerror="window.hacked=1">';
    const markup = "</script><script>window.hacked=1</script>";
    await mock.resource(project, `/${encodeURIComponent(markup)}?a=${encodeURIComponent(markup)}`, {
      headers: { "X-Markup": markup },
    });
    await mock.resource(project, "", json("POST", { objectTypeProperty: {}, [markup]: markup }));
    const page = await browser.open(dashboardOf(mock, project));
    await shows(page, project);
    await page.getByRole("link", { name: /POST/ }).click();
    await page.getByText(markup).first().waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
  });

  test("the search field opens a new project by its key", async () => {
    const project = newProject();
    const page = await browser.open(`${mock.url}/__admin/ui`);
    const search = page.getByRole("searchbox", { name: "Find or open a project" });
    await search.fill(project);
    await search.press("Enter");
    await shows(page, new RegExp(`curl ${mock.url}/${project}/resource/my-id`));
  });
});
