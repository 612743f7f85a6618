import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive, shows, showsNo, update } from "./dashboards.ts";

/** The rendered rows of the request list. */
const rowsOf = (page: Page) => page.getByRole("list", { name: "Requests" }).getByRole("listitem");

/** Sends GET requests with the ids `{prefix}0`, `{prefix}1`, …, one after the other. */
async function send(mock: MockUnderTest, project: string, prefix: string, count: number): Promise<void> {
  for (let number = 0; number < count; number++) await mock.resource(project, `/${prefix}${number}`);
}

describeWithBrowser("finding requests on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  test("one 409 among 5,001 requests of 60 projects is found in three actions, and explained", async () => {
    const projects = Array.from({ length: 60 }, newProject);
    for (let number = 0; number < 5000; number++) {
      await mock.resource(projects[number % projects.length] as string, `/id-${number % 7}`);
      if (number === 2500) {
        const stale = { version: 9, actions: [{ action: "changeSomeProperty", someProperty: "linen" }] };
        expect((await mock.resource(projects[7] as string, "/my-id", json("POST", stale))).status).toBe(409);
      }
    }
    const page = await browser.open(`${mock.url}/`);
    await page.getByRole("searchbox", { name: "Search requests" }).fill("409");
    await shows(page, /^1 of [\d,]+ requests$/);
    expect(await rowsOf(page).count()).toBe(1);
    await rowsOf(page).getByRole("link").click();
    const details = page.getByRole("region", { name: /^Request / });
    await details
      .getByText(/expected 9, actual 1/)
      .first()
      .waitFor();
    // The list of projects begins with those that have failed requests.
    const first = page.getByRole("navigation", { name: "Projects" }).getByRole("link").nth(1);
    expect(await first.textContent()).toContain(projects[7]);
  });

  test("the search finds texts in paths and bodies, and a status among thousands of digits", async () => {
    const project = newProject();
    await mock.resource(project, "", json("POST", { key: "shirt-409", objectTypeProperty: {} }));
    await update(mock, project, "my-id", 1);
    await mock.resource(project, "/my-id", json("POST", { version: 1, actions: [] }));
    const page = await browser.open(dashboardOf(mock, project));
    const search = page.getByRole("searchbox", { name: "Search requests" });
    await shows(page, "3 requests");

    const rows = () => rowsOf(page).allTextContents();
    await search.fill("LINEN");
    await expect.poll(rows).toEqual([expect.stringMatching(/200.*POST.*my-id/)]);
    await shows(page, "1 of 3 requests");
    // As a text, 409 would also find the key.
    await search.fill("409");
    await expect.poll(rows).toEqual([expect.stringMatching(/409.*POST.*my-id/)]);
    await search.fill("shirt-409");
    await expect.poll(rows).toEqual([expect.stringMatching(/201.*POST/)]);
    await search.fill("nowhere");
    await shows(page, "No matching requests.");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await shows(page, "3 requests");
    expect(await search.inputValue()).toBe("");
  });

  test("the filters are in the URL: a link has them, and the back button restores them", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    await mock.resource(project, "/my-id", json("POST", { version: "one" }));
    await mock.resource(project, "", { method: "HEAD" });
    const page = await browser.open(dashboardOf(mock, project));
    await page.getByRole("button", { name: "4xx" }).click();
    await shows(page, "1 of 3 requests");
    await page.getByRole("combobox", { name: "Operation" }).selectOption("getResourceById");
    await shows(page, "No matching requests.");

    const link = await browser.open(page.url());
    await shows(link, "No matching requests.");
    expect(await link.getByRole("combobox", { name: "Operation" }).inputValue()).toBe("getResourceById");
    await page.goBack();
    await shows(page, "1 of 3 requests");
    expect(await page.getByRole("button", { name: "4xx" }).getAttribute("aria-pressed")).toBe("true");
    await page.getByRole("button", { name: "4xx" }).click();
    await page.getByRole("button", { name: "Violations" }).click();
    await shows(page, "1 of 3 requests");
    await page.getByRole("button", { name: "Violations" }).click();
    await page.getByRole("combobox", { name: "Method" }).selectOption("HEAD");
    await shows(page, "1 of 3 requests");
    // The methods are those of the contract.
    await page.getByRole("combobox", { name: "Method" }).selectOption("PATCH");
    await shows(page, "No matching requests.");
  });

  test("the list stays in its place while another filter is loading, and when nothing matches", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    await mock.resource(project, "/my-id", json("POST", { version: "one" }));
    const page = await browser.open(dashboardOf(mock, project));
    await page.getByRole("region", { name: "Requests over time" }).waitFor();
    // The names of operations and methods load later, into fields of a fixed width.
    await page.getByRole("option", { name: "PATCH" }).waitFor({ state: "attached" });
    const widths = (choices: Element[]) => choices.map((choice) => choice.clientWidth);
    expect(new Set(await page.locator(".filters select").evaluateAll(widths)).size).toBe(1);
    await page.evaluate(() => {
      const tops = new Set<number | undefined>();
      Object.assign(globalThis, { tops });
      const look = () => {
        tops.add(document.querySelector(".journal-bar")?.getBoundingClientRect().top);
        requestAnimationFrame(look);
      };
      look();
    });
    await page.getByRole("button", { name: "4xx" }).click();
    await shows(page, "1 of 2 requests");
    await page.getByRole("button", { name: "5xx" }).click();
    await page.getByRole("button", { name: "4xx" }).click();
    await shows(page, "No matching requests.");
    await page.getByRole("region", { name: "Requests over time" }).getByText("· 0 requests").waitFor();
    expect(await page.evaluate(() => (globalThis as unknown as { tops: Set<number> }).tops.size)).toBe(1);
  });

  test("the longest project key leaves space for the method and the path", async () => {
    const project = `${newProject()}-${"long".repeat(50)}`;
    await mock.resource(project, "/my-id");
    const page = await browser.open(`${mock.url}/__admin/ui#/all/requests?q=my-id`);
    const row = rowsOf(page).filter({ hasText: project });
    const [cell, method] = await Promise.all([
      row.locator(".row-request").boundingBox(),
      row.getByText("GET", { exact: true }).boundingBox(),
    ]);
    expect((method?.x ?? Number.NaN) + (method?.width ?? 0)).toBeLessThan((cell?.x ?? 0) + (cell?.width ?? 0) - 40);
  });

  test("shows a broken connection as a whole word, and selects by it", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    await inProject(mock, project, "PUT", "/scenarios/connection-reset");
    await expect(mock.resource(project, "/my-id")).rejects.toThrow();
    const page = await browser.open(dashboardOf(mock, project));
    await page.getByRole("button", { name: "broken" }).click();
    await shows(page, "1 of 2 requests");
    const status = rowsOf(page).locator(".row-status");
    expect(await status.textContent()).toBe("broken");
    expect(await status.evaluate((cell) => cell.scrollWidth - cell.clientWidth)).toBe(0);
  });

  test("an invalid filter in a link shows the message of the mock", async () => {
    const project = newProject();
    const page = await browser.open(`${dashboardOf(mock, project)}?status=often`);
    await page.getByRole("alert").getByText("expected a status").waitFor();
  });

  test("older requests are loaded at the end of the list, and only the visible rows are rendered", async () => {
    const project = newProject();
    await send(mock, project, "old-", 750);
    const page = await browser.open(dashboardOf(mock, project));
    await shows(page, "750 requests");
    const list = page.locator(".row-list");
    // Each jump to the end loads the next page, until the oldest request is there.
    await expect
      .poll(async () => {
        await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return rowsOf(page).last().textContent();
      })
      .toContain("old-0");
    expect(await rowsOf(page).last().getAttribute("aria-posinset")).toBe("750");
    expect(await rowsOf(page).count()).toBeLessThan(100);
    await showsNo(page, "Load older");
  });

  test("no row moves while the pointer is on the list; a button shows the new requests", async () => {
    const project = newProject();
    await send(mock, project, "first-", 40);
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    const row = rowsOf(page).nth(5);
    await row.hover();
    const under = () =>
      page.evaluate(() => document.querySelector(".row-list a:hover")?.textContent ?? "no row under the pointer");
    const before = await under();
    expect(before).toContain("first-34");

    await send(mock, project, "second-", 214);
    await page.getByRole("button", { name: "214 new requests" }).waitFor();
    expect(await under()).toBe(before);
    await row.click();
    await page.getByRole("heading", { name: /first-34/ }).waitFor();

    await page.getByRole("button", { name: "214 new requests" }).click();
    await rowsOf(page).first().getByText("second-213").waitFor();
  });

  test("the list holds still when it is paused or scrolled, and follows again", async () => {
    const project = newProject();
    await send(mock, project, "first-", 100);
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    await page.getByRole("button", { name: "Pause" }).click();
    await send(mock, project, "second-", 1);
    await page.getByRole("button", { name: "1 new request" }).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await rowsOf(page).first().getByText("second-0").waitFor();

    const list = page.locator(".row-list");
    await list.evaluate((element) => element.scrollTo(0, 1000));
    await page.mouse.move(0, 0);
    const top = await rowsOf(page).nth(20).textContent();
    await send(mock, project, "third-", 3);
    await page.getByRole("button", { name: "3 new requests" }).waitFor();
    expect(await rowsOf(page).nth(20).textContent()).toBe(top);
    await list.evaluate((element) => element.scrollTo(0, 0));
    await rowsOf(page).first().getByText("third-2").waitFor();
  });

  test("a clear and a reset empty the list, also while a request is open", async () => {
    const project = newProject();
    await mock.resource(project, "/first");
    const page = await browser.open(dashboardOf(mock, project));
    await isLive(page);
    await rowsOf(page).getByRole("link").click();
    await page.getByRole("heading", { name: /first/ }).waitFor();
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await page.getByRole("button", { name: "Delete requests" }).click();
    await shows(page, "No requests yet");

    await mock.resource(project, "/second");
    await rowsOf(page)
      .getByText(/second/)
      .waitFor();
    mock.engine.resetProject(project);
    await shows(page, "No requests yet");
  });

  test("the keys J, K, Escape and / move through the requests", async () => {
    const project = newProject();
    await send(mock, project, "id-", 3);
    const page = await browser.open(dashboardOf(mock, project));
    await rowsOf(page).nth(2).waitFor();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: /id-2/ }).waitFor();
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: /id-1/ }).waitFor();
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: /id-2/ }).waitFor();
    // The focus follows: to the row, with Enter to the request, and back to the row.
    const focused = page.locator(":focus");
    await expect.poll(() => focused.textContent()).toContain("id-2");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused.getAttribute("aria-label")).toMatch(/^Request /);
    await page.keyboard.press("Tab");
    await expect.poll(() => focused.getAttribute("aria-label")).toBe("Previous request (K)");
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: /id-2/ }).waitFor({ state: "detached" });
    await expect.poll(() => focused.textContent()).toContain("id-2");
    await page.keyboard.press("/");
    await page.keyboard.type("id-0");
    await shows(page, "1 of 3 requests");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /id-0/ }).waitFor();
  });

  test("a time that is selected in the strip filters the list", async () => {
    const project = newProject();
    await send(mock, project, "early-", 5);
    const page = await browser.open(dashboardOf(mock, project));
    const strip = page.getByRole("region", { name: "Requests over time" });
    await strip.getByText(/5 requests/).waitFor();

    const end = strip.getByRole("slider", { name: "End of the time" });
    await end.focus();
    await page.keyboard.press("Home");
    await shows(page, /^[1-5] of 5 requests$/);
    expect(page.url()).toMatch(/from=.*&to=/);
    // The back button skips the single steps.
    const before = await page.evaluate(() => history.length);
    for (let step = 0; step < 5; step++) await page.keyboard.press("ArrowRight");
    await expect.poll(() => end.inputValue()).toBe("5");
    expect(await page.evaluate(() => history.length)).toBe(before);
    await strip.getByRole("button", { name: "All times" }).click();
    await shows(page, "5 requests");

    const box = await strip.locator(".timeline-area").boundingBox();
    if (!box) throw new Error("the strip has no size");
    await page.mouse.move(box.x + box.width - 2, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 2, box.y + 10, { steps: 5 });
    await page.mouse.up();
    await shows(page, "5 of 5 requests");
  });

  test("on a phone, a request is a card of two lines, and the list begins on the first screen", async () => {
    const project = newProject();
    await send(mock, project, "a-rather-long-identifier-of-a-resource-", 3);
    const page = await browser.open(dashboardOf(mock, project));
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole("button", { name: "Filters" }).waitFor();
    const box = await rowsOf(page).first().boundingBox();
    expect(box?.y).toBeLessThan(500);
    expect(box?.height).toBe(56);
    await rowsOf(page).first().click();
    await page.getByRole("link", { name: "Close this request" }).click();
    await rowsOf(page).first().waitFor();
  });
});
