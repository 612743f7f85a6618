// @module-tag browser
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { ResourceRecord } from "../../src/control/client/types.ts";
import { useBrowser } from "../setup/browser.ts";
import { inProject } from "../setup/control.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { describeWithBrowser } from "../setup/requirements.ts";
import { draft } from "../setup/resources.ts";
import { dashboardOf, isLive, shows, showsNo, update } from "./dashboards.ts";

const hostile = "<img src=x onerror=alert(1)> \u202e\u0007 __proto__ 😀";

describeWithBrowser("the data of a project on the dashboard", () => {
  const mock = useMock("over a socket");
  const browser = useBrowser();

  const put = async (project: string, id: string, resource: object) => {
    const reply = await inProject(mock, project, "PUT", `/resources/${encodeURIComponent(id)}`, resource);
    expect([200, 201]).toContain(reply.status);
  };
  const read = async (project: string, id: string) =>
    (await inProject<ResourceRecord>(mock, project, "GET", `/resources/${encodeURIComponent(id)}`)).body;
  const totalOf = async (project: string) =>
    (await inProject<{ total: number }>(mock, project, "GET", "/resources?limit=0")).body.total;
  const open = async (project: string, rest = "") => {
    const page = await browser.open(dashboardOf(mock, project, `data${rest}`));
    await isLive(page);
    return page;
  };
  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
  const editor = (page: Page) => page.getByRole("textbox", { name: "Item as JSON" });
  const alert = (page: Page, text: string | RegExp) => page.getByRole("alert").getByText(text).waitFor();
  const rows = (page: Page) => page.locator(".item-table tbody a").allTextContents();
  const toast = (page: Page, text: string | RegExp) => page.getByLabel("Messages").getByText(text).first().waitFor();
  const undo = (page: Page) => page.getByLabel("Messages").getByRole("button", { name: "Undo" }).last();
  /** Changes the JSON of the open resource. */
  const change = async (page: Page, from: string, to: string) => {
    const text = await editor(page).inputValue();
    expect(text).toContain(from);
    await editor(page).fill(text.replace(from, to));
  };
  /** Creates a project with only these resources. */
  const projectWith = async (...resources: object[]) => {
    const project = newProject();
    const all = resources.map((resource) => ({ ...draft, ...resource }));
    expect((await inProject(mock, project, "PUT", "/state", { resources: all })).status).toBe(204);
    return project;
  };

  describe("the list of resources", () => {
    test("is searched by id and key, and by a predicate of the service; the URL holds the search", async () => {
      const project = await projectWith({ id: "a", key: "Blue Shirt" }, { id: "shirt-2" }, { id: "c", version: 7 });
      const page = await open(project);
      await shows(page, "3 items");
      await page.getByRole("searchbox", { name: "Search items" }).fill("shirt");
      await shows(page, "2 items");
      expect(await rows(page)).toEqual(["a", "shirt-2"]);
      await page.reload();
      await shows(page, "2 items");
      await page.getByRole("searchbox", { name: "Search items" }).fill("trousers");
      await shows(page, "No matching items.");
      await button(page, "Clear the search").click();
      await shows(page, "3 items");

      const search = page.getByRole("searchbox", { name: "Search items" });
      await search.fill("where: version > 5");
      await shows(page, "1 item");
      expect(await rows(page)).toEqual(["c"]);
      await search.fill("where: vershun > 5");
      await alert(page, 'where: column 1: expected a field, found "vershun". Did you mean "version"?');
    });

    test("a click right after typing a predicate takes effect, and the predicate too", async () => {
      const page = await open(await projectWith({ id: "a", version: 3 }, { id: "b" }, { id: "c", version: 7 }));
      await shows(page, "3 items");
      const box = await page.getByRole("link", { name: "Version", exact: true }).boundingBox();
      if (!box) throw new Error("expected the place of the heading, found none");
      await page.getByRole("searchbox", { name: "Search items" }).fill("where: version > 1");
      await page.mouse.move(box.x + 5, box.y + 5);
      await page.mouse.down();
      await shows(page, "2 items");
      await page.mouse.up();
      await page.locator('th[aria-sort="ascending"]').getByText("Version").waitFor();
      await expect.poll(() => rows(page)).toEqual(["a", "c"]);
    });

    test("is sorted, which the URL holds, and shows 100 items; the search finds the others", async () => {
      const resources = Array.from({ length: 101 }, (_, index) => ({ id: `r-${index + 100}` }));
      const page = await open(await projectWith(...resources));
      await shows(page, "100 of 101 items. Search to find the others.");
      const byId = page.getByRole("link", { name: "id", exact: true });
      await byId.click();
      await page.locator('th[aria-sort="ascending"]').getByText("id").waitFor();
      await byId.click();
      await page.getByRole("link", { name: "r-200" }).waitFor();
      expect((await rows(page))[0]).toBe("r-200");
      await page.reload();
      await page.getByRole("link", { name: "r-200" }).waitFor();
      expect((await rows(page))[0]).toBe("r-200");
      await page.getByRole("searchbox", { name: "Search items" }).fill("r-100");
      await expect.poll(() => rows(page)).toEqual(["r-100"]);
    });

    test("shows changes by other clients at once", async () => {
      const project = await projectWith({ id: "a" });
      const page = await open(project);
      await shows(page, "1 item");
      await mock.resource(project, "/created-elsewhere");
      await shows(page, "created-elsewhere");
      await inProject(mock, project, "DELETE", "/resources/a");
      await shows(page, "1 item");
      expect(await rows(page)).toEqual(["created-elsewhere"]);
    });
  });

  describe("adding resources", () => {
    test("generates some", async () => {
      const page = await open(await projectWith());
      await shows(page, "No items.");
      await button(page, "Generate items").click();
      await page.getByRole("spinbutton", { name: "Number of generated items" }).fill("3");
      await button(page, "Generate").click();
      await toast(page, "Added 3 items");
      await shows(page, "3 items");
      await undo(page).click();
      await shows(page, "No items.");
    });

    test("adds resources that are pasted as JSON or NDJSON", async () => {
      const project = await projectWith();
      const page = await open(project);
      for (const [text, count] of [
        [JSON.stringify({ id: "a", ...draft }), 1],
        [JSON.stringify([draft, draft], undefined, 2), 2],
        [`${JSON.stringify(draft)}\n${JSON.stringify(draft)}\n${JSON.stringify(draft)}\n`, 3],
      ] as const) {
        await button(page, "New Resource").click();
        const dialog = page.getByRole("dialog");
        await dialog.getByRole("textbox", { name: "Item as JSON" }).fill(text);
        await dialog.getByRole("button", { name: "Create" }).click();
        await toast(page, count === 1 ? "Added 1 item" : `Added ${count} items`);
      }
      expect([await totalOf(project), (await read(project, "a")).version]).toEqual([6, 1]);
    });

    test("creates one with an id or a new one, from what clients send, and takes it back", async () => {
      const project = await projectWith();
      const page = await open(project);
      for (const id of ["linen-shirt", ""]) {
        await button(page, "New Resource").click();
        const dialog = page.getByRole("dialog", { name: "New Resource" });
        await dialog.getByRole("textbox", { name: /^Id/ }).fill(id);
        const text = dialog.getByRole("textbox", { name: "Item as JSON" });
        await expect.poll(() => text.inputValue()).toContain('"objectTypeProperty"');
        await dialog.getByRole("button", { name: "Create" }).click();
        await toast(page, "Added 1 item");
        // The new item is open.
        await page.getByRole("region", { name: new RegExp(`^Item ${id}`) }).waitFor();
      }
      expect((await read(project, "linen-shirt")).version).toBe(1);
      expect(await totalOf(project)).toBe(2);
      await undo(page).click();
      await shows(page, "1 item");
    });

    test("refuses a number that JavaScript would change, at its line", async () => {
      const project = await projectWith({ id: "n", objectTypeProperty: { arrayOfIntExample: [1] } });
      const page = await open(project, "/n");
      await change(page, "      1\n", "      9007199254740993\n");
      const place = "/objectTypeProperty/arrayOfIntExample/0";
      await alert(
        page,
        `${place}: expected a number that a 64-bit floating-point value can hold, found 9007199254740993`,
      );
      await button(page, "Save").click();
      expect((await read(project, "n")).objectTypeProperty.arrayOfIntExample).toEqual([1]);
    });

    test("shows errors below the text, and keeps the text", async () => {
      const project = await projectWith({ id: "taken", key: "k" });
      const page = await open(project);
      await button(page, "New Resource").click();
      const create = button(page, "Create");
      await editor(page).fill('{\n  "id": "a",\n  oops\n}');
      await create.click();
      await alert(page, "Invalid JSON: ");
      await editor(page).fill(JSON.stringify([draft, { id: "taken", ...draft }, { key: "k", ...draft }]));
      await create.click();
      await alert(page, "/1/id: expected an unused id");
      await editor(page).fill(JSON.stringify({ id: "a", objectTypeProperty: { arrayOfIntExample: ["x"] } }));
      await create.click();
      await alert(page, "/objectTypeProperty/arrayOfIntExample/0");
      await page.keyboard.press("Escape");
      await button(page, "New Resource").click();
      expect(await editor(page).inputValue()).toContain('["x"]');
      expect(await totalOf(project)).toBe(1);
    });
  });

  describe("editing a resource", () => {
    test("increases the version, unless the user sets it", async () => {
      const project = await projectWith({ id: "a", version: 3 });
      const page = await open(project, "/a");
      await change(page, '"version": 3', '"version": 3,\n  "colour": "blue"');
      await button(page, "Save").click();
      await toast(page, "Saved");
      expect(await read(project, "a")).toMatchObject({ version: 4, colour: "blue" });
      await change(page, '"version": 4', '"version": 9');
      await button(page, "Save").click();
      await expect.poll(async () => (await read(project, "a")).version).toBe(9);
      await page.locator("button:focus").getByText("Save").waitFor();
    });

    test("keeps the text when another client changes the resource, and never overwrites the change silently", async () => {
      const project = await projectWith({ id: "a", colour: "white" });
      const page = await open(project, "/a");
      await change(page, '"white"', '"blue"');
      await update(mock, project, "a", 1);
      await shows(page, "Another client has changed this item meanwhile.");
      expect(await editor(page).inputValue()).toContain('"blue"');
      await button(page, "Overwrite").waitFor();
      await button(page, "Discard changes").click();
      await showsNo(page, "Another client has changed");
      expect(await editor(page).inputValue()).toContain('"linen"');
    });

    test("keeps text that is typed while a save is in progress, as a change of the saved resource", async () => {
      const project = await projectWith({ id: "a", colour: "white" });
      const page = await open(project, "/a");
      await change(page, '"white"', '"blue"');
      const sent = Promise.withResolvers<void>();
      await page.route("**/resources/a?*", async (route) => {
        if (route.request().method() === "PUT") await sent.promise;
        await route.continue();
      });
      await button(page, "Save").click();
      await change(page, '"blue"', '"green"');
      sent.resolve();
      await toast(page, "Saved");
      expect([(await read(project, "a")).colour, await editor(page).inputValue()]).toEqual([
        "blue",
        expect.stringContaining('"green"'),
      ]);
      await button(page, "Save").click();
      await expect.poll(async () => (await read(project, "a")).colour).toBe("green");
      await page.unroute("**/resources/a?*");
    });

    test("notices a change without a change of the version, also one that arrives with the save", async () => {
      const project = await projectWith({ id: "a", colour: "white" });
      const page = await open(project, "/a");
      await change(page, '"white"', '"blue"');
      // The other client is between the page and the mock: the page has not read the change when it saves.
      await page.route("**/resources/a?*", async (route) => {
        if (route.request().method() === "PUT") await put(project, "a", { ...draft, version: 1, colour: "red" });
        await route.continue();
      });
      await button(page, "Save").click();
      await shows(page, "Another client has changed this item meanwhile.");
      expect(await read(project, "a")).toMatchObject({ version: 1, colour: "red" });
      expect(await editor(page).inputValue()).toContain('"blue"');
      await page.unroute("**/resources/a?*");
      await button(page, "Overwrite").click();
      await toast(page, "Saved");
      expect(await read(project, "a")).toMatchObject({ version: 2, colour: "blue" });
    });

    test("keeps the text in another tab, and until it is discarded", async () => {
      const project = await projectWith({ id: "a", colour: "white" }, { id: "b" });
      const page = await open(project, "/a");
      await change(page, '"white"', '"blue"');
      await page.getByRole("link", { name: "Settings" }).click();
      await page.getByRole("link", { name: "Data" }).click();
      await page.getByRole("link", { name: "b", exact: true }).click();
      await page.getByRole("link", { name: "a", exact: true }).click();
      await page.getByRole("region", { name: "Item a" }).waitFor();
      await expect.poll(() => editor(page).inputValue()).toContain('"blue"');
      await button(page, "Discard changes").click();
      expect(await editor(page).inputValue()).toContain('"white"');
    });

    test("says calmly that the resource was deleted; the text can create it again", async () => {
      const project = await projectWith({ id: "a", colour: "white" });
      const page = await open(project, "/a");
      await change(page, '"white"', '"blue"');
      await inProject(mock, project, "DELETE", "/resources/a");
      await shows(page, "Another client has deleted this item meanwhile.");
      await button(page, "Create again").click();
      await toast(page, "Saved");
      expect(await read(project, "a")).toMatchObject({ colour: "blue" });
      await inProject(mock, project, "DELETE", "/resources/a");
      await shows(page, "The project has no item with this id.");
      expect(await page.getByRole("alert").count()).toBe(0);
      await page.getByRole("link", { name: "Show all items" }).click();
      await shows(page, "No items.");
    });
  });

  test("a command makes the next update of an item fail with a conflict", async () => {
    const project = await projectWith({ id: "a" });
    const page = await open(project, "/a");
    await button(page, "Commands for this item").click();
    await page.getByRole("menuitem", { name: "Cause a conflict" }).click();
    await toast(page, "The next update of this item gets a conflict");
    const send = () => mock.resource(project, "/a", json("POST", { version: 1, actions: [] }));
    expect((await send()).status).toBe(409);
  });

  describe("deleting resources", () => {
    test("leads from an open resource to the list, and is undone with the same id and version", async () => {
      const project = await projectWith({ id: "a", key: "k", version: 5, colour: "white" }, { id: "b" });
      const before = await read(project, "a");
      const page = await open(project, "/a");
      await button(page, "Commands for this item").click();
      await page.getByRole("menuitem", { name: "Delete", exact: true }).click();
      await toast(page, "Deleted a");
      await shows(page, "1 item");
      expect(await page.getByRole("alert").count()).toBe(0);
      expect((await inProject(mock, project, "GET", "/resources/a")).status).toBe(404);
      await page.locator(".collection:focus").waitFor();
      await undo(page).click();
      await toast(page, "Undone");
      expect(await read(project, "a")).toEqual(before);
    });
  });

  describe("the state as a whole", () => {
    const state = { resources: [{ id: "imported", ...draft }], namespaceAction: { body: { points: 1 } } };
    const file = (name: string, content: string | Uint8Array, mimeType = "application/json") => ({
      name,
      mimeType,
      buffer: Buffer.from(content),
    });
    const choose = async (page: Page, label: string, ...files: ReturnType<typeof file>[]) => {
      const chooser = page.waitForEvent("filechooser");
      await button(page, label).click();
      await (await chooser).setFiles(files);
    };
    /** Drops files on the view. */
    const drop = async (page: Page, ...files: ReturnType<typeof file>[]) => {
      const plain = files.map(({ name, mimeType, buffer }) => ({ name, mimeType, bytes: [...buffer] }));
      const data = await page.evaluateHandle((given) => {
        const transfer = new DataTransfer();
        for (const { name, mimeType, bytes } of given) {
          transfer.items.add(new File([new Uint8Array(bytes)], name, { type: mimeType }));
        }
        return transfer;
      }, plain);
      await page.dispatchEvent(".data", "drop", { dataTransfer: data });
    };

    test("is exported to a file with the whole project, which another project imports, with undo", async () => {
      const [project, other] = [await projectWith({ id: "a", colour: hostile }), await projectWith({ id: "mine" })];
      const page = await open(project);
      const download = page.waitForEvent("download");
      await button(page, "Export").click();
      const saved = await download;
      expect(saved.suggestedFilename()).toBe(`${project}.archive.ndjson`);
      const text = await readFile(await saved.path(), "utf8");
      await page.goto(dashboardOf(mock, other, "data"));
      await shows(page, "1 item");
      await choose(page, "Import", file("broken.json", '{"resources": [}'));
      await alert(page, "Invalid JSON: ");
      await choose(page, "Import", file("a.ndjson", text, ""));
      await toast(page, "Restored the project from a.ndjson");
      expect(await read(other, "a")).toMatchObject({ colour: hostile });
      await undo(page).click();
      await toast(page, "Undone");
      expect(await read(other, "mine")).toMatchObject({ id: "mine" });
    });

    test("is replaced by a state that is dropped, with undo; imported resources are added", async () => {
      const project = await projectWith({ id: "a" }, { id: "b" });
      const page = await open(project);
      await shows(page, "2 items");
      await drop(page, file("state.json", JSON.stringify(state)));
      await toast(page, "Imported the state from state.json");
      await shows(page, "1 item");
      await undo(page).click();
      await shows(page, "2 items");
      expect((await inProject(mock, project, "GET", "/namespace-action")).body).toEqual({});
      await choose(page, "Import", file("more.ndjson", `${JSON.stringify(draft)}\n${JSON.stringify(draft)}`, ""));
      await toast(page, "Added 2 items from more.ndjson");
      await shows(page, "4 items");
    });

    test("is replaced by a copy of another project, with undo", async () => {
      const [project, from] = [await projectWith({ id: "mine" }), await projectWith({ id: "a" })];
      const page = await open(project);
      await button(page, "Copy from…").click();
      await page.getByRole("combobox", { name: "Project to copy" }).fill(from);
      await page.getByRole("option", { name: from }).first().click();
      await toast(page, `Copied ${from}`);
      expect(await read(project, "a")).toMatchObject({ id: "a" });
      await undo(page).click();
      await toast(page, "Undone");
      expect(await read(project, "mine")).toMatchObject({ id: "mine" });
    });

    test("has the files that clients have uploaded, shows them as pictures, and loses them with undo", async () => {
      const project = await projectWith();
      const bytes = Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "base64",
      );
      const upload = { method: "POST", headers: { "Content-Type": "image/png" }, body: bytes };
      await mock.resource(project, "/images?filename=a.png", upload);
      const page = await open(project, "?type=Image");
      await shows(page, "1 item");
      await page.locator(".item-table tbody a").click();
      const picture = page.getByRole("img", { name: /^Content of / });
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
      await button(page, "Commands for this item").click();
      await page.getByRole("menuitem", { name: "Delete", exact: true }).click();
      await shows(page, "No items.");
      await undo(page).click();
      await toast(page, "Undone");
      await shows(page, "1 item");
      await page.getByRole("link", { name: "Upload a file" }).click();
      await page.waitForURL(/api\/uploadImage$/);
    });
  });

  describe("snapshots", () => {
    test("are taken, restored and deleted with undo", async () => {
      const project = await projectWith({ id: "a" });
      const page = await open(project, "?part=snapshots");
      await page.getByRole("textbox", { name: "Name of a new snapshot" }).fill(" one resource ");
      await button(page, "Take a snapshot").click();
      await toast(page, "Took the snapshot one resource");
      await put(project, "b", draft);
      await button(page, "Restore one resource").click();
      await toast(page, "Restored one resource");
      expect(await totalOf(project)).toBe(1);
      await undo(page).click();
      await toast(page, "Undone");
      expect(await totalOf(project)).toBe(2);
      await button(page, "Delete one resource").click();
      await shows(page, "No snapshots.");
      await undo(page).click();
      await button(page, "Delete one resource").waitFor();
      const { body } = await inProject(mock, project, "GET", "/snapshots");
      expect(body).toMatchObject({ snapshots: [{ name: "one resource" }] });
    });
  });
});
