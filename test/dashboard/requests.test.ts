import { expect, test } from "vitest";
import type { RequestEntry } from "../../src/journal/entry.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { run } from "../setup/run.ts";
import { dashboardOf, isLive, shows, showsNo, update } from "./dashboards.ts";

describeWithBrowser("the dashboard shows requests", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  test("the server's root URL leads to the list of projects and to their requests", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    const page = await browser.open(`${mock.url}/`);

    const link = page.getByRole("link", { name: project });
    expect(await link.locator(".count").textContent()).toBe("1");
    await link.click();
    await page.getByRole("link", { name: "GET /resource/my-id" }).waitFor();
    expect(await page.title()).toContain(project);
  });

  test("past and new requests appear, newest first", async () => {
    const project = newProject();
    await mock.resource(project, "/before");
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    await shows(page, /before/);
    await mock.resource(project, "/after?expand=x");
    await shows(page, /after\?expand=x/);

    const rows = await page.locator("tbody tr").allTextContents();
    expect(rows).toEqual([expect.stringContaining("/after"), expect.stringContaining("/before")]);
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

  test("a filter selects requests by words or by contract violations", async () => {
    const project = newProject();
    await update(mock, project, "my-id", 1);
    await mock.resource(project, "/another-id");
    await mock.resource(project, "/my-id", json("POST", {}));
    const page = await browser.open(dashboardOf(mock, project));
    const rows = page.locator("tbody tr");
    await rows.nth(2).waitFor();

    await page.getByRole("searchbox", { name: "Filter requests" }).fill("post 200");
    await rows.nth(1).waitFor({ state: "detached" });
    expect(await rows.allTextContents()).toEqual([expect.stringMatching(/POST.*my-id.*200/)]);

    await page.getByRole("searchbox", { name: "Filter requests" }).fill("");
    await page.getByRole("checkbox", { name: "contract violations only" }).check();
    await rows.nth(1).waitFor({ state: "detached" });
    expect(await rows.allTextContents()).toEqual([expect.stringMatching(/POST.*my-id.*400/)]);

    await page.getByRole("searchbox", { name: "Filter requests" }).fill("nowhere");
    await shows(page, "No request matches the filter.");
  });

  test("requests disappear after a clear and after a reset of the project", async () => {
    const project = newProject();
    await mock.resource(project, "/first");
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    await shows(page, /first/);
    await page.getByRole("button", { name: "Clear" }).click();
    await showsNo(page, /resource\/first/);

    await mock.resource(project, "/second");
    await shows(page, /second/);
    mock.engine.resetProject(project);
    await showsNo(page, /resource\/second/);
    await shows(page, "No requests yet");
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
