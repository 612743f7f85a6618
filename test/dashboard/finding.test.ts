// @module-tag browser
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, shows, update } from "./dashboards.ts";

/** The rendered rows of the request list. */
const rowsOf = (page: Page) => page.getByRole("list", { name: "Requests" }).getByRole("listitem");

/** Sends GET requests with the ids `{prefix}0`, `{prefix}1`, …, one after the other. */
async function send(mock: MockUnderTest, project: string, prefix: string, count: number): Promise<void> {
  for (let number = 0; number < count; number++) await mock.resource(project, `/${prefix}${number}`);
}

describeWithBrowser("finding requests on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  test("one 409 among the requests of many projects is found in three actions, and explained", async () => {
    const projects = Array.from({ length: 20 }, newProject);
    for (const project of projects) await send(mock, project, "id-", 20);
    const failing = projects[7] as string;
    const stale = { version: 9, actions: [{ action: "changeSomeProperty", someProperty: "linen" }] };
    expect((await mock.resource(failing, "/my-id", json("POST", stale))).status).toBe(409);
    await send(mock, projects[9] as string, "409-", 20);

    const page = await browser.open(`${mock.url}/`);
    await page.getByRole("searchbox", { name: "Search requests" }).fill("409");
    // As a text, 409 would also find the ids.
    await shows(page, "1 of 421 requests");
    await rowsOf(page).getByText("the client sent version 9, the stored version is 1").waitFor();
    await rowsOf(page).getByRole("link").click();
    const details = page.getByRole("region", { name: /^Request / });
    await details.getByText("the client sent version 9, the stored version is 1").waitFor();
    // The list of projects begins with those that have failed requests.
    await page.getByRole("button", { name: /^Project: / }).click();
    const first = page.getByRole("option").nth(1);
    expect(await first.textContent()).toContain(failing);
  });

  test("the search finds texts in paths and bodies", async () => {
    const project = newProject();
    await mock.resource(project, "", json("POST", { key: "shirt-409", objectTypeProperty: {} }));
    await update(mock, project, "my-id", 1);
    const page = await browser.open(dashboardOf(mock, project));
    const search = page.getByRole("searchbox", { name: "Search requests" });
    await shows(page, "2 requests");

    const rows = () => rowsOf(page).allTextContents();
    await search.fill("LINEN");
    await expect.poll(rows).toEqual([expect.stringMatching(/200.*POST.*my-id/)]);
    await search.fill("shirt-409");
    await expect.poll(rows).toEqual([expect.stringMatching(/201.*POST/)]);
    await search.fill("nowhere");
    await shows(page, "No matching requests.");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await shows(page, "2 requests");
    expect(await search.inputValue()).toBe("");
  });

  test("the filters are in the URL: a link has them, and the back button restores them", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    await mock.resource(project, "/my-id", json("POST", { version: "one" }));
    await mock.resource(project, "", { method: "HEAD" });
    await inProject(mock, project, "PUT", "/scenarios/connection-reset");
    await expect(mock.resource(project, "/my-id")).rejects.toThrow();
    const page = await browser.open(dashboardOf(mock, project));
    const button = (name: string) => page.getByRole("button", { name });
    await button("4xx").click();
    await shows(page, "1 of 4 requests");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("button", { name: /^Operation: / }).click();
    await page.getByRole("combobox", { name: "Operation" }).fill("GET /resource/{id}");
    await page.getByRole("option", { name: /Get a resource by id/ }).click();
    await shows(page, "No matching requests.");

    const link = await browser.open(page.url());
    await shows(link, "No matching requests.");
    const text = page.getByRole("searchbox", { name: "Search requests" });
    expect(await text.inputValue()).toBe("status:4xx operation:getResourceById");
    await page.goBack();
    await shows(page, "1 of 4 requests");
    expect(await text.inputValue()).toBe("status:4xx");
    await button("4xx").click();
    await button("broken").click();
    await shows(page, "1 of 4 requests");
    await button("broken").click();
    await shows(page, "4 requests");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("combobox", { name: "Method" }).selectOption("HEAD");
    await shows(page, "1 of 4 requests");
  });

  test("a typed filter finds a status, a header, a decision, a rule and a change", async () => {
    const project = newProject();
    await inProject(mock, project, "POST", "/rules", { operation: "deleteResource", respond: { status: 404 } });
    await mock.resource(project, "/traced", { headers: { "X-Trace": "t 77" } });
    await mock.resource(project, "/my-id?version=1", { method: "DELETE" });
    await update(mock, project, "changed-id", 1);
    const page = await browser.open(dashboardOf(mock, project));
    await shows(page, "3 requests");
    const search = page.getByRole("searchbox", { name: "Search requests" });
    for (const [text, found] of [
      ["status:404", /404.*DELETE/],
      ['header:x-trace="t 77"', /traced/],
      ["x-trace lenient", /traced/],
      ["rule:r-1", /the rule r-1 responded/],
      ["changed:changed-id method:POST", /updated the resource to version 2/],
    ] as const) {
      await search.fill(text);
      await expect.poll(() => rowsOf(page).allTextContents()).toEqual([expect.stringMatching(found)]);
    }
    expect(await search.inputValue()).toBe("changed:changed-id method:POST");
    await page.getByRole("button", { name: "4xx" }).click();
    await expect.poll(() => search.inputValue()).toBe("status:4xx method:POST changed:changed-id");
  });

  test("a click right after typing keeps both conditions, and the search shows what applies", async () => {
    const project = newProject();
    await mock.resource(project, "/shirt");
    await mock.resource(project, "/shirt", json("POST", {}));
    await mock.resource(project, "/my-id", json("POST", {}));
    const page = await browser.open(dashboardOf(mock, project));
    await shows(page, "3 requests");
    const search = page.getByRole("searchbox", { name: "Search requests" });
    /** Types and clicks in one step of the page, before the typed text takes effect. */
    const typeAndClick = (text: string, label: string) =>
      search.evaluate(
        (input, [typed, button]) => {
          (input as HTMLInputElement).value = typed;
          input.dispatchEvent(new Event("input", { bubbles: true }));
          const buttons = [...document.querySelectorAll<HTMLButtonElement>("search button")];
          buttons.find(({ textContent, ariaLabel }) => [textContent, ariaLabel].includes(button))?.click();
        },
        [text, label] as const,
      );
    await typeAndClick("shirt", "4xx");
    await shows(page, "1 of 3 requests");
    expect(await search.inputValue()).toBe("status:4xx shirt");
    expect(new URL(page.url()).hash).toMatch(/\?status=4xx&q=shirt$|\?q=shirt&status=4xx$/);
    // The click removes the condition that was typed.
    await typeAndClick("status:4xx shirt status:2xx", "2xx");
    await expect.poll(() => search.inputValue()).toBe("status:4xx shirt");
    await typeAndClick("nowhere", "Clear filters");
    await shows(page, "3 requests");
    expect(await search.inputValue()).toBe("");
  });

  test("an invalid filter shows its error without the summary of the filter before", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id", json("POST", {}));
    const page = await browser.open(dashboardOf(mock, project));
    const strip = page.getByRole("img", { name: "1 request over time" });
    await strip.waitFor();
    await page.getByRole("searchbox", { name: "Search requests" }).fill("status:banana");
    await page.getByRole("alert").getByText("expected a status").waitFor();
    await strip.waitFor({ state: "detached" });
  });

  test("an invalid filter in a link shows the message of the mock", async () => {
    const page = await browser.open(`${dashboardOf(mock, newProject())}?status=often`);
    await page.getByRole("alert").getByText("expected a status").waitFor();
  });

  test("older requests are loaded at the end of the list, and only the visible rows are rendered", async () => {
    const project = newProject();
    await send(mock, project, "old-", 150);
    const page = await browser.open(dashboardOf(mock, project));
    await shows(page, "150 requests");
    const list = page.locator(".row-list");
    // A jump to the end loads the next page, until the oldest request is there.
    await expect
      .poll(async () => {
        await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return rowsOf(page).last().textContent();
      })
      .toMatch(/old-0(?!\d)/);
    expect(await rowsOf(page).last().getAttribute("aria-posinset")).toBe("150");
    expect(await rowsOf(page).count()).toBeLessThan(100);
  });

  test("no row moves while the pointer is on the list, or while the list is paused or scrolled", async () => {
    const project = newProject();
    await send(mock, project, "first-", 100);
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    const row = rowsOf(page).nth(5);
    await row.hover();
    const under = () =>
      page.evaluate(() => document.querySelector(".row-list a:hover")?.textContent ?? "no row under the pointer");
    expect(await under()).toContain("first-94");
    await send(mock, project, "second-", 14);
    await page.getByRole("button", { name: "14 new requests" }).waitFor();
    expect(await under()).toContain("first-94");
    await row.click();
    await page.getByRole("heading", { name: /first-94/, level: 2 }).waitFor();
    await page.getByRole("button", { name: "14 new requests" }).click();
    await rowsOf(page).first().getByText("second-13").waitFor();
    await page.keyboard.press("Escape");
    await page.mouse.move(0, 0);

    await page.getByRole("button", { name: "Pause" }).click();
    await send(mock, project, "third-", 1);
    await page.getByRole("button", { name: "1 new request" }).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await rowsOf(page).first().getByText("third-0").waitFor();

    const list = page.locator(".row-list");
    await list.evaluate((element) => element.scrollTo(0, 1000));
    await send(mock, project, "fourth-", 3);
    await page.getByRole("button", { name: "3 new requests" }).waitFor();
    await list.evaluate((element) => element.scrollTo(0, 0));
    await rowsOf(page).first().getByText("fourth-2").waitFor();
  });

  test("a clear and a reset empty the list, also while a request is open; a clear can be undone", async () => {
    const project = newProject();
    await mock.resource(project, "/first");
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    await rowsOf(page).getByRole("link").click();
    await page.getByRole("heading", { name: /first/, level: 2 }).waitFor();
    await page.getByRole("button", { name: "Commands for these requests" }).click();
    await page.getByRole("menuitem", { name: "Clear the requests" }).click();
    await shows(page, "No requests yet");
    await page.getByRole("button", { name: "Undo" }).click();
    await rowsOf(page).getByText(/first/).waitFor();

    await page.keyboard.press("Escape");
    await page.mouse.move(0, 0);
    await mock.resource(project, "/second");
    await rowsOf(page)
      .getByText(/second/)
      .waitFor();
    await inProject(mock, project, "POST", "/reset");
    await shows(page, "No requests yet");
  });

  test("the keys J, K, Escape and / move through the requests", async () => {
    const project = newProject();
    await send(mock, project, "id-", 3);
    const page = await browser.open(dashboardOf(mock, project));
    await rowsOf(page).nth(2).waitFor();
    for (const [key, id] of [
      ["j", /id-2/],
      ["j", /id-1/],
      ["k", /id-2/],
    ] as const) {
      await page.keyboard.press(key);
      await page.getByRole("heading", { name: id, level: 2 }).waitFor();
    }
    // The focus follows: to the row, with Enter to the request, and back to the row.
    const focused = page.locator(":focus");
    await expect.poll(() => focused.textContent()).toContain("id-2");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused.getAttribute("aria-label")).toMatch(/^Request /);
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: /id-2/, level: 2 }).waitFor({ state: "detached" });
    await expect.poll(() => focused.textContent()).toContain("id-2");
    await page.keyboard.press("/");
    await page.keyboard.type("id-0");
    await shows(page, "1 of 3 requests");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /id-0/, level: 2 }).waitFor();
  });

  test("the arrow down leads from the search to the first row, and the Tab key in three stops", async () => {
    const project = newProject();
    await send(mock, project, "id-", 3);
    const page = await browser.open(dashboardOf(mock, project));
    await rowsOf(page).nth(2).waitFor();
    const focused = page.locator(":focus");
    await page.keyboard.press("/");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused.textContent()).toContain("id-2");
    await page.keyboard.press("/");
    await page.keyboard.press("Tab");
    expect(await focused.textContent()).toBe("2xx");
    await page.keyboard.press("End");
    expect(await focused.getAttribute("aria-label")).toBe("Commands for these requests");
    await page.keyboard.press("ArrowLeft");
    expect(await focused.getAttribute("aria-label")).toBe("Pause");
    await page.keyboard.press("Tab");
    expect(await focused.textContent()).toContain("id-2");
  });

  test("a link to an old request shows it among the rows around it, and new rows still arrive on top", async () => {
    const project = newProject();
    await send(mock, project, "old-", 700);
    const response = await mock.resource(project, "/wanted");
    const wanted = response.headers.get("Mock-Request-Id") ?? "";
    await send(mock, project, "new-", 300);
    const page = await browser.open(dashboardOf(mock, project, `requests/${wanted}`));
    const selected = page.locator(".row-list [aria-current=true]");
    await selected.getByText("/resource/wanted").waitFor();
    const isInView = () =>
      selected.evaluate((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        const list = row.closest(".row-list")?.getBoundingClientRect();
        return list !== undefined && top > list.top && bottom < list.bottom;
      });
    await expect.poll(isInView).toBe(true);
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: /old-699/, level: 2 }).waitFor();
    await page.keyboard.press("k");
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: /new-0/, level: 2 }).waitFor();
    await send(mock, project, "newest-", 1);
    await page.getByRole("button", { name: "1 new request" }).waitFor();
  });

  test("a click on a bar of the strip selects its time, and the button Clear filters takes that back", async () => {
    const project = newProject();
    await send(mock, project, "early-", 5);
    const page = await browser.open(dashboardOf(mock, project));
    const strip = page.getByRole("img", { name: "5 requests over time" });
    await strip.locator("g").first().click();
    await shows(page, /^\d of 5 requests/);
    expect(page.url()).toMatch(/from=.*&to=/);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await shows(page, "5 requests");
  });
});
