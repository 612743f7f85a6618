/* What people do on the dashboard, on any contract: ten jobs, by what they see. */

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StartedResourceMock, startResourceMock } from "../../src/index.ts";
import { useBrowser } from "../setup/browser.ts";
import { newProject } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { isLive, openProjects, shows } from "./dashboards.ts";

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** A request that the service refuses with this status, and why. */
interface Refused extends Sent {
  readonly status: number;
  readonly reason: RegExp;
}

/** A service, and requests to it. Paths are below the project. */
export interface Service {
  readonly contract?: string;
  /** Requests that must succeed before the others. */
  readonly before: readonly Sent[];
  readonly read: Sent;
  readonly readId: string;
  /** A change that succeeds, a bad request, and a request that the stored items conflict with. */
  readonly change: Sent;
  readonly bad: Refused;
  readonly conflict: Refused;
  /** The operation that creates, the parameters of its path, and a body. */
  readonly create: { readonly id: string; readonly path: Readonly<Record<string, string>>; readonly body: object };
  /** What the item view shows of the changed item, before and after the change. */
  readonly item: { readonly type: string; readonly id: string; readonly before: string; readonly after: string };
  readonly upload: { readonly id: string; readonly path: Readonly<Record<string, string>>; readonly query?: object };
}

/** A PNG with one pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Tests ten jobs on the dashboard of this service. */
export function describeJobs(name: string, service: Service): void {
  const { contract, before, read, readId, change, bad, conflict, create, item, upload } = service;
  describeWithBrowser(`ten jobs on the dashboard of ${name}`, () => {
    const browser = useBrowser();
    let mock: StartedResourceMock;
    beforeAll(async () => {
      mock = await startResourceMock({ ...(contract && { contract }), settings: { journalSize: 5000 } });
    });
    afterAll(() => mock.close());

    const send = async (project: string, { method, path, body }: Sent) => {
      const init = body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
      const response = await mock.fetch(`/${project}${path}`, { method, ...init });
      await response.arrayBuffer();
      return { status: response.status, id: response.headers.get("Mock-Request-Id") ?? "" };
    };
    const filled = async () => {
      const project = newProject();
      for (const each of before) expect((await send(project, each)).status).toBeLessThan(300);
      return project;
    };
    const open = async (project: string, fragment = "requests") => {
      const page = await browser.open(`${mock.url}/__admin/ui#/projects/${project}/${fragment}`);
      await isLive(page);
      return page;
    };
    const view = (page: Page, title: string) =>
      page
        .getByRole("navigation", { name: /^Views of / })
        .getByRole("link", { name: title, exact: true })
        .click();
    const button = (page: Page, label: string) => page.getByRole("button", { name: label, exact: true });
    const toast = (page: Page, text: RegExp) => page.getByLabel("Messages").getByText(text).first().waitFor();
    const rows = (page: Page) => page.getByRole("list", { name: "Requests" }).getByRole("link");
    const details = (page: Page) => page.getByRole("region", { name: /^Request / });
    const openOperation = async (page: Page, id: string, path: Readonly<Record<string, string>>) => {
      await view(page, "API");
      await page.getByRole("searchbox", { name: "Search operations" }).fill(id);
      await page.getByRole("searchbox", { name: "Search operations" }).press("ArrowDown");
      await page.keyboard.press("Enter");
      await button(page, "Send").waitFor();
      for (const [parameter, value] of Object.entries(path))
        await page
          .getByRole("textbox", { name: new RegExp(`^${parameter} path`) })
          .or(page.getByRole("combobox", { name: new RegExp(`^${parameter} path`) }))
          .fill(value);
    };
    const responds = (page: Page, status: number) =>
      page
        .getByRole("region", { name: "Response" })
        .getByRole("heading", { name: new RegExp(`^${status}\\b`) })
        .waitFor();

    test("finds out why one of 5,000 requests failed", async () => {
      const project = await filled();
      await send(project, bad);
      for (let count = 0; count < 4900; count++) await send(project, read);
      const page = await open(project);
      await page.getByRole("searchbox", { name: "Search requests" }).fill(String(bad.status));
      await expect.poll(() => rows(page).count()).toBe(1);
      await rows(page).click();
      await details(page).getByText(bad.reason).first().waitFor();
    });

    test("makes the next two reads fail with 503 after 2 seconds", async () => {
      const project = await filled();
      const page = await open(project, "mocks");
      const sentence = page.getByRole("region", { name: "New rule" });
      await sentence.getByRole("button", { name: /^Operation: / }).click();
      await page.getByRole("combobox", { name: "Operation" }).fill(readId);
      await page.keyboard.press("Enter");
      await sentence.getByRole("spinbutton", { name: "Number of requests" }).fill("2");
      await sentence.getByRole("combobox", { name: "Response" }).selectOption("503");
      await sentence.getByRole("spinbutton", { name: "Delay in seconds" }).fill("2");
      await button(page, "Add rule").click();
      await shows(page, "0 of 2 used");
      const { rules } = mock.project(project);
      const [added] = await rules.list();
      expect(added?.rule).toMatchObject({ operation: readId, times: 2, latency: { fixed: 2000 } });
      expect((await send(project, read)).status).toBe(503);
      await shows(page, "1 of 2 used");
    });

    test("creates an item, changes it, and meets a conflict", async () => {
      const project = await filled();
      const page = await open(project);
      await openOperation(page, create.id, create.path);
      await page.getByRole("textbox", { name: "Body" }).fill(JSON.stringify(create.body));
      await button(page, "Send").click();
      await responds(page, 201);
      expect((await send(project, change)).status).toBeLessThan(300);
      const refused = await send(project, conflict);
      expect(refused.status).toBe(conflict.status);
      await page.goto(`${mock.url}/__admin/ui#/projects/${project}/requests/${refused.id}`);
      await details(page).getByText(conflict.reason).first().waitFor();
    });

    test("goes back to the state before a request", async () => {
      const project = await filled();
      const { id } = await send(project, change);
      const page = await open(project, `requests/${id}`);
      await details(page)
        .getByRole("link", { name: /^Changes/ })
        .click();
      await button(page, "Rewind to before").click();
      await toast(page, /^Rewound to before/);
      await page.goto(
        `${mock.url}/__admin/ui#/projects/${project}/data/${item.id}?type=${encodeURIComponent(item.type)}`,
      );
      const text = page.getByRole("textbox", { name: "Item as JSON" });
      await expect.poll(() => text.inputValue()).toContain(item.before);
      expect(await text.inputValue()).not.toContain(item.after);
    });

    test("shares a link to a request that is far down the list", async () => {
      const project = await filled();
      const { id } = await send(project, bad);
      for (let count = 0; count < 700; count++) await send(project, read);
      const page = await open(project, `requests/${id}`);
      await page.locator(`a[data-id="${id}"][aria-current]`).waitFor();
      await page.keyboard.press("k");
      await details(page).getByText(bad.reason).waitFor({ state: "hidden" });
      await page.keyboard.press("j");
      await details(page).getByText(bad.reason).first().waitFor();
      expect(page.url()).toContain(id);
    });

    test("says which scenario and which test caused failures", async () => {
      const project = await filled();
      const controls = mock.project(project);
      await controls.use("server-error", { times: 1 });
      expect((await send(project, read)).status).toBe(500);
      await send(project, bad);
      const verdict = await controls.verify({ match: { operation: readId }, count: 7 });
      expect(verdict.pass).toBe(false);
      const page = await open(project, "failures");
      await shows(page, /scenario server-error/);
      await shows(page, /exactly 7 requests/);
      await shows(page, bad.reason);
    });

    test("uploads a file", async () => {
      const project = await filled();
      const page = await open(project);
      await openOperation(page, upload.id, upload.path);
      for (const [parameter, value] of Object.entries(upload.query ?? {}))
        await page.getByRole("textbox", { name: new RegExp(`^${parameter} query`) }).fill(value);
      await page
        .getByLabel("File", { exact: true })
        .setInputFiles({ name: "a.png", mimeType: "image/png", buffer: pixel });
      await button(page, "Send").click();
      await page.getByRole("region", { name: "Response" }).getByRole("heading", { name: /^20\d/ }).waitFor();
    });

    test("edits a rule as JSON, with the mistakes that the mock finds", async () => {
      const project = await filled();
      const controls = mock.project(project);
      const { id } = await controls.rule({ operation: readId, respond: { status: 500 } });
      const page = await open(project, "mocks");
      await page.getByRole("link", { name: `Edit ${id}` }).click();
      const text = page.getByRole("textbox", { name: "JSON" });
      const json = await text.inputValue();
      await text.fill(json.replace("500", "1"));
      await page
        .getByRole("alert")
        .getByText(/^Line \d+/)
        .waitFor();
      await text.fill(json.replace("500", "503"));
      await button(page, "Replace rule").click();
      await toast(page, /replaces/);
      expect((await send(project, read)).status).toBe(503);
    });

    test("compares a request with another one", async () => {
      const project = await filled();
      await send(project, read);
      await mock.project(project).use("server-error", { times: 1 });
      const { id } = await send(project, read);
      const page = await open(project, `requests/${id}`);
      await details(page).getByRole("link", { name: "Compare" }).click();
      const differences = page.getByRole("region", { name: "Differences" });
      const lines = differences.getByRole("list", { name: "Differences of Status" }).getByRole("listitem");
      await expect.poll(() => lines.allTextContents()).toEqual(["Removed: - 200", "Added: + 500"]);
    });

    test("exports a project, and imports it elsewhere", async () => {
      const [project, other] = [await filled(), newProject()];
      const page = await open(project, "data");
      const download = page.waitForEvent("download");
      await button(page, "Export").click();
      const buffer = await readFile(await (await download).path());
      const { panel, search } = await openProjects(page);
      await search.fill(other);
      await panel.getByRole("option", { name: `New project “${other}”` }).click();
      await view(page, "Data");
      const chooser = page.waitForEvent("filechooser");
      await button(page, "Import").click();
      await (await chooser).setFiles({ name: "a.ndjson", mimeType: "", buffer });
      await toast(page, /^Restored the project from a\.ndjson/);
      expect((await send(other, read)).status).toBe(200);
    });
  });
}
