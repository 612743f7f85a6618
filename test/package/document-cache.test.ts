/**
 * The built command keeps large documents that it has read in the cache folder of the user.
 * @module-tag process
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { command } from "../setup/command.ts";
import { folderOf } from "../setup/folder.ts";
import { bin, run } from "../setup/run.ts";

const filler = "x".repeat(250_000);

function documentOf(title: string, others: object = {}): string {
  // The format is unknown, which is a warning.
  const schema = { type: "string", format: "colour", description: filler };
  const paths = { "/pets": { get: { responses: { 200: { content: { "application/json": { schema } } } } } } };
  return JSON.stringify({ openapi: "3.1.0", info: { title, version: "1" }, paths, ...others }, undefined, 1);
}

let folder: string;
let cache: string;

beforeEach(() => {
  folder = folderOf({});
  cache = join(folder, "cache", "resource-mock");
});

/** Returns the title of the document in this file, and the warnings. */
async function read(file = "api.json", environment: object = { XDG_CACHE_HOME: join(folder, "cache") }) {
  const openapi = await command(["openapi", "--contract", file], environment, folder);
  const { stdout, stderr } = await command(["check", "--contract", file], environment, folder);
  const warnings = `${stdout}\n${stderr}`.split("\n").filter((line) => line.includes("colour"));
  return { title: JSON.parse(openapi.stdout).info.title, warnings };
}

function write(title: string, file = "api.json", others = {}): void {
  writeFileSync(join(folder, file), documentOf(title, others));
}

const kept = () => (existsSync(cache) ? readdirSync(cache) : []);

/** Marks the only document in the cache, so that a response shows that it comes from there. */
function mark(): void {
  const [name = ""] = kept();
  const text = readFileSync(join(cache, name), "utf8");
  writeFileSync(join(cache, name), text.replace('"title":"', '"title":"kept '));
}

describe("the cache of documents", () => {
  it("has the document that was read before, with its warnings for the file of this start", async () => {
    write("Pets");
    const first = await read();
    expect(first).toEqual({ title: "Pets", warnings: ['api.json:16: unknown format "colour": ignored'] });
    expect(kept()).toHaveLength(1);

    mark();
    write("Pets", "copy.json");
    expect(await read()).toEqual({ ...first, title: "kept Pets" });
    expect(await read("copy.json")).toEqual({
      title: "kept Pets",
      warnings: [first.warnings[0]?.replace("api", "copy")],
    });
  });

  it("has no changed document", async () => {
    write("Pets");
    await read();
    mark();
    write("Birds");
    expect((await read()).title).toBe("Birds");
    expect(kept()).toHaveLength(2);
  });

  it.each([
    ...["", '{"document":', "[]", "null", '{"document":null,"warnings":[]}', '{"document":{},"warnings":[]}'],
    '{"document":{"info":{},"paths":{}},"warnings":[{}]}',
  ])("is read again if its file has the content %j", async (content) => {
    write("Pets");
    await read();
    const [name = ""] = kept();
    const whole = readFileSync(join(cache, name), "utf8");
    writeFileSync(join(cache, name), content);
    expect(await read()).toMatchObject({ title: "Pets", warnings: [expect.any(String)] });
    expect(kept()).toEqual([name]);
    expect(readFileSync(join(cache, name), "utf8")).toBe(whole);
  });

  it("has no document with a reference to a file, which can be missing, appear later, or be the document itself", async () => {
    const withReference = (reference: string) => ({ components: { schemas: { Cat: { $ref: reference } } } });
    write("Pets", "api.json", withReference("cat.json"));
    expect((await read()).title).toBe("Pets");
    write("Own", "own.json", withReference("own.json#/components/schemas/Dog"));
    expect((await read("own.json")).title).toBe("Own");
    expect(kept()).toEqual([]);
  });

  it("leaves the files of others, and stores nothing if its folder is missing, relative or not writable", async () => {
    mkdirSync(cache, { recursive: true });
    const foreign = Array.from({ length: 12 }, (_, index) => `thesis-${index}.txt`);
    for (const name of foreign) writeFileSync(join(cache, name), "");
    mkdirSync(join(cache, `${"a".repeat(64)}-${"b".repeat(16)}.json`));
    write("Pets");
    await read();
    expect(kept()).toEqual(expect.arrayContaining(foreign));
    expect(kept()).toHaveLength(14);

    const before = readdirSync(folder);
    for (const environment of [
      { XDG_CACHE_HOME: ".", HOME: "." },
      { XDG_CACHE_HOME: "", HOME: "" },
    ])
      expect((await read("api.json", { LOCALAPPDATA: "", ...environment })).title).toBe("Pets");
    expect(readdirSync(folder)).toEqual(before);
    for (const nowhere of ["/proc/nowhere", "/dev/null"])
      expect((await read("api.json", { XDG_CACHE_HOME: nowhere })).title).toBe("Pets");
  });

  it("has no document whose aliases multiply its texts", async () => {
    const aliases = Array.from({ length: 200 }, () => "- *text").join("\n  ");
    const text = `x-text: &text ${filler}\nx-all:\n  ${aliases}\n`;
    writeFileSync(join(folder, "api.yaml"), `openapi: 3.1.0\ninfo: { title: Bomb, version: "1" }\npaths: {}\n${text}`);
    const environment = { XDG_CACHE_HOME: join(folder, "cache") };
    expect((await command(["check", "--contract", "api.yaml"], environment, folder)).code).toBe(0);
    expect(kept()).toEqual([]);
  });

  it("has the eight documents that were used last", async () => {
    write("Pets");
    await read();
    const [first = ""] = kept();
    const others = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(64) + first.slice(64));
    for (const name of others) writeFileSync(join(cache, name), "");
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
    for (const [index, name] of [first, ...others].entries())
      utimesSync(join(cache, name), ago(99 - index), ago(99 - index));

    await read();
    write("Birds");
    await read();
    expect(kept()).toHaveLength(8);
    expect(kept()).toEqual(expect.arrayContaining([first, ...others.slice(2)]));
  });

  it("has whole files while processes write them at the same time", async () => {
    write("Pets");
    const all = await Promise.all([read(), read(), read(), read()]);
    expect(new Set(all.map(({ title }) => title))).toEqual(new Set(["Pets"]));
    expect(kept()).toHaveLength(1);
    mark();
    expect((await read()).title).toBe("kept Pets");
  });

  it("has no document in several files, no small one, and none of Swagger 2.0", async () => {
    mkdirSync(cache, { recursive: true });
    write("Parts", "api.json", { components: { schemas: { Cat: { $ref: "cat.json" } } } });
    writeFileSync(join(folder, "cat.json"), '{ "type": "object" }');
    await read();
    writeFileSync(join(folder, "api.json"), documentOf("Small").replace(filler, ""));
    await read();
    write("Old", "api.json", { openapi: undefined, swagger: "2.0" });
    await read();
    expect(kept()).toEqual([]);
  });

  it("has nothing with --no-cache and with its variable", async () => {
    write("Pets");
    await read();
    mark();
    const serve = `
      const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, process.argv.slice(1), { stdio: ["ignore", "pipe", "inherit"] });
      child.stdout.once("data", async (line) => {
        const response = await fetch(/http\\S+/.exec(line)[0] + "/__admin/contract.json");
        console.log((await response.json()).info.title);
        child.kill();
      });`;
    const start = (flags: string[], environment = {}) => {
      const args = ["-e", serve, bin, "--contract", "api.json", "--port", "0", "--log", "off", ...flags];
      const env = { ...process.env, XDG_CACHE_HOME: join(folder, "cache"), ...environment };
      return run(process.execPath, args, folder, env);
    };
    expect(await start([])).toBe("kept Pets");
    expect(await start(["--no-cache"])).toBe("Pets");
    expect(await start([], { RESOURCE_MOCK_NO_CACHE: "true" })).toBe("Pets");
    rmSync(cache, { recursive: true });
    await start(["--no-cache"]);
    expect(readdirSync(join(folder, "cache"))).toEqual([]);
  });

  it("is not needed: its folder can be a file", async () => {
    writeFileSync(join(folder, "cache"), "");
    write("Pets");
    expect((await read()).title).toBe("Pets");
  });
});
