// @module-tag browser
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { dashboardOf, isLive } from "./dashboards.ts";

describeWithBrowser("the history of changes on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();
  const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
  const toasts = (page: Page) => page.getByRole("status", { name: "Messages" });
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  /** Updates the resource `shirt`, and returns the id of the request. */
  async function update(project: string, version: number, someProperty: string): Promise<string> {
    const actions = [{ action: "changeSomeProperty", someProperty }];
    const response = await mock.resource(project, "/shirt", json("POST", { version, actions }));
    await response.arrayBuffer();
    return response.headers.get("Mock-Request-Id") ?? "";
  }

  /** Updates `shirt` twice, and opens the second update: from version 2, cotton, to version 3, silk. */
  async function openUpdate() {
    const project = newProject();
    const first = await update(project, 1, "cotton");
    const second = await update(project, 2, "silk");
    const page = await browser.open(dashboardOf(mock, project, `requests/${second}?tab=changes`));
    await isLive(page);
    await region(page, "What it changed").waitFor();
    return { project, first, second, page };
  }

  async function stored(project: string): Promise<unknown> {
    return (await inProject<{ someProperty?: string }>(mock, project, "GET", "/resources/shirt")).body.someProperty;
  }

  test("a request shows what it changed, with the difference and a link to the resource", async () => {
    const { page, project, first } = await openUpdate();
    const changes = region(page, "What it changed");
    await changes.getByText("shirt 2 → 3").waitFor();
    await changes.getByText('"someProperty": "silk"').waitFor();
    await changes.getByRole("link", { name: "shirt" }).click();
    await region(page, "Item shirt").waitFor();

    await page.goto(dashboardOf(mock, project, `requests/${first}?tab=changes`));
    await changes.getByText("shirt created").waitFor();
    await changes.getByText("shirt 1 → 2").waitFor();
    const stale = await mock.resource(project, "/shirt", json("POST", { version: 9, actions: [] }));
    await page.goto(dashboardOf(mock, project, `requests/${stale.headers.get("Mock-Request-Id")}?tab=changes`));
    await page.getByText("This request changed nothing.").waitFor();
  });

  test("a cut value is marked, and the reason says why the state before it cannot be restored", async () => {
    const project = newProject();
    const created = await mock.resource(
      project,
      "",
      json("POST", { objectTypeProperty: {}, text: "x".repeat(70_000) }),
    );
    const page = await browser.open(
      dashboardOf(mock, project, `requests/${created.headers.get("Mock-Request-Id")}?tab=changes`),
    );
    const changes = region(page, "What it changed");
    await changes.getByText(/the history keeps only the start of this value, which has 70,\d+ characters/).waitFor();
    await button(page, "Rewind to before").click();
    await changes
      .getByRole("alert")
      .getByText(/^Not rewindable: .*so no earlier state can be restored/)
      .waitFor();
  });

  test("the state before a request is restored, and restored back", async () => {
    const { page, project } = await openUpdate();
    await button(page, "Rewind to before").click();
    await toasts(page).getByText(`Rewound to before POST /${project}/resource/shirt`).waitFor();
    expect(await stored(project)).toBe("cotton");
    await toasts(page).getByRole("button", { name: "Undo" }).click();
    await toasts(page).getByText("Undone").waitFor();
    expect(await stored(project)).toBe("silk");
  });

  test("a resource shows its versions, who wrote them and their differences; a rewind adds one", async () => {
    const { page, project, second } = await openUpdate();
    await page.goto(dashboardOf(mock, project, "state/shirt"));
    await page.getByRole("link", { name: "History", exact: true }).click();
    const versions = page.getByRole("list", { name: "Versions" }).getByRole("listitem");
    await expect.poll(() => versions.count()).toBe(3);
    await versions.first().getByText("Difference").click();
    await versions.first().getByText('"someProperty": "silk"').waitFor();
    await inProject(mock, project, "POST", `/requests/${second}/rewind`);
    await versions
      .first()
      .getByText(/^Version 2 .* by the control API$/)
      .waitFor();
    await page.getByRole("link", { name: "Item", exact: true }).click();
    const editor = page.getByRole("textbox", { name: "Item as JSON" });
    await expect.poll(() => editor.inputValue()).toContain('"cotton"');
    await page.goBack();
    await versions
      .nth(1)
      .getByRole("link", { name: `POST /${project}/resource/shirt` })
      .click();
    await region(page, `Request ${second}`).waitFor();
  });

  test("the reason for a conflict links to the request that wrote the stored version", async () => {
    const { page, project, second } = await openUpdate();
    const stale = await update(project, 2, "wool");
    await page.goto(dashboardOf(mock, project, `requests/${stale}`));
    const reason = page.getByText(/^the client sent version 2; version 3 was written \d+ ms earlier by request/);
    await reason.getByRole("link", { name: `request ${second}` }).click();
    await region(page, `Request ${second}`).waitFor();
    await page.goBack();
    await reason.getByRole("link", { name: "version 3" }).click();
    await region(page, "Item shirt").waitFor();
  });

  test("long values that differ in one line are compared at once, and show that line", async () => {
    const project = newProject();
    const write = (last: number) => {
      const numbers = [...Array(9000).fill(1), last];
      return inProject(mock, project, "PUT", "/resources/long", { objectTypeProperty: { arrayOfIntExample: numbers } });
    };
    await write(2);
    expect((await write(3)).status).toBe(200);
    const page = await browser.open(dashboardOf(mock, project, "data/long?tab=history"));
    await page.getByText("Difference", { exact: true }).first().click();
    const lines = page.getByRole("list", { name: "Differences of the value" }).getByRole("listitem");
    const changed = async () =>
      (await lines.allTextContents()).filter((line) => /^(Added|Removed): . +[23]$/.test(line));
    await expect.poll(changed).toHaveLength(2);
    expect(await lines.count()).toBeLessThan(30);
  });
});
