// @module-tag slow
// @module-tag process
import { execFileSync } from "node:child_process";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectResourceMock } from "../../src/control/client/mock-client.ts";
import { LOCK_FILE } from "../../src/homes/files/folder-lock.ts";
import { command } from "../setup/command.ts";
import { folderOf } from "../setup/folder.ts";
import { type ServeOptions, type Serving, serving } from "../setup/serving.ts";
import { changesIn, draft, folderWith, read, savedIn } from "./folders.ts";

describe("--projects", () => {
  test("keeps projects between runs", async () => {
    const folder = join(folderOf({}), "new/projects");
    const first = await server(folder);
    const project = first.mock.project("Shop 1");
    const { id } = await project.seed(draft);
    await project.snapshot("before");
    await project.settings.set({ unknownIds: "not-found", start: "empty" });
    expect(await first.stop()).toBe(0);
    expect(readdirSync(folder)).toEqual(["%53hop%201.ndjson"]);

    const second = await server(folder);
    const restored = second.mock.project("Shop 1");
    expect((await second.mock.projects()).map(({ key }) => key)).toEqual(["Shop 1"]);
    expect(await restored.resources.get(id)).toMatchObject(draft);
    expect(await restored.settings.get()).toMatchObject({ unknownIds: "not-found" });
    expect((await restored.snapshots.list()).map(({ name }) => name)).toEqual(["before"]);
    await restored.reset();
    expect(await restored.resources.list()).toEqual([]);
    expect(await second.stop()).toBe(0);
  });

  test("saves a change while the server runs", async () => {
    const folder = folderOf({});
    const { mock, stop } = await server(folder);
    const saved = changesIn(folder);
    await mock.project("shop").seed({ ...draft, key: "shirt" });
    await saved((name) => name === "shop.ndjson" && read(folder, name).includes('"shirt"'));
    expect(await stop("SIGKILL")).toBe("SIGKILL");
    expect(readdirSync(folder).sort()).toEqual([LOCK_FILE, "shop.ndjson"]);

    const next = await server(folder);
    expect((await next.mock.project("shop").resources.list()).map(({ key }) => key)).toContain("shirt");
    await next.stop();
  });
});

describe("a start with --projects fails with exit code 2 and one line", () => {
  test("if another server uses the folder", async () => {
    const folder = folderOf({});
    const first = await server(folder);
    expect(await start(folder)).toBe(
      `${folder}: expected a folder that no other process uses, found the process id ${first.process.pid}. Stop it, or use another folder.`,
    );
    expect(await first.stop()).toBe(0);
  });

  test.each([
    ["a pipe", (file: string) => execFileSync("mkfifo", [file])],
    ["a link that points nowhere", (file: string) => symlinkSync("nowhere", file)],
  ])("if the lock is %s", async (_name, create) => {
    const folder = folderOf({});
    create(join(folder, LOCK_FILE));
    expect(await start(folder)).toBe(`${join(folder, LOCK_FILE)}: expected a file, found another kind. Remove it.`);
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

describe("a file that cannot be restored", () => {
  const damaged = { "shop.ndjson": "{", "other.ndjson": '{"format":"resource-mock-archive/1"}\n' };

  test("is set aside, and the server starts with the other projects", async () => {
    const folder = await folderWith("kept", "shirt");
    for (const [name, text] of Object.entries(damaged)) writeFileSync(join(folder, name), text);
    execFileSync("mkfifo", [join(folder, "pipe.ndjson")]);
    const { mock, stop, output } = await server(folder);
    expect((await mock.projects()).map(({ key }) => key)).toEqual(["kept"]);
    const problem = `${join(folder, "other.ndjson")}: `;
    expect(output()).toContain(`resource-mock: warning: a project is not restored: ${problem}`);
    expect(await mock.health()).toMatchObject({ status: "ok", unreadable: { projects: 2 } });

    // The project with the name of a damaged file is new, and saved.
    await mock.project("shop").seed(draft);
    expect(await stop()).toBe(0);
    const names = ["kept.ndjson", "other.ndjson.unreadable", "pipe.ndjson", "shop.ndjson", "shop.ndjson.unreadable"];
    expect(readdirSync(folder).sort()).toEqual(names);
    expect(read(folder, "shop.ndjson.unreadable")).toBe("{");
  });

  test("stays as it is with --projects-read-only", async () => {
    const folder = folderOf(damaged);
    const { mock, stop } = await server(folder, { args: ["--projects-read-only"] });
    expect(await mock.health()).toMatchObject({ unreadable: { projects: 2 } });
    expect(await stop()).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(Object.keys(damaged).sort());
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
    await saved((name) => name === "large.ndjson" && read(folder, name).includes('"hat"'));
    const before = savedIn(folder, "large.ndjson");
    await large.seed({ ...draft, key: "coat", note: "x".repeat(100_000) });
    const problem = `${join(folder, "large.ndjson")}: EFBIG: file too large, write`;
    await line(/changes of projects are not saved/);
    expect(await nextOfStorage()).toEqual({ project: "large", change: "failed", problem });
    expect(await mock.health()).toMatchObject({ status: "ok", unsaved: { projects: 1, problem } });

    // Other projects are saved, and the server responds.
    await mock.project("small").seed({ ...draft, key: "sock" });
    await saved((name) => name === "small.ndjson" && read(folder, name).includes('"sock"'));
    await large.seed({ ...draft, key: "scarf" });
    expect(savedIn(folder, "large.ndjson")).toEqual(before);

    await large.reset();
    await line(/all changes of projects are saved again/);
    expect(await nextOfStorage()).toEqual({ project: "large", change: "recovered" });
    expect(await mock.health()).not.toHaveProperty("unsaved");
    expect(read(folder, "large.ndjson")).not.toContain('"hat"');
    expect(await stop()).toBe(0);
    expect(output().match(/not saved/g)).toHaveLength(1);
    expect(readdirSync(folder).sort()).toEqual(["large.ndjson", "small.ndjson"]);
  });

  test("at the stop sets exit code 1", async () => {
    const folder = folderOf({});
    const { mock, stop, line } = await server(folder, { before: "ulimit -f 64" });
    await mock.project("large").seed({ ...draft, note: "x".repeat(100_000) });
    expect(await stop()).toBe(1);
    await line(/changes of projects are not saved/);
    // A save can have begun before the project had the large resource.
    expect(JSON.stringify(savedIn(folder, "large.ndjson"))).not.toContain("xxx");
    expect(readdirSync(folder).filter((name) => name !== "large.ndjson")).toEqual([]);
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
