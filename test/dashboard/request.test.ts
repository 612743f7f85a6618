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
    await details.getByRole("heading", { name: "Decisions" }).waitFor();
    return details;
  }

  /** Waits until the page shows another request than this one, and returns its id. */
  async function nextId(page: Page, id: string): Promise<string> {
    await page.waitForURL((url) => !url.hash.includes(id));
    return /\/requests\/([^?]+)/.exec(page.url())?.[1] ?? "";
  }

  /** Clicks a button that copies, and returns the text in the clipboard. */
  async function copied(page: Page, name: string): Promise<string> {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name, exact: true }).click();
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
    await details.getByText("409: the client sent version 9, the stored version is 2").waitFor();
    await details.getByRole("link", { name: "the stored version" }).click();
    await page.getByRole("region", { name: "Resource my-id" }).waitFor();
  });

  test("links to the scenario that responded, and is labelled off contract", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/scenarios/maintenance", {});
    const { page, details } = await open(project, await send(project, "/my-id"));
    await details.getByText("503: the scenario maintenance responded").waitFor();
    await details.getByText("off contract").waitFor();
    // HTML is text.
    expect(await details.getByRole("region", { name: "Response body" }).textContent()).toMatch(/^<!doctype html>/i);
    await details.getByRole("link", { name: "scenario maintenance" }).first().click();
    await page.waitForURL(/#\/projects\/[^/]+\/scenarios\/maintenance$/);
  });

  test("shows decisions, violations, parameters, headers and both bodies", async () => {
    const project = newProject();
    const id = await send(project, "/my%20id?expand=a&expand=b", json("POST", { version: "one", actions: [] }));
    const { details } = await open(project, id);
    const texts = await details.textContent();
    for (const text of [
      "auth passed: no Authorization header, which lenient allows",
      '/version expected number, found "one" InvalidField',
      "Path parametersidmy id",
      "Queryexpandaexpandb",
      "expand (not in the contract)",
    ]) {
      expect(texts).toContain(text);
    }
    expect(await details.locator("pre").allTextContents()).toEqual([
      JSON.stringify({ version: "one", actions: [] }, undefined, 2),
      expect.stringContaining('"statusCode": 400'),
    ]);
    await details
      .getByText(/^\d+ headers$/)
      .first()
      .click();
    await details.getByText("content-type", { exact: true }).waitFor();
  });

  test("shows an uploaded image as a picture, also if the journal has cut its body", async () => {
    const project = newProject();
    const page = await browser.open(`${mock.url}/__admin/ui`);
    const bytes = await page.evaluate(async () => {
      const canvas = new OffscreenCanvas(400, 400);
      const noise = new ImageData(400, 400);
      for (let at = 0; at < noise.data.length; at++) noise.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
      canvas.getContext("2d")?.putImageData(noise, 0, 0);
      const blob = await canvas.convertToBlob({ type: "image/png" });
      return Array.from(new Uint8Array(await blob.arrayBuffer()));
    });
    const headers = { "Content-Type": "image/png" };
    const id = await send(project, "/images", { method: "POST", body: new Uint8Array(bytes), headers });
    await page.goto(dashboardOf(mock, project, `requests/${id}`));
    const picture = (await detailsOf(page, id)).getByRole("img");
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(400);
  });

  test("says which bodies the journal has cut", async () => {
    const project = newProject();
    const id = await send(project, "", json("POST", { objectTypeProperty: {}, text: "x".repeat(100_000) }));
    const { details } = await open(project, id);
    await details.getByText("The journal keeps only the start of this body.").first().waitFor();
    await details.getByText(/cannot be copied as cURL or sent again/).waitFor();
    expect(await details.getByRole("button", { name: "Resend", exact: true }).count()).toBe(0);
  });

  test("shows the project's clock if it differs from the server's", async () => {
    const project = newProject();
    const { details: without } = await open(project, await send(project, "/my-id"));
    expect(await without.getByRole("time").count()).toBe(1);
    await inProject(mock, project, "PUT", "/clock", { now: "2030-01-02T03:04:05.678Z", frozen: true });
    const id = await send(project, "/my-id");
    const { timings } = await entryOf(project, id);
    const { details } = await open(project, id);
    const titles = await details.getByRole("time").evaluateAll((all) => all.map((time) => time.getAttribute("title")));
    expect(titles).toEqual([
      expect.stringContaining(timings.serverTime),
      expect.stringContaining("2030-01-02T03:04:05.678Z"),
    ]);
    await details.getByText(/ahead of the server’s clock/).waitFor();
  });

  test("shows the differences to the previous request to the same resource, and to any other request", async () => {
    const project = newProject();
    await update(mock, project, "my-id", 1);
    const before = await send(project, "/my-id");
    await send(project, "/another-id");
    await update(mock, project, "my-id", 2);
    const { page, details } = await open(project, await send(project, "/my-id"));
    await details.getByRole("button", { name: "Compare with previous" }).click();
    const differences = details.getByRole("region", { name: "Differences" });
    await differences.getByRole("row", { name: "/method" }).waitFor();

    await details.getByRole("button", { name: "Compare with other" }).click();
    const dialog = page.getByRole("dialog");
    const choices = dialog.getByRole("listitem");
    await choices.nth(1).waitFor();
    await dialog.getByRole("searchbox").fill("GET");
    await choices.nth(1).waitFor({ state: "detached" });
    await choices.getByRole("button").click();
    await page.waitForURL((url) => url.hash.includes(before));
    await differences.getByRole("row", { name: /^\/version 2 3$/ }).waitFor();
    // The URL shows the same comparison elsewhere.
    const other = await browser.open(page.url());
    await other.getByRole("row", { name: /^\/version 2 3$/ }).waitFor();
    await differences.getByRole("link", { name: "Stop comparing" }).click();
    await differences.waitFor({ state: "detached" });
  });

  test("copies a cURL command, a link, a rule and an assertion", async () => {
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
    expect(JSON.parse(await copied(page, "Copy as rule"))).toMatchObject({ respond: { status: 409 } });
    expect(await copied(page, "Copy as assertion")).toBe(`await expect(mock).toHaveReceived({
  operation: "updateResource",
  path: { id: "my-id" },
  body: { version: 9, actions: [{ action: "doSomeThing" }] },
  status: 409,
});`);
  });

  test("is sent again in its sandbox, with a token where the journal has redacted one", async () => {
    const plain = newProject();
    const project = `${plain}~t1`;
    await inProject(mock, project, "PATCH", "/settings", { auth: "strict" });
    const { body } = await inProject<{ access_token: string }>(mock, project, "POST", "/tokens", {});
    const headers = { "Mock-Sandbox": "t1", Authorization: `Bearer ${body.access_token}` };
    const id = await send(plain, "/my%20id?expand=a%26b&expand=c", { headers });
    const { page, details } = await open(project, id);
    await details.getByRole("button", { name: "Resend", exact: true }).click();
    const again = await nextId(page, id);
    await (await detailsOf(page, again)).and(page.locator(":focus")).waitFor();
    const [first, second] = [await entryOf(project, id), await entryOf(project, again)];
    expect(second.request).toMatchObject({ path: first.request.path, query: first.request.query, method: "GET" });
    expect(second.response.status).toBe(200);
  });

  test("is edited and sent; the text stays until then", async () => {
    const project = newProject();
    await update(mock, project, "my-id", 1);
    const id = await send(project, "/my-id", stale);
    const { page, details } = await open(project, id);
    await details.getByRole("button", { name: "Edit and resend" }).click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Body").fill("{");
    await form.getByText(/not valid JSON/).waitFor();
    await form.getByLabel("Body").fill(JSON.stringify({ version: 2, actions: [{ action: "doSomeThing" }] }));
    await form.getByRole("button", { name: "Add parameter" }).click();
    await form.getByLabel("Name of parameter 1").fill("expand");
    await form.getByLabel("Value of parameter 1").fill("a b");
    await form.getByRole("button", { name: "Add header" }).click();
    const index = await form.getByLabel(/^Name of header/).count();
    await form.getByLabel(`Name of header ${index}`).fill("Cookie");
    await form.getByText(/does not send these headers as written: Cookie/).waitFor();
    await form.getByLabel(`Name of header ${index}`).fill("X-Mine");
    await form.getByLabel(`Value of header ${index}`).fill("yes");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "State", exact: true }).click();
    await page.goBack();
    await details.getByRole("button", { name: "Edit and resend" }).click();
    await form.getByRole("button", { name: "Send", exact: true }).click();

    const again = await nextId(page, id);
    await (await detailsOf(page, again)).getByText("200: updated the resource to version 3").waitFor();
    const { request } = await entryOf(project, again);
    const headers = { "x-mine": "yes", "content-type": "application/json" };
    expect(request).toMatchObject({ query: { expand: ["a b"] }, headers });
  });

  test("is calm about a request that the journal has dropped, and creates no deleted project", async () => {
    const project = newProject();
    const id = await send(project, "/my-id");
    const { page, details } = await open(project, id);
    await isLive(page);
    await inProject(mock, project, "DELETE", "/requests");
    await details.getByText(/The journal no longer has this request/).waitFor();
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
