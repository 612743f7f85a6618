// @module-tag browser
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { allProjectsViews, projectViews, routeOf, titles } from "../../src/page/dashboard/route.ts";
import { appearances, expectAccessible, setAppearance } from "../setup/axe.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { isLive, shows, update } from "./dashboards.ts";

/** Texts that set a variable if a browser runs them, that change the text around them, or that widen the page. */
const hostile = {
  marks: `"><img src=x onerror="window.hacked=1"></script><script>window.hacked=1</script>
{{constructor.constructor('window.hacked=1')()}} \u202Egnp.exe\u2066\u200B\uFEFF bell\u0007 escape\u001B[31m null\\u0000`,
  prototype: "__proto__",
  long: `javascript:window.hacked=1//${"W".repeat(3000)}`,
};

/** Fills a project with requests, scenarios, rules, resources, images, snapshots, settings and tokens. */
async function fill(mock: MockUnderTest, project: string, text: string): Promise<void> {
  const call = async (method: string, path: string, body?: unknown) => {
    const { status, body: response } = await inProject(mock, project, method, path, body);
    expect(status, `${method} ${path}: ${JSON.stringify(response).slice(0, 500)}`).toBeLessThan(300);
  };
  const short = text.slice(0, 200);
  await call("POST", "/resources", { key: short, objectTypeProperty: { [text]: text }, value: text });
  await mock.resource(project, "/my-id");
  await update(mock, project, "my-id", 1);
  await update(mock, project, "other-id", 1);
  await mock.resource(project, `/my-id?expand=${encodeURIComponent(short)}`, {
    headers: { "X-Text": encodeURIComponent(short), Authorization: "Bearer invalid token" },
  });
  await mock.resource(project, `/${encodeURIComponent(short)}`, json("POST", { version: 1, [text]: text }));
  await mock.resource(project, `/key=${encodeURIComponent(short)}`);
  const jpeg = { method: "POST", headers: { "Content-Type": "image/jpeg" }, body: new Uint8Array([0xff, 0xd8, 0xff]) };
  await mock.resource(project, `/images?filename=${encodeURIComponent(short)}`, jpeg);
  await call("PUT", "/scenarios/not-found", { times: 3, probability: 0.5 });
  await call("PUT", "/scenarios/inline", {
    rules: [{ operation: "deleteResource", when: { headers: { "x-text": text } }, respond: { status: 500 } }],
  });
  await call("POST", "/rules", { operation: "getCart", respond: { status: 404 }, times: 2 });
  await call("POST", "/snapshots", { name: text.slice(0, 100) });
  await call("PATCH", "/settings", { auth: "off", latency: { uniform: [0, 1] }, rateLimit: { limit: 900, window: 9 } });
  await call("POST", "/tokens", { clientId: short, expiresIn: 100 });
}

/** Waits until nothing on the page is loading. */
async function hasLoaded(page: Page): Promise<void> {
  await isLive(page);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
  await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
}

/** Opens a fragment in an open page. */
async function go(page: Page, fragment: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, fragment);
  await page.getByRole("heading", { level: 1, name: titles[routeOf(fragment).view] }).waitFor();
  if (/^#\/(all\/requests\/.|projects\/[^/]+\/(requests|data)\/.)/.test(fragment))
    await page.locator(".pane.item").waitFor();
  await hasLoaded(page);
}

describeWithBrowser("every view of the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();
  const viewsOf = async (project: string) => {
    const key = encodeURIComponent(project);
    const { body } = await inProject<{ requests: { id: string }[] }>(mock, project, "GET", "/requests");
    const [first, second, third, ...others] = body.requests.map(({ id }) => id);
    const ofProject = [
      ...projectViews,
      `requests/${first}?compare=${second}`,
      `requests/${third}`,
      // The update of my-id, with what it changed.
      `requests/${others.at(-2)}?tab=changes`,
      `requests/${third}?tab=request`,
      `requests/${third}?tab=response`,
      `requests/${third}?tab=compare`,
      "requests?q=nothing-has-this-text",
      "mocks?scenario=flaky",
      "mocks?rule=new",
      "data?type=Image",
      "data?part=snapshots",
      "data?type=NamespaceAction",
      "data/my-id",
      "data/my-id?tab=history",
      "data/none",
      "api/getResourceById",
      `api?request=${first}`,
    ];
    return [
      ...allProjectsViews.map((view) => `#/all/${view}`),
      `#/all/requests/${key}/${second}`,
      ...ofProject.map((view) => `#/projects/${key}/${view}`),
    ];
  };

  describe.each(appearances)("in $colorScheme colours, $width px wide", (appearance) => {
    // Two dozen views, each of which axe reads.
    test("is accessible, and never wider than the window", { timeout: 180_000 }, async () => {
      const project = newProject();
      await fill(mock, project, "a value");
      const page = await browser.open(`${mock.url}/__admin/ui`);
      await setAppearance(page, appearance);
      for (const view of await viewsOf(project)) {
        await go(page, view);
        await accessible(page, view);
      }
    });

    test("dialogs, forms, lists, messages and errors are accessible", async () => {
      const project = newProject();
      await mock.resource(project, "/my-id");
      const stale = await mock.resource(project, "/my-id", json("POST", { version: 9, actions: [] }));
      const page = await browser.open(`${mock.url}/__admin/ui`);
      const button = (name: string) => page.getByRole("button", { name, exact: true });
      const dialog = page.getByRole("dialog");
      const alert = page.getByRole("alert").first();
      await setAppearance(page, appearance);

      await go(page, `#/projects/${project}/requests/${stale.headers.get("Mock-Request-Id")}`);
      await button("Commands for this request").click();
      await accessible(page, "menu");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await dialog.getByRole("option").first().waitFor();
      await accessible(page, "palette");
      await page.keyboard.press("Escape");
      await go(page, `#/projects/${project}/requests`);
      await button("Filter").click();
      await accessible(page, "filter");
      await page.keyboard.press("Escape");
      await update(mock, project, "my-id", 1);
      const { body } = await inProject<{ requests: { id: string }[] }>(mock, project, "GET", "/requests?limit=1");
      await go(page, `#/projects/${project}/requests/${body.requests[0]?.id}?tab=changes`);
      await button("Rewind to before").click();
      await shows(page, /^Rewound to before/);
      await accessible(page, "rewound");

      await go(page, `#/projects/${project}/mocks?rule=new`);
      const rule = { when: { body: { version: 1 } }, respond: { headers: { "Content-Length": "1" } }, later: 1 };
      await page.getByRole("textbox", { name: "JSON", exact: true }).fill(JSON.stringify(rule));
      await button("Add rule").click();
      await alert.waitFor();
      await accessible(page, "rule with errors");

      await go(page, `#/projects/${project}/data`);
      for (const name of ["New Resource", "Copy from…"]) {
        await button(name).click();
        await dialog.last().waitFor();
        await accessible(page, name);
        await page.keyboard.press("Escape");
      }
      await go(page, `#/projects/${project}/data/my-id`);
      const editor = page.getByRole("textbox", { name: "Item as JSON" });
      await editor.fill("{");
      await button("Save").click();
      await alert.waitFor();
      await accessible(page, "invalid JSON");
      await update(mock, project, "my-id", 1);
      await shows(page, "Another client has changed this item meanwhile.");
      await accessible(page, "changed meanwhile");
      await page.getByRole("link", { name: "History", exact: true }).click();
      await page.getByText("Difference", { exact: true }).first().click();
      await accessible(page, "history");

      await go(page, `#/projects/${project}/settings`);
      await page.keyboard.press("Control+k");
      await dialog.waitFor();
      await accessible(page, "palette");
      await page.keyboard.press("Escape");
      await go(page, "#/all/requests");
      await button("Commands for all projects").click();
      await page.getByRole("menuitem").waitFor();
      await accessible(page, "menu");
      await page.keyboard.press("Escape");
      await go(page, `#/projects/${project}/settings`);
      await page.keyboard.press("p");
      await page.getByRole("combobox", { name: "Find or open a project" }).waitFor();
      await accessible(page, "projects");
      await page.keyboard.press("Escape");
      await page.getByRole("spinbutton", { name: "journalSize" }).fill("-1");
      await page.getByRole("spinbutton", { name: "journalSize" }).press("Enter");
      await alert.waitFor();
      await button("Issue a token").click();
      await shows(page, "The token is issued");
      await accessible(page, "errors and messages");
      await inProject(mock, project, "DELETE", "");
      await shows(page, "This project was deleted.");
      await accessible(page, "deleted");
    });

    test("the form for the admin token is accessible", async () => {
      const guarded = await startResourceMock({ adminToken: "sesame" });
      try {
        const page = await browser.open(`${guarded.url}/__admin/ui`);
        await setAppearance(page, appearance);
        await page.getByLabel("Admin token").press("Enter");
        await page.getByRole("alert").waitFor();
        await accessible(page, "sign-in");
      } finally {
        await guarded.close();
      }
    });
  });

  test.each(Object.entries(hostile))(
    "shows hostile text (%s) as text, and is never wider than the window",
    async (_, text) => {
      const project = `${newProject()} ${text.slice(0, 200)}`;
      await fill(mock, project, text);
      const page = await browser.open(`${mock.url}/__admin/ui`);
      for (const view of await viewsOf(project)) {
        await go(page, view);
        for (const appearance of appearances) {
          await setAppearance(page, appearance);
          // The page changes its layout a moment after its width.
          const isWider = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
          await expect.poll(isWider, { message: view }).toBe(false);
          expect([view, await page.evaluate("globalThis.hacked")]).toEqual([view, undefined]);
        }
      }
      expect(await page.locator("main img[src=x]").count()).toBe(0);
    },
  );
});

/** Expects no problems, and names the view in the error. */
async function accessible(page: Page, view: string): Promise<void> {
  await expectAccessible(page).catch((error: unknown) => {
    throw new Error(`${view}: ${error instanceof Error ? error.message : error}`, { cause: error });
  });
}
