import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createResourceMock } from "../../src/index.ts";
import { folderOf, writeInto } from "../setup/folder.ts";
import { changesIn, draft, folderWith, read } from "./folders.ts";

const open = (projects: string, projectsReadOnly = false) => createResourceMock({ projects, projectsReadOnly });

describe("the folder of the projects", () => {
  test("saves a reset, and deletes the file of a closed project", async () => {
    const folder = folderOf({});
    const mock = await open(folder);
    const saved = changesIn(folder);
    const project = mock.project("shop");
    await project.seed({ ...draft, key: "shirt" });
    await saved((name) => name === "shop.json" && read(folder, name).includes('"shirt"'));
    await project.reset();
    await saved((name) => name === "shop.json" && !read(folder, name).includes('"shirt"'));
    await project.close();
    await saved(() => !existsSync(join(folder, "shop.json")));
    await mock.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("does not create a file for a project that was only read through the control API", async () => {
    const folder = folderOf({});
    const mock = await open(folder);
    await mock.project("shop").resources.list();
    await mock.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("restores projects with keys of any characters", async () => {
    const folder = folderOf({});
    const keys = ["A", "a", "...", "a/b", "con", "ü".repeat(256), "😀".repeat(128), "shop~t1", "100%", "shop.v2"];
    const first = await open(folder);
    for (const key of keys) await first.project(key).seed({ ...draft, key });
    await first.close();
    expect(readdirSync(folder)).toHaveLength(keys.length);

    const second = await open(folder);
    expect((await second.projects()).map(({ key }) => key).sort()).toEqual([...keys].sort());
    for (const key of keys) expect(await second.project(key).resources.list()).toHaveLength(6);
    await second.close();
  });

  test("keeps the earlier states, which a request before the restart names", async () => {
    const folder = folderOf({});
    const first = await open(folder);
    const shop = first.project("shop");
    await shop.seed({ ...draft, id: "shirt" });
    const before = await shop.state.export();
    const deleted = await first.fetch(`${shop.baseUrl}/resource/shirt`, { method: "DELETE" });
    const request = deleted.headers.get("Mock-Request-Id") ?? "";
    const history = await shop.resources.history("shirt");
    await first.close();

    await using second = await open(folder);
    const project = second.project("shop");
    expect(await project.state.at(request)).toEqual(before);
    expect(await project.resources.history("shirt")).toEqual(history);
    const { undo } = await project.rewind(request);
    expect(await project.resources.get("shirt")).toMatchObject(draft);
    await project.rewind(undo);
    expect((await project.state.export()).deleted?.ids).toEqual(["shirt"]);
  });

  test("a complete file of a killed server replaces the older one", async () => {
    const folder = folderOf({});
    const first = await open(folder);
    await first.project("shop").seed({ ...draft, key: "older" });
    await first.close();
    const older = read(folder, "shop.json");
    writeInto(folder, "shop.json.tmp", older.replaceAll("older", "newer"));
    writeInto(folder, "new.json.tmp", older);
    writeInto(folder, "half.json.tmp", older.slice(0, -1));

    const second = await open(folder);
    expect(await second.project("shop").resources.list()).toContainEqual(expect.objectContaining({ key: "newer" }));
    expect((await second.projects()).map(({ key }) => key).sort()).toEqual(["new", "shop"]);
    await second.close();
    expect(readdirSync(folder).sort()).toEqual(["new.json", "shop.json"]);
  });

  test("a file that a user has named gets the name that the server uses", async () => {
    const folder = folderOf({});
    const first = await open(folder);
    await first.project("Shop").seed(draft);
    await first.close();
    renameSync(join(folder, "%53hop.json"), join(folder, "Demo Shop.json"));
    writeInto(folder, "README.md", "Projects of the demo");

    const second = await open(folder);
    expect((await second.projects()).map(({ key }) => key)).toEqual(["Demo Shop"]);
    await second.close();
    expect(readdirSync(folder).sort()).toEqual(["%44emo%20%53hop.json", "README.md"]);
  });

  test("deletes unfinished files of a server that was killed", async () => {
    const folder = folderOf({ "shop.json.tmp": '{"half', "notes.tmp": "" });
    const mock = await open(folder);
    expect(await mock.projects()).toEqual([]);
    await mock.close();
    expect(readdirSync(folder)).toEqual(["notes.tmp"]);
  });
});

describe("a file is set aside, and the mock says why", () => {
  test.each([
    ["shop.json", "", "Unexpected end of JSON input"],
    ["shop.json", '{ "project": ', "Unexpected end of JSON input"],
    ["shop.json", "[]", "expected object, found an empty array"],
    ["shop.json", "{}", "is required, found nothing"],
    ["%zz.json", "{}", "expected the name to be a project key, in which %20 is a space"],
    ["__admin.json", "{}", "expected a key that is not reserved"],
  ])("if %s is %j", async (name, text, message) => {
    const folder = folderOf({ [name]: text });
    await using mock = await open(folder);
    const { unreadable } = await mock.health();
    expect(unreadable).toEqual({ projects: 1, problem: expect.stringContaining(`${join(folder, name)}: `) });
    expect(unreadable?.problem).toContain(message);
    expect(read(folder, `${name}.unreadable`)).toBe(text);
    expect(readdirSync(folder)).not.toContain(name);
  });

  test("if two files have the same project", async () => {
    const folder = folderOf({});
    const first = await open(folder);
    await first.project("A").seed(draft);
    await first.close();
    writeFileSync(join(folder, "A.json"), read(folder, "%41.json"));
    await using mock = await open(folder);
    expect((await mock.health()).unreadable?.problem).toBe(
      `${join(folder, "A.json")}: expected a project of its own, found "A", which %41.json has too`,
    );
    expect((await mock.projects()).map(({ key }) => key)).toEqual(["A"]);
  });
});

describe("a mock does not start", () => {
  test("if the folder is a file", async () => {
    const file = join(folderOf({ projects: "" }), "projects");
    expect(await problemOf(file)).toContain(
      `expected a folder that this process can write to, found ${JSON.stringify(file)}`,
    );
    expect(await problemOf(file, true)).toBe(`${file}: expected a folder that this process can read, found a file`);
  });

  test("if a read-only folder does not exist", async () => {
    const folder = join(folderOf({}), "missing");
    expect(await problemOf(folder, true)).toBe(`${folder}: expected a folder that this process can read, found none`);
  });
});

describe("projectsReadOnly", () => {
  test("uses the files as initial state, and writes nothing", async () => {
    const folder = await folderWith("shop", "shirt");
    const before = read(folder, "shop.json");
    const [one, two] = await Promise.all([open(folder, true), open(folder, true)]);
    const project = one.project("shop");
    const keys = async () => (await project.resources.list()).map(({ key }) => key);
    const initial = await keys();
    expect(initial).toContain("shirt");
    const [{ id } = { id: "" }] = await project.resources.list();

    for (const restore of [() => project.reset(), () => project.close(), () => one.reset()]) {
      await project.resources.delete(id);
      await project.seed({ ...draft, key: "hat" });
      expect(await keys()).not.toEqual(initial);
      await restore();
      expect(await keys()).toEqual(initial);
    }
    await one.project("other").seed(draft);
    await Promise.all([one.close(), two.close()]);
    expect(readdirSync(folder)).toEqual(["shop.json"]);
    expect(read(folder, "shop.json")).toBe(before);
  });
});

/** Returns the error of a mock that does not start. */
async function problemOf(folder: string, readOnly = false): Promise<string> {
  const mock = await open(folder, readOnly).catch((error: Error) => error);
  if (mock instanceof Error) return mock.message;
  await mock.close();
  throw new Error("expected an error, found none");
}
