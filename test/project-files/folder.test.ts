import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createResourceMock, startResourceMock } from "../../src/index.ts";
import { folderOf, writeInto } from "../setup/folder.ts";
import { update } from "../setup/resources.ts";
import { changesIn, draft, END, folderWith, read, savedIn } from "./folders.ts";

const open = (projects: string, projectsReadOnly = false) => createResourceMock({ projects, projectsReadOnly });

describe("the folder of the projects", () => {
  test("saves a reset, and deletes the file of a deleted project", async () => {
    const folder = folderOf({});
    const mock = await open(folder);
    const saved = changesIn(folder);
    const project = mock.project("shop");
    await project.seed({ ...draft, key: "shirt" });
    const hasShirt = () => JSON.stringify(savedIn(folder, "shop.ndjson")).includes('"shirt"');
    await saved(hasShirt);
    await project.reset();
    await saved(() => !hasShirt());
    await project.delete();
    await saved(() => !existsSync(join(folder, "shop.ndjson")));
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

  test("counts a request once in the coverage of the server, also after restarts, in copies and after resets", async () => {
    const folder = folderOf({});
    const first = await open(folder);
    await first.fetch(`${first.project("shop").baseUrl}/resource`);
    const copy = { method: "PUT", body: '{"from":"shop"}', headers: { "Content-Type": "application/json" } };
    await first.fetch("/__admin/projects/copy/archive", copy);
    await first.close();
    const second = await open(folder);
    expect((await second.coverage()).requests).toBe(1);
    for (const key of ["shop", "copy"]) expect((await second.project(key).coverage()).requests).toBe(1);
    await second.close();

    const third = await open(folder, true);
    for (let reset = 0; reset < 3; reset++) await third.project("shop").reset();
    expect([(await third.coverage()).requests, (await third.project("shop").coverage()).requests]).toEqual([0, 1]);
    await third.close();
  });

  test("a file that a user has named gets the name that the server uses", async () => {
    const folder = folderOf({});
    const first = await open(folder);
    await first.project("Shop").seed(draft);
    await first.close();
    renameSync(join(folder, "%53hop.ndjson"), join(folder, "Demo Shop.ndjson"));
    writeInto(folder, "README.md", "Projects of the demo");

    const second = await open(folder);
    expect((await second.projects()).map(({ key }) => key)).toEqual(["Demo Shop"]);
    await second.close();
    expect(readdirSync(folder).sort()).toEqual(["%44emo%20%53hop.ndjson", "README.md"]);
  });

  test("deletes unfinished files of a server that was killed", async () => {
    const folder = folderOf({ "shop.ndjson.tmp": '{"half', "notes.tmp": "" });
    const mock = await open(folder);
    expect(await mock.projects()).toEqual([]);
    await mock.close();
    expect(readdirSync(folder)).toEqual(["notes.tmp"]);
  });
});

describe("the file of a project", () => {
  /** Changes the project `shop` in steps. After every second one, waits for the save. Returns the archive. */
  async function saveInSteps(folder: string): Promise<string> {
    await using mock = await open(folder);
    const project = mock.project("shop");
    const resource = `${project.baseUrl}/resource`;
    const steps: (() => Promise<unknown>)[] = [
      () => project.seed({ ...draft, id: "hat" }),
      () => mock.fetch(`${resource}/hat`),
      // After the reset, changes and requests have the numbers of earlier ones.
      () => project.reset(),
      () => project.seed({ ...draft, id: "shirt", key: "k" }),
      () => mock.fetch(`${resource}/shirt`, update(1)),
      () => project.snapshot("größe/1"),
      () => project.snapshot("two"),
      () => project.rule({ operation: "getCart", respond: { status: 500 }, times: 1 }),
      () => project.rule({ operation: "getCart", respond: { status: 404 } }),
      () => mock.fetch(`${resource}/namespace-action-with-example`),
      () => project.use("conflict"),
      () => project.rules.delete("r-1"),
      () => mock.fetch(`${resource}/shirt`, { method: "DELETE" }),
      () => project.snapshots.delete("größe/1"),
      () => project.settings.set({ journalSize: 2 }),
      () => project.namespaceAction.set({ size: "größer" }),
    ];
    const saved = changesIn(folder);
    for (const [index, step] of steps.entries()) {
      const before = read(folder, "shop.ndjson");
      await step();
      if (index % 2 === 0) continue;
      await saved(() => read(folder, "shop.ndjson") !== before && isComplete(folder));
    }
    return await project.archive();
  }
  const isComplete = (folder: string) => read(folder, "shop.ndjson").endsWith(END);

  test("gets the changes of each save as lines at its end, and restores the project", async () => {
    const folder = folderOf({});
    const archive = await saveInSteps(folder);
    expect(read(folder, "shop.ndjson").split(END).length).toBeGreaterThan(5);
    await using mock = await open(folder);
    expect(await mock.project("shop").archive()).toBe(archive);
  });

  test("restores the last complete save, wherever its end is torn", { tags: ["slow"] }, async () => {
    const folder = folderOf({});
    await saveInSteps(folder);
    const whole = readFileSync(join(folder, "shop.ndjson"));
    const cuts: [torn: string, complete: string][] = [];
    let complete = whole.indexOf(END) + END.length;
    for (let start = complete; start < whole.length; ) {
      const end = whole.indexOf("\n", start) + 1;
      for (const cut of [start, start + 1, Math.floor((start + end) / 2), end - 1]) {
        cuts.push([`torn-${cut}`, `complete-${complete}`]);
        writeFileSync(join(folder, `torn-${cut}.ndjson`), whole.subarray(0, cut));
      }
      writeFileSync(join(folder, `complete-${complete}.ndjson`), whole.subarray(0, complete));
      if (whole.subarray(start, end).equals(Buffer.from(END))) complete = end;
      start = end;
    }
    await using mock = await open(folder, true);
    expect(await mock.health()).not.toHaveProperty("unreadable");
    const archiveOf = (key: string) => mock.project(key).archive();
    for (const [torn, last] of cuts) expect([torn, await archiveOf(torn)]).toEqual([torn, await archiveOf(last)]);
    expect(new Set(await Promise.all(cuts.map(([, last]) => archiveOf(last)))).size).toBeGreaterThan(5);
  });

  test("is replaced by the first save after its end was torn", async () => {
    const folder = await folderWith("shop", "shirt");
    const saved = read(folder, "shop.ndjson");
    writeInto(folder, "shop.ndjson", `${saved}{"item/Resource/torn":[`);
    await using first = await open(folder);
    await first.project("shop").seed({ ...draft, key: "hat" });
    await first.close();
    await using second = await open(folder);
    const keys = (await second.project("shop").resources.list()).map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(["shirt", "hat"]));
  });

  test.each<[string, (file: string) => void]>([
    ["deleted", (file) => rmSync(file)],
    ["replaced", (file) => writeFileSync(file, "another text\n")],
  ])("is written as a whole after a user has %s it", async (_name, change) => {
    const folder = folderOf({});
    const first = await open(folder);
    const saved = changesIn(folder);
    await first.project("shop").seed({ ...draft, key: "shirt" });
    await saved(() => isComplete(folder));
    change(join(folder, "shop.ndjson"));
    await first.project("shop").seed({ ...draft, key: "hat" });
    await first.close();
    await using second = await open(folder);
    const keys = (await second.project("shop").resources.list()).map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(["shirt", "hat"]));
  });

  test("keeps the test of the archive that the project comes from", async () => {
    const folder = folderOf({});
    const source = { test: "cart.test.ts > saves", savedAt: "2026-01-01T00:00:00.000Z" };
    const first = await open(folder);
    const shop = first.project("shop");
    await shop.restoreArchive((await shop.archive()).replace("\n", `\n${JSON.stringify({ source })}\n`));
    await first.close();
    await using second = await open(folder);
    expect((await second.project("shop").summary()).archive).toMatchObject(source);
  });
});

describe("a file is set aside, and the mock says why", () => {
  test.each([
    ["shop.ndjson", "", '/format: line 1: expected "resource-mock-archive/4", found none'],
    ["shop.ndjson", '{ "project": ', '/format: line 1: expected "resource-mock-archive/4", found none'],
    ["shop.ndjson", "[]\n", "line 1: expected an object with one member"],
    ["shop.ndjson", "{\n", "Line 1 is not JSON: "],
    ["shop.ndjson", '{"format":"resource-mock-archive/4"}\n', '/end: line 2: expected the last line {"end":true}'],
    ["%zz.ndjson", undefined, "expected the name to be a project key, in which %20 is a space"],
    ["__admin.ndjson", undefined, "expected a key that is not reserved"],
    [`%-${"0".repeat(64)}.ndjson`, undefined, "/key: expected the project key of this file, found nothing"],
  ])("if %s is %j", async (name, given, message) => {
    const text = given ?? read(await folderWith("shop", "shirt"), "shop.ndjson");
    const folder = folderOf({ [name]: text });
    await using mock = await open(folder);
    const { unreadable } = await mock.health();
    expect(unreadable).toEqual({ projects: 1, problem: expect.stringContaining(`${join(folder, name)}: `) });
    expect(unreadable?.problem).toContain(message);
    expect(read(folder, `${name}.unreadable`)).toBe(text);
    expect(readdirSync(folder)).not.toContain(name);
  });

  test("a file of another contract stays in its location, and the mock does not start", async () => {
    const folder = await folderWith("shop", "shirt");
    const text = read(folder, "shop.ndjson");
    const contract = { openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths: { "/pets": { get: {} } } };
    const reason = 'expected an archive of "Pets", found one of "Generic Resource Service"';
    const starting = createResourceMock({ projects: folder, contract });
    await expect(starting).rejects.toThrow(`${join(folder, "shop.ndjson")}: /contract: ${reason}`);
    expect([read(folder, "shop.ndjson"), readdirSync(folder)]).toEqual([text, ["shop.ndjson"]]);
    await using second = await createResourceMock({ projects: folder });
    expect(await second.project("shop").resources.list({ key: "shirt" })).toHaveLength(1);
  });

  test("a file is set aside if two files have the same project", async () => {
    const folder = folderOf({});
    const first = await open(folder);
    await first.project("A").seed(draft);
    await first.close();
    writeFileSync(join(folder, "A.ndjson"), read(folder, "%41.ndjson"));
    await using mock = await open(folder);
    expect((await mock.health()).unreadable?.problem).toBe(
      `${join(folder, "A.ndjson")}: expected a project of its own, found "A", which %41.ndjson has too`,
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

  test("if another one in this process uses the folder", async () => {
    const folder = folderOf({});
    await using _first = await open(folder);
    expect(await problemOf(folder)).toContain(`found the process id ${process.pid}`);
  });

  test("if it cannot listen, and does not keep the folder", async () => {
    const folder = folderOf({});
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    await expect(startResourceMock({ projects: folder, port })).rejects.toThrow("in use");
    expect(readdirSync(folder)).toEqual([]);
    taken.close();
  });

  test("if a read-only folder does not exist", async () => {
    const folder = join(folderOf({}), "missing");
    expect(await problemOf(folder, true)).toBe(`${folder}: expected a folder that this process can read, found none`);
  });
});

describe("projectsReadOnly", () => {
  test("uses the files as initial state, and writes nothing", async () => {
    const folder = await folderWith("shop", "shirt");
    const before = read(folder, "shop.ndjson");
    const [one, two] = await Promise.all([open(folder, true), open(folder, true)]);
    const project = one.project("shop");
    const keys = async () => (await project.resources.list()).map(({ key }) => key);
    const initial = await keys();
    expect(initial).toContain("shirt");
    const [{ id } = { id: "" }] = await project.resources.list();

    for (const restore of [() => project.reset(), () => project.delete(), () => one.reset()]) {
      await project.resources.delete(id);
      await project.seed({ ...draft, key: "hat" });
      expect(await keys()).not.toEqual(initial);
      await restore();
      expect(await keys()).toEqual(initial);
    }
    await one.project("other").seed(draft);
    await Promise.all([one.close(), two.close()]);
    expect(readdirSync(folder)).toEqual(["shop.ndjson"]);
    expect(read(folder, "shop.ndjson")).toBe(before);
  });
});

/** Returns the error of a mock that does not start. */
async function problemOf(folder: string, readOnly = false): Promise<string> {
  const mock = await open(folder, readOnly).catch((error: Error) => error);
  if (mock instanceof Error) return mock.message;
  await mock.close();
  throw new Error("expected an error, found none");
}
