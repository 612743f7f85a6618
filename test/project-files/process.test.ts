import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, renameSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectResourceMock } from "../../src/client/mock-client.ts";
import { LOCK_FILE } from "../../src/project-files/lock.ts";
import { command } from "../setup/command.ts";
import { folderOf, writeInto } from "../setup/folder.ts";
import { type ServeOptions, type Serving, serving } from "../setup/serving.ts";

const draft = { objectTypeProperty: { arrayOfIntExample: [1] } };

describe("--projects", () => {
  test("keeps projects between runs", async () => {
    const folder = join(folderOf({}), "new/projects");
    const first = await server(folder);
    const project = first.mock.project("Shop 1");
    const { id } = await project.seed(draft);
    await project.snapshot("before");
    await project.settings.set({ unknownIds: "not-found" });
    expect(await first.stop()).toBe(0);
    expect(readdirSync(folder)).toEqual(["%53hop%201.json"]);

    const second = await server(folder);
    const restored = second.mock.project("Shop 1");
    expect((await second.mock.projects()).map(({ key }) => key)).toEqual(["Shop 1"]);
    expect(await restored.resources.get(id)).toMatchObject(draft);
    expect(await restored.settings.get()).toMatchObject({ unknownIds: "not-found" });
    expect((await restored.snapshots.list()).map(({ name }) => name)).toEqual(["before"]);
    expect(await second.stop()).toBe(0);
  });

  test("saves a change while the server runs", async () => {
    const folder = folderOf({});
    const { mock, stop } = await server(folder);
    const saved = changesIn(folder);
    await mock.project("shop").seed({ ...draft, key: "shirt" });
    await saved((name) => name === "shop.json" && read(folder, name).includes('"shirt"'));
    expect(await stop("SIGKILL")).toBe("SIGKILL");
    expect(readdirSync(folder).sort()).toEqual([LOCK_FILE, "shop.json"]);

    const next = await server(folder);
    expect((await next.mock.project("shop").resources.list()).map(({ key }) => key)).toContain("shirt");
    await next.stop();
  });

  test("saves a reset, and deletes the file of a closed project", async () => {
    const folder = folderOf({});
    const { mock, stop } = await server(folder);
    const saved = changesIn(folder);
    const project = mock.project("shop");
    await project.seed({ ...draft, key: "shirt" });
    await saved((name) => name === "shop.json" && read(folder, name).includes('"shirt"'));
    await project.reset();
    await saved((name) => name === "shop.json" && !read(folder, name).includes('"shirt"'));
    await project.close();
    await saved(() => !existsSync(join(folder, "shop.json")));
    await stop();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("does not create a file for a project that was only read through the control API", async () => {
    const folder = folderOf({});
    const { mock, stop } = await server(folder);
    await mock.project("shop").resources.list();
    await stop();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("restores projects before the server listens, with keys of any characters", async () => {
    const folder = folderOf({});
    const keys = ["A", "a", "...", "a/b", "con", "ü".repeat(256), "😀".repeat(128), "shop~t1", "100%", "shop.v2"];
    const first = await server(folder);
    for (const key of keys) await first.mock.project(key).seed({ ...draft, key });
    await first.stop();
    expect(readdirSync(folder)).toHaveLength(keys.length);

    const second = await server(folder);
    expect((await second.mock.projects()).map(({ key }) => key).sort()).toEqual([...keys].sort());
    for (const key of keys) expect(await second.mock.project(key).resources.list()).toHaveLength(6);
    await second.stop();
  });

  test("a file that a user has named gets the name that the server uses", async () => {
    const folder = folderOf({});
    const first = await server(folder);
    await first.mock.project("Shop").seed(draft);
    await first.stop();
    renameSync(join(folder, "%53hop.json"), join(folder, "Demo Shop.json"));
    writeInto(folder, "README.md", "Projects of the demo");

    const second = await server(folder);
    expect((await second.mock.projects()).map(({ key }) => key)).toEqual(["Demo Shop"]);
    await second.stop();
    expect(readdirSync(folder).sort()).toEqual(["%44emo%20%53hop.json", "README.md"]);
  });

  test("deletes unfinished files of a server that was killed", async () => {
    const folder = folderOf({ "shop.json.tmp": '{"half', "notes.tmp": "" });
    const { mock, stop } = await server(folder);
    expect(await mock.projects()).toEqual([]);
    await stop();
    expect(readdirSync(folder)).toEqual(["notes.tmp"]);
  });
});

describe("a start with --projects fails with exit code 2 and one line", () => {
  test("if another server uses the folder", async () => {
    const folder = folderOf({});
    const first = await server(folder);
    expect(await start(folder)).toBe(
      `${folder}: expected no other server on this folder, found one with the process id ${first.process.pid}. Stop it, or use another folder.`,
    );
    expect(await first.stop()).toBe(0);
    await (await server(folder)).stop();
  });

  test.each([
    ["shop.json", "", "Unexpected end of JSON input"],
    ["shop.json", '{ "project": ', "Unexpected end of JSON input"],
    ["shop.json", "[]", "expected object, found an empty array"],
    ["shop.json", "{}", "is required, found nothing"],
    ["%zz.json", "{}", "expected the name to be a project key, in which %20 is a space"],
    ["__admin.json", "{}", "expected a key that is not reserved"],
  ])("if %s is %j", async (name, text, message) => {
    const folder = folderOf({ [name]: text });
    const line = await start(folder);
    expect(line).toContain(`${join(folder, name)}: `);
    expect(line).toContain(message);
    // The folder stays as it is.
    expect(readdirSync(folder)).toEqual([name]);
    expect(read(folder, name)).toBe(text);
  });

  test("if two files have the same project", async () => {
    const folder = folderOf({});
    const first = await server(folder);
    await first.mock.project("A").seed(draft);
    await first.stop();
    writeFileSync(join(folder, "A.json"), read(folder, "%41.json"));
    expect(await start(folder)).toBe(
      `${join(folder, "A.json")}: expected a project of its own, found "A", which %41.json has too`,
    );
  });

  test("if the folder is a file", async () => {
    const file = join(folderOf({ projects: "" }), "projects");
    expect(await start(file)).toContain(
      `expected a folder that this process can write to, found ${JSON.stringify(file)}`,
    );
    expect(await start(file, ["--projects-read-only"])).toBe(
      `${file}: expected a folder that this process can read, found a file`,
    );
  });

  test("if a read-only folder does not exist", async () => {
    const folder = join(folderOf({}), "missing");
    expect(await start(folder, ["--projects-read-only"])).toBe(
      `${folder}: expected a folder that this process can read, found none`,
    );
  });

  test("if projects are also shared", async () => {
    const { code, stderr } = await command(["--projects", "p", "--share", "redis://127.0.0.1:1"]);
    expect(stderr).toBe(
      "resource-mock: --projects: expected without --share, found both; the shared store keeps the projects\n",
    );
    expect(code).toBe(2);
  });

  test("if --projects-read-only is alone", async () => {
    const { code, stderr } = await command(["--port", "0", "--projects-read-only"]);
    expect(stderr).toBe("resource-mock: --projects-read-only: expected together with --projects, found alone\n");
    expect(code).toBe(2);
  });
});

describe("--projects-read-only", () => {
  test("uses the files as initial state, and writes nothing", async () => {
    const folder = await folderWith("shop", "shirt");
    const before = read(folder, "shop.json");
    const args = ["--projects-read-only"];
    const [one, two] = await Promise.all([server(folder, { args }), server(folder, { args })]);
    const project = one.mock.project("shop");
    const keys = async () => (await project.resources.list()).map(({ key }) => key);
    const initial = await keys();
    expect(initial).toContain("shirt");
    const [{ id } = { id: "" }] = await project.resources.list();

    for (const restore of [() => project.reset(), () => project.close(), () => one.mock.reset()]) {
      await project.resources.delete(id);
      await project.seed({ ...draft, key: "hat" });
      expect(await keys()).not.toEqual(initial);
      await restore();
      expect(await keys()).toEqual(initial);
    }
    await one.mock.project("other").seed(draft);
    await Promise.all([one.stop(), two.stop()]);
    expect(readdirSync(folder)).toEqual(["shop.json"]);
    expect(read(folder, "shop.json")).toBe(before);
  });
});

describe("a file that cannot be written", () => {
  test("is reported once, stays as it was, and is saved when there is room again", async () => {
    const folder = await folderWith("small", "shirt");
    // Blocks of 1,024 bytes: the limit of the files that the server writes. The system reports it like a full disk.
    const { mock, stop, line, output } = await server(folder, { before: "ulimit -f 64" });
    const saved = changesIn(folder);
    await using events = await mock.events();
    const nextOfStorage = async () => {
      for (;;) {
        const { value } = await events.next();
        if (value === undefined || value.type === "storage") return value?.data;
      }
    };
    expect(await mock.health()).not.toHaveProperty("unsaved");

    const large = mock.project("large");
    await large.seed({ ...draft, key: "hat" });
    await saved((name) => name === "large.json" && read(folder, name).includes('"hat"'));
    const before = read(folder, "large.json");
    await large.seed({ ...draft, key: "coat", note: "x".repeat(100_000) });
    const problem = `${join(folder, "large.json")}: the file is larger than this process may write (EFBIG)`;
    await line(/changes of projects are not saved/);
    expect(await nextOfStorage()).toEqual({ project: "large", change: "failed", problem });
    expect(await mock.health()).toMatchObject({ status: "ok", unsaved: { projects: 1, problem } });

    // Other projects are saved, and the server responds.
    await mock.project("small").seed({ ...draft, key: "sock" });
    await saved((name) => name === "small.json" && read(folder, name).includes('"sock"'));
    await large.seed({ ...draft, key: "scarf" });
    expect(read(folder, "large.json")).toBe(before);

    await large.reset();
    await line(/all changes of projects are saved again/);
    expect(await nextOfStorage()).toEqual({ project: "large", change: "recovered" });
    expect(await mock.health()).not.toHaveProperty("unsaved");
    expect(read(folder, "large.json")).not.toContain('"hat"');
    expect(await stop()).toBe(0);
    expect(output().match(/not saved/g)).toHaveLength(1);
    expect(readdirSync(folder).sort()).toEqual(["large.json", "small.json"]);
  });

  test("at the stop sets exit code 1", async () => {
    const folder = folderOf({});
    const { mock, stop, line } = await server(folder, { before: "ulimit -f 64" });
    await mock.project("large").seed({ ...draft, note: "x".repeat(100_000) });
    expect(await stop()).toBe(1);
    await line(/changes of projects are not saved/);
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** Starts a server on the folder, with a client. */
async function server(folder: string, { args = [], ...options }: ServeOptions = {}) {
  const started: Serving = await serving({ args: ["--log", "off", "--projects", folder, ...args], ...options });
  return { ...started, mock: connectResourceMock(started.url) };
}

/** Starts a server that must fail. Returns its line. */
async function start(folder: string, args: readonly string[] = []): Promise<string> {
  const { code, stderr } = await command(["--port", "0", "--projects", folder, ...args]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^resource-mock: [^\n]*\n$/);
  return stderr.slice("resource-mock: ".length, -1);
}

/** Returns a folder with a project, whose resources include one with this key. */
async function folderWith(project: string, key: string): Promise<string> {
  const folder = folderOf({});
  const { mock, stop } = await server(folder);
  await mock.project(project).seed({ ...draft, key });
  await stop();
  return folder;
}

function read(folder: string, name: string): string {
  const file = join(folder, name);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** Returns a function that waits for a change in the folder that meets the condition. */
function changesIn(folder: string) {
  return async (condition: (name: string) => boolean): Promise<void> => {
    const watching = new AbortController();
    const watcher = watch(folder, { signal: watching.signal });
    const isMet = () => readdirSync(folder).some(condition) || condition("");
    while (!isMet()) await once(watcher, "change");
    watching.abort();
  };
}
