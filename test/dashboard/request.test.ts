// @module-tag browser
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { RequestEntry } from "../../src/control/client/types.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { run } from "../setup/run.ts";
import { dashboardOf, isLive, update } from "./dashboards.ts";

const stale = json("POST", { version: 9, actions: [{ action: "doSomeThing" }] });

describeWithBrowser("an open request", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  /** Sends a request, and returns its id in the journal. */
  async function send(project: string, path: string, init?: RequestInit): Promise<string> {
    const response = await mock.resource(project, path, init);
    await response.arrayBuffer();
    return response.headers.get("Mock-Request-Id") ?? "";
  }

  async function entryOf(project: string, id: string): Promise<RequestEntry> {
    return (await inProject<RequestEntry>(mock, project, "GET", `/requests/${id}`)).body;
  }

  async function newest(project: string): Promise<RequestEntry> {
    const { body } = await inProject<{ requests: RequestEntry[] }>(mock, project, "GET", "/requests?limit=1");
    return body.requests[0] as RequestEntry;
  }

  /** Opens a request, and waits until its details are shown. */
  async function open(project: string, id: string): Promise<{ page: Page; details: Locator }> {
    const page = await browser.open(dashboardOf(mock, project, `requests/${id}`));
    return { page, details: await detailsOf(page, id) };
  }

  async function detailsOf(page: Page, id: string): Promise<Locator> {
    const details = page.getByRole("region", { name: `Request ${id}` });
    await details.getByRole("heading", { level: 2 }).waitFor();
    return details;
  }

  const tab = (details: Locator, name: string) =>
    details.getByRole("navigation", { name: "Parts of the request" }).getByRole("link", { name });

  /** Clicks a button that copies, and returns the text in the clipboard. */
  async function copied(page: Page, name: string): Promise<string> {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Commands for this request" }).click();
    await page.getByRole("menuitem", { name, exact: true }).click();
    await page
      .getByRole("status", { name: "Messages" })
      .getByText(/^Copied/)
      .last()
      .waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  }

  test("says why in its first line, with a link to the resource", async () => {
    const project = newProject();
    await update(mock, project, "my-id", 1);
    const { page, details } = await open(project, await send(project, "/my-id", stale));
    await details.getByText("the client sent version 9, the stored version is 2").waitFor();
    await details.getByRole("link", { name: "the stored version" }).click();
    await page.getByRole("region", { name: "Item my-id" }).waitFor();
  });

  test("links to the scenario that responded, and is labelled off contract", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/scenarios/maintenance", {});
    const { page, details } = await open(project, await send(project, "/my-id"));
    await details.getByText("the scenario maintenance responded").waitFor();
    await details.getByText("off contract").waitFor();
    await tab(details, "Response").click();
    await details.getByRole("region", { name: "Response body" }).waitFor();
    // HTML is text.
    expect(await details.getByRole("region", { name: "Response body" }).textContent()).toMatch(/^<!doctype html>/i);
    await details.getByRole("link", { name: "scenario maintenance" }).first().click();
    await page.waitForURL(/#\/projects\/[^/]+\/mocks\/maintenance$/);
  });

  test("shows decisions, violations, parameters, headers and both bodies", async () => {
    const project = newProject();
    const id = await send(project, "/my%20id?expand=a&expand=b", json("POST", { version: "one", actions: [] }));
    const { details } = await open(project, id);
    const hasTexts = async (...texts: string[]) => {
      for (const text of texts) await expect.poll(() => details.textContent()).toContain(text);
    };
    await hasTexts(
      "auth passed: no Authorization header, which lenient allows",
      '/version: expected number, found "one" InvalidField',
      "expand (not in the contract)",
    );
    await tab(details, "Request").click();
    await hasTexts("Path parametersidmy id", "Queryexpandaexpandb");
    expect(await details.locator("pre").allTextContents()).toEqual([
      JSON.stringify({ version: "one", actions: [] }, undefined, 2),
    ]);
    await details.getByText(/^\d+ headers$/).click();
    await details.getByText("content-type", { exact: true }).waitFor();
    await tab(details, "Response").click();
    await hasTexts('"statusCode": 400');
    await tab(details, "Changes").click();
    await hasTexts("This request changed nothing.");
  });

  test("shows an uploaded image as a picture", async () => {
    const project = newProject();
    const page = await browser.open(`${mock.url}/__admin/ui`);
    const bytes = await page.evaluate(async () => {
      const canvas = new OffscreenCanvas(32, 32);
      const noise = new ImageData(32, 32);
      for (let at = 0; at < noise.data.length; at++) noise.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
      canvas.getContext("2d")?.putImageData(noise, 0, 0);
      const blob = await canvas.convertToBlob({ type: "image/png" });
      return Array.from(new Uint8Array(await blob.arrayBuffer()));
    });
    const headers = { "Content-Type": "image/png" };
    const id = await send(project, "/images", { method: "POST", body: new Uint8Array(bytes), headers });
    await page.goto(dashboardOf(mock, project, `requests/${id}?tab=request`));
    const picture = (await detailsOf(page, id)).getByRole("img");
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(32);
  });

  test("says which bodies the journal has cut", async () => {
    const project = newProject();
    const id = await send(project, "", json("POST", { objectTypeProperty: {}, text: "x".repeat(100_000) }));
    const { details } = await open(project, id);
    await tab(details, "Request").click();
    await details.getByText("The journal keeps only the first 64 KiB of a body.").first().waitFor();
  });

  test("is compared with the previous request of its operation, or with an earlier one from a menu", async () => {
    const project = newProject();
    await update(mock, project, "my-id", 1);
    const first = await send(project, "/my-id");
    await send(project, "/first-of-other-id");
    await update(mock, project, "my-id", 2);
    await send(project, "/another-id");
    const { page, details } = await open(project, await send(project, "/my-id"));
    await tab(details, "Compare").click();
    const differences = details.getByRole("region", { name: "Differences" });
    const lines = (part: string) =>
      differences.getByRole("list", { name: `Differences of ${part}` }).getByRole("listitem");
    await expect
      .poll(() => lines("Reason").allTextContents())
      .toEqual([
        expect.stringMatching(/^Removed: - created the resource from the fixture/),
        expect.stringMatching(/^Added: \+ the stored resource/),
      ]);
    await differences.getByRole("button", { name: "Another request" }).click();
    await details.getByRole("menuitem", { name: /my-id/ }).click();
    await page.waitForURL((url) => url.hash.includes(first));
    await lines("Response body").getByText('"version": 3').waitFor();
    // The URL shows the same comparison elsewhere.
    const other = await browser.open(page.url());
    await other.getByRole("region", { name: "Differences" }).getByText('"version": 3').waitFor();
  });

  test("is compared by its decisions as a sequence: a missing decision is one line", async () => {
    const project = newProject();
    await send(project, "/my-id");
    const { details } = await open(project, await send(project, "/my-id"));
    await tab(details, "Compare").click();
    const differences = details.getByRole("region", { name: "Differences" });
    const lines = differences.getByRole("list", { name: "Differences of Decisions" }).getByRole("listitem");
    const changed = async () => (await lines.allTextContents()).filter((line) => !line.startsWith(" "));
    await expect.poll(changed).toEqual([expect.stringMatching(/^Removed: - created the resource/)]);
  });

  test("that failed offers to rewind, and to make a rule", async () => {
    const project = newProject();
    await update(mock, project, "my-id", 1);
    const id = await send(project, "/my-id", stale);
    await update(mock, project, "my-id", 2);
    const { page, details } = await open(project, id);
    await details.getByRole("button", { name: "Rewind to before" }).click();
    await page.getByText(/^Rewound to before POST/).waitFor();
    expect((await inProject<{ version: number }>(mock, project, "GET", "/resources/my-id")).body.version).toBe(2);
    await details.getByRole("button", { name: "Commands for this request" }).click();
    await details.getByRole("menuitem", { name: "Make a rule" }).click();
    await page.waitForURL((url) => url.hash === `#/projects/${project}/mocks?request=${id}`);
  });

  test("copies a cURL command, a link and an assertion", async () => {
    const project = newProject();
    const id = await send(project, "/my-id", { ...stale, headers: { ...stale.headers, Authorization: "Bearer abc" } });
    const { page } = await open(project, id);
    const command = await copied(page, "Copy as cURL");
    expect(command).toContain('"Authorization: Bearer $TOKEN"');
    await run("sh", ["-c", command], undefined, { ...process.env, TOKEN: "abc" });
    const again = await newest(project);
    expect(again.id).not.toBe(id);
    expect(again.response).toEqual((await entryOf(project, id)).response);

    await detailsOf(await browser.open(await copied(page, "Copy link")), id);
    expect(await copied(page, "Copy as assertion")).toBe(`await expect(mock).toHaveReceived({
  operation: "updateResource",
  path: {
    id: "my-id"
  },
  body: {
    version: 9,
    actions: [
      {
        action: "doSomeThing"
      }
    ]
  },
  status: 409
});`);
  });

  test("is sent again in the API view", async () => {
    const project = newProject();
    const id = await send(project, "/my-id", stale);
    const { page, details } = await open(project, id);
    await details.getByRole("link", { name: "Resend" }).click();
    await page.waitForURL((url) => url.hash === `#/projects/${project}/api?request=${id}`);
    await page.getByRole("heading", { name: /Send again: POST/ }).waitFor();
  });

  test("is calm about a request that the journal has dropped, and creates no deleted project", async () => {
    const project = newProject();
    const id = await send(project, "/my-id");
    const { page, details } = await open(project, id);
    await isLive(page);
    await inProject(mock, project, "DELETE", "/requests");
    await details.getByText(/The journal no longer has the request/).waitFor();
    await details.getByRole("heading", { name: "Decisions" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);

    await page.close();
    await inProject(mock, project, "DELETE", "");
    const all = await browser.open(`${mock.url}/__admin/ui#/all/requests/${project}/${id}`);
    await all.getByText(/The journal no longer has the request/).waitFor();
    expect(await all.getByRole("alert").count()).toBe(0);
    expect(await mock.has(project)).toBe(false);
  });
});
