/**
 * The data of a service that a document describes: a library.
 * @module-tag browser
 */
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StartedResourceMock, startResourceMock } from "../../src/index.ts";
import { locationsOf } from "../../src/page/dashboard/parts/json-locations.ts";
import { appearances, expectAccessible, setAppearance } from "../setup/axe.ts";
import { useBrowser } from "../setup/browser.ts";
import { json, newProject } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { isLive, shows } from "./dashboards.ts";

const contract = join(import.meta.dirname, "../any-contract/life/library.yaml");

describeWithBrowser("the data of a document's service on the dashboard", () => {
  const browser = useBrowser();
  let mock: StartedResourceMock;
  beforeAll(async () => {
    mock = await startResourceMock({ contract, settings: { auth: "off" } });
  });
  afterAll(() => mock.close());

  /** A project with a book that a client has created, with a member that the document does not know. */
  const withBook = async () => {
    const project = mock.project(newProject());
    const book = { title: "Dune", author: "Herbert", genre: "novel", year: 1965, colour: "blue" };
    const response = await fetch(`${project.baseUrl}/books`, json("POST", book));
    expect(response.status).toBe(201);
    return { project, id: ((await response.json()) as { id: number }).id };
  };
  const open = async (project: string, rest = "") => {
    const page = await browser.open(`${mock.url}/__admin/ui#/projects/${project}/data${rest}`);
    await isLive(page);
    return page;
  };
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const toast = (page: Page, text: string) => page.getByLabel("Messages").getByText(text).waitFor();
  const columns = (page: Page) => page.locator(".item-table th").allTextContents();

  test("has a table for each type, with the members that tell its items apart", async () => {
    const { project } = await withBook();
    const page = await open(project.key);
    await page.getByRole("row", { name: /Dune.*Herbert/ }).waitFor();
    expect(await columns(page)).toEqual(["id", "title", "author", "genre", "year", "Changed"]);
    await page.getByRole("link", { name: "title", exact: true }).click();
    await page.locator('th[aria-sort="ascending"]').waitFor();
    await page.getByRole("searchbox", { name: "Search items" }).fill("where: year > 1900");
    await shows(page, "1 item");
    await page.getByRole("navigation", { name: "Types" }).getByRole("option", { name: /^Copy/ }).click();
    await shows(page, "No collection of this type has items.");
  });

  test("shows the collections of a type below another one, and wants a path without any", async () => {
    const { project, id } = await withBook();
    const page = await open(project.key, "?type=/books/{bookId}/copies");
    const path = page.getByRole("textbox", { name: "Path of the collection" });
    await button(page, "Open").click();
    await page.getByRole("alert").getByText("expected values in place of {…}").waitFor();
    await path.fill(`/books/${id}/copies`);
    await button(page, "Open").click();
    await shows(page, "No items.");
    await project.seed({ [`/books/${id}/copies`]: [{ barcode: "b-1", shelf: "A" }] });
    await page.getByRole("link", { name: "b-1" }).click();
    await page.getByRole("region", { name: "Item b-1" }).waitFor();
    await button(page, `Type: books/${id}/copies`).click();
    await page.getByRole("option", { name: /^OpeningHours/ }).click();
    await shows(page, "No items.");
    const hours = { opens: "09:00", closes: "18:00" };
    const put = await fetch(`${project.baseUrl}/opening-hours`, json("PUT", hours));
    expect(put.status).toBe(200);
    await page.getByRole("region", { name: "The only item" }).getByText('"09:00"').waitFor();
  });

  test("shows a shallow item as a form, with what the document does not know, and as JSON", async () => {
    const { project, id } = await withBook();
    const page = await open(project.key, `/${id}?type=Book`);
    await page.getByLabel("title", { exact: true }).fill("Dune Messiah");
    const others = page.getByRole("textbox", { name: "Members outside of the schema" });
    expect(await others.inputValue()).toContain('"colour": "blue"');
    await others.fill((await others.inputValue()).replace("blue", "green"));
    await others.fill("{ oops");
    await button(page, "Save").and(page.locator("[aria-disabled=true]")).waitFor();
    await others.fill('{ "$mock": { "hidden": { "colour": "green" } } }');
    await button(page, "Save").click();
    await toast(page, "Saved");
    const [stored] = await project.resources.list<{ title: string; $mock: object }>({ type: "Book", q: String(id) });
    expect(stored).toMatchObject({ title: "Dune Messiah", $mock: { version: 2, hidden: { colour: "green" } } });

    await button(page, "JSON").click();
    const text = page.getByRole("textbox", { name: "Item as JSON" });
    await text.fill((await text.inputValue()).replace("1965", '"long ago"'));
    await button(page, "Save").click();
    const line = (await text.inputValue()).split("\n").findIndex((each) => each.includes("long ago")) + 1;
    await page
      .getByRole("alert")
      .getByText(/^Line \d+ \/year: expected integer/)
      .waitFor();
    await button(page, `Line ${line}`).click();
    const selected = await text.evaluate((field: HTMLTextAreaElement) =>
      field.value.slice(field.selectionStart, field.selectionEnd),
    );
    expect(selected).toContain("long ago");
    await text.fill("{\n  oops\n}");
    await page
      .getByRole("alert")
      .getByText(/^Line 2 Invalid JSON/)
      .waitFor();
  });

  test('a form keeps line breaks, tells 1 from "1", and refuses a number that would change', async () => {
    const text = { type: "string" };
    const kind = { enum: [null, 1, "1", { a: 1 }] };
    const properties = { id: text, note: text, size: { type: "integer" }, kind, toString: text };
    const schema = { type: "object", properties };
    const content = { "application/json": { schema } };
    const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }];
    const responses = { 200: { description: "", content } };
    const paths = {
      "/things": { post: { requestBody: { content }, responses: { 201: { description: "", content } } } },
      "/things/{id}": { parameters, get: { responses }, put: { requestBody: { content }, responses } },
    };
    const document = { openapi: "3.1.0", info: { title: "Things", version: "1" }, paths };
    const file = join(await mkdtemp(join(tmpdir(), "things-")), "things.json");
    await writeFile(file, JSON.stringify(document));
    await using things = await startResourceMock({ contract: file });
    const project = things.project(newProject());
    const [type = { name: "" }] = await project.types();
    const stored = async () => project.resources.get("a/b ?#%..", { type: type.name });
    const thing = '{"id":"a/b ?#%..","note":"a\\nb","kind":"1","size":7,"__proto__":"own","other":{"__proto__":1}}';
    const made = await fetch(`${project.baseUrl}/things`, { ...json("POST", {}), body: thing });
    expect(made.status).toBe(201);
    const route = `data/${encodeURIComponent("a/b ?#%..")}?type=${encodeURIComponent(type.name)}`;
    const page = await browser.open(`${things.url}/__admin/ui#/projects/${project.key}/${route}`);
    await isLive(page);
    const field = (name: string) => page.getByLabel(name, { exact: true });
    await field("note").press("Control+End");
    await field("note").press("!");
    expect(await field("toString").inputValue()).toBe("");
    await field("kind").selectOption({ label: "1" });
    await field("size").fill("12345678901234567890");
    await button(page, "Save").click();
    await page.getByRole("alert").getByText(/size/).first().waitFor();
    await field("size").fill("8");
    await button(page, "Save").click();
    await toast(page, "Saved");
    expect(await stored()).toMatchObject({ note: "a\nb!", kind: 1, size: 8 });
    expect(JSON.stringify(await stored())).toMatch(/"__proto__":"own".*"other":\{"__proto__":1\}/);
  });

  test("an outline names the members that can be added, and leads to those that are set", async () => {
    const { project, id } = await withBook();
    const page = await open(project.key, `/${id}?type=Book`);
    await button(page, "JSON").click();
    const text = page.getByRole("textbox", { name: "Item as JSON" });
    await text.fill(JSON.stringify({ title: "Dune", author: "Herbert", extra: 1 }, undefined, 2));
    const outline = page.getByRole("region", { name: "Members" });
    await outline
      .getByRole("button", { name: /^extra/ })
      .getByText("not in the schema")
      .waitFor();
    await outline.getByText(/more that can be added/).click();
    await outline.getByRole("button", { name: /^year/ }).click();
    expect(JSON.parse(await text.inputValue())).toMatchObject({ title: "Dune", year: expect.any(Number) });
    await button(page, "Remove extra").click();
    expect(JSON.parse(await text.inputValue())).not.toHaveProperty("extra");
  });

  test("begins a new item with what a client sends", async () => {
    const { project } = await withBook();
    const page = await open(project.key, "?type=Book");
    await button(page, "New Book").click();
    const dialog = page.getByRole("dialog", { name: "New Book" });
    await dialog.getByLabel("title", { exact: true }).fill("Emma");
    expect(await dialog.evaluate((shown) => shown.scrollWidth <= shown.clientWidth)).toBe(true);
    await dialog.getByRole("button", { name: "Create" }).click();
    await toast(page, "Added 1 item");
    await page.getByRole("region", { name: /^Item / }).waitFor();
    expect(await project.resources.list({ type: "Book" })).toContainEqual(expect.objectContaining({ title: "Emma" }));
  });

  describe.each(appearances)("in $colorScheme, $width pixels wide", (appearance) => {
    test("is accessible as a table, a form, JSON with problems, and a dialog", async () => {
      const { project, id } = await withBook();
      const page = await open(project.key, "?type=Book");
      await setAppearance(page, appearance);
      await page.getByRole("row", { name: /Dune/ }).waitFor();
      await expectAccessible(page);
      await page.goto(`${mock.url}/__admin/ui#/projects/${project.key}/data/${id}?type=Book`);
      await page.getByLabel("title", { exact: true }).waitFor();
      await expectAccessible(page);
      await button(page, "JSON").click();
      await page.getByRole("textbox", { name: "Item as JSON" }).fill("{ oops");
      await page.getByRole("alert").waitFor();
      await expectAccessible(page);
    });
  });
});

test.each<[text: string, locations: Record<string, number>]>([
  ['{"a": [1, {"b/c": 2}]}', { "": 0, "/a": 1, "/a/0": 7, "/a/1": 10, "/a/1/b~1c": 11 }],
  ['{"a": 1, oops', { "": 0, "/a": 1 }],
  ['{"a": "{\\"b\\": 1}", "b": null}', { "": 0, "/a": 1, "/b": 20 }],
  ["[[], 1]", { "": 0, "/0": 1, "/1": 5 }],
])("in %s, each value has its location", (text, locations) => {
  expect(Object.fromEntries(locationsOf(text))).toEqual(locations);
});
